#include "core/cost/gemm_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

/// A tile's share of the rate that the largest tiles reach: small ones reread their operands more often. Assumed, not measured.
struct Tile {
    double m, n, efficiency;
};
constexpr std::array<Tile, 8> tiles{{{256, 128, 1.0},
                                     {128, 256, 1.0},
                                     {128, 128, 0.9},
                                     {64, 256, 0.82},
                                     {256, 64, 0.82},
                                     {128, 64, 0.75},
                                     {64, 128, 0.75},
                                     {64, 64, 0.6}}};
constexpr std::array<double, 4> splits{1, 2, 4, 8};

/// The catalogue's rate is a median over products that lose some of it to partial tiles and waves; a full wave runs faster.
/// Of three rates tried on the A100 table (0.85, 0.90, 0.95 of peak) 0.90 erred least: 1.07 times its median. The H100 and B200
/// tables would rather have 1.10 to 1.13. Range 1 to 1.2.
constexpr double fullWaveOverMedian = 1.07;
constexpr double instructionDepth = 32; ///< k is consumed in steps of this many elements
constexpr double fillTime = 0.5e-6;     ///< s a wave takes to load its first tiles and drain its last; best of 0, 0.5 and 1 µs on the A100 table
/// A chip of a few large arrays (TPU) streams one tile after another through each: filled once, not once a tile.
constexpr int fewArrays = 8;
constexpr double alignment = 8;         ///< elements (16 bytes) that every leading dimension must be a multiple of

bool aligned(double dimension) { return std::fmod(dimension, alignment) == 0; }

} // namespace

GemmTime gemmTime(const GemmMachine& machine, const OperatorShape& shape, double bytes) {
    GemmTime time;
    time.memory = bytes / machine.memoryBandwidth;
    const double multiprocessors = std::max(1, machine.multiprocessors);
    const bool whole = aligned(shape.n) && aligned(shape.k);
    const double rate = (whole ? machine.peak : machine.unalignedPeak) / multiprocessors * machine.rateOfPeak * fullWaveOverMedian;
    const double fill = machine.multiprocessors > fewArrays ? fillTime : 0;
    double best = -1;
    for (const Tile& tile : tiles) {
        const double count = std::ceil(shape.m / tile.m) * std::ceil(shape.n / tile.n) * shape.batch;
        for (double split : splits) {
            // Partial sums of a split are written and read once more, in fp32.
            const double reduction = split == 1 ? 0 : split * shape.m * shape.n * shape.batch * 4 / machine.memoryBandwidth;
            const double depth = std::ceil(shape.k / split / instructionDepth) * instructionDepth;
            const double waves = std::ceil(count * split / multiprocessors);
            const double candidate = waves * (2 * tile.m * tile.n * depth / (rate * tile.efficiency) + fill) + reduction;
            if (best < 0 || candidate < best) best = candidate;
        }
    }
    time.compute = best;
    return time;
}

} // namespace orrery
