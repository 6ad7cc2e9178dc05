// SPDX-License-Identifier: GPL-3.0-or-later
// Whole attention blocks of models that keep latents, compressed keys or choose among their keys: projections, the choice, attention over what is met.
#include "core/model/attention_rules.hpp"
#include "core/operators/features.hpp"

namespace orrery {
namespace {

constexpr double latentWidth = absorbedValueWidth, roleWidth = absorbedKeyWidth - absorbedValueWidth; ///< of a cached token; of its position
constexpr double indexDim = 128;

/// What a block computes and moves, in parts that run one after the other.
struct Work {
    double products = 0;    ///< FLOPs
    double weights = 0;     ///< elements
    double activations = 0; ///< elements a token, in and out of products
    double attention = 0;   ///< FLOPs
    double cacheBytes = 0;  ///< of keys and values met
    double choice = 0;      ///< FLOPs of the scores that choose
    double choiceBytes = 0; ///< keys of the choice, and scores
    double kernels = 0;     ///< launches, near enough to scale by

    void product(double tokens, double n, double k) {
        products += 2 * tokens * n * k;
        weights += n * k;
        activations += tokens * (n + k);
        kernels += 1;
    }
};

struct Cell {
    double batch, fresh, cached, heads;

    explicit Cell(const KernelCall& call) : batch(call.sizes[0]), fresh(call.sizes[1]), cached(call.sizes[2]), heads(call.sizes[3]) {}
    double tokens() const { return batch * fresh; }
    double length() const { return cached + fresh; }
    /// Keys that the new tokens of a sequence meet together when each sees at most so many, one for every `ratio` tokens.
    double pairs(double most = 1e18, double ratio = 1) const {
        const double first = cached / ratio, last = length() / ratio;
        if (last <= most) return fresh * (first + last) / 2 + fresh / 2;
        if (first >= most) return fresh * most;
        const double rising = (most - first) * ratio;
        return rising * (first + most) / 2 + (fresh - rising) * most;
    }
};

bool isGeneration(KernelKind kind) { return growingSize(kind) == 2; }

void addLatentProducts(Work& work, const Cell& cell, double hidden, double queryRank, double keyDim, double valueDim) {
    const double tokens = cell.tokens();
    work.product(tokens, queryRank + latentWidth + roleWidth, hidden);
    work.product(tokens, cell.heads * (keyDim + roleWidth), queryRank);
    work.product(tokens, cell.heads * keyDim, latentWidth);   // keys, or queries taken to the latents
    work.product(tokens, cell.heads * valueDim, latentWidth); // values, or what attention finds brought back
    work.product(tokens, hidden, cell.heads * valueDim);
}

Work latentWork(const KernelCall& call, const Cell& cell) {
    constexpr double hidden = 7168, queryRank = 1536; // DeepSeek-V3's, the one that was measured
    Work work;
    addLatentProducts(work, cell, hidden, queryRank, latentValueWidth, latentValueWidth);
    const bool absorbed = isGeneration(call.kind);
    const double widths = absorbed ? absorbedKeyWidth + absorbedValueWidth : latentKeyWidth + latentValueWidth;
    work.attention = 2 * cell.batch * cell.heads * widths * cell.pairs();
    work.cacheBytes = absorbed ? cell.batch * cell.length() * absorbedKeyWidth * weightBytes(call.cache)
                               : cell.tokens() * cell.heads * widths * 2 * bytesOut;
    return work;
}

Work indexedWork(const KernelCall& call, const Cell& cell) {
    constexpr double most = 2048; // keys that are chosen, of all models with this indexer
    const double hidden = call.sizes[4], queryRank = call.sizes[5], keyDim = call.sizes[6], valueDim = call.sizes[7], indexHeads = call.sizes[8];
    const bool dense = (call.variant & denseBit) != 0;
    Work work;
    addLatentProducts(work, cell, hidden, queryRank, keyDim, valueDim);
    if (dense) {
        work.attention = 2 * cell.batch * cell.heads * (keyDim + roleWidth + valueDim) * cell.pairs();
        work.cacheBytes = cell.batch * cell.length() * cell.heads * (keyDim + roleWidth + valueDim) * 2 * bytesOut;
    } else {
        work.attention = 2 * cell.batch * cell.heads * (absorbedKeyWidth + absorbedValueWidth) * cell.pairs(most);
        work.cacheBytes = cell.batch * cell.pairs(most) * absorbedKeyWidth * weightBytes(call.cache);
    }
    if ((call.variant & givenChoiceBit) == 0) {
        work.product(cell.tokens(), indexHeads * indexDim, queryRank);
        work.product(cell.tokens(), indexDim + indexHeads, hidden);
        if (!dense) {
            work.choice = 2 * cell.batch * indexHeads * indexDim * cell.pairs();
            work.choiceBytes = cell.batch * (cell.length() * (indexDim + 4) + 2 * cell.fresh * cell.length() * 4);
        }
    }
    return work;
}

Work compressedWork(const KernelCall& call, const Cell& cell) {
    constexpr double width = 512, window = 128, headsOfGroup = 8, groupRank = 1024; // of DeepSeek-V4 in both sizes
    const double hidden = call.sizes[4], queryRank = call.sizes[5], topk = call.sizes[6];
    const bool chooses = call.kind == KernelKind::dsv4_csa_context_module || call.kind == KernelKind::dsv4_csa_generation_module;
    const double ratio = chooses ? 4 : 128, overlap = chooses ? 2 : 1;
    Work work;
    const double tokens = cell.tokens();
    work.product(tokens, queryRank + width, hidden);
    work.product(tokens, cell.heads * width, queryRank);
    work.product(tokens, 2 * overlap * width, hidden); // what is compressed, and how much of each token goes in
    work.product(tokens * std::max(1.0, cell.heads / headsOfGroup), groupRank, width * headsOfGroup);
    work.product(tokens, hidden, std::max(1.0, cell.heads / headsOfGroup) * groupRank);
    const double met = cell.pairs(window) + (chooses ? cell.pairs(topk, ratio) : cell.pairs(1e18, ratio));
    work.attention = 2 * 2 * cell.batch * cell.heads * width * met;
    work.cacheBytes = cell.batch * (isGeneration(call.kind) || chooses ? met : cell.length() / ratio + cell.fresh) * width * weightBytes(call.cache);
    if (chooses) {
        constexpr double indexHeads = 64;
        work.product(tokens, indexHeads * indexDim, queryRank);
        work.product(tokens, 2 * overlap * indexDim + indexHeads, hidden);
        work.choice = 2 * cell.batch * indexHeads * indexDim * cell.pairs(1e18, ratio);
        work.choiceBytes = cell.batch * cell.length() / ratio * (indexDim + 4 + 2 * cell.fresh * 4);
    }
    return work;
}

Work blockSparseWork(const KernelCall& call, const Cell& cell) {
    constexpr double hidden = 6144, width = 128, block = 128, blocks = 16, headsOfKey = 16; // MiniMax-M3's, the one that was measured
    const double keyHeads = std::max(1.0, cell.heads / headsOfKey), tokens = cell.tokens();
    Work work;
    work.product(tokens, (cell.heads + 2 * keyHeads) * width, hidden);
    work.product(tokens, 2 * keyHeads * width, hidden);
    work.product(tokens, hidden, cell.heads * width);
    work.attention = 2 * 2 * cell.batch * cell.heads * width * cell.pairs(block * blocks);
    work.cacheBytes = 2 * cell.batch * keyHeads * width * weightBytes(call.cache) * (isGeneration(call.kind) ? cell.pairs(block * blocks) : cell.length());
    work.choice = 2 * cell.batch * keyHeads * width * cell.pairs();
    work.choiceBytes = cell.batch * keyHeads * (cell.length() * width * weightBytes(call.cache) + 2 * cell.fresh * cell.length() / block * 4);
    return work;
}

Work workOf(const KernelCall& call, const Cell& cell) {
    switch (call.kind) {
    case KernelKind::mla_context_module:
    case KernelKind::mla_generation_module: return latentWork(call, cell);
    case KernelKind::dsa_context_module:
    case KernelKind::dsa_generation_module: return indexedWork(call, cell);
    case KernelKind::msa_context_module:
    case KernelKind::msa_generation_module: return blockSparseWork(call, cell);
    default: return compressedWork(call, cell);
    }
}

} // namespace

void describeModule(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const Cell cell(call);
    const Work work = workOf(call, cell);
    const bool eightBit = (call.variant & eightBitAttentionBit) != 0;
    const double products = work.products / peakFor(machine, call.format);
    const double weights = work.weights * weightBytes(call.format) / machine.bandwidth;
    const auto moved = [&](double bytes) { return isGeneration(call.kind) ? bytes / machine.bandwidth : Features::streamed(machine, bytes); };
    const double activations = moved(work.activations * bytesOut);
    const double attention = work.attention / (eightBit ? machine.peak8 : machine.peak16);
    const double cache = moved(work.cacheBytes);
    const double choice = work.choice / machine.peak8, choiceMoved = moved(work.choiceBytes);

    const double bandwidth = machine.bandwidth;
    f.roofline = std::max(products, weights + work.activations * bytesOut / bandwidth) + std::max(attention, work.cacheBytes / bandwidth) + std::max(choice, work.choiceBytes / bandwidth);
    f.term(machine.launch);
    f.term(products);
    f.term(weights);
    f.term(activations);
    f.term(std::max(products, weights + activations));
    f.term(attention);
    f.term(cache);
    f.term(std::max(attention, cache));
    f.term(choice);
    f.term(choiceMoved);
    f.term(work.kernels * launchScale / 10);
    f.term(Features::wholeUp(cell.batch * Features::tiles(cell.fresh, 64) / machine.multiprocessors) * launchScale / 10);

    for (const double size : {cell.batch, cell.fresh, cell.cached + 1, cell.length(), cell.heads, cell.tokens(), cell.batch * cell.length(), cell.tokens() * cell.heads, cell.tokens() * cell.length()})
        f.log(size);
    for (const double seconds : {products, weights, activations, attention, cache, choice, choiceMoved}) f.log(seconds / launchScale);
    f.log((products + attention + choice) / launchScale);
    f.log((attention + choice) / (products + 1e-12));
    f.log(work.weights);
    f.waves(cell.batch * cell.heads, machine.multiprocessors);
    f.waves(cell.batch * cell.heads * Features::tiles(cell.fresh, 128), machine.multiprocessors);
    f.waves(cell.batch * Features::tiles(cell.heads, 64) * cell.fresh, machine.multiprocessors);
    f.plain(Features::tileShare(cell.tokens(), 128));
    f.log(cell.batch * cell.length() * absorbedKeyWidth / machine.l2Bytes);
    f.plain(static_cast<double>(call.format));
    f.plain(static_cast<double>(call.cache));
    f.plain(eightBit);
    f.plain((call.variant & givenChoiceBit) != 0);
    f.plain((call.variant & denseBit) != 0);
}

void describeEncoderAttention(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double batch = call.sizes[0], length = call.sizes[1], heads = call.sizes[2], width = call.sizes[3];
    const double compute = 4 * batch * heads * width * length * length / machine.peak16;
    const double memory = 4 * batch * length * heads * width * bytesOut / machine.bandwidth;
    const double blocks = batch * heads * Features::tiles(length, 128);
    const double block = 4 * 128 * 128 * Features::tiles(length, 128) * Features::tiles(width, 64) * 64 * machine.multiprocessors / machine.peak16;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(compute);
    f.term(memory);
    f.term(std::max(compute, memory));
    f.term(block);
    f.term(block * Features::wholeUp(blocks / machine.multiprocessors));
    f.term(Features::wholeUp(blocks / machine.multiprocessors) * launchScale / 10);
    for (const double size : {batch, length, heads, batch * heads, batch * length, batch * length * heads}) f.log(size);
    f.plain(width);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory);
    for (const double tile : {64.0, 128.0, 256.0}) f.waves(batch * heads * Features::tiles(length, tile), machine.multiprocessors);
    f.plain(Features::tileShare(length, 128));
    f.plain(Features::tileShare(length, 64));
    f.plain(Features::alignment(length));
    f.log(memory * machine.bandwidth / machine.l2Bytes);
}

