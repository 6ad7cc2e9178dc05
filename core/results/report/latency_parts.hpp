// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

/// What a request waits for, and what the steps that work on it spend their time on.
enum class LatencyPart {
    front_end,       ///< from the client to the engine and back
    encode,          ///< of images by encoders of their own
    queue_cache,     ///< for blocks of the cache
    queue_sequences, ///< for a place among the requests of a step
    queue_tokens,    ///< for room among the tokens of a step
    queue_step,      ///< for the end of the step under way
    preempted,       ///< for another place, after its blocks were taken
    transfer,        ///< of its keys and values to the instance that decodes
    cache_load,      ///< of cached blocks from a tier below the accelerators' memory
    weights,         ///< their traffic: products that last as long as their matrices take to arrive from memory
    products,        ///< with weights, that arithmetic or launches pace
    attention,
    elementwise, ///< norms, activations, sampling
    collectives,
    pipeline, ///< sends between stages
    launch,
    host,
    shared_links, ///< how much longer collectives take because others' traffic is on their links
    others,       ///< work on other requests in the same steps: decodes beside a prompt, prompts beside decodes. The last one: it says how many there are
};
inline constexpr std::size_t latencyPartCount = static_cast<std::size_t>(LatencyPart::others) + 1;

/// Seconds of a mean latency by part; they sum to it.
struct LatencyParts {
    std::array<double, latencyPartCount> seconds{};

    double& operator[](LatencyPart part) { return seconds[static_cast<std::size_t>(part)]; }
    double operator[](LatencyPart part) const { return seconds[static_cast<std::size_t>(part)]; }
    double total() const;
};

/// A mean latency that is divided into parts.
enum class LatencyFigure { ttft,
                           tpot };
/// The part's key in `ttft_breakdown_s` or `tpot_breakdown_s` of a result: "queue_cache", "preempted", "kv_transfer"; work of steps by what they are
/// to the figure, "prefill_attention", "decode_attention".
std::string keyOf(LatencyFigure figure, LatencyPart part);
/// Whether a figure can have the part: the way from the client and images lie before the first token.
bool isPartOf(LatencyFigure figure, LatencyPart part);

/// The part's own word, "attention".
std::string_view toString(LatencyPart part);
/// What it is, as causes tell it: "attention over the cache".
std::string sentenceOf(LatencyPart part);
/// Its seconds under a name, as a share of what the steps took, or of what lay before them.
Quantity quantityOf(const LatencyParts& parts, LatencyPart part, std::string name);

/// What data sheets leave at the least: weights and cache from memory and the collectives' latencies, of a step of one request. s.
struct LeastTimes {
    double firstToken = 0;
    double perToken = 0; ///< drafts that are all accepted counted
};

} // namespace orrery
