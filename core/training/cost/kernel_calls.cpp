// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/cost/kernel_calls.hpp"

#include "core/model/attention_rules.hpp"

#include <cmath>

namespace orrery {
namespace {

KernelFormat formatOf(MatrixFormat format) {
    switch (format) {
    case MatrixFormat::fp8:
    case MatrixFormat::row_fp8: return KernelFormat::fp8;
    case MatrixFormat::block_fp8:
    case MatrixFormat::mx_fp8: return KernelFormat::fp8_block;
    case MatrixFormat::nvfp4: return KernelFormat::nvfp4;
    case MatrixFormat::sixteen_bit: break;
    }
    return KernelFormat::bf16;
}

KernelFormat formatOf(const Operator& op) {
    switch (op.storage) {
    case WeightStorage::fp8:
    case WeightStorage::int8: return KernelFormat::int8_wo;
    case WeightStorage::nvfp4:
    case WeightStorage::int4: return KernelFormat::int4_wo;
    case WeightStorage::mxfp4: return KernelFormat::w4a16_mxfp4;
    case WeightStorage::nf4: // widened by a kernel of its own
    case WeightStorage::as_multiplied: break;
    }
    return formatOf(op.format);
}

std::optional<EquivalentCall> productCall(const Operator& op) {
    constexpr double singlePrecision = 4;
    // Where one operator is several products (a low-rank pair), its shape is no single one's.
    if (op.operandBytes >= singlePrecision || op.shape.m <= 0 || op.kernels > op.repeats) return std::nullopt;
    EquivalentCall result;
    result.call.kind = KernelKind::gemm;
    result.call.format = formatOf(op);
    result.call.sizes = {std::ceil(op.shape.m * op.shape.batch), std::ceil(op.shape.n), std::ceil(op.shape.k)};
    result.times = op.repeats;
    return result;
}

/// The tables know caches of 16 bit and of 8.
KernelFormat formatOf(CacheFormat cache) {
    return cache == CacheFormat::none || cache == CacheFormat::sixteen_bit ? KernelFormat::bf16 : KernelFormat::fp8;
}

/// Heads that a rank has of one sequence, and key heads among them.
struct OwnHeads {
    double sequences = 1, heads = 1, keyHeads = 1;

