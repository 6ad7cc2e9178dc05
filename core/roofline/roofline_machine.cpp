// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/roofline/roofline_machine.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery {
namespace {

/// What a data sheet leaves out, as parts since 2017 have it.
constexpr double usualMultiprocessors = 108;
constexpr double usualClock = 1.8e9;
constexpr double usualL2 = 40e6;
constexpr double usualShared = 164 * 1024;
constexpr double usualRegisters = 256 * 1024; ///< of every NVIDIA part since Volta; CDNA's compute units have twice that
/// Bytes a clock and multiprocessor. Shared memory: 32 banks of 4 bytes (CUDA programming guide, all compute capabilities from 5.0; LDS of
/// CDNA the same). L2: A100's whitepaper names 5,120 bytes a clock for 108 multiprocessors. Port: what one multiprocessor can take from
/// it (Jia et al. 2018, arXiv 1804.06826, section 3).
constexpr double sharedBytesPerClock = 128;
constexpr double l2BytesPerClock = 48;
/// For each multiply and add of a 64 × 256 tile at 16 bit: matrix units of every make are fed from the memory beside them.
constexpr double leastSharedBytes = 2 * (1.0 / 64 + 1.0 / 256);
constexpr double portBytesPerClock = 64;
/// Up to so many cores a chip is one of large arrays with memories that software fills (TPU, Trainium): what lies nearest to the arrays
/// keeps up with them.
constexpr double fewCores = 8;
/// Clocks from one matrix instruction to the next that adds to its result (33 on A100: Sun et al. 2022, arXiv 2206.02874, table 4; 32
/// for 64 columns of Hopper's: Luo et al. 2024, arXiv 2402.13499).
constexpr double productClocks = 32;
/// Register files feed 128 lanes with three operands of 4 bytes and take one back; accumulators of newer parts (tensor memory) at least
/// keep up with the matrix units: a byte for each multiply and add at 16 bit.
constexpr double registerBytesPerClock = 128 * 4 * 4;
/// Special function results a clock and multiprocessor: four partitions of 4 (CUDA programming guide, arithmetic instructions).
constexpr double exponentialsPerClock = 16;
/// FLOP a byte of memory bandwidth outside the matrix units, where no rate is named: half of what A100 has.
constexpr double vectorFlopsPerByte = 5;

double peakOf(const Accelerator& accelerator, const char* format) {
    const auto found = accelerator.peakDense.find(format);
    return found != accelerator.peakDense.end() ? found->second : 0;
}

double peak16(const Accelerator& accelerator) { return std::max(peakOf(accelerator, "bf16"), peakOf(accelerator, "fp16")); }

struct Sourced {
    double value;
    Source source;
    const char* formula;
};

Sourced given(double value, double otherwise) {
    return value > 0 ? Sourced{value, Source::given, ""} : Sourced{otherwise, Source::assumed, "no data sheet names it; as parts of its time have it"};
}

/// Every number the machine is made of, once.
struct Parts {
    Sourced multiprocessors, clock, l2Bytes, sharedBytes, registerBytes, l2Bandwidth, sharedBandwidth, registerBandwidth, port, exponentials, vector;

    explicit Parts(const Accelerator& a)
        : multiprocessors(given(a.multiprocessors, usualMultiprocessors)), clock(given(a.boostClock, usualClock)), l2Bytes(given(a.l2Bytes, usualL2)),
          sharedBytes(given(a.sharedBytes, usualShared)), registerBytes(given(a.registerBytes, usualRegisters)) {
        const double cycles = multiprocessors.value * clock.value;
        l2Bandwidth = a.l2Bandwidth > 0 ? Sourced{a.l2Bandwidth, Source::given, ""}
                                        : Sourced{std::max(cycles * l2BytesPerClock, 2 * a.memoryBandwidth), Source::assumed,
                                                  "multiprocessors × clock × 48 bytes, twice DRAM's bandwidth at least"};
        if (a.l2Bandwidth <= 0 && multiprocessors.value <= fewCores)
            l2Bandwidth = {std::max(l2Bandwidth.value, peak16(a) / 2 * leastSharedBytes), Source::assumed, "what tiles of 128 × 128 need at the peak"};
        sharedBandwidth = {std::max({cycles * sharedBytesPerClock, 2 * l2Bandwidth.value, peak16(a) / 2 * leastSharedBytes}), Source::assumed,
                           "multiprocessors × clock × 128 bytes; at least twice L2's and what tiles of 64 × 256 need at the peak"};
        registerBandwidth = {std::max(cycles * registerBytesPerClock, peak16(a) / 2), Source::assumed,
                             "multiprocessors × clock × 128 lanes × 4 operands × 4 bytes, a byte for each multiply and add at least"};
        port = {std::max(clock.value * portBytesPerClock, l2Bandwidth.value / multiprocessors.value), Source::assumed, "clock × 64 bytes, an even share of L2 at least"};
        exponentials = {cycles * exponentialsPerClock, Source::assumed, "multiprocessors × clock × 16"};
        vector = a.vectorFp32 > 0 ? Sourced{a.vectorFp32, Source::given, ""}
                                  : Sourced{a.memoryBandwidth * vectorFlopsPerByte, Source::assumed, "DRAM bandwidth × 5 FLOP a byte"};
    }
};

std::array<double, matrixRates> matrixPeaks(const Accelerator& accelerator) {
    const double sixteen = peak16(accelerator);
    const double eight = std::max(peakOf(accelerator, "fp8"), sixteen);
    return {sixteen, eight, std::max(peakOf(accelerator, "fp4"), eight), std::max(peakOf(accelerator, "int8"), sixteen)};
}

} // namespace

