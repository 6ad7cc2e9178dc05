// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of mixers that keep a state of constant size. Where tokens come many at once the scan goes chunk by chunk (Yang et al. 2024, arXiv
// 2412.06464, section 3.3; Dao and Gu 2024, arXiv 2405.21060, section 6); a token that comes alone moves its sequence's state once in and out.
#include "core/operators/features.hpp"

namespace orrery {
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
