// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/lanes.hpp"

#include <algorithm>

namespace orrery {

const TimelineLane* LaneLayout::laneAt(int y) const {
    const auto found = std::find_if(lanes.begin(), lanes.end(), [y](const TimelineLane& one) { return y >= one.top && y < one.top + one.height; });
    return found == lanes.end() ? nullptr : &*found;
}

const TimelineLane* LaneLayout::find(int stage, StreamKind stream) const {
    const auto found = std::find_if(lanes.begin(), lanes.end(), [&](const TimelineLane& one) {
        return one.kind == LaneKind::bars && one.stage == stage && one.stream == stream;
    });
    return found == lanes.end() ? nullptr : &*found;
}

const TimelineLane* LaneLayout::memoryOf(int stage) const {
    const auto found = std::find_if(lanes.begin(), lanes.end(), [&](const TimelineLane& one) { return one.kind == LaneKind::memory && one.stage == stage; });
    return found == lanes.end() ? nullptr : &*found;
}

namespace {

bool stretches(const TimelineLane& lane) { return lane.kind == LaneKind::memory || lane.stream == StreamKind::compute; }

LaneLayout stretchedLanes(const TimelineRows& rows, double stretch, const std::vector<StageShown>& shown) {
    LaneLayout layout;
    int y = 0;
    for (std::size_t stage = 0; stage < rows.stages.size(); ++stage) {
        const StageShown how = stage < shown.size() ? shown[stage] : StageShown::whole;
        if (how == StageShown::hidden) {
            layout.stages.push_back({y, 0});
            continue;
        }
        if (y > 0) y += lane::stageGap;
        const int top = y;
        const auto add = [&](TimelineLane one) {
            if (y > top) y += lane::gap;
            one.stage = static_cast<int>(stage);
            one.top = y;
            if (stretches(one)) one.height = static_cast<int>(one.height * stretch);
            layout.lanes.push_back(one);
            y += one.height;
        };
        const StageRows& stageRows = rows.stages[stage];
        const bool isFolded = how == StageShown::folded;
        for (std::size_t row = 0; row < (isFolded ? std::min<std::size_t>(1, stageRows.streams.size()) : stageRows.streams.size()); ++row) {
            const StreamKind kind = stageRows.streams[row].kind;
            const auto same = std::count_if(stageRows.streams.begin(), stageRows.streams.begin() + static_cast<std::ptrdiff_t>(row),
                                            [kind](const StreamRow& other) { return other.kind == kind; });
            add({LaneKind::bars, 0, static_cast<int>(row), kind, static_cast<int>(same), 0,
                 kind == StreamKind::compute ? lane::compute : lane::stream});
        }
        if (!isFolded && !stageRows.memory.time.empty()) add({LaneKind::memory, 0, -1, StreamKind::compute, 0, 0, lane::memory});
        layout.stages.push_back({top, y - top});
    }
    layout.height = y;
    return layout;
}

} // namespace

LaneLayout layoutLanes(const TimelineRows& rows, int availableHeight, const std::vector<StageShown>& shown) {
    LaneLayout natural = stretchedLanes(rows, 1, shown);
    int lanes = 0; // height of those that can grow
    for (const TimelineLane& one : natural.lanes) lanes += stretches(one) ? one.height : 0;
    if (lanes == 0 || availableHeight <= natural.height) return natural;
    return stretchedLanes(rows, std::min(mostStretch, 1 + static_cast<double>(availableHeight - natural.height) / lanes), shown);
}

} // namespace orrery