std::string_view toString(MemoryLevel level) {
    constexpr std::array<std::string_view, memoryLevels> names{"dram", "l2", "shared_memory", "registers"};
    return names[indexOf(level)];
}

RooflineMachine rooflineMachine(const Accelerator& accelerator, const RooflineShares& shares) {
    const Parts parts(accelerator);
    RooflineMachine machine;
    machine.matrixPeak = matrixPeaks(accelerator);
    machine.vectorPeak = parts.vector.value;
    machine.exponentials = parts.exponentials.value;
    machine.bandwidth = {accelerator.memoryBandwidth, parts.l2Bandwidth.value, parts.sharedBandwidth.value, parts.registerBandwidth.value};
    machine.capacity = {accelerator.memoryBytes, parts.l2Bytes.value, parts.sharedBytes.value, parts.registerBytes.value};
    machine.portBandwidth = parts.port.value;
    machine.multiprocessors = parts.multiprocessors.value;
    machine.clusterSize = accelerator.clusterSize;
    // A large systolic array takes in a slab faster than that: never more than a 128 × 128 tile's 16 elements of k need at the peak.
    machine.productLatency = std::min(productClocks / parts.clock.value, 2.0 * 128 * 128 * 16 * machine.multiprocessors / machine.matrixPeak[0]);
    machine.shares = shares;
    return machine;
}

Quantity explainMachine(const Accelerator& accelerator) {
    const Parts parts(accelerator);
    const auto leaf = [&](const char* name, const Sourced& sourced, const char* unit) {
        const bool known = sourced.source == Source::given;
        return Quantity{name, sourced.value, unit, sourced.source, sourced.formula, known ? accelerator.citation.source : std::string(), {}};
    };
    const auto sheet = [&](const char* name, double value, const char* unit) {
        return Quantity{name, value, unit, Source::given, "", accelerator.citation.source, {}};
    };
    const Quantity cycles[] = {leaf("multiprocessors", parts.multiprocessors, "1"), leaf("clock", parts.clock, "Hz")};
    const auto derived = [&](const char* name, const Sourced& sourced, const char* unit) {
        Quantity quantity = leaf(name, sourced, unit);
        if (sourced.source != Source::given) quantity.inputs.assign(std::begin(cycles), std::end(cycles));
        return quantity;
    };
    Quantity machine{accelerator.name, peak16(accelerator), "FLOP/s", Source::given, "", accelerator.citation.source, {}};
    machine.inputs = {sheet("DRAM capacity", accelerator.memoryBytes, "bytes"),
                      sheet("DRAM bandwidth", accelerator.memoryBandwidth, "bytes/s"),
                      leaf("L2 capacity", parts.l2Bytes, "bytes"),
                      derived("L2 bandwidth", parts.l2Bandwidth, "bytes/s"),
                      leaf("shared memory of a multiprocessor", parts.sharedBytes, "bytes"),
                      derived("shared memory bandwidth", parts.sharedBandwidth, "bytes/s"),
                      leaf("registers of a multiprocessor", parts.registerBytes, "bytes"),
                      derived("register bandwidth", parts.registerBandwidth, "bytes/s"),
                      derived("bandwidth of a multiprocessor's port", parts.port, "bytes/s"),
                      derived("special functions", parts.exponentials, "1/s"),
                      leaf("vector peak", parts.vector, "FLOP/s")};
    return machine;
}

} // namespace orrery
