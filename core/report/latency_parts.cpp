// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/latency_parts.hpp"

#include <numeric>

namespace orrery {
namespace {

struct PartText {
    const char* word;
    bool ofSteps; ///< work of the steps that make the figure's tokens
    const char* formula;
};

constexpr std::array<PartText, latencyPartCount> partTexts{{
    {"queue_cache", false, "mean wait × share of the waiting behind steps in which a mean request found too few blocks"},
    {"queue_sequences", false, "mean wait × share of the waiting behind steps in which max_num_seqs requests ran"},
    {"queue_tokens", false, "mean wait × share of the waiting behind steps whose tokens were used up"},
    {"queue_step", false, "mean wait − the waiting that a limit explains"},
    {"preempted", false, "mean time between a preemption and the next place"},
    {"kv_transfer", false, "mean time of the transfer"},
    {"weights", true, "time in steps × share of the products that memory bounds in a mean step"},
    {"products", true, "time in steps × share of the products that arithmetic or launches bound in a mean step"},
    {"attention", true, "time in steps × share of attention in a mean step"},
    {"elementwise", true, "time in steps × share of elementwise work in a mean step"},
    {"collectives", true, "time in steps × share of collectives in a mean step"},
    {"pipeline", true, "time in steps × share of sends in a mean step"},
    {"launch", true, "time in steps × share of what launches add in a mean step"},
    {"host", true, "time in steps × share of the host in a mean step"},
    {"shared_links", true, "time in steps − what the same steps take with their links to themselves"},
    {"others", true, "time in steps × (1 − a mean step's time without others' work over its time with it); in steps of others alone, all of it"},
}};

const PartText& textOf(LatencyPart part) { return partTexts[static_cast<std::size_t>(part)]; }

} // namespace

double LatencyParts::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::string keyOf(LatencyFigure figure, LatencyPart part) {
    const PartText& text = textOf(part);
    if (!text.ofSteps) return text.word;
    return std::string(figure == LatencyFigure::ttft ? "prefill_" : "decode_") + text.word;
}

bool isPartOf(LatencyFigure figure, LatencyPart part) { return figure == LatencyFigure::tpot || part != LatencyPart::transfer; }

std::string_view toString(LatencyPart part) { return textOf(part).word; }

const char* formulaOf(LatencyPart part) { return textOf(part).formula; }

} // namespace orrery
