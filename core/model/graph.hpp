// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class OperatorKind : std::uint8_t {
    embedding,
    norm,
    gemm,
    batched_gemm, ///< unfused attention scores and context
    grouped_gemm, ///< a product for each expert; shape: one expert's tokens, balanced, `batch` experts
    attention,    ///< fused (flash) attention
    softmax,
    dropout,
    rotary,
    activation,
    residual,
    top_k,   ///< scores of the experts and the choice of some
    permute, ///< rows moved: into the order of their experts, back with their sum, side by side
    cross_entropy,
    optimizer,
    gradient_norm,
    collective,
    send_receive,
};

enum class Phase : std::uint8_t { forward,
                                  backward,
                                  recompute,
                                  optimizer,
                                  communication };

/// What the tensor pass does with an operator: which of its dimensions the ranks of a tensor group share out.
enum class TensorRole : std::uint8_t {
    replicated, ///< every rank does all of it; with sequence parallelism each does its share of the tokens
    column,     ///< GEMM split along n
    row,        ///< GEMM split along k
    heads,      ///< work per attention head or per feed-forward column
    kv_heads,   ///< per key-value head: shared out over at most that many ranks
    vocabulary, ///< embedding rows and the loss
    whole,      ///< tensors only: full size on every rank even with sequence parallelism (gathered inputs, partial sums)
};

enum class CollectiveKind : std::uint8_t { none,
                                           all_reduce,
                                           all_gather,
                                           reduce_scatter,
                                           all_to_all,
                                           send_receive,
                                           broadcast };
enum class RankGroup : std::uint8_t {
    none,
    tensor,
    context,
    expert,        ///< ranks that share out the experts of a layer
    expert_tensor, ///< ranks that share out each expert's matrices
    expert_data,   ///< ranks that hold the same experts
    pipeline,
    data,
    shard,     ///< HSDP: of the data group, the ranks that share out one copy
    replicate, ///< HSDP: those that hold the same shard
    embedding,
};

/// Number format of a matrix product's operands. The results and everything else stay in 16 bit.
enum class MatrixFormat : std::uint8_t {
    sixteen_bit,
    fp8,       ///< scaled as a whole tensor
    row_fp8,   ///< scaled by rows, and for the other products by columns: quantised for each by itself
    block_fp8, ///< scaled by blocks in software: DeepSeek's 128 × 128 and 1 × 128
    mx_fp8,    ///< scaled by blocks of 32 that the matrix units take
    nvfp4,
};
inline constexpr std::size_t matrixFormats = 6;

/// Whether both operands are 8 bit wide, however they are scaled.
constexpr bool isEightBit(MatrixFormat format) { return format != MatrixFormat::sixteen_bit && format != MatrixFormat::nvfp4; }

/// How a product's weights lie in memory, where they are narrower than what is multiplied.
enum class WeightStorage : std::uint8_t {
    as_multiplied,
    int8,  ///< and widened to 16 bit on the way
    int4,  ///< likewise, with a 16-bit scale for 128 of them
    mxfp4, ///< likewise, with a scale of one byte for 32
    nf4,   ///< likewise, with constants that are quantised themselves
    fp8,   ///< likewise, with a scale for a row or a block of 128 × 128
    nvfp4, ///< likewise, with a scale of one byte for 16
};
/// Bytes of such a weight, scales included; `multiplied`: those of an operand.
double storedWeightBytes(WeightStorage storage, double multiplied);

/// Which keys attention meets beside those of its own tokens.
enum class AttentionMode : std::uint8_t {
    prefill, ///< none: whole prompts, and training's sequences
    chunk,   ///< a prompt's next tokens, over its earlier ones in the cache
    decode,  ///< the next token of each sequence, or the few that speculation has verified at once, over the cache
};

/// Number format of the keys and values that serving keeps.
enum class CacheFormat : std::uint8_t {
    none, ///< training keeps no cache
    sixteen_bit,
    fp8,
    int8,
    four_bit, ///< with a scale of one byte for 16 elements
};

/// Bytes of an element in the cache, scales included; of `none` those of the keys and values as they are made.
double cacheElementBytes(CacheFormat format);

using TensorId = std::int32_t;

/// A value that an operator writes and later ones read. Bytes are per rank.
struct Tensor {
    std::string name;
    double bytes = 0;
    TensorRole role = TensorRole::replicated;
};

