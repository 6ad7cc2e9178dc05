// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/latency_parts.hpp"

#include <numeric>
#include <utility>

namespace orrery {
namespace {

struct PartText {
    LatencyPart part;
    const char* word;
    bool ofSteps;         ///< work of the steps that make the figure's tokens
    const char* sentence; ///< what it is, as causes tell it
    const char* share;    ///< what the part's share of the time in steps, or of the mean wait, is
};

constexpr std::array<PartText, latencyPartCount> partTexts{{
    {LatencyPart::front_end, "front_end", false, "the way from the client to the engine and back: HTTP, text to tokens, processes", "the way from the client to the engine and back, of the profile"},
    {LatencyPart::encode, "encode", false, "images at the encoders: behind others', and their own time", "time from the front end until an engine has what an encoder made of the images"},
    {LatencyPart::queue_cache, "queue_cache", false, "waiting for blocks of the key-value cache: the cache is full", "waiting behind steps in which a mean request found too few blocks"},
    {LatencyPart::queue_sequences, "queue_sequences", false, "waiting for a place: as many requests run as may", "waiting behind steps in which max_num_seqs requests ran"},
    {LatencyPart::queue_tokens, "queue_tokens", false, "waiting for room in a step: its tokens are used up", "waiting behind steps whose tokens were used up"},
    {LatencyPart::queue_step, "queue_step", false, "waiting for the step under way to end", "waiting that no limit explains: for the step under way to end"},
    {LatencyPart::preempted, "preempted", false, "waiting for another place: the cache was full and the blocks were taken", "time between a preemption and the next place"},
    {LatencyPart::transfer, "kv_transfer", false, "keys and values on their way to the instance that decodes", "time of the transfer"},
    {LatencyPart::cache_load, "cache_load", false, "loading cached blocks from a tier below the accelerators' memory", "time in which steps with the prompt waited for cached blocks"},
    {LatencyPart::weights, "weights", true, "weights' traffic: products wait for their matrices from memory", "products that memory bounds, in a mean step"},
    {LatencyPart::products, "products", true, "products with weights", "products that arithmetic or launches bound, in a mean step"},
    {LatencyPart::attention, "attention", true, "attention over the cache", "attention, in a mean step"},
    {LatencyPart::elementwise, "elementwise", true, "norms, activations, sampling", "elementwise work, in a mean step"},
    {LatencyPart::collectives, "collectives", true, "collectives between the accelerators of an instance", "collectives, in a mean step"},
    {LatencyPart::pipeline, "pipeline", true, "sends between pipeline stages", "sends, in a mean step"},
    {LatencyPart::launch, "launch", true, "launching kernels", "what launches add, in a mean step"},
    {LatencyPart::host, "host", true, "the host: scheduling, sampling, text", "the host, in a mean step"},
    {LatencyPart::shared_links, "shared_links", true, "others' traffic on links that collectives cross", "what the steps take longer than with their links to themselves"},
    {LatencyPart::others, "others", true, "work on other requests in the same steps or between them", "what a mean step takes longer for others' work; of steps of others alone, all of it"},
}};

/// Every part has its row, whole and in its place. A row left out of the table leaves an empty one at its end.
constexpr bool tellsEveryPart() {
    for (std::size_t i = 0; i < latencyPartCount; ++i) {
        const PartText& row = partTexts[i];
        if (row.part != static_cast<LatencyPart>(i) || row.word == nullptr || row.sentence == nullptr || row.share == nullptr) return false;
    }
    return true;
}
static_assert(tellsEveryPart(), "each LatencyPart needs a row of partTexts, in the order of the parts");

const PartText& textOf(LatencyPart part) { return partTexts[static_cast<std::size_t>(part)]; }

} // namespace

double LatencyParts::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::string keyOf(LatencyFigure figure, LatencyPart part) {
    const PartText& text = textOf(part);
    if (!text.ofSteps) return text.word;
    return std::string(figure == LatencyFigure::ttft ? "prefill_" : "decode_") + text.word;
}

bool isPartOf(LatencyFigure figure, LatencyPart part) { return figure == LatencyFigure::ttft || (part != LatencyPart::front_end && part != LatencyPart::encode); }

std::string_view toString(LatencyPart part) { return textOf(part).word; }

std::string sentenceOf(LatencyPart part) { return textOf(part).sentence; }

Quantity quantityOf(const LatencyParts& parts, LatencyPart part, std::string name) {
    const PartText& text = textOf(part);
    double whole = 0;
    for (std::size_t i = 0; i < latencyPartCount; ++i)
        if (partTexts[i].ofSteps == text.ofSteps) whole += parts.seconds[i];
    const double seconds = parts.seconds[static_cast<std::size_t>(part)];
    return {std::move(name), seconds, "s", Source::derived, text.ofSteps ? "time in steps × share" : "time before steps × share", "", {{text.ofSteps ? "time in steps" : "time before steps", whole, "s", Source::derived, text.ofSteps ? "mean over requests" : "waiting, preempted or on the way: mean over requests", "", {}}, {"share", whole > 0 ? seconds / whole : 0, "1", Source::derived, text.share, "", {}}}};
}

} // namespace orrery
