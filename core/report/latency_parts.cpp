// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/latency_parts.hpp"

#include <numeric>
#include <utility>

namespace orrery {
namespace {

struct PartText {
    const char* word;
    bool ofSteps;      ///< work of the steps that make the figure's tokens
    const char* share; ///< what the part's share of the time in steps, or of the mean wait, is
};

constexpr std::array<PartText, latencyPartCount> partTexts{{
    {"front_end", false, "the way from the client to the engine and back, of the profile"},
    {"queue_cache", false, "waiting behind steps in which a mean request found too few blocks"},
    {"queue_sequences", false, "waiting behind steps in which max_num_seqs requests ran"},
    {"queue_tokens", false, "waiting behind steps whose tokens were used up"},
    {"queue_step", false, "waiting that no limit explains: for the step under way to end"},
    {"preempted", false, "time between a preemption and the next place"},
    {"kv_transfer", false, "time of the transfer"},
    {"weights", true, "products that memory bounds, in a mean step"},
    {"products", true, "products that arithmetic or launches bound, in a mean step"},
    {"attention", true, "attention, in a mean step"},
    {"elementwise", true, "elementwise work, in a mean step"},
    {"collectives", true, "collectives, in a mean step"},
    {"pipeline", true, "sends, in a mean step"},
    {"launch", true, "what launches add, in a mean step"},
    {"host", true, "the host, in a mean step"},
    {"shared_links", true, "what the steps take longer than with their links to themselves"},
    {"others", true, "what a mean step takes longer for others' work; of steps of others alone, all of it"},
}};

const PartText& textOf(LatencyPart part) { return partTexts[static_cast<std::size_t>(part)]; }

} // namespace

double LatencyParts::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::string keyOf(LatencyFigure figure, LatencyPart part) {
    const PartText& text = textOf(part);
    if (!text.ofSteps) return text.word;
    return std::string(figure == LatencyFigure::ttft ? "prefill_" : "decode_") + text.word;
}

bool isPartOf(LatencyFigure figure, LatencyPart part) { return figure == LatencyFigure::ttft || part != LatencyPart::front_end; }

std::string_view toString(LatencyPart part) { return textOf(part).word; }

Quantity quantityOf(const LatencyParts& parts, LatencyPart part, std::string name) {
    const PartText& text = textOf(part);
    double whole = 0;
    for (std::size_t i = 0; i < latencyPartCount; ++i)
        if (partTexts[i].ofSteps == text.ofSteps) whole += parts.seconds[i];
    const double seconds = parts.seconds[static_cast<std::size_t>(part)];
    return {std::move(name), seconds, "s", Source::derived, text.ofSteps ? "time in steps × share" : "time before steps × share", "", {{text.ofSteps ? "time in steps" : "time before steps", whole, "s", Source::derived, text.ofSteps ? "mean over requests" : "waiting, preempted or on the way: mean over requests", "", {}}, {"share", whole > 0 ? seconds / whole : 0, "1", Source::derived, text.share, "", {}}}};
}

} // namespace orrery
