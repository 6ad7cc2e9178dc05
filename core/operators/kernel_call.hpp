// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

/// Kinds of kernels whose times are measured in tables, one table a kind.
enum class KernelKind : std::uint8_t {
    gemm,                 ///< C[m,n] = A[m,k] B[k,n]
    context_attention,    ///< causal, whole prompts
    generation_attention, ///< one new token a sequence
    context_mla,          ///< 192-wide keys, 128-wide values
    generation_mla,       ///< absorbed: 512 + 64 values a cached token
    moe,                  ///< the routed experts of one rank
    nccl,
    custom_allreduce,
    deepep_low_latency,
    deepep_normal,
    gdn,                   ///< gated delta net: its short convolution and its scan, a call each
    kda,                   ///< the same with a decay for each key channel
    mamba2,                ///< the same of Mamba-2
    mla_context_module,    ///< a whole attention block from hidden state to hidden state, new tokens over cached ones
    mla_generation_module, ///< the same, one new token a sequence
    dsa_context_module,    ///< DeepSeek-V3.2's: latents, and an indexer that picks the keys
    dsa_generation_module,
    dsv4_csa_context_module, ///< DeepSeek-V4's: keys of four tokens in one, of which an indexer picks
    dsv4_csa_generation_module,
    dsv4_hca_context_module, ///< DeepSeek-V4's: keys of 128 tokens in one, all met
    dsv4_hca_generation_module,
    msa_context_module, ///< MiniMax-M3's: blocks of keys that small heads pick
    msa_generation_module,
    mhc_module,        ///< hyper-connections: streams mixed before or after a block
    encoder_attention, ///< no mask: a vision tower's
    expert_alltoall,   ///< over the links of an NVLink domain, at most
};
constexpr std::size_t kernelKinds = 26;

/// Mixers of constant state, each kernel by itself.
constexpr bool isState(KernelKind kind) { return kind >= KernelKind::gdn && kind <= KernelKind::mamba2; }
/// Whole attention blocks, projections included.
constexpr bool isModule(KernelKind kind) { return kind >= KernelKind::mla_context_module && kind <= KernelKind::msa_generation_module; }
/// Kinds whose tables name their columns as ai-dynamo/aiconfigurator does.
constexpr bool hasSourceColumns(KernelKind kind) { return kind >= KernelKind::gdn; }

/// True of calls that move tokens to their experts and back.
constexpr bool isExchange(KernelKind kind) { return kind == KernelKind::deepep_low_latency || kind == KernelKind::deepep_normal; }

/// How a kernel's operands are stored and multiplied.
enum class KernelFormat : std::uint8_t {
    none,
    bf16,
    fp16,
    int8,
    fp8,       ///< scaled as a whole tensor
    fp8_block, ///< block scales
    nvfp4,
    int8_wo, ///< weights alone in 8 bit
    int4_wo,
    int8_sq, ///< weights and activations in 8 bit
    w4a16_mxfp4,
    w4a8_mxfp4_mxfp8,
};

/// Which half of an expert exchange is timed.
enum class ExchangeHalf : std::uint8_t { dispatch,
                                         combine };

/// One kernel call by the columns of its table. `sizes` follow `sizeColumns(kind)`; the rest are zero. A plain value that is its own key.
struct KernelCall {
    KernelKind kind = KernelKind::gemm;
    KernelFormat format = KernelFormat::none;
    KernelFormat cache = KernelFormat::none; ///< of keys and values; attention alone
    std::uint8_t variant = 0;                ///< implementation (nvfp4's low-latency experts, DeepEP's older release); the collective of `nccl`;
                                             ///< the half of an exchange in bit 4. 0: the usual one
    std::array<double, 9> sizes{};

    friend bool operator==(const KernelCall&, const KernelCall&) = default;
};

/// Column names of `KernelCall::sizes`, as the tables name them.
std::span<const std::string_view> sizeColumns(KernelKind kind);
/// Columns that are the same in all rows of a shape: what is left out together when a fit is judged on shapes it never saw.
std::span<const std::string_view> shapeColumns(KernelKind kind);

/// Place in `KernelCall::sizes` of m, the tokens, the length or the bytes: the size along which tables are extrapolated.
std::size_t growingSize(KernelKind kind);

std::string_view toString(KernelKind kind);
std::string_view toString(KernelFormat format);
std::optional<KernelKind> kernelKindFrom(std::string_view name);
std::optional<KernelFormat> kernelFormatFrom(std::string_view name);
/// "bf16", or "bf16/fp8" with the cache's format where there is one, and the engine behind it where it is another than the common one; empty
/// for expert exchanges.
std::string formatLabel(const KernelCall& call);

/// `nccl`'s operations in the order of KernelCall::variant.
constexpr std::array<std::string_view, 4> collectiveNames{"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
constexpr std::uint8_t combineBit = 1 << 4;
constexpr std::uint8_t alternativeBit = 1 << 5; ///< another implementation of the same work

/// What KernelCall::variant says of a state mixer's kernel.
enum class StatePhase : std::uint8_t { context,
                                       generation,
                                       verify }; ///< a few tokens at once that speculation brings
constexpr std::uint8_t statePhaseBits = 3;
constexpr std::uint8_t convolutionBit = 1 << 2; ///< else the scan
constexpr std::uint8_t fusedStepBit = 1 << 3;   ///< gates and norm in the same kernel

/// What it says of a whole attention block.
constexpr std::uint8_t eightBitAttentionBit = 1 << 0;
constexpr std::uint8_t givenChoiceBit = 1 << 1; ///< takes an earlier layer's choice of keys
constexpr std::uint8_t denseBit = 1 << 2;       ///< so few keys that all are met

constexpr std::uint8_t afterBlockBit = 1 << 0; ///< of hyper-connections: after the block, else before it

/// `expert_alltoall`'s operations in the order of KernelCall::variant.
constexpr std::array<std::string_view, 4> alltoallNames{"alltoall_prepare", "alltoall_dispatch", "alltoall_combine", "alltoall_combine_low_precision"};
constexpr std::uint8_t oneSidedBit = 1 << 2; ///< ranks write into each other's memory without a handshake

/// Whose kernels: the same shape takes other times in each engine. They stand in bits 6 and 7 of KernelCall::variant.
enum class KernelEngine : std::uint8_t {
    common, ///< the tables' first source, TensorRT-LLM in the main
    vllm,
    sglang,
};
constexpr std::array<std::string_view, 3> engineNames{"trtllm", "vllm", "sglang"};
constexpr unsigned engineShift = 6;
constexpr KernelEngine engineOf(const KernelCall& call) { return static_cast<KernelEngine>(call.variant >> engineShift); }
constexpr void setEngine(KernelCall& call, KernelEngine engine) {
    call.variant = static_cast<std::uint8_t>((call.variant & ((1U << engineShift) - 1)) | (static_cast<unsigned>(engine) << engineShift));
}
/// Kinds whose tables name the engine.
constexpr bool isByEngine(KernelKind kind) { return kind == KernelKind::gemm || kind == KernelKind::moe || kind == KernelKind::custom_allreduce || hasSourceColumns(kind); }

/// Equal calls have equal hashes, on every machine.
std::uint64_t hashOf(const KernelCall& call);

} // namespace orrery