void describeAlltoall(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double tokens = call.sizes[0], hidden = call.sizes[1], topk = call.sizes[2], experts = call.sizes[3], ranks = call.sizes[4];
    const bool prepares = (call.variant & 3) == 0, combines = (call.variant & 3) >= 2, narrow = (call.variant & 3) == 3;
    // A token goes once to each other rank that holds any of its experts, and comes back from there.
    const double reached = (ranks - 1) * (1 - std::pow(1 - 1 / ranks, topk));
    const double elementBytes = combines ? (narrow ? 1 : bytesOut) : activationBytes(call.format);
    const double payload = prepares ? tokens * topk * 4 : tokens * reached * hidden * elementBytes;
    f.roofline = payload / machine.linkBandwidth;
    f.term(machine.launch);
    f.term(payload / machine.linkBandwidth);
    f.term(tokens * topk * hidden * elementBytes / machine.bandwidth);
    f.term(ranks * launchScale / 10);
    f.term(tokens * ranks * launchScale / 1e4);
    for (const double size : {tokens, hidden, topk, experts, ranks, tokens * ranks, payload / machine.linkBandwidth / launchScale}) f.log(size);
    f.plain(static_cast<double>(call.format));
    f.waves(tokens * reached, machine.multiprocessors);
}

} // namespace orrery
