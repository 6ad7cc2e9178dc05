// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/physics_constants.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace orrery {

/// Where data lies, from the slowest and largest to the fastest and smallest. Traffic "of" a level is what it hands on to the next one
/// and takes back from it.
enum class MemoryLevel : std::uint8_t { dram,
                                        l2,
                                        shared,
                                        registers };
constexpr std::size_t memoryLevels = 4;
constexpr std::size_t indexOf(MemoryLevel level) { return static_cast<std::size_t>(level); }
std::string_view toString(MemoryLevel level);

/// Formats that matrix units have rates of their own for.
enum class MatrixRate : std::uint8_t { sixteen_bit,
                                       eight_bit,
                                       four_bit,
                                       int8 };
constexpr std::size_t matrixRates = 4;

/// Shares of what a data sheet promises that kernels reach. The same for every chip and shape: what a shape loses is computed.
struct RooflineShares {
    double matrix = 1; ///< of the dense peak
    double vector = 1; ///< of the rate outside the matrix units
    double memory = 1; ///< of DRAM's bandwidth
    double caches = 1; ///< of the bandwidth of L2, shared memory and registers
    double launch = 0; ///< s, the shortest time a kernel lasts
    double fill = 0;   ///< s from a tile's first request to its first product, and again to its last write: one way to DRAM
};

/// The data sheet itself: bounds that no kernel beats.
constexpr RooflineShares dataSheetShares{};
/// What good kernels reach, from the literature; no table of measured operators was fitted.
RooflineShares usualShares(const PhysicsConstants& physics);

/// How libraries cut matrix products: what PhysicsConstants says under the same names.
struct ProductKernels {
    double instructionBytes = 1, slabBytes = 1, slabsAtOnce = 1;
    double accumulatorShare = 1, groupShare = 1;
    double warmShare = 1;
    double largestCluster = 1;
    double alignmentBytes = 1, misalignedShare = 1;
};

/// A chip as the hierarchical roofline sees it. Sizes in bytes, rates a second of the whole chip. Plain values: a caller may change
/// one for a what-if.
struct RooflineMachine {
    std::array<double, matrixRates> matrixPeak{}; ///< dense FLOP/s; where there are no units for a format, the next wider one's
    double vectorPeak = 0;                        ///< FLOP/s outside the matrix units
    double exponentials = 0;                      ///< a second, of the special function units
    double softmaxFlops = 1;                      ///< PhysicsConstants::softmaxFlops
    std::array<double, memoryLevels> bandwidth{};
    std::array<double, memoryLevels> capacity{}; ///< DRAM, L2: of the chip. Shared memory, registers: of one multiprocessor
    double portBandwidth = 0;                    ///< between L2 and one multiprocessor
    double multiprocessors = 1;
    double clusterSize = 1;    ///< multiprocessors that one load from L2 can serve
    double productLatency = 0; ///< s between two products that add to the same outputs
    ProductKernels kernels;
    RooflineShares shares;
};

/// From an accelerator's fields; what its data sheet does not name is assumed (see `explainMachine`). With usual shares unless given.
RooflineMachine rooflineMachine(const Accelerator& accelerator, const PhysicsConstants& physics, const RooflineShares& shares);
RooflineMachine rooflineMachine(const Accelerator& accelerator, const PhysicsConstants& physics);

/// The machine's numbers with where each comes from: `given` by the catalogue, `assumed`, or `derived` from multiprocessors, clock and
/// bytes a clock.
Quantity explainMachine(const Accelerator& accelerator, const PhysicsConstants& physics);

} // namespace orrery
