// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/citation.hpp"
#include "core/catalog/physics_constants.hpp"

#include <array>
#include <map>
#include <string>

namespace orrery {

/// Fused attention by one kind of kernel on one accelerator. A row of queries takes the time of its keys and of `startupKeys` more:
/// its first softmax, what it loads and writes. Narrow heads have more exponentials for the same products.
struct AttentionRates {
    double rateOfPeak = 1;    ///< share of the dense 16-bit peak that the forward reaches on endless sequences with heads of 128; counts the FLOPs
                              ///< a causal kernel executes
    double startupKeys = 0;   ///< in the forward
    double halfRateWidth = 0; ///< of a head at which products run at half the rate of endlessly wide ones

    /// Share of the peak over heads of this width where a query meets so many keys in the mean.
    double shareOfPeak(double width, double keys, double startups) const;
};

/// Rates and times of an accelerator's kernels. The values stand in resources/catalog/kernels.json; without a catalogue they are the
/// data sheet itself, and nothing takes time to launch.
struct KernelConstants {
    std::string accelerator;          ///< id, or "default"
    double gemmRateOfPeak = 1;        ///< sustained share of the dense peak that large aligned 16-bit GEMMs reach
    double sustainedShare = 1;        ///< of those burst rates that 16-bit products keep under the continuous load of training
    double sustainedFp8Share = 1;     ///< the same in 8 bit, however it is scaled
    double sustainedFp4Share = 1;     ///< the same in 4 bit
    double memoryRateOfPeak = 1;      ///< share of the data-sheet bandwidth that streaming kernels reach
    double attentionRateOfPeak = 1;   ///< share of the dense peak that fused (flash) attention forward reaches at long sequences;
                                      ///< counts the FLOPs a causal kernel executes, half of the full square
    double attentionShare = 1;        ///< of a kernel's rate by itself, what fused attention keeps in training
    double attentionBackwardRate = 1; ///< rate a FLOP of its backward over its forward's, on endless sequences
    /// A key is a word of execution.attention ("fa2", "cudnn"), or "own" for the vendor's kernel.
    std::map<std::string, AttentionRates> attentionKernels;
    double streamRate = 1;             ///< share of the data-sheet bandwidth of kernels that only read and write
    double scaleUpShare = 1;           ///< of the communication library's rate inside a domain that a training job's collectives keep
    double scaleOutShare = 1;          ///< the same between domains
    double overlapSlowdown = 1;        ///< times as long as alone that a product takes while communication runs beside it
    double kernelLaunch = 0;           ///< s, the shortest a kernel lasts
    double gemmFp8RateOfPeak = 1;      ///< as gemmRateOfPeak, of the fp8 peak, tensors scaled as a whole
    double gemmBlockFp8RateOfPeak = 1; ///< the same with block scales
    double gemmFp4RateOfPeak = 1;      ///< the same of the fp4 peak, nvfp4
    /// What quantising the left operand takes in the tables' calls of narrow products: bytes of data-sheet traffic an element, and s a
    /// call. Training's graphs have that as kernels of their own.
    double fp8QuantisingBytes = 0, blockFp8QuantisingBytes = 0, fp4QuantisingBytes = 0;
    double fp8Quantising = 0, fp4Quantising = 0;
    /// The part of its relative's sustained rates that a chip keeps because it may draw less power; 1 for accelerators with constants of
    /// their own. Power limits the clock under load. Power grows with the cube of the clock where voltage falls with it, and with about its
    /// square where leakage and memory take a fixed part. Assumed: the square root of the watts for each FLOP/s of the peak, at most 1.
    double powerShare = 1;
    bool blocksAsTensors = false;  ///< its matrix units scale blocks, those of the relative it is known by do not: there products scaled
                                   ///< by blocks are slower than those scaled by tensors
    bool anyOperandLayout = false; ///< products of 8-bit tensors with one scale take operands in either order: no transposed copies
    /// What a scenario states of this machine over what the tables' machines reached (execution.calibration), by MatrixFormat, and of
    /// fused attention: the tables' times are divided by it.
    std::array<double, 6> statedProductRate{1, 1, 1, 1, 1, 1};
    double statedAttentionRate = 1;
    std::string inheritedFrom;              ///< set when taken from a relative
    std::string generation;                 ///< whose fitted constants these are; empty: none is fitted for the accelerator
    std::map<std::string, FittedOn> fitted; ///< constants (core/catalog/fitted_constants.hpp) that measured runs had a say in
    PhysicsConstants physics;               ///< the same for every accelerator
    Citation citation;
};

} // namespace orrery
