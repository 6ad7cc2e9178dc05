// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/settled_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace orrery {
namespace {

/// Times that a repeated part stands at either end of where some are left out: once for what begins or ends within it, and once for who looks at
/// the step
/// before or behind.
constexpr std::size_t keptAtEnd = 2;

struct Repeated {
    std::size_t first = 0, times = 0, period = 0; ///< steps
    int microBatches = 0;                         ///< that each time goes on by
};

bool isAlike(const PipelineStep& a, const PipelineStep& b) { return a.kind == b.kind && a.chunk == b.chunk && a.withNext == b.withNext; }

/// The part about the middle that repeats itself after so many steps.
Repeated repeatedAt(const std::vector<PipelineStep>& steps, std::size_t period) {
    const std::size_t middle = steps.size() / 2;
    Repeated part{middle, 0, period, steps[middle + period].microBatch - steps[middle].microBatch};
    const auto repeats = [&](std::size_t i) {
        return isAlike(steps[i], steps[i + period]) && steps[i + period].microBatch - steps[i].microBatch == part.microBatches;
    };
    if (!repeats(middle)) return part;
    std::size_t last = middle;
    while (part.first > 0 && repeats(part.first - 1)) --part.first;
    while (last + 1 + period < steps.size() && repeats(last + 1)) ++last;
    part.times = (last + 1 - part.first) / period + 1;
    return part;
}

/// Whether each chunk of the stage begins and ends just the micro-batches that the part goes on by.
bool isBalanced(const std::vector<PipelineStep>& steps, const Repeated& part) {
    std::map<int, std::array<int, 3>> passes; // by chunk: forwards, input parts, weight parts
    for (const PipelineStep& step : steps) passes.emplace(step.chunk, std::array<int, 3>{});
    for (std::size_t i = part.first; i < part.first + part.period; ++i) {
        std::array<int, 3>& own = passes[steps[i].chunk];
        const PassKind kind = steps[i].kind;
        own[0] += kind == PassKind::forward;
        own[1] += kind == PassKind::backward || kind == PassKind::backward_input;
        own[2] += kind == PassKind::backward || kind == PassKind::backward_weight;
    }
    return std::all_of(passes.begin(), passes.end(), [&](const auto& chunk) {
        return std::all_of(chunk.second.begin(), chunk.second.end(), [&](int count) { return count == part.microBatches; });
    });
}

} // namespace

std::vector<PipelineStep> settledOrder(const std::vector<PipelineStep>& steps) {
    const std::size_t middle = steps.size() / 2, longest = steps.size() / (2 * keptAtEnd + 1);
    for (std::size_t period = 1; period <= longest && middle + period < steps.size(); ++period) {
        const Repeated part = repeatedAt(steps, period);
        if (part.microBatches <= 0 || part.times <= 2 * keptAtEnd || !isBalanced(steps, part)) continue;
        std::size_t from = part.first + keptAtEnd * period;
        if (steps[from - 1].withNext) ++from; // two that run together stay together
        const std::size_t left = part.times - 2 * keptAtEnd;
        std::vector<PipelineStep> order(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(from));
        order.insert(order.end(), steps.begin() + static_cast<std::ptrdiff_t>(from + left * period), steps.end());
        for (std::size_t i = from; i < order.size(); ++i) order[i].microBatch -= static_cast<int>(left) * part.microBatches;
        return order;
    }
    return steps;
}

} // namespace orrery
