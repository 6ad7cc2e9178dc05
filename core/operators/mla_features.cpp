// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/attention_rules.hpp"
#include "core/operators/features.hpp"

namespace orrery {
namespace {

/// What the measured kernels are made for.
constexpr double keyWidth = latentKeyWidth, valueWidth = latentValueWidth;
constexpr double cachedWidth = absorbedKeyWidth, cachedValueWidth = absorbedValueWidth;

/// With an 8-bit cache the arithmetic is 8-bit too.
double peakOf(const OperatorMachine& machine, const KernelCall& call) {
    return peakFor(machine, call.cache == KernelFormat::fp8 ? KernelFormat::fp8 : call.format);
}

} // namespace

void describeContextMla(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double batch = call.sizes[0], length = call.sizes[1], heads = call.sizes[2];
    const double peak = peakOf(machine, call);
    const double compute = 2 * batch * heads * (keyWidth + valueWidth) * length * (length + 1) / 2 / peak;
    const double memory = batch * length * heads * (keyWidth * 2 + valueWidth * 2) * bytesOut / machine.bandwidth;
    const double blocks = batch * heads * Features::tiles(length, 128);
    const double longestBlock = 2 * 128 * (keyWidth + valueWidth) * length * machine.multiprocessors / peak;

    f.least = compute / machine.reachable;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(compute);
    f.term(memory);
    f.term(std::max(compute, memory));
    f.term(longestBlock);
    // What is lost between rounds is arithmetic and memory, which go by no clock.
    f.term(Features::wholeUp(blocks / machine.multiprocessors) * launchScale / 10);
    f.term(Features::wholeUp(blocks / machine.multiprocessors) * longestBlock);

    for (const double size : {batch, length, heads, batch * heads, batch * length, batch * length * heads}) f.log(size);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory);
    f.log(longestBlock / compute);
    for (const double tile : {64.0, 128.0, 256.0}) f.waves(batch * heads * Features::tiles(length, tile), machine.multiprocessors);
    f.plain(Features::tileShare(length, 128));
    f.plain(static_cast<double>(call.cache));
}

void describeGenerationMla(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double batch = call.sizes[0], length = call.sizes[1], heads = call.sizes[2];
    const double peak = peakOf(machine, call);
    const double tokenBytes = cachedWidth * weightBytes(call.cache);
    const double compute = 2 * batch * heads * (cachedWidth + cachedValueWidth) * length / peak;
    // Query heads fill a tile of 64 or 128 rows whatever their number.
    const double padded = 2 * batch * Features::tiles(heads, 64) * 64 * (cachedWidth + cachedValueWidth) * length / peak;
    const double cacheTime = batch * length * tokenBytes / machine.bandwidth;
    const double memory = cacheTime + batch * heads * (cachedWidth + cachedValueWidth) * bytesOut / machine.bandwidth;
    const double rounds = Features::wholeUp(batch / machine.multiprocessors);
    const double oneSequence = length * tokenBytes / machine.bandwidth * machine.multiprocessors;

    f.least = compute / machine.reachable;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(memory);
    f.term(compute);
    f.term(std::max(compute, memory));
    f.term(padded);
    f.term(std::max(padded, memory));
    f.term(std::min(oneSequence, 16 * machine.launch));
    f.term(rounds * machine.launch / 10);

    for (const double size : {batch, length, heads, batch * heads, batch * length, batch * length * heads}) f.log(size);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory);
    f.log(batch * length * tokenBytes / machine.l2Bytes);
    f.waves(batch, machine.multiprocessors);
    f.waves(batch * Features::tiles(heads, 64), machine.multiprocessors);
    f.waves(batch * Features::tiles(length, 128), machine.multiprocessors);
    f.waves(batch * Features::tiles(heads, 64) * Features::tiles(length, 256), machine.multiprocessors);
    f.plain(static_cast<double>(call.cache));
}

} // namespace orrery
