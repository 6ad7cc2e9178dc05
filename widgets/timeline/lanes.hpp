// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/columns.hpp"

#include <vector>

namespace orrery {

enum class LaneKind { bars,
                      memory };

/// A horizontal strip of one stage, in logical pixels below the top of the first stage.
struct TimelineLane {
    LaneKind kind = LaneKind::bars;
    int stage = 0;                           ///< position in TimelineRows::stages
    int row = -1;                            ///< index into StageRows::streams; -1 for memory
    StreamKind stream = StreamKind::compute; ///< of a row of bars
    int ordinal = 0;                         ///< counts rows of the same kind in a stage: a second pipeline stream has a lane of its own
    int top = 0;
    int height = 0;
};

enum class StageShown { whole,
                        folded, ///< its first lane alone
                        hidden };

struct StageBand {
    int top = 0;
    int height = 0;
};

struct LaneLayout {
    std::vector<TimelineLane> lanes; ///< from top to bottom
    std::vector<StageBand> stages;
    int height = 0;

    const TimelineLane* laneAt(int y) const;                      ///< null between lanes
    const TimelineLane* find(int stage, StreamKind stream) const; ///< the first of that kind
    const TimelineLane* memoryOf(int stage) const;
};

namespace lane {

inline constexpr int compute = 30; ///< two lines of text beside it
inline constexpr int stream = 14;
inline constexpr int memory = 28;
inline constexpr int gap = 5;
inline constexpr int stageGap = 17;
inline constexpr int passStrip = 12; ///< of the compute lane, once operators are named

} // namespace lane

/// Height of the passes above operators; rows without passes need none.
inline int passStripOf(const TimelineRows& rows) { return rows.hasPasses() ? lane::passStrip : 0; }

/// Where there is room, lanes of compute and memory grow up to `mostStretch` times; none ever shrinks: they scroll.
inline constexpr double mostStretch = 2;
/// `shown`, by stage (may be shorter): how much of it is there.
LaneLayout layoutLanes(const TimelineRows& rows, int availableHeight = 0, const std::vector<StageShown>& shown = {});

} // namespace orrery
