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

constexpr std::string_view deltaSizes[]{"batch_size", "seq_len", "num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim", "d_conv"};
constexpr std::string_view deltaShape[]{"num_k_heads", "num_v_heads"};
constexpr std::string_view stateCell[]{"batch_size", "seq_len"};
constexpr std::string_view mambaSizes[]{"batch_size", "seq_len", "n_groups", "d_state", "nheads", "head_dim", "d_conv"};
constexpr std::string_view mambaShape[]{"n_groups", "d_state", "nheads"};
constexpr std::string_view moduleSizes[]{"batch_size", "isl", "step", "num_heads"};
constexpr std::string_view indexedSizes[]{"batch_size", "isl", "step", "num_heads", "hidden_size", "q_rank", "key_dim", "value_dim", "index_heads"};
constexpr std::string_view compressedSizes[]{"batch_size", "isl", "step", "num_heads", "hidden_size", "q_rank", "index_topk"};
constexpr std::string_view moduleCell[]{"batch_size", "isl", "step"};
constexpr std::string_view streamSizes[]{"num_tokens", "hc_mult", "hidden_size"};
constexpr std::string_view streamCell[]{"num_tokens"};
constexpr std::string_view encoderSizes[]{"batch_size", "isl", "num_heads", "head_dim"};
constexpr std::string_view encoderCell[]{"batch_size", "isl"};
constexpr std::string_view alltoallSizes[]{"num_tokens", "hidden_size", "topk", "num_experts", "moe_ep_size"};
constexpr std::string_view alltoallCell[]{"num_tokens", "moe_ep_size"};

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
    {"gdn", deltaSizes, deltaShape},
    {"kda", deltaSizes, stateCell},
    {"mamba2", mambaSizes, mambaShape},
    {"mla_context_module", moduleSizes, moduleCell},
    {"mla_generation_module", moduleSizes, moduleCell},
    {"dsa_context_module", indexedSizes, moduleCell},
    {"dsa_generation_module", indexedSizes, moduleCell},
    {"dsv4_csa_context_module", compressedSizes, moduleCell},
    {"dsv4_csa_generation_module", compressedSizes, moduleCell},
    {"dsv4_hca_context_module", compressedSizes, moduleCell},
    {"dsv4_hca_generation_module", compressedSizes, moduleCell},
    {"msa_context_module", moduleSizes, moduleCell},
    {"msa_generation_module", moduleSizes, moduleCell},
    {"mhc_module", streamSizes, streamCell},
    {"encoder_attention", encoderSizes, encoderCell},
    {"expert_alltoall", alltoallSizes, alltoallCell},
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
    case KernelKind::deepep_normal:
    case KernelKind::mla_generation_module:
    case KernelKind::dsa_generation_module:
    case KernelKind::dsv4_csa_generation_module:
    case KernelKind::dsv4_hca_generation_module:
    case KernelKind::msa_generation_module: return 2;
    case KernelKind::mhc_module:
    case KernelKind::expert_alltoall: return 0;
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
