// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"
#include "widgets/timeline/lanes.hpp"

#include <QString>

#include <optional>

namespace orrery {

/// A stretch in which a lane has nothing to do.
struct Gap {
    double from = 0; ///< s
    double to = 0;
};

/// The gap around `time`; nothing where the stream works. Gaps inside a piece of work, between its operators, count.
std::optional<Gap> gapAt(const Timeline& timeline, int stage, StreamKind stream, double time);

/// Why a stage's compute lane does nothing at `time`, and for whom it waits: "waits for forward 7 of stage 0", "waits for
/// mlp.down all-reduce". `stage`: position in Timeline::stages. Read off what ends as the gap ends; empty where nothing says.
QString whyIdle(const Timeline& timeline, int stage, const Gap& gap, double time);

} // namespace orrery
