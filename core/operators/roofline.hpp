// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/model/graph.hpp"
#include "core/operators/roofline_machine.hpp"

namespace orrery {

// Hierarchical roofline: a kernel lasts as long as the busiest of its resources, the matrix units or the link below one of the memory
// levels, each with the traffic that tiling for the capacity of the next level leaves it. Kundu et al. 2024 (arXiv 2407.14645, section
// III) and Ardalani et al. 2022 (DeepFlow, arXiv 2211.03309, section 4); tile and wave quantisation after NVIDIA's "Matrix
// Multiplication Background User's Guide".

/// What ends the time. `vector`: arithmetic outside the matrix units, or special functions.
enum class RooflineBound : std::uint8_t { matrix,
                                          vector,
                                          dram,
                                          l2,
                                          shared,
                                          registers,
                                          latency };
std::string_view toString(RooflineBound bound);
/// Whether the arithmetic is the limit, not a memory level or the launch.
constexpr bool isCompute(RooflineBound bound) { return bound == RooflineBound::matrix || bound == RooflineBound::vector; }
constexpr bool isMemory(RooflineBound bound) { return bound >= RooflineBound::dram && bound <= RooflineBound::registers; }

/// C[m,n] = A[m,k] B[k,n], `batch` times, each with operands of its own. Bytes are an element's, scales included.
struct GemmWork {
    double m = 0, n = 0, k = 0, batch = 1;
    MatrixRate rate = MatrixRate::sixteen_bit;
    double leftBytes = 2, rightBytes = 2, outBytes = 2;
    double leastDramBytes = 0; ///< what the kernel moves at least, where more than the three operands is known of
    bool warm = false;         ///< the operands lie in L2 where they fit, as after a run over the same buffers
};

/// Fused attention: scores never leave the chip.
struct AttentionWork {
    double sequences = 1;
    double heads = 1, kvHeads = 1;
    double queries = 0, keys = 0; ///< a sequence's
    double pairs = 0;             ///< (query, key) pairs a head and sequence computes: fewer than queries × keys under a mask
    double keyWidth = 128, valueWidth = 128;
    MatrixRate rate = MatrixRate::sixteen_bit;
    double queryBytes = 2, cacheBytes = 2; ///< an element of queries and results; of keys and values
    double productsPerPair = 2;            ///< backward: 5
    double leastDramBytes = 0;
    bool warm = false;
    bool sharedKeysAndValues = false; ///< values are the front of the keys (MLA's latent): read once
};

/// Everything else: numbers that pass once.
struct StreamWork {
    double flops = 0;
    double bytes = 0;
    double kernels = 1;
};

/// How a product was cut, where it was one.
struct Tiling {
    double m = 0, n = 0; ///< outputs a multiprocessor works on at a time
    double split = 1;    ///< parts of k
    double waves = 0;    ///< rounds over the multiprocessors
};

struct RooflineTime {
    double time = 0; ///< s
    RooflineBound bound = RooflineBound::matrix;
    double flops = 0;                             ///< asked for, not what padding adds
    double matrix = 0;                            ///< s, tile and wave quantisation included
    double vector = 0;                            ///< s
    double latency = 0;                           ///< s, launch and fill
    bool serial = false;                          ///< matrix and vector units take turns
    std::array<double, memoryLevels> traffic{};   ///< bytes
    std::array<double, memoryLevels> levelTime{}; ///< s
    Tiling tiling;

    /// FLOP a byte of a level's traffic: where the kernel stands under that level's ceiling.
    double intensity(MemoryLevel level) const { return traffic[indexOf(level)] > 0 ? flops / traffic[indexOf(level)] : 0; }
    /// Share of the time (launch left out) that a memory level would need alone; for views.
    double busy(MemoryLevel level) const { return time > latency ? levelTime[indexOf(level)] / (time - latency) : 0; }
};

/// The best of the tile shapes and splits of k that fit. No allocation. Work without a shape takes no time.
RooflineTime gemmRoofline(const RooflineMachine& machine, const GemmWork& work);
RooflineTime attentionRoofline(const RooflineMachine& machine, const AttentionWork& work);
RooflineTime streamRoofline(const RooflineMachine& machine, const StreamWork& work);

/// An operator of a graph whose traffic is settled; nothing of a collective's network.
RooflineTime rooflineTime(const RooflineMachine& machine, const Operator& op);
/// What the operator is as a product; for the kinds that are one.
GemmWork gemmWork(const Operator& op);

/// The time with its formula, levels, traffic and tiling.
Quantity explainRoofline(const RooflineMachine& machine, const RooflineTime& time, std::string name);

/// Most FLOP/s at an arithmetic intensity under one level's ceiling.
double ceiling(const RooflineMachine& machine, MemoryLevel level, MatrixRate rate, double flopsPerByte);

/// Sets time and bound from the parts.
void settleBound(RooflineTime& time);

} // namespace orrery
