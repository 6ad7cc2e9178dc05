// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/roofline.hpp"

namespace orrery {

/// Smallest whole number not below `value`, for what fits 64 bits.
inline double wholeUp(double value) {
    const auto whole = static_cast<double>(static_cast<long long>(value));
    return whole < value ? whole + 1 : whole;
}

/// Bytes of one product that leave a level when the next one works on `tileM` × `tileN` outputs at a time and all of k passes through
/// it: left once a column of tiles, right once a row of them, the result once. Kundu et al. 2024, section III; with the whole result as
/// one tile this is the compulsory traffic.
double outputStationaryTraffic(const GemmWork& work, double tileM, double tileN);

/// Bytes of one product that DRAM must move when a cache of `capacity` stands before tiles of `tileM` × `tileN` outputs, `atOnce` of
/// them being worked on together, `slab` elements of k at a time. The least of: a panel of the left or of the right operand stays in the cache while
/// the other streams by; the tiles at work form a rectangle that shares what it reads. Never more than without a cache.
double cachedTraffic(const GemmWork& work, double capacity, double tileM, double tileN, double slab, double atOnce);

} // namespace orrery
