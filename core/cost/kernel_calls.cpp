// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/kernel_calls.hpp"

#include <cmath>

namespace orrery {
namespace {

constexpr double backwardProducts = 5.0 / 2.0;
/// Latent attention's own kernels (DeepSeek-V2, arXiv 2405.04434): keys of 128 + 64 values, values of 128.
constexpr double latentKeyWidth = 192;
constexpr double latentValueWidth = 128;

KernelFormat formatOf(MatrixFormat format) {
    switch (format) {
    case MatrixFormat::fp8: return KernelFormat::fp8;
    case MatrixFormat::block_fp8: return KernelFormat::fp8_block;
    case MatrixFormat::nvfp4: return KernelFormat::nvfp4;
    case MatrixFormat::sixteen_bit: break;
    }
    return KernelFormat::bf16;
}

std::optional<EquivalentCall> productCall(const Operator& op) {
    constexpr double singlePrecision = 4;
    // Of several products in one operator (a low-rank pair) the shape is no single one's.
    if (op.operandBytes >= singlePrecision || op.shape.m <= 0 || op.kernels > op.repeats) return std::nullopt;
    EquivalentCall result;
    result.call.kind = KernelKind::gemm;
    result.call.format = formatOf(op.format);
    result.call.sizes = {std::ceil(op.shape.m * op.shape.batch), std::ceil(op.shape.n), std::ceil(op.shape.k)};
    result.times = op.repeats;
    return result;
}

std::optional<EquivalentCall> attentionCall(const Operator& op) {
    const auto& [queries, keys, width, heads] = op.shape;
    if (queries < 1 || keys < 1 || heads < 1) return std::nullopt;
    EquivalentCall result;
    KernelCall& call = result.call;
    call.format = call.cache = KernelFormat::bf16;
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
    // Of backward the rule counts two forwards.
    if (op.phase == Phase::backward) result.times *= backwardProducts / 2;
    return result;
}

} // namespace

std::optional<EquivalentCall> equivalentCall(const Operator& op) {
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::grouped_gemm: return productCall(op);
    case OperatorKind::attention: return attentionCall(op);
    default: return std::nullopt;
    }
}

} // namespace orrery
