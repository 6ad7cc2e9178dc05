// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/roofline_machine.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery {
namespace {

/// For each multiply and add of a 64 × 256 tile at 16 bit: matrix units of every make are fed from the memory beside them.
constexpr double leastSharedBytes = 2 * (1.0 / 64 + 1.0 / 256);

double peakOf(const Accelerator& accelerator, const char* format) {
    const auto found = accelerator.peakDense.find(format);
    return found != accelerator.peakDense.end() ? found->second : 0;
}

double peak16(const Accelerator& accelerator) { return std::max(peakOf(accelerator, "bf16"), peakOf(accelerator, "fp16")); }

struct Sourced {
    double value;
    Source source;
    std::string formula;
};

Sourced given(double value, double otherwise) {
    return value > 0 ? Sourced{value, Source::given, ""} : Sourced{otherwise, Source::assumed, "no data sheet names it; as parts of its time have it"};
}

/// Every number the machine is made of, once.
struct Parts {
    Sourced multiprocessors, clock, l2Bytes, sharedBytes, registerBytes, l2Bandwidth, sharedBandwidth, registerBandwidth, port, exponentials, vector;

    Parts(const Accelerator& a, const PhysicsConstants& p)
        : multiprocessors(given(a.multiprocessors, p.usualMultiprocessors)), clock(given(a.boostClock, p.usualClock)), l2Bytes(given(a.l2Bytes, p.usualL2)),
          sharedBytes(given(a.sharedBytes, p.usualShared)), registerBytes(given(a.registerBytes, p.usualRegisters)) {
        const double cycles = multiprocessors.value * clock.value;
        l2Bandwidth = a.l2Bandwidth > 0 ? Sourced{a.l2Bandwidth, Source::given, ""}
                                        : Sourced{std::max(cycles * p.l2BytesPerClock, 2 * a.memoryBandwidth), Source::assumed,
                                                  "multiprocessors × clock × " + formatNumber(p.l2BytesPerClock) + " bytes, twice DRAM's bandwidth at least"};
        if (a.l2Bandwidth <= 0 && multiprocessors.value <= p.fewCores)
            l2Bandwidth = {std::max(l2Bandwidth.value, peak16(a) / 2 * leastSharedBytes), Source::assumed, "what tiles of 128 × 128 need at the peak"};
        sharedBandwidth = {std::max({cycles * p.sharedBytesPerClock, 2 * l2Bandwidth.value, peak16(a) / 2 * leastSharedBytes}), Source::assumed,
                           "multiprocessors × clock × " + formatNumber(p.sharedBytesPerClock) + " bytes; at least twice L2's and what tiles of 64 × 256 need at the peak"};
        registerBandwidth = {std::max(cycles * p.registerBytesPerClock, peak16(a) / 2), Source::assumed,
                             "multiprocessors × clock × " + formatNumber(p.registerBytesPerClock) + " bytes, a byte for each multiply and add at least"};
        port = {std::max(clock.value * p.portBytesPerClock, l2Bandwidth.value / multiprocessors.value), Source::assumed, "clock × " + formatNumber(p.portBytesPerClock) + " bytes, an even share of L2 at least"};
        exponentials = {cycles * p.exponentialsPerClock, Source::assumed, "multiprocessors × clock × " + formatNumber(p.exponentialsPerClock)};
        vector = a.vectorFp32 > 0 ? Sourced{a.vectorFp32, Source::given, ""}
                                  : Sourced{a.memoryBandwidth * p.vectorFlopsPerByte, Source::assumed, "DRAM bandwidth × " + formatNumber(p.vectorFlopsPerByte) + " FLOP a byte"};
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

RooflineShares usualShares(const PhysicsConstants& physics) {
    return {physics.rooflineMatrixShare, physics.rooflineVectorShare, physics.rooflineMemoryShare,
            physics.rooflineCacheShare, physics.rooflineLaunch, physics.rooflineFill};
}

RooflineMachine rooflineMachine(const Accelerator& accelerator, const PhysicsConstants& physics) {
    return rooflineMachine(accelerator, physics, usualShares(physics));
}

RooflineMachine rooflineMachine(const Accelerator& accelerator, const PhysicsConstants& physics, const RooflineShares& shares) {
    const Parts parts(accelerator, physics);
    RooflineMachine machine;
    machine.matrixPeak = matrixPeaks(accelerator);
    machine.vectorPeak = parts.vector.value;
    machine.exponentials = parts.exponentials.value;
    machine.softmaxFlops = physics.softmaxFlops;
    machine.bandwidth = {accelerator.memoryBandwidth, parts.l2Bandwidth.value, parts.sharedBandwidth.value, parts.registerBandwidth.value};
    machine.capacity = {accelerator.memoryBytes, parts.l2Bytes.value, parts.sharedBytes.value, parts.registerBytes.value};
    machine.portBandwidth = parts.port.value;
    machine.multiprocessors = parts.multiprocessors.value;
    machine.clusterSize = accelerator.clusterSize;
    // A large systolic array takes in a slab faster than that: never more than a 128 × 128 tile's 16 elements of k need at the peak.
    machine.productLatency = std::min(physics.productClocks / parts.clock.value, 2.0 * 128 * 128 * 16 * machine.multiprocessors / machine.matrixPeak[0]);
    machine.kernels = {physics.instructionBytes, physics.slabBytes, physics.slabsAtOnce, physics.accumulatorShare, physics.groupShare,
                       physics.warmShare, physics.largestCluster, physics.alignmentBytes, physics.misalignedShare};
    machine.shares = shares;
    return machine;
}

Quantity explainMachine(const Accelerator& accelerator, const PhysicsConstants& physics) {
    const Parts parts(accelerator, physics);
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