    explicit OwnHeads(const Operator& op)
        : sequences(std::min(op.sequences, op.shape.batch)), heads(std::ceil(op.shape.batch / sequences)), keyHeads(std::max(1.0, std::floor(heads / op.headsPerKey))) {}
};

bool hasLatentKernel(const Operator& op) { return op.shape.k == latentKeyWidth && op.valueWidth == latentValueWidth; }

KernelCall promptCall(const Operator& op, double sequences, double length) {
    const OwnHeads own(op);
    KernelCall call;
    call.format = KernelFormat::bf16;
    call.cache = formatOf(op.cache);
    call.kind = hasLatentKernel(op) ? KernelKind::context_mla : KernelKind::context_attention;
    if (call.kind == KernelKind::context_mla) call.sizes = {sequences, length, own.heads};
    else call.sizes = {sequences, length, own.heads, own.keyHeads, op.shape.k, 0};
    return call;
}

EquivalentCall decodeCall(const Operator& op) {
    const OwnHeads own(op);
    EquivalentCall result;
    KernelCall& call = result.call;
    call.format = KernelFormat::bf16;
    call.cache = formatOf(op.cache);
    const double length = std::ceil(op.shape.n), rows = std::ceil(own.heads * op.shape.m);
    if (op.shape.k == absorbedKeyWidth && op.valueWidth == absorbedValueWidth) {
        call.kind = KernelKind::generation_mla;
        call.sizes = {own.sequences, length, rows};
    } else {
        call.kind = KernelKind::generation_attention;
        call.sizes = {own.sequences, length, rows, own.keyHeads, op.shape.k, 0};
    }
    return result;
}

EquivalentCall chunkCall(const Operator& op) {
    const double queries = op.shape.m, cached = std::max(0.0, op.shape.n - queries), length = std::ceil(op.shape.n);
    const double sequences = std::min(op.sequences, op.shape.batch);
    EquivalentCall result;
    result.call = promptCall(op, sequences, std::ceil(queries));
    if (cached <= 0) return result;
    // Whole prompts with as many blocks of queries, or one of which the chunk is a part.
    const double prompts = std::max(1.0, std::floor(sequences * queries / length));
    result.overCache = promptCall(op, prompts, length);
    result.overCacheTimes = sequences * queries * cached / (prompts * length * length / 2);
    return result;
}

/// A vision tower's: whole squares of scores.
EquivalentCall encoderCall(const Operator& op) {
    EquivalentCall result;
    result.call.kind = KernelKind::encoder_attention;
    result.call.format = KernelFormat::bf16;
    const OwnHeads own(op);
    result.call.sizes = {std::ceil(own.sequences), std::ceil(op.shape.m), own.heads, op.shape.k};
    if (op.phase == Phase::backward) result.times = attentionBackwardProducts / 2;
    return result;
}

/// DeepSeek-V4's decodes meet keys as latent attention's do, without a rotary part beside the values; of its prompts' kernels no table tells.
std::optional<EquivalentCall> sharedKeysCall(const Operator& op) {
    if (op.attentionMode != AttentionMode::decode || op.shape.k != absorbedValueWidth) return std::nullopt;
    const OwnHeads own(op);
    EquivalentCall result;
    result.call.kind = KernelKind::generation_mla;
    result.call.format = KernelFormat::bf16;
    result.call.cache = formatOf(op.cache);
    result.call.sizes = {own.sequences, std::ceil(op.shape.n), std::ceil(own.heads * op.shape.m)};
    result.times = 2 * absorbedValueWidth / (absorbedKeyWidth + absorbedValueWidth);
    return result;
}

std::optional<EquivalentCall> attentionCall(const Operator& op) {
    const auto& [queries, keys, width, heads] = op.shape;
    if (queries < 1 || keys < 1 || heads < 1) return std::nullopt;
    if (op.unmasked) return encoderCall(op);
    if (op.keysAreValues) return sharedKeysCall(op);
    if (op.attentionMode == AttentionMode::decode) return decodeCall(op);
    if (op.attentionMode == AttentionMode::chunk) return chunkCall(op);
    EquivalentCall result;
    KernelCall& call = result.call;
    call.format = KernelFormat::bf16;
    call.cache = formatOf(op.cache);
    // A window's mean of 2w - 1 keys a query (attention_graph.cpp) is fewer than there are tokens.
    const bool windowed = keys < queries;
    const double length = std::ceil(windowed ? queries : keys);
    if (!windowed) result.times = queries / keys;
    const double sequences = std::min(op.sequences, heads);
    const double headsOfOne = std::ceil(heads / sequences);
    if (width == latentKeyWidth && op.valueWidth == latentValueWidth && !windowed) {
        call.kind = KernelKind::context_mla;
        call.sizes = {sequences, length, headsOfOne};
    } else {
        call.kind = KernelKind::context_attention;
        const double window = windowed ? std::ceil((keys + 1) / 2) : 0;
        call.sizes = {sequences, length, headsOfOne, std::max(1.0, std::floor(headsOfOne / op.headsPerKey)), width, window};
    }
    // Kernels without a mask do what a causal one leaves out; who times them doubles their FLOPs.
    const double counted = 2 * queries * keys * heads * (width + (op.valueWidth > 0 ? op.valueWidth : width));
    result.times *= op.flops / counted;
    if (op.phase == Phase::backward) result.times *= attentionBackwardProducts / attentionBackwardCounted;
    return result;
}

/// Of one kernel that does the work of several operators, each has its share by FLOPs. Gradients of both sides of what is convolved, solved
/// and carried take twice forward's time, as those of products do.
std::optional<EquivalentCall> stateCall(const Operator& op) {
    using Part = StateKernel::Part;
    constexpr KernelKind kinds[]{KernelKind::gdn, KernelKind::kda, KernelKind::mamba2};
    const StateKernel& state = op.state;
    if (state.flops <= 0) return std::nullopt;
    const bool convolution = state.part == Part::convolution || state.part == Part::convolution_update;
    const bool context = state.part == Part::convolution || state.part == Part::chunks;
    EquivalentCall result;
    result.call.kind = kinds[static_cast<std::size_t>(state.family)];
    result.call.variant = static_cast<std::uint8_t>(context ? StatePhase::context : StatePhase::generation) | (convolution ? convolutionBit : 0);
    // Speculation's few tokens come as prompts' do to a convolution; an update keeps the state after each of them beside the one it read.
    const double tokens = context ? std::ceil(state.tokens) : 1;
    result.call.sizes = {std::ceil(state.sequences), tokens, std::ceil(state.keyHeads), state.keyDim, std::ceil(state.heads), state.valueDim, std::max(1.0, state.taps)};
    result.times = op.flops / state.flops;
    if (op.phase == Phase::backward && op.kind != OperatorKind::batched_gemm) result.times *= 2;
    if (!context && state.tokens > 1) result.times *= convolution ? state.tokens : (1 + state.tokens) / 2;
    return result;
}

/// One kernel tells hyper-connections' mixtures and reads them before a block; the first of the two operators stands for it.
std::optional<EquivalentCall> streamsCall(const Operator& op) {
    const bool tells = op.name.ends_with(".mixtures"), reads = op.name.ends_with(".streams_in"), gives = op.name.ends_with(".streams_out");
    if ((!tells && !reads && !gives) || op.phase == Phase::backward) return std::nullopt;
    const double streams = tells ? std::round(std::sqrt(1 + op.shape.n)) - 1 : op.shape.n; // n streams have n (n + 2) mixtures
    EquivalentCall result;
    result.call.kind = KernelKind::mhc_module;
    result.call.variant = gives ? afterBlockBit : 0;
    result.call.sizes = {std::ceil(op.shape.m), streams, tells ? op.shape.k / streams : op.shape.k};
    result.times = reads ? 0 : 1;
    return result;
}

} // namespace

std::optional<EquivalentCall> equivalentCall(const Operator& op) {
    if (auto streams = streamsCall(op)) return streams;
    if (op.state.part != StateKernel::Part::none) return stateCall(op);
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::grouped_gemm: return productCall(op);
    case OperatorKind::attention: return attentionCall(op);
    default: return std::nullopt;
    }
}

} // namespace orrery
