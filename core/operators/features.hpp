// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/operator_machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace orrery {

inline constexpr double bytesOut = 2; ///< an element of what a kernel gives: results stay in 16 bit

/// What a fit may know of a call: times that physics gives (`terms`, seconds) and numbers that tell how far a real kernel can be from
/// them (`values`). Order and count depend on the kind alone.
class Features {
public:
    static constexpr std::size_t mostTerms = 12;
    static constexpr std::size_t mostValues = 63;

    std::size_t termCount = 0, count = 0;
    std::array<double, mostTerms> terms;
    std::array<float, mostValues> values;
    double least = 0;    ///< s no kernel can be faster than
    double roofline = 0; ///< s: the larger of arithmetic at peak and traffic at the data sheet's bandwidth

    void term(double seconds) { terms[termCount++] = seconds; }
    void plain(double value) { values[count++] = static_cast<float>(value); }
    /// On a logarithmic scale, for sizes that span decades.
    void log(double value) { values[count++] = std::log2(std::max(static_cast<float>(value), 1e-9f)); }
    /// s of bytes that kernels over many tokens bring through the multiprocessors. What each gets through holds them up before the memory does:
    /// an H200 with 1.43 times an H100's bandwidth runs them in 0.93 to 1 of its time, a B200 with 1.12 times the multiprocessors in 0.8 to 0.9 of an
    /// H200's. The rate is a scale: the fit finds what they reach.
    static double streamed(const OperatorMachine& machine, double bytes) {
        constexpr double ofMultiprocessor = 2e10; // bytes/s
        return bytes / (machine.multiprocessors * ofMultiprocessor);
    }
    /// How full the multiprocessors are when `tiles` equal pieces of work are dealt to them, and the number of rounds.
    void waves(double tiles, double multiprocessors) {
        const double rounds = tiles / multiprocessors;
        plain(rounds / wholeUp(rounds));
        log(rounds);
    }

    /// std::ceil for what fits 64 bits, without the library call.
    static double wholeUp(double value) {
        const auto whole = static_cast<double>(static_cast<long long>(value));
        return whole < value ? whole + 1 : whole;
    }
    static double tiles(double size, double tile) { return wholeUp(size / tile); }
    /// The share that is asked for of what whole tiles cover.
    static double tileShare(double size, double tile) { return size / (tiles(size, tile) * tile); }
    /// Largest power of two that divides `size`, as its exponent, at most 9.
    static double alignment(double size) {
        auto whole = static_cast<long long>(size);
        int exponent = 0;
        while (exponent < 9 && whole > 0 && (whole & 1) == 0) {
            whole >>= 1;
            ++exponent;
        }
        return exponent;
    }
};

/// Fills `features`; the call's sizes must be those of its kind.
void describeCall(const OperatorMachine& machine, const KernelCall& call, Features& features);

/// By kind, for describeCall.
void describeGemm(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeContextAttention(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeGenerationAttention(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeContextMla(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeGenerationMla(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeMoe(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeCollective(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeExchange(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeState(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeModule(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeStreams(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeEncoderAttention(const OperatorMachine& machine, const KernelCall& call, Features& features);
void describeAlltoall(const OperatorMachine& machine, const KernelCall& call, Features& features);

} // namespace orrery
