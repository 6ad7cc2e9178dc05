// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"

#include <vector>

namespace orrery {

/// What memory does within one pixel column, in bytes beside what stays. A column always knows something: memory is a
/// step function, so one without an event of its own carries on what was before.
struct FoldedMemory {
    double activationsLow = 0, activationsHigh = 0;
    double totalLow = 0, totalHigh = 0; ///< activations and temporary

    bool operator==(const FoldedMemory&) const = default;
};

/// Folds samples (sorted by time, each valid until the next) into `columns` equal parts of [from, to): low and high of
/// every part. One pass over the samples, so a quarter of a million of them cost a millisecond.
std::vector<FoldedMemory> foldMemory(const std::vector<MemorySample>& samples, double from, double to, int columns);

/// The sample in force at a time; zeros before the first.
MemorySample memoryAt(const std::vector<MemorySample>& samples, double time);

} // namespace orrery
