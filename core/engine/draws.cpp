// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/draws.hpp"

#include "core/base/mixed_bits.hpp"

#include <cmath>

namespace orrery {

/// splitmix64 (Steele et al. 2014).
double uniformDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    const std::uint64_t bits = mixedBits(seed * 0x9e3779b97f4a7c15ULL + stream * 0xd1342543de82ef95ULL + index * 0xda942042e4dd58b5ULL + 0x632be59bd9b4e019ULL);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

/// Box, Muller 1958.
double normalDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    const double u = uniformDraw(seed, stream, index), v = uniformDraw(seed, stream, index + 1);
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
}

} // namespace orrery
