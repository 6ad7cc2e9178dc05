// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// Uniform in (0, 1), a function of its arguments alone: what is drawn never depends on who else draws, nor in what order.
double uniformDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
/// Standard normal, of the draws `index` and `index + 1`.
double normalDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

} // namespace orrery
