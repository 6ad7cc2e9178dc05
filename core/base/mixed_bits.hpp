// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// Mixes all bits of a number, so that numbers that follow each other lie far apart: the last step of SplitMix64 (Steele et al. 2014, figure 17).
constexpr std::uint64_t mixedBits(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31U);
}

} // namespace orrery
