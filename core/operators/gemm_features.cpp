// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/features.hpp"

namespace orrery {
namespace {

struct Tile {
    double m, n;
};

/// Output tiles that BLAS libraries pick from; each shares out the product in its own number of waves.
constexpr Tile waveTiles[]{{64, 64}, {128, 64}, {64, 128}, {128, 128}, {64, 256}, {256, 128}, {128, 256}, {256, 256}, {128, 192}, {192, 128}, {256, 192}, {32, 128}, {16, 128}};
constexpr Tile choices[]{{256, 256}, {256, 128}, {128, 256}, {128, 128}, {128, 192}, {256, 192}, {64, 128}, {64, 256}, {64, 64}, {128, 64}, {32, 64}};
/// Elements of k's worth of arithmetic that loading one row or column of a tile costs.
constexpr double tileLoad = 8;
/// The share of a kernel's shortest time that a wave takes to fill and drain.
constexpr double waveFill = 0.15;

} // namespace

void describeGemm(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double m = call.sizes[0], n = call.sizes[1], k = call.sizes[2];
    const double peak = peakFor(machine, call.format);
    const double left = m * k * activationBytes(call.format), right = n * k * weightBytes(call.format), out = m * n * bytesOut;
    const double compute = 2 * m * n * k / peak;
    const double memory = (left + right + out) / machine.bandwidth;

    // The fastest of some tiles, each paying for whole tiles and whole waves.
    double best = 0;
    double chosen = 0;
    int index = 0;
    for (const Tile& tile : choices) {
        const double rounds = Features::wholeUp(Features::tiles(m, tile.m) * Features::tiles(n, tile.n) / machine.multiprocessors);
        const double area = tile.m * tile.n;
        const double cost = rounds * (2 * area * k * machine.multiprocessors / peak * (1 + tileLoad * (tile.m + tile.n) / area) + waveFill * machine.launch);
        if (index == 0 || cost < best) {
            best = cost;
            chosen = index;
        }
        ++index;
    }

    f.least = compute / machine.reachable;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(compute);
    f.term(memory);
    f.term(std::max(compute, memory));
    f.term(best);
    f.term(std::max(best, memory));

    // Sizes, and the areas that traffic is made of.
    for (const double size : {m, n, k, m * n, n * k, m * k}) f.log(size);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory); // arithmetic intensity against the machine's balance
    for (const Tile& tile : waveTiles) {
        const double count = Features::tiles(m, tile.m) * Features::tiles(n, tile.n);
        const double rounds = count / machine.multiprocessors;
        f.plain(rounds / Features::wholeUp(rounds));
        if (tile.m * tile.n > 64 * 64) f.plain(m * n / (count * tile.m * tile.n));
        if (tile.m == tile.n && tile.m <= 128) f.log(rounds);
    }
    // Tiles that two multiprocessors work on together, either way round.
    for (const double side : {256.0, 192.0, 128.0, 64.0}) {
        const double down = Features::tiles(m, 256) * Features::tiles(n, side) / (machine.multiprocessors / 2);
        const double across = Features::tiles(n, 256) * Features::tiles(m, side) / (machine.multiprocessors / 2);
        f.plain(down / Features::wholeUp(down));
        f.plain(across / Features::wholeUp(across));
    }
    f.log(best / launchScale);
    f.log(best / compute);
    f.plain(chosen);
    for (const double size : {m, n, k}) f.plain(Features::alignment(size));
    f.plain(Features::tileShare(k, 128));
    // Weights, and both operands, against the L2 cache.
    f.log(right / machine.l2Bytes);
    f.log((left + right) / machine.l2Bytes);
}

} // namespace orrery
