// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/tile_traffic.hpp"

#include <algorithm>

namespace orrery {
namespace {

struct Tile {
    double m, n;
};

/// Outputs of one multiprocessor, as BLAS libraries cut them; either way round, for a product may be computed transposed. Widths between
/// powers of two fill waves (cuBLAS 12 names such kernels).
constexpr Tile tiles[]{{256, 128}, {128, 256}, {128, 224}, {224, 128}, {128, 192}, {192, 128}, {128, 160}, {160, 128}, {128, 128}, {64, 256}, {256, 64}, {128, 96}, {96, 128}, {64, 128}, {128, 64}, {64, 64}, {32, 128}, {128, 32}, {32, 64}, {64, 32}, {16, 128}, {128, 16}, {16, 64}, {64, 16}};
constexpr double smallestTile = 16;
constexpr double splits[]{1, 2, 3, 4, 6, 8, 16};

constexpr double accumulatorBytes = 4; ///< fp32

bool aligned(const ProductKernels& kernels, double elements, double bytes) {
    const double row = elements * bytes / kernels.alignmentBytes;
    return row == wholeUp(row);
}

/// The part of a tile that one group of threads computes: the longer side is halved until its accumulators fit.
Tile groupTile(Tile tile, double bytes) {
    while (tile.m * tile.n * accumulatorBytes > bytes && tile.m * tile.n > 1) (tile.n >= tile.m ? tile.n : tile.m) /= 2;
    return tile;
}

/// Everything about the product that no choice of tile changes.
struct Setting {
    const RooflineMachine& machine;
    const GemmWork& work;
    double elementBytes; ///< the wider operand's
    double instructionDepth, slab;
    double matrixRate; ///< of one multiprocessor
    double sharedRate, registerRate, portRate;
    double l2Rate, dramRate;
    double warmBytes;
    double dramFloor;      ///< s, of the compulsory traffic
    double productLatency; ///< s, of an instruction
    double cluster;        ///< multiprocessors that share their loads
};

/// What leaves L2 when neighbouring multiprocessors share their loads: a cluster works on a larger tile.
double clusterTraffic(const GemmWork& work, const Tile& tile, double cluster) {
    double least = outputStationaryTraffic(work, tile.m, tile.n);
    for (double high = 1; high <= cluster; high *= 2) least = std::min(least, outputStationaryTraffic(work, tile.m * high, tile.n * cluster / high));
    return least;
}

bool fits(const Setting& s, const Tile& tile) {
    const double shared = (tile.m * s.work.leftBytes + tile.n * s.work.rightBytes) * s.slab * s.machine.kernels.slabsAtOnce;
    return shared <= s.machine.capacity[indexOf(MemoryLevel::shared)] &&
           tile.m * tile.n * accumulatorBytes <= s.machine.capacity[indexOf(MemoryLevel::registers)] * s.machine.kernels.accumulatorShare;
}

/// A smaller tile would cover the same rows or columns.
bool wasteful(const GemmWork& work, const Tile& tile) {
    return (tile.m > smallestTile && tile.m >= 2 * work.m) || (tile.n > smallestTile && tile.n >= 2 * work.n);
}

void tryTile(const Setting& s, const Tile& tile, RooflineTime& best) {
    const GemmWork& work = s.work;
    const double rows = wholeUp(work.m / tile.m), columns = wholeUp(work.n / tile.n);
    const double count = rows * columns * work.batch;
    const double multiprocessors = s.machine.multiprocessors;

    const double fullDepth = wholeUp(work.k / s.instructionDepth) * s.instructionDepth;
    const double leastWaves = std::max(1.0, count / multiprocessors);
    const double matrixFloor = leastWaves * 2 * tile.m * tile.n * fullDepth / s.matrixRate / (leastWaves == 1 ? splits[std::size(splits) - 1] : 1);
    const double l2Traffic = clusterTraffic(work, tile, s.cluster);
    // What no split of k can undercut: most tiles end here, before their DRAM traffic is looked for.
    const double floor = std::max({matrixFloor, l2Traffic * work.batch / s.l2Rate, s.dramFloor}) + s.machine.shares.launch + 2 * s.machine.shares.fill;
    if (best.time > 0 && floor >= best.time) return;
    const double atOnce = std::max(1.0, std::min(multiprocessors, count) / std::max(1.0, std::min(work.batch, multiprocessors)));
    double dramTraffic = cachedTraffic(work, s.machine.capacity[indexOf(MemoryLevel::l2)], tile.m, tile.n, s.slab, atOnce) * work.batch;
    dramTraffic = std::max(dramTraffic, work.leastDramBytes);
    dramTraffic = std::max(0.0, dramTraffic - s.warmBytes);
    const Tile group = groupTile(tile, s.machine.capacity[indexOf(MemoryLevel::registers)] * s.machine.kernels.groupShare);
    const double groups = tile.m * tile.n / (group.m * group.n);

    for (const double split : splits) {
        // More parts than fill the multiprocessors, or thinner than a slab, only cost.
        if (split > 1 && (count * (split - 1) >= 2 * multiprocessors || work.k / split < 2 * s.slab)) break;
        const double depth = wholeUp(work.k / split / s.instructionDepth) * s.instructionDepth;
        const double pieces = count * split;
        const double waves = wholeUp(pieces / multiprocessors);
        // What one piece takes.
        const double sharedBytes = groups * (group.m * work.leftBytes + group.n * work.rightBytes) * depth;
        const double registerBytes = sharedBytes + 2 * tile.m * tile.n * accumulatorBytes * depth / s.instructionDepth;
        const double portBytes = (std::min(tile.m, work.m) * work.leftBytes + std::min(tile.n, work.n) * work.rightBytes) * depth;
        // Partial sums go out and come back.
        const double sums = split > 1 ? 2 * split * work.m * work.n * accumulatorBytes : 0;

        RooflineTime t;
        t.matrix = waves * std::max(2 * tile.m * tile.n * depth / s.matrixRate, depth / s.instructionDepth * s.productLatency);
        t.traffic = {dramTraffic, (l2Traffic + sums) * work.batch, sharedBytes * pieces, registerBytes * pieces};
        t.levelTime = {t.traffic[0] / s.dramRate, std::max(t.traffic[1] / s.l2Rate, waves * portBytes / s.portRate), waves * sharedBytes / s.sharedRate,
                       waves * registerBytes / s.registerRate};
        t.latency = s.machine.shares.launch + s.machine.shares.fill * (split > 1 ? 3 : 2);
        t.tiling = {tile.m, tile.n, split, waves};
        settleBound(t);
        if (best.time == 0 || t.time < best.time) best = t;
    }
}

} // namespace

RooflineTime gemmRoofline(const RooflineMachine& machine, const GemmWork& work) {
    if (!(work.m > 0 && work.n > 0 && work.k > 0 && work.batch > 0)) return {};
    const RooflineShares& shares = machine.shares;
    const ProductKernels& kernels = machine.kernels;
    const double elementBytes = std::max(work.leftBytes, work.rightBytes);
    double rate = machine.matrixPeak[static_cast<std::size_t>(work.rate)] * shares.matrix / machine.multiprocessors;
    if (!aligned(kernels, work.n, work.rightBytes) || !aligned(kernels, work.k, work.leftBytes)) rate *= kernels.misalignedShare;
    const auto perMultiprocessor = [&](MemoryLevel level) { return machine.bandwidth[indexOf(level)] * shares.caches / machine.multiprocessors; };
    const double operands = (work.m * work.k * work.leftBytes + work.k * work.n * work.rightBytes + work.m * work.n * work.outBytes) * work.batch;
    const double l2 = machine.capacity[indexOf(MemoryLevel::l2)];
    const double warmBytes = work.warm && operands <= l2 * kernels.warmShare ? operands : 0;
    const Setting setting{machine,
                          work,
                          elementBytes,
                          kernels.instructionBytes / elementBytes,
                          kernels.slabBytes / elementBytes,
                          rate,
                          perMultiprocessor(MemoryLevel::shared),
                          perMultiprocessor(MemoryLevel::registers),
                          machine.portBandwidth * shares.caches,
                          machine.bandwidth[indexOf(MemoryLevel::l2)] * shares.caches,
                          machine.bandwidth[indexOf(MemoryLevel::dram)] * shares.memory,
                          warmBytes,
                          std::max(0.0, std::max(operands, work.leastDramBytes) - warmBytes) / (machine.bandwidth[indexOf(MemoryLevel::dram)] * shares.memory),
                          machine.productLatency,
                          std::min(machine.clusterSize, kernels.largestCluster)};
    RooflineTime best;
    for (const Tile& tile : tiles)
        if (fits(setting, tile) && !wasteful(work, tile)) tryTile(setting, tile, best);
    if (best.time == 0) tryTile(setting, {smallestTile, smallestTile}, best);
    best.flops = 2 * work.m * work.n * work.k * work.batch;
    return best;
}

} // namespace orrery
