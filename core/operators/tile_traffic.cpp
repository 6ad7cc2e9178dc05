// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/tile_traffic.hpp"

#include <algorithm>

namespace orrery {

double outputStationaryTraffic(const GemmWork& work, double tileM, double tileN) {
    return work.m * work.k * work.leftBytes * wholeUp(work.n / tileN) + work.k * work.n * work.rightBytes * wholeUp(work.m / tileM) +
           work.m * work.n * work.outBytes;
}

double cachedTraffic(const GemmWork& work, double capacity, double tileM, double tileN, double slab, double atOnce) {
    const double left = work.m * work.k * work.leftBytes, right = work.k * work.n * work.rightBytes, out = work.m * work.n * work.outBytes;
    double least = outputStationaryTraffic(work, tileM, tileN);

    // A panel of whole rows of the left operand stays; the right one passes once a panel, a slab of one tile's columns at a time.
    const double rows = (capacity - tileN * slab * work.rightBytes) / (work.k * work.leftBytes);
    if (rows >= std::min(tileM, work.m)) least = std::min(least, left + right * wholeUp(work.m / std::min(rows, work.m)) + out);
    const double columns = (capacity - tileM * slab * work.leftBytes) / (work.k * work.rightBytes);
    if (columns >= std::min(tileN, work.n)) least = std::min(least, left * wholeUp(work.n / std::min(columns, work.n)) + right + out);

    // The tiles at work as a rectangle of `high` × `wide`.
    const double mostHigh = wholeUp(work.m / tileM), mostWide = wholeUp(work.n / tileN);
    for (double high = 1; high <= atOnce; high *= 2) {
        const double wide = std::min(static_cast<double>(static_cast<long long>(atOnce / high)), mostWide);
        if ((high * tileM * work.leftBytes + wide * tileN * work.rightBytes) * slab > capacity) continue;
        least = std::min(least, left * wholeUp(mostWide / wide) + right * wholeUp(mostHigh / high) + out);
        if (high >= mostHigh) break;
    }
    return least;
}

} // namespace orrery
