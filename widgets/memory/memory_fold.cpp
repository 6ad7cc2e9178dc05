// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_fold.hpp"

#include <algorithm>

namespace orrery {
namespace {

FoldedMemory columnOf(const MemorySample& sample) {
    const double total = sample.activations + sample.temporary;
    return {sample.activations, sample.activations, total, total};
}

void widen(FoldedMemory& column, const MemorySample& sample) {
    const double total = sample.activations + sample.temporary;
    column.activationsLow = std::min(column.activationsLow, sample.activations);
    column.activationsHigh = std::max(column.activationsHigh, sample.activations);
    column.totalLow = std::min(column.totalLow, total);
    column.totalHigh = std::max(column.totalHigh, total);
}

} // namespace

MemorySample memoryAt(const std::vector<MemorySample>& samples, double time) {
    const auto next = std::upper_bound(samples.begin(), samples.end(), time, [](double t, const MemorySample& s) { return t < s.time; });
    return next == samples.begin() ? MemorySample{} : *std::prev(next);
}

std::vector<FoldedMemory> foldMemory(const std::vector<MemorySample>& samples, double from, double to, int columns) {
    std::vector<FoldedMemory> folded;
    if (columns <= 0 || !(to > from)) return folded;
    folded.reserve(static_cast<std::size_t>(columns));
    MemorySample inForce = memoryAt(samples, from);
    auto next = std::upper_bound(samples.begin(), samples.end(), from, [](double t, const MemorySample& s) { return t < s.time; });
    for (int i = 0; i < columns; ++i) {
        const double end = i + 1 == columns ? to : from + (to - from) * (i + 1) / columns;
        FoldedMemory column = columnOf(inForce);
        for (; next != samples.end() && next->time < end; ++next) {
            inForce = *next;
            widen(column, inForce);
        }
        folded.push_back(column);
    }
    return folded;
}

} // namespace orrery
