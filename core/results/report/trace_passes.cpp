// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/trace_passes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace orrery {
namespace {

void addPasses(const Timeline& timeline, int position, const Stream& stream, std::vector<TracePass>& passes) {
    bool open = false; // the last pass may still grow
    for (const Span& span : stream.spans) {
        const Phase phase = timeline.segments[span.segment].phase;
        const bool forward = phase == Phase::forward;
        if (span.microBatch < 0 || !(forward || phase == Phase::backward || phase == Phase::recompute)) {
            open = false;
            continue;
        }
        if (open) {
            TracePass& last = passes.back();
            if (last.microBatch == span.microBatch && last.chunk == span.chunk && last.forward == forward) {
                last.end = span.end;
                continue;
            }
        }
        passes.push_back({position, span.microBatch, span.chunk, forward, span.start, span.end});
        open = true;
    }
}

} // namespace

std::vector<TracePass> tracePasses(const Timeline& timeline) {
    std::vector<TracePass> passes;
    if (timeline.kind != TimelineKind::iteration) return passes; // steps of an engine are of no micro-batch
    for (std::size_t position = 0; position < timeline.stages.size(); ++position)
        for (const Stream& stream : timeline.stages[position].streams)
            if (stream.kind == StreamKind::compute) addPasses(timeline, static_cast<int>(position), stream, passes);
    return passes;
}

std::vector<TraceArrow> traceArrows(const Timeline& timeline, const std::vector<TracePass>& passes) {
    std::map<int, int> positionOfStage;
    for (std::size_t position = 0; position < timeline.stages.size(); ++position)
        positionOfStage.try_emplace(timeline.stages[position].stage, static_cast<int>(position));

    // For each micro-batch, in each direction: the first pass through each chunk of each stage.
    std::map<int, std::vector<std::size_t>> ways;
    std::set<std::pair<std::pair<int, int>, std::pair<int, bool>>> seen;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const TracePass& pass = passes[i];
        if (positionOfStage.at(timeline.stages[static_cast<std::size_t>(pass.position)].stage) != pass.position) continue;
        if (seen.insert({{pass.position, pass.microBatch}, {pass.chunk, pass.forward}}).second) ways[pass.microBatch].push_back(i);
    }
    std::vector<TraceArrow> arrows;
    for (auto& [microBatch, way] : ways) {
        // Each pass waits for the one before it, whatever the schedule: its order in time is its order on the way.
        std::stable_sort(way.begin(), way.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(!passes[a].forward, passes[a].start) < std::pair(!passes[b].forward, passes[b].start);
        });
        for (std::size_t i = 1; i < way.size(); ++i) arrows.push_back({way[i - 1], way[i]});
    }
    return arrows;
}

} // namespace orrery
