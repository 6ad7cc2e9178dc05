// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/attention_rules.hpp"
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

// Kernels of mixers that keep a state of constant size. Where tokens come many at once the scan goes chunk by chunk (Yang et al. 2024, arXiv
// 2412.06464, section 3.3; Dao and Gu 2024, arXiv 2405.21060, section 6); a token that comes alone moves its sequence's state once in and out.

namespace {

constexpr double chunk = 64; ///< tokens that the measured scans take together
constexpr std::size_t stateTerms = 9, stateValues = 40;
constexpr double keptStateBytes = 4; ///< states are held in fp32

struct Sizes {
    double batch, length, keyHeads, keyDim, heads, valueDim, kernel;

    explicit Sizes(const KernelCall& call)
        : batch(call.sizes[0]), length(call.sizes[1]), keyHeads(call.sizes[2]), keyDim(call.sizes[3]), heads(call.sizes[4]), valueDim(call.sizes[5]), kernel(call.sizes[6]) {}
    double tokens() const { return batch * length; }
    double channels() const { return 2 * keyHeads * keyDim + heads * valueDim; }
    double states() const { return batch * heads * keyDim * valueDim; }
};

void describeSizes(const Sizes& s, Features& f) {
    for (const double size : {s.batch, s.length, s.keyHeads, s.heads, s.keyDim, s.channels(), s.tokens(), s.batch * s.heads, s.batch * s.channels(), s.tokens() * s.channels()}) f.log(size);
    f.plain(Features::tileShare(s.length, chunk));
}

void describeConvolution(const OperatorMachine& machine, const Sizes& s, bool step, Features& f) {
    const double bytes = 2 * s.tokens() * s.channels() * bytesOut;
    const double moved = step ? bytes / machine.bandwidth : Features::streamed(machine, bytes);
    const double keptBytes = (step ? 2 : 1) * s.batch * s.channels() * (s.kernel - 1) * bytesOut;
    const double kept = step ? keptBytes / machine.bandwidth : Features::streamed(machine, keptBytes);
    const double blocks = s.batch * Features::tiles(s.length, 8) * Features::tiles(s.channels(), 256);
    f.roofline = (bytes + keptBytes) / machine.bandwidth;
    f.term(machine.launch);
    f.term(moved);
    f.term(kept);
    f.term(moved * (1 - std::min(1.0, machine.l2Bytes / bytes)));
    f.term(Features::wholeUp(blocks / machine.multiprocessors) * launchScale / 10);
    f.term(Features::tiles(s.length, 8) * s.batch * launchScale / 100);
    describeSizes(s, f);
    f.log((moved + kept) / launchScale);
    f.log(s.tokens() * s.channels() * bytesOut / machine.l2Bytes);
    f.waves(blocks, machine.multiprocessors);
    f.waves(s.batch * Features::tiles(s.channels(), 256), machine.multiprocessors);
    f.waves(s.batch * Features::tiles(s.channels(), 64), machine.multiprocessors);
}

void describeChunks(const OperatorMachine& machine, const Sizes& s, Features& f) {
    const double chunks = Features::tiles(s.length, chunk);
    const double within = 2 * chunk * (2 * s.keyDim + s.keyDim + 2 * s.valueDim); // a token of a head: keys and queries met, the writes solved
    const double across = 2 * 3 * s.keyDim * s.valueDim;
    const double compute = s.batch * chunks * chunk * s.heads * (within + across) / machine.peak16;
    const double bytes = s.tokens() * (s.channels() + s.heads * s.valueDim) * bytesOut;
    const double moved = Features::streamed(machine, bytes);
    const double between = Features::streamed(machine, 2 * s.batch * chunks * s.heads * s.keyDim * s.valueDim * bytesOut);
    // A sequence's chunks follow one another on the multiprocessors that hold its heads' states.
    const double rounds = Features::wholeUp(2 * s.batch * s.heads / machine.multiprocessors);
    const double carried = s.keyDim * s.valueDim * chunk * 2 * 2 * machine.multiprocessors / machine.peak16;
    f.roofline = std::max(compute, bytes / machine.bandwidth);
    f.term(machine.launch);
    f.term(compute);
    f.term(moved);
    f.term(between);
    f.term(std::max(compute, moved + between));
    f.term(chunks * launchScale / 10);
    f.term(rounds * chunks * launchScale / 10);
    f.term(rounds * chunks * carried);
    f.term(Features::streamed(machine, 2 * s.states() * keptStateBytes));
    describeSizes(s, f);
    f.log(chunks);
    f.log(rounds * chunks);
    f.log(compute / launchScale);
    f.log(moved / launchScale);
    f.log(compute / moved);
    f.log(s.tokens() * s.channels() * bytesOut / machine.l2Bytes);
    for (const double parts : {1.0, 2.0, 4.0}) f.waves(s.batch * s.heads * parts, machine.multiprocessors);
    f.waves(s.batch * s.heads * chunks, machine.multiprocessors);
}

void describeSteps(const OperatorMachine& machine, const Sizes& s, Features& f) {
    const double states = 2 * s.states() * keptStateBytes / machine.bandwidth;
    const double later = (s.length - 1) * s.states() * keptStateBytes / machine.bandwidth; // speculation keeps the state after each token
    const double moved = s.tokens() * (s.channels() + s.heads * s.valueDim) * bytesOut / machine.bandwidth;
    f.roofline = states + moved;
    f.term(machine.launch);
    f.term(states);
    f.term(later);
    f.term(moved);
    f.term(Features::wholeUp(s.batch * s.heads / machine.multiprocessors) * launchScale / 10);
    f.term(s.length * launchScale / 10);
    describeSizes(s, f);
    f.log(states / launchScale);
    f.log(s.states() * keptStateBytes / machine.l2Bytes);
    for (const double parts : {1.0, 4.0, 16.0}) f.waves(s.batch * s.heads * parts, machine.multiprocessors);
}

} // namespace

void describeState(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const Sizes sizes(call);
    const bool step = (call.variant & statePhaseBits) != static_cast<std::uint8_t>(StatePhase::context);
    if ((call.variant & convolutionBit) != 0) describeConvolution(machine, sizes, step, f);
    else if (step) describeSteps(machine, sizes, f);
    else describeChunks(machine, sizes, f);
    // A file's models are checked by their kind's numbers of terms and values, which are to be the same for all its kernels.
    while (f.termCount < stateTerms) f.term(0);
    while (f.count < stateValues) f.plain(0);
}

void describeStreams(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double tokens = call.sizes[0], streams = call.sizes[1], hidden = call.sizes[2];
    const bool after = (call.variant & afterBlockBit) != 0;
    // Before a block all streams are read and one is written; after it all are mixed, read and written, with what the block gives.
    const double moved = tokens * hidden * bytesOut * (after ? 2 * streams + 1 : streams + 1) / machine.bandwidth;
    const double mixed = streams * streams + 2 * streams;
    const double compute = 2 * tokens * streams * hidden * mixed / machine.peak16;
    f.roofline = std::max(compute, moved);
    f.term(machine.launch);
    f.term(moved);
    f.term(compute);
    f.term(hidden * streams * mixed * 4 / machine.bandwidth);
    f.term(Features::wholeUp(tokens / machine.multiprocessors) * launchScale / 10);
    for (const double size : {tokens, hidden, streams, moved / launchScale, compute / launchScale}) f.log(size);
    f.log(tokens * hidden * streams * bytesOut / machine.l2Bytes);
    f.waves(tokens, machine.multiprocessors);
    f.waves(Features::tiles(tokens, 64), machine.multiprocessors);
}

} // namespace orrery
