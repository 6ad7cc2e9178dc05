// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <array>
#include <optional>

namespace orrery {

inline constexpr std::array<Bound, 4> allBounds{Bound::compute, Bound::memory, Bound::network, Bound::latency};
inline constexpr std::size_t boundCount = allBounds.size();

/// What the time of a run goes to, by what bounds it.
struct Bottleneck {
    std::array<double, boundCount> time{}; ///< s by bound, mean per accelerator: operators, and of training only the communication that nothing hides
    Bound bound = Bound::compute;          ///< the largest; the first of equals
};

/// Training and static batches have one; nothing where the result lists no operators (estimates, requests served one by one).
std::optional<Bottleneck> bottleneckOf(const Result& result);

/// Whether a part of a stage's wall clock is a wait for communication.
bool isExposed(TimePart part);

} // namespace orrery