/// The kernel that libraries run an operator of a state mixer in, where they have one for what a graph tells product by product.
struct StateKernel {
    enum class Part : std::uint8_t { none,
                                     convolution,        ///< the short one before the scan, over many tokens
                                     convolution_update, ///< over the few that each sequence has next
                                     chunks,             ///< the scan of many tokens
                                     update };
    enum class Family : std::uint8_t { gated_delta,
                                       key_gated_delta,
                                       mamba2 };
    Part part = Part::none;
    Family family = Family::gated_delta;
    double sequences = 1, tokens = 1;                         ///< sequences, and tokens of each
    double keyHeads = 1, keyDim = 1, heads = 1, valueDim = 1; ///< heads of one rank
    double taps = 0;                                          ///< tokens that the convolution meets
    double flops = 0;                                         ///< of the whole kernel's forward; an operator does its share of them

    void shareHeads(double ranks) {
        keyHeads = keyHeads > ranks ? keyHeads / ranks : 1;
        heads /= ranks;
        flops /= ranks;
    }
};

/// C[m,n] = A[m,k] B[k,n], `batch` times; for attention m = query length, n = key length, k = head dimension, batch = sequences × heads.
struct OperatorShape {
    double m = 0, n = 0, k = 0, batch = 1;
};

/// One kernel (or a few that always run together) on one rank.
struct Operator {
    std::string name; ///< "mlp.gate_up"; its backward is "mlp.gate_up.dgrad" and "mlp.gate_up.wgrad"
    OperatorKind kind = OperatorKind::gemm;
    Phase phase = Phase::forward;
    TensorRole role = TensorRole::replicated;
    OperatorShape shape;
    double flops = 0;     ///< counted by the FLOP rules: attention with full s² (chunks share it out: they sum to their prompt's; a
                          ///< decode meets every key that it counts), nothing for what a kernel redoes inside
    double bytesRead = 0; ///< DRAM traffic; filled in by `settleTraffic`
    double bytesWritten = 0;
    double bytesAccumulated = 0;                              ///< of these, what adding to a buffer in place moves beyond writing the product alone
    bool trafficCounted = false;                              ///< kernel by kernel: an era's unfused kernels are in it already
    double weights = 0;                                       ///< elements of weight matrices and vectors that the tensor pass shares out
    double replicatedWeights = 0;                             ///< elements that every tensor rank holds: norms, biases added after a reduction
    CollectiveKind collective = CollectiveKind::none;         ///< what a collective does in forward
    CollectiveKind backwardCollective = CollectiveKind::none; ///< its conjugate
    RankGroup group = RankGroup::none;
    double messageBytes = 0;                         ///< as nccl-tests counts: the whole buffer of an all-gather or reduce-scatter
    int kernels = 1;                                 ///< launches it takes
    int repeats = 1;                                 ///< runs one after the other, each on a part of the tokens; shape and tensors are of one, FLOPs and traffic of all
    bool weightPart = false;                         ///< of backward: makes a weight's gradient, which no other layer waits for (Qi et al. 2023 write W)
    MatrixFormat format = MatrixFormat::sixteen_bit; ///< matrix products only
    WeightStorage storage = WeightStorage::as_multiplied;
    bool eager = false;         ///< the host launches it even where CUDA graphs hold the rest
    bool hostWaits = false;     ///< the host goes on only when it has ended, to learn how many rows there are
    double sequences = 1;       ///< attention only: those that `shape.batch` counts the heads of
    double headsPerKey = 1;     ///< attention only: query heads that share a key head, over all tensor ranks
    double valueWidth = 0;      ///< attention only: of a head; keys have `shape.k`
    bool unmasked = false;      ///< attention only: every query meets every key, so that `flops` are all done
    bool keysAreValues = false; ///< attention only: what is met is read once (DeepSeek-V4)
    AttentionMode attentionMode = AttentionMode::prefill;
    CacheFormat cache = CacheFormat::none; ///< attention only: where keys and values of earlier tokens lie; `shape.n` counts them too
    double operandBytes = 2;               ///< an element of a product's operands before any precision pass: 4 for a router kept in fp32
    StateKernel state;                     ///< of a state mixer's convolution and scan alone
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::vector<TensorId> saved; ///< kept from forward to backward; subset of inputs and outputs
};

/// A piece of the model (a layer, the embedding, the head) on one rank for one micro-batch: its operators in execution order
/// and the tensors they pass on. A value type: passes take one and give one. `backward` is empty until derived.
struct Graph {
    std::string name;
    std::vector<Tensor> tensors;
    std::vector<Operator> forward;
    std::vector<Operator> backward; ///< recomputed operators stand here too, in phase `recompute`
    double kvHeads = 0;             ///< of its attention, where they are not as many as the model's
};

std::string_view toString(OperatorKind kind);
std::string_view toString(Phase phase);
std::string_view toString(CollectiveKind kind);
std::string_view toString(AttentionMode mode);
std::string_view toString(CacheFormat format);

/// A graph as text, a line a tensor and a line an operator with every field, numbers in the fewest digits that give them back:
/// equal graphs are equal bytes, and unequal ones are not.
std::string toText(const Graph& graph);

} // namespace orrery
