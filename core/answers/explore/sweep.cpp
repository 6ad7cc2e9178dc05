// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/sweep.hpp"

#include "core/answers/explore/trial_pool.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace orrery {
namespace {

/// An engine without room for its cache serves nobody: a latency of 0 s would be the best there is.
bool wasNotServed(const Trial& trial, const Measure& measure) {
    const Json& result = **trial.result;
    return !trial.fits && result.value("kind", std::string()) == "serving" && !measure.pointer.starts_with("/memory") && !measure.pointer.starts_with("/out_of_memory") && measure.pointer != "/parameters" && measure.pointer != "/active_parameters";
}

} // namespace

SweptPoint sweptPoint(const Trial& trial, const std::vector<Measure>& measures) {
    SweptPoint point;
    if (!trial.result) {
        point.problem = trial.problems.empty() ? std::string() : trial.problems.front().message;
        point.metrics.resize(measures.size());
        return point;
    }
    point.fits = trial.fits;
    for (const Measure& measure : measures) point.metrics.emplace_back(wasNotServed(trial, measure) ? Json() : measured(*trial.result, measure));
    return point;
}

double SweepQuestion::points() const {
    double count = 1;
    for (const SweptKey& axis : axes) count *= static_cast<double>(axis.values.size());
    return count;
}

std::vector<ScenarioEdit> SweepQuestion::changes(std::size_t point) const {
    std::vector<ScenarioEdit> edits(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        const std::vector<BoxedJson>& values = axes[i].values;
        edits[i] = {axes[i].pointer, values[point % values.size()]};
        point /= values.size();
    }
    return edits;
}

SweepRun runSweep(const Trials& trials, const SweepQuestion& question, std::map<std::size_t, SweptPoint> known, const RunControl& control, const OnSweptPoint& onPoint) {
    const std::unique_ptr<TrialPool> pool = threadPool(trials, question, control);
    return runSweep(trials, question, *pool, std::move(known), control, onPoint);
}

SweepRun runSweep(const Trials& trials, const SweepQuestion& question, TrialPool& pool, std::map<std::size_t, SweptPoint> known, const RunControl& control, const OnSweptPoint& onPoint) {
    SweepRun run;
    const auto count = static_cast<std::size_t>(question.points());
    run.points.resize(count);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < count; ++i) {
        const auto found = known.find(i);
        if (found == known.end()) open.push_back(i);
        else run.points[i] = std::move(found->second);
    }
    std::size_t begun = 0, done = count - open.size();
    while (done < count && !control.stop.stop_requested()) {
        for (; begun < open.size() && begun - (done - (count - open.size())) < pool.places(); ++begun) pool.begin(open[begun]);
        std::optional<TrialPool::Done> next = pool.next();
        if (!next) break; // stopped
        run.points[next->index] = std::move(next->point);
        if (onPoint) onPoint(next->index, run.points[next->index]);
        if (control.progress) control.progress(double(++done) / double(count));
        else ++done;
    }
    RunControl single;
    single.stop = control.stop;
    single.memoryCeiling = control.memoryCeiling;
    run.cancelled = control.stop.stop_requested();
    for (std::size_t m = 0; m < question.measures.size(); ++m) {
        const auto has = [m](const SweptPoint& point) { return m < point.metrics.size() && !point.metrics[m]->is_null(); };
        const auto withResult = std::find_if(run.points.begin(), run.points.end(), [](const SweptPoint& point) { return point.fits.has_value(); });
        if (withResult == run.points.end() || std::any_of(run.points.begin(), run.points.end(), has)) continue;
        const Trial trial = trials.run(question.changes(static_cast<std::size_t>(withResult - run.points.begin())), single);
        if (!trial.result) continue;
        const Problems missing = problemsOf({question.measures[m]}, *trial.result);
        run.problems.insert(run.problems.end(), missing.begin(), missing.end());
    }
    return run;
}

Json pointDocument(const SweepQuestion& question, std::size_t index, const SweptPoint& point) {
    Json changes = Json::object(), metrics = Json::object();
    for (const ScenarioEdit& edit : question.changes(index)) changes[edit.pointer] = *edit.value;
    for (std::size_t m = 0; m < question.measures.size(); ++m) metrics[question.measures[m].name] = m < point.metrics.size() ? *point.metrics[m] : Json();
    return {{"changes", changes}, {"metrics", metrics}, {"fits", point.fits ? Json(*point.fits) : Json()}, {"problem", point.problem.empty() ? Json() : Json(point.problem)}};
}

std::optional<SweptPoint> pointFrom(const SweepQuestion& question, const Json& document) {
    if (!document.is_object() || !document.contains("metrics") || !document.contains("fits") || !document.contains("problem")) return std::nullopt;
    const Json& metrics = document["metrics"];
    if (!metrics.is_object() || metrics.size() != question.measures.size()) return std::nullopt;
    SweptPoint point;
    for (const Measure& measure : question.measures) {
        const auto found = metrics.find(measure.name);
        if (found == metrics.end()) return std::nullopt;
        point.metrics.emplace_back(*found);
    }
    if (document["fits"].is_boolean()) point.fits = document["fits"].get<bool>();
    if (document["problem"].is_string()) point.problem = document["problem"].get<std::string>();
    return point;
}

Json axesDocument(const SweepQuestion& question) {
    Json axes = Json::array();
    for (const SweptKey& axis : question.axes) {
        Json values = Json::array();
        for (const BoxedJson& value : axis.values) values.push_back(*value);
        axes.push_back({{"pointer", axis.pointer}, {"values", std::move(values)}});
    }
    return axes;
}

Json sweepDocument(const SweepQuestion& question, const std::vector<SweptPoint>& points) {
    Json list = Json::array();
    for (std::size_t i = 0; i < points.size(); ++i) list.push_back(pointDocument(question, i, points[i]));
    return {{"format", "orrery-sweep/1"}, {"axes", axesDocument(question)}, {"points", std::move(list)}};
}

PlainTable sweepTable(const SweepQuestion& question, const std::vector<SweptPoint>& points) {
    PlainTable table{"Points", {{}}};
    table.rows.reserve(points.size() + 1);
    for (const SweptKey& axis : question.axes) table.rows.front().emplace_back(axis.pointer);
    for (const Measure& measure : question.measures) table.rows.front().emplace_back(measure.name);
    table.rows.front().emplace_back("fits");
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<PlainCell> row;
        row.reserve(table.rows.front().size());
        for (const ScenarioEdit& edit : question.changes(i)) row.push_back(plainCell(*edit.value));
        for (std::size_t m = 0; m < question.measures.size(); ++m) row.push_back(m < points[i].metrics.size() ? plainCell(*points[i].metrics[m]) : PlainCell());
        row.push_back(points[i].fits ? PlainCell(*points[i].fits) : PlainCell(points[i].problem));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace orrery
