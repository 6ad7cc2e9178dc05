// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/citation.hpp"
#include "core/catalog/fitted_on.hpp"
#include "core/catalog/physics_constants.hpp"

#include <array>
#include <map>
#include <string>

namespace orrery {

/// Rates and times of an accelerator's kernels. The values stand in resources/catalog/kernels.json; without a catalogue they are the
/// data sheet itself, and nothing takes time to launch.
struct KernelConstants {
    std::string accelerator;           ///< id, or "default"
    double gemmRateOfPeak = 1;         ///< sustained share of the dense peak that large aligned 16-bit GEMMs reach
    double sustainedShare = 1;         ///< of those burst rates that 16-bit products keep under the continuous load of training
    double sustainedFp8Share = 1;      ///< the same in 8 bit, operands' quantisation included
    double sustainedBlockFp8Share = 1; ///< the same with block scales
    double sustainedFp4Share = 1;      ///< the same in 4 bit
    double memoryRateOfPeak = 1;       ///< share of the data-sheet bandwidth that streaming kernels reach
    double attentionRateOfPeak = 1;    ///< share of the dense peak that fused (flash) attention forward reaches at long sequences;
                                       ///< counts the FLOPs a causal kernel executes, half of the full square
    double attentionShare = 1;         ///< of the tables' rate of fused attention forward, what training's kernels reach before sustainedShare
    double attentionBackwardRate = 1;  ///< rate a FLOP of its backward over its forward's
    double streamRate = 1;             ///< share of the data-sheet bandwidth of kernels that only read and write
    double scaleUpShare = 1;           ///< of the communication library's rate inside a domain that a training job's collectives keep
    double scaleOutShare = 1;          ///< the same between domains
    double overlapSlowdown = 1;        ///< times as long as alone that a product takes while communication runs beside it
    double expertExchangeShare = 1;    ///< of the library's all-to-all rate that the exchange of tokens between experts keeps
    double kernelLaunch = 0;           ///< s, the shortest a kernel lasts
    double gemmFp8RateOfPeak = 1;      ///< as gemmRateOfPeak, of the fp8 peak, tensors scaled as a whole
    double gemmBlockFp8RateOfPeak = 1; ///< the same with block scales
    double gemmFp4RateOfPeak = 1;      ///< the same of the fp4 peak, nvfp4
    /// The part of its relative's sustained rates that a chip keeps because it may draw less power; 1 for accelerators with constants of
    /// their own. Power limits the clock under load. Power grows with the cube of the clock where voltage falls with it, and with about its
    /// square where leakage and memory take a fixed part. Assumed: the square root of the watts for each FLOP/s of the peak, at most 1.
    double powerShare = 1;
    bool blocksAsTensors = false;  ///< its matrix units scale blocks, those of the relative it is known by do not: there products scaled
                                   ///< by blocks are slower than those scaled by tensors
    bool anyOperandLayout = false; ///< products of 8-bit tensors with one scale take operands in either order: no transposed copies
    /// What a scenario states of this machine over what the tables' machines reached (execution.calibration), by MatrixFormat, and of
    /// fused attention: the tables' times are divided by it.
    std::array<double, 4> statedProductRate{1, 1, 1, 1};
    double statedAttentionRate = 1;
    std::string inheritedFrom;              ///< set when taken from a relative
    std::string generation;                 ///< whose fitted constants these are; empty: none is fitted for the accelerator
    std::map<std::string, FittedOn> fitted; ///< constants (core/catalog/fitted_constants.hpp) that measured runs had a say in
    PhysicsConstants physics;               ///< the same for every accelerator
    Citation citation;
};

} // namespace orrery
