// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/operator_sums.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace orrery {

double duration(const Result& result, const OperatorScope& scope) {
    if (!scope.wholeTime()) return scope.to - scope.from;
    return result.training() ? result.training()->iterationTime : result.timeline.duration;
}

std::vector<OperationRow> operatorSums(const Result& result, const OperatorScope& scope) {
    const Timeline& timeline = result.timeline;
    if (scope.whole() || timeline.stages.empty()) return result.operations;

    const double from = scope.wholeTime() ? std::numeric_limits<double>::lowest() : scope.from;
    const double to = scope.wholeTime() ? std::numeric_limits<double>::max() : scope.to;
    std::vector<double> counts(timeline.operators.size());
    std::vector<double> times(timeline.operators.size());
    int stages = 0;
    for (std::size_t index = 0; index < timeline.stages.size(); ++index) {
        if (scope.stage >= 0 && timeline.stages[index].stage != scope.stage) continue;
        ++stages;
        for (const StreamKind stream : streamKinds(timeline)) {
            forEachOperator(timeline, static_cast<int>(index), stream, from, to, [&](const OperatorInstance& instance) {
                const double length = instance.end - instance.start;
                const double inside = std::min(instance.end, to) - std::max(instance.start, from);
                counts[instance.op] += length > 0 ? inside / length : 1;
                times[instance.op] += inside;
            });
        }
    }

    // Stages may time the same operator differently: it is one row all the same, bound as most of its time is.
    std::map<std::pair<std::string, std::string>, std::size_t> rowOf;
    std::vector<OperationRow> rows;
    std::vector<double> largest;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!(counts[i] > 0)) continue;
        const TimedOperator& timed = timeline.operators[i];
        const std::string phase(toString(timed.op.phase));
        const auto [place, added] = rowOf.try_emplace({timed.op.name, phase}, rows.size());
        if (added) {
            rows.push_back({timed.op.name, phase, 0, 0, 0, 0, timed.bound, timed.source, timed.op.kind, timed.op.group});
            largest.push_back(0);
        }
        OperationRow& row = rows[place->second];
        row.count += counts[i] / stages;
        row.time += times[i] / stages;
        row.flops += counts[i] * timed.op.flops / stages;
        row.bytes += counts[i] * (timed.op.bytesRead + timed.op.bytesWritten) / stages;
        if (times[i] <= largest[place->second]) continue;
        largest[place->second] = times[i];
        row.bound = timed.bound;
        row.source = timed.source;
    }
    return rows;
}

} // namespace orrery
