// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/point_batches.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"

#include <mutex>

namespace orrery {

std::vector<ScenarioEdit> sweptChanges(const SweepQuestion& question, std::size_t point, const std::optional<SensitivityInput>& input) {
    std::vector<ScenarioEdit> changes = question.changes(point);
    if (!input || changes.empty() || changes.front().pointer != input->pointer || !changes.front().value->is_number() || !(input->value > 0)) return changes;
    std::vector<ScenarioEdit> tied = input->times(changes.front().value->get<double>() / input->value);
    tied.insert(tied.end(), changes.begin() + 1, changes.end());
    return tied;
}

SweepRun runTiedSweep(const Trials& trials, const SweepQuestion& question, const std::optional<SensitivityInput>& input, const RunControl& control, const OnSweptPoint& onPoint) {
    SweepRun run;
    for (const SweptKey& axis : question.axes) {
        if (input && axis.pointer == input->pointer) continue; // it may not be there until all that changes with it is written out
        const Problems ofPlace = problemsOfPlace(trials, axis.pointer, *axis.values.front());
        run.problems.insert(run.problems.end(), ofPlace.begin(), ofPlace.end());
    }
    if (!run.problems.empty()) return run;
    if (!input) return runSweep(trials, question, {}, control, onPoint);
    run.points.resize(static_cast<std::size_t>(question.points()));
    std::mutex one;
    std::size_t done = 0;
    RunControl single;
    single.stop = control.stop;
    single.memoryCeiling = control.memoryCeiling;
    forEachIndex(run.points.size(), control.threads, [&](std::size_t index) {
        if (control.stop.stop_requested()) return;
        const Trial trial = trials.run(sweptChanges(question, index, input), single);
        if (!trial.result && control.stop.stop_requested()) return;
        SweptPoint point = sweptPoint(trial, question.measures);
        const std::lock_guard lock(one);
        run.points[index] = std::move(point);
        if (onPoint) onPoint(index, run.points[index]);
        if (control.progress) control.progress(double(++done) / double(run.points.size()));
    });
    run.cancelled = control.stop.stop_requested();
    return run;
}

} // namespace orrery
