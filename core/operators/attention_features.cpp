// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/features.hpp"

namespace orrery {
namespace {

/// Keys a query of a prompt meets, summed over its tokens, when it sees itself and what came before, `window` tokens at most.
double causalPairs(double length, double seen) {
    return seen >= length ? length * (length + 1) / 2 : seen * (seen + 1) / 2 + (length - seen) * seen;
}

} // namespace

void describeContextAttention(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const auto [batch, length, heads, kvHeads, width, window, p6, p7, p8] = call.sizes;
    const double seen = window > 0 ? std::min(window, length) : length;
    const double pairs = causalPairs(length, seen);
    const double compute = 4 * batch * heads * width * pairs / peakFor(machine, call.format);
    const double kvBytes = 2 * batch * length * kvHeads * width * weightBytes(call.cache);
    const double memory = (2 * batch * length * heads * width * bytesOut + kvBytes) / machine.bandwidth;
    const double exponentials = batch * heads * pairs / machine.peak16; // softmax keeps up with the products at head dimension 128, not at 64
    const double blocks = batch * heads * Features::tiles(length, 128);
    // The last block of a causal prompt meets all keys: a wave can't be shorter.
    const double longestBlock = 4 * 128 * width * seen * machine.multiprocessors / peakFor(machine, call.format);

    f.least = compute / machine.reachable;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(compute);
    f.term(memory);
    f.term(std::max(compute, memory));
    f.term(exponentials * 128);
    f.term(longestBlock);
    // What is lost between rounds is arithmetic and memory, which go by no clock.
    f.term(Features::wholeUp(blocks / machine.multiprocessors) * launchScale / 10);

    for (const double size : {batch, length, heads, kvHeads}) f.log(size);
    f.plain(width);
    f.log(window + 1);
    f.log(seen);
    f.log(heads / kvHeads);
    for (const double size : {batch * heads, batch * kvHeads, batch * length, batch * length * heads}) f.log(size);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory);
    f.log(longestBlock / compute);
    f.plain(Features::alignment(heads));
    f.plain(Features::alignment(length));
    for (const double tile : {64.0, 128.0, 256.0}) f.waves(batch * heads * Features::tiles(length, tile), machine.multiprocessors);
    // Kernels that put the query heads of a key head into one tile.
    f.waves(batch * kvHeads * Features::tiles(length * heads / kvHeads, 128), machine.multiprocessors);
    f.plain(Features::tileShare(length, 128));
    f.log(kvBytes / machine.l2Bytes);
    f.plain(window > 0 && window < length);
    f.plain(static_cast<double>(call.cache));
}

void describeGenerationAttention(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const auto [batch, length, heads, kvHeads, width, window, p6, p7, p8] = call.sizes;
    const double seen = window > 0 ? std::min(window, length) : length;
    const double group = heads / kvHeads;
    const double compute = 4 * batch * heads * width * seen / machine.peak16;
    const double kvBytes = 2 * batch * seen * kvHeads * width * weightBytes(call.cache);
    const double memory = (kvBytes + 2 * batch * heads * width * bytesOut) / machine.bandwidth;
    const double perHead = 2 * seen * width * weightBytes(call.cache) / machine.bandwidth * machine.multiprocessors;
    const double rounds = Features::wholeUp(batch * kvHeads / machine.multiprocessors);

    f.least = compute / machine.reachable;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(memory);
    f.term(compute);
    f.term(std::max(compute, memory));
    f.term(perHead * rounds); // without splitting a sequence over multiprocessors
    f.term(std::min(perHead, 16 * machine.launch));
    f.term(rounds * machine.launch / 10);

    for (const double size : {batch, length, heads, kvHeads}) f.log(size);
    f.plain(width);
    f.log(window + 1);
    f.log(seen);
    f.log(group);
    for (const double size : {batch * heads, batch * kvHeads, batch * kvHeads * seen}) f.log(size);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(kvBytes / machine.l2Bytes);
    f.plain(Features::alignment(group));
    f.plain(Features::alignment(length));
    f.waves(batch * kvHeads, machine.multiprocessors);
    f.waves(batch * heads, machine.multiprocessors);
    f.waves(batch * kvHeads * Features::tiles(seen, 128), machine.multiprocessors);
    f.waves(batch * kvHeads * Features::tiles(seen, 256), machine.multiprocessors);
    f.waves(batch * kvHeads * Features::tiles(group, 16), machine.multiprocessors);
    f.plain(Features::tileShare(seen, 64));
    f.plain(window > 0 && window < length);
    f.plain(static_cast<double>(call.cache));
}

} // namespace orrery
