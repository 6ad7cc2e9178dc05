// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/kernel_call.hpp"

#include <bit>

namespace orrery {
namespace {

using Names = std::span<const std::string_view>;

struct KindRow {
    std::string_view name;
    Names sizes;
    Names shape;
};

constexpr std::string_view gemmSizes[]{"m", "n", "k"};
constexpr std::string_view gemmShape[]{"n", "k"};
constexpr std::string_view contextSizes[]{"batch", "seq", "heads", "kv_heads", "head_dim", "window"};
constexpr std::string_view generationSizes[]{"batch", "kv_len", "heads", "kv_heads", "head_dim", "window"};
constexpr std::string_view headShape[]{"heads", "kv_heads", "head_dim"};
constexpr std::string_view contextMlaSizes[]{"batch", "seq", "heads"};
constexpr std::string_view contextMlaShape[]{"batch", "seq"};
constexpr std::string_view generationMlaSizes[]{"batch", "kv_len", "heads"};
constexpr std::string_view generationMlaShape[]{"batch", "kv_len"};
constexpr std::string_view moeSizes[]{"tokens", "hidden", "inter", "topk", "experts", "tp", "ep", "gated", "exponent"};
constexpr std::string_view moeShape[]{"hidden", "inter", "topk", "experts"};
constexpr std::string_view collectiveSizes[]{"gpus", "bytes"};
constexpr std::string_view ncclShape[]{"op", "gpus"};
constexpr std::string_view exchangeSizes[]{"nodes", "hidden", "tokens", "topk", "experts", "sms"};
constexpr std::string_view lowLatencySizes[]{"nodes", "hidden", "tokens", "topk", "experts"};
constexpr std::string_view exchangeShape[]{"hidden", "topk", "experts"};

constexpr std::array<KindRow, kernelKinds> kinds{{
    {"gemm", gemmSizes, gemmShape},
    {"context_attention", contextSizes, headShape},
    {"generation_attention", generationSizes, headShape},
    {"context_mla", contextMlaSizes, contextMlaShape},
    {"generation_mla", generationMlaSizes, generationMlaShape},
    {"moe", moeSizes, moeShape},
    {"nccl", collectiveSizes, ncclShape},
    {"custom_allreduce", collectiveSizes, collectiveSizes},
    {"deepep_low_latency", lowLatencySizes, exchangeShape},
    {"deepep_normal", exchangeSizes, exchangeShape},
}};

constexpr std::array<std::string_view, 12> formats{"", "bf16", "fp16", "int8", "fp8", "fp8_block",
                                                   "nvfp4", "int8_wo", "int4_wo", "int8_sq", "w4a16_mxfp4", "w4a8_mxfp4_mxfp8"};

const KindRow& row(KernelKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

} // namespace

Names sizeColumns(KernelKind kind) { return row(kind).sizes; }
Names shapeColumns(KernelKind kind) { return row(kind).shape; }

std::size_t growingSize(KernelKind kind) {
    switch (kind) {
    case KernelKind::gemm:
    case KernelKind::moe: return 0;
    case KernelKind::deepep_low_latency:
    case KernelKind::deepep_normal: return 2;
    default: return 1;
    }
}

std::string_view toString(KernelKind kind) { return row(kind).name; }
std::string_view toString(KernelFormat format) { return formats[static_cast<std::size_t>(format)]; }

std::optional<KernelKind> kernelKindFrom(std::string_view name) {
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (kinds[i].name == name) return static_cast<KernelKind>(i);
    return std::nullopt;
}

std::optional<KernelFormat> kernelFormatFrom(std::string_view name) {
    for (std::size_t i = 1; i < formats.size(); ++i)
        if (formats[i] == name) return static_cast<KernelFormat>(i);
    return std::nullopt;
}

std::string formatLabel(const KernelCall& call) {
    std::string label(toString(call.format));
    if (call.cache != KernelFormat::none) label += "/" + std::string(toString(call.cache));
    if (engineOf(call) != KernelEngine::common) label.append(" ").append(engineNames[static_cast<std::size_t>(engineOf(call))]);
    return label;
}

std::uint64_t hashOf(const KernelCall& call) {
    // Each size has an odd multiplier of its own, so that the products do not wait for each other; then MurmurHash3's last mixing.
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL; // 2^64 over the golden ratio
    std::uint64_t hash = ((std::uint64_t(call.kind) << 24) | (std::uint64_t(call.format) << 16) | (std::uint64_t(call.cache) << 8) | call.variant) * golden;
    std::uint64_t multiplier = golden;
    for (const double size : call.sizes) {
        multiplier += golden << 1;
        const auto bits = std::bit_cast<std::uint64_t>(size);
        hash += (bits ^ (bits >> 32)) * multiplier;
    }
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDULL;
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53ULL;
    return hash ^ (hash >> 33);
}

} // namespace orrery
