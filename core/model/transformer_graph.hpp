// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/model/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

/// What one micro-batch brings to the model. Activations are 16 bit.
struct TokenShape {
    double sequences = 1;
    double length = 1;   ///< tokens of a sequence
    double document = 0; ///< tokens of the documents packed into one, which attention stays within; 0: the sequence is one
    ImageLoad images{};  ///< of a sequence, whose tokens are among its own
    double tokens() const { return sequences * length; }
    double documents() const { return document > 0 ? std::max(1.0, std::round(length / document)) : 1; } ///< of one sequence
};

/// The model's pieces, forward only, unsharded and unfused: as the papers' equations write them, one kernel a step.
/// Passes (core/training/plan) then fuse, shard and recompute.
struct ModelPieces {
    Graph embedding;
    std::vector<Graph> layers; ///< one of each of the architecture's `kinds`, in their order; all are named "layer"
    Graph head;
    /// One module of multi-token prediction, which stands after the last layer and has a layer, logits and loss of its own;
    /// none when the architecture has no such module. Named "next_token".
    std::optional<Graph> nextToken;
    std::vector<std::uint32_t> kindByLayer; ///< as the architecture's

    std::size_t layerKindOf(std::int64_t layer) const {
        return kindByLayer.empty() ? 0 : kindByLayer[static_cast<std::size_t>(layer)];
    }
    const Graph& layer(std::int64_t index) const { return layers[layerKindOf(index)]; }
};

ModelPieces buildModelPieces(const Architecture& architecture, const TokenShape& shape);

/// The pieces of a model whose layers are all of one kind and that has no multi-token prediction.
struct ModelGraphs {
    Graph embedding;
    Graph layer;
    Graph head;
};

/// Where an architecture has several kinds of layers, `layer` is the first kind.
ModelGraphs buildModelGraphs(const Architecture& architecture, const TokenShape& shape);

/// Sequences of an engine's step whose attention is alike: each has `tokens` new ones, after `context` in the cache.
struct AttentionGroup {
    AttentionMode mode = AttentionMode::prefill; ///< a chunk without context is a prefill
    double sequences = 1;
    double tokens = 1;  ///< of a sequence
    double context = 0; ///< of a sequence; 0 of a prefill
};

/// What one step of an inference engine computes. Logits are made for each sequence's last token; of a decode for all its tokens, which
/// speculation verifies.
struct StepShape {
    std::vector<AttentionGroup> groups;
    CacheFormat cache = CacheFormat::sixteen_bit;
    double tokens() const;
    double logits() const;
};

/// The model's pieces as an engine runs them for one step: attention fused, keys and values written to a cache and read from it, no dropout,
/// no loss. Latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1) is wide for prompts, whose keys and values of every head are made
/// from the latents (the cached ones again), and absorbed for decodes, whose queries go into the latents' space instead.
ModelPieces buildStepPieces(const Architecture& architecture, const StepShape& step);
/// The vision tower over so many images, as an engine runs it. Named "vision".
Graph buildVisionGraph(const VisionTower& tower, const ImageParts& image, double images);
/// Whether an operator of a step's layer works on one group of the step; all others work on all its tokens at once and depend on their
/// number alone.
bool isOfGroup(const Operator& op);

/// One group's operators of a layer by themselves.
Graph buildAttentionGroup(const Architecture& architecture, const LayerKind& kind, const AttentionGroup& group, CacheFormat cache);

/// Bytes that the cache holds of one token in all layers, keys and values (or latents) of every head. Layers that reach back only so far
/// hold fewer tokens, each as big. `ranks`: of a tensor group, of which each holds at least one key head, and all of a latent.
double cacheBytesPerToken(const Architecture& architecture, CacheFormat format, int ranks = 1);
/// The same of one layer of a kind; 0 where it keeps a state alone.
double cacheBytesOfLayer(const Architecture& architecture, const LayerKind& kind, CacheFormat format, int ranks = 1);
/// What of it only a window or chunk holds: older tokens' leave the cache.
double windowedBytesOfLayer(const Architecture& architecture, const LayerKind& kind, CacheFormat format, int ranks = 1);
/// What the indexer of a layer keeps of a token; 0 where it has none.
double indexedKeyBytesOfLayer(const Architecture& architecture, const LayerKind& kind);
/// Bytes that one layer of a kind keeps of a sequence, however long; tensor ranks share its heads out.
double stateBytesOfLayer(const Architecture& architecture, const LayerKind& kind, int ranks = 1);
/// Bytes that all layers together keep of a sequence.
double stateBytesPerSequence(const Architecture& architecture, int ranks = 1);

/// What shapes and tensors do not say of traffic. Bytes are an element's.
struct TrafficRules {
    double gradientBytes = 4;       ///< of the buffer that products add weight gradients to
    bool accumulatesInPlace = true; ///< else a weight gradient is written as it comes, and whatever adds it up is somebody else's
    double lossForwardBytes = 0;    ///< a logit; 0: what the loss's tensors hold
    double lossBackwardBytes = 0;
    double normForwardBytes = 0; ///< an element of 16 bit that a norm writes; 0: what its tensors hold
    double normBackwardBytes = 0;
    double rotaryBytes = 0;
};

/// Sets every operator's DRAM traffic from its shape and tensors; to be called after the last pass.
void settleTraffic(Graph& graph, const TrafficRules& rules);

/// Bytes that forward keeps for backward: every saved tensor once.
double savedBytes(const Graph& graph);

} // namespace orrery
