// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_rl.hpp"

#include "core/results/derivation/explain.hpp"

#include <array>
#include <utility>

namespace orrery {
namespace {

using Inputs = std::vector<Quantity>;

constexpr const char* turns = "Sheng et al. 2024, HybridFlow (arXiv:2409.19256): rollout, rewards and training in turn";
constexpr const char* ahead = "Fu et al. 2025, AReaL (arXiv:2505.24298): rollout runs ahead of training by the staleness allowed";

Quantity countOf(const char* name, double value, const char* meaning) { return derived(name, value, "1", meaning); }

Quantity bytesOf(const RlReport& report) {
    const double parameters = report.training->parameters;
    return derived("bytes", report.sync.bytes, "bytes", "parameters × bytes of one", {derived("parameters", parameters, "1", "of the model", {}, "/parameters"), given("bytes of one", report.sync.bytes / parameters, "bytes", "/workload/sync/precision")});
}

Quantity gatherOf(const RlReport& report) {
    const WeightSync& sync = report.sync;
    return derived("gather_s", sync.gatherTime, "s", sync.gatherRanks > 1 ? "all-gather of the weights over the trainer's ranks that hold parts of them, alone on the network" : "one rank holds all weights",
                   {bytesOf(report), countOf("ranks", sync.gatherRanks, "that hold parts of one copy")});
}

Quantity broadcastOf(const RlReport& report) {
    const WeightSync& sync = report.sync;
    return derived("broadcast_s", sync.broadcastTime, "s", report.colocated ? "none: engines read what was gathered on their accelerators" : "broadcast of the weights from one of the trainer's accelerators to all of the engines', alone on the network",
                   {bytesOf(report), countOf("accelerators", sync.engineAccelerators, "of the engines")});
}

Quantity iterationsOf(const RlReport& report, const char* name) {
    return derived(name, report.iterations, "1", "answers/global batch",
                   {countOf("answers", report.answers, "of all instances to a step's prompts"), given("global batch", report.training->scenario.training().globalBatch, "1", "/workload/training/global_batch_size")});
}

Quantity wholePart(const RlReport& report, RlPart part) {
    const std::string name(toString(part));
    const double seconds = report.of(part);
    switch (part) {
    case RlPart::rollout: return derived(name, seconds, "s", "from the first prompt to the last answer of a step, by the engines alone", {}, "/rollout");
    case RlPart::reward: return given(name, seconds, "s", "/workload/reward_s");
    case RlPart::training: {
        Inputs inputs{iterationsOf(report, "iterations")};
        if (auto one = explain(*report.training, "/iteration_time_s")) inputs.push_back(std::move(*one));
        return derived(name, seconds, "s", "iterations × iteration time", std::move(inputs));
    }
    case RlPart::sync: return derived(name, seconds, "s", "gather + broadcast", {gatherOf(report), broadcastOf(report)});
    case RlPart::offload:
        return derived(name, seconds, "s", "2 × states/host link", {derived("states", report.parkedBytes, "bytes", "weights, gradients and optimizer states of the fullest stage"), given("host link", report.training->scenario.cluster.accelerator.hostLinkBandwidth, "bytes/s", "each accelerator's link to its host, catalogue")});
    }
    return {};
}

Quantity waitedPart(const RlReport& report, RlPart part) {
    const double seconds = report.waited[static_cast<std::size_t>(part)];
    return derived(std::string(toString(part)), seconds, "s", seconds > 0 || report.of(part) <= 0 ? "the step waits for all of it" : "it runs beside what takes longer", {wholePart(report, part)});
}

Quantity stepTime(const RlReport& report) {
    Inputs parts;
    for (std::size_t i = 0; i < rlPartCount; ++i) parts.push_back(waitedPart(report, static_cast<RlPart>(i)));
    return derived("iteration_time_s", report.stepTime, "s", "sum of what a step waits for", std::move(parts), report.staleness > 0 ? ahead : turns);
}

std::optional<Quantity> partNamed(const RlReport& report, const std::string& name, bool whole) {
    for (std::size_t i = 0; i < rlPartCount; ++i)
        if (const auto part = static_cast<RlPart>(i); toString(part) == name) return whole ? wholePart(report, part) : waitedPart(report, part);
    return std::nullopt;
}

std::string pointerOf(std::vector<std::string>::const_iterator from, std::vector<std::string>::const_iterator to) {
    std::string pointer;
    for (; from != to; ++from) pointer += "/" + *from;
    return pointer;
}

} // namespace

std::optional<Quantity> explainRl(const RlReport& report, const std::vector<std::string>& tokens) {
    const std::string& first = tokens.front();
    if (first == "rollout" || first == "training") return explain(first == "rollout" ? *report.rollout : *report.training, pointerOf(tokens.begin() + 1, tokens.end()));
    if (first == "answers") return countOf("answers", report.answers, "of all instances to a step's prompts");
    if (first == "training_iterations") return iterationsOf(report, "training_iterations");
    const bool member = tokens.size() == 2;
    if (first == "sync" && member) {
        if (tokens[1] == "bytes") return bytesOf(report);
        if (tokens[1] == "gather_s") return gatherOf(report);
        if (tokens[1] == "broadcast_s") return broadcastOf(report);
        if (tokens[1] == "time_s") return derived("time_s", report.sync.time(), "s", "gather + broadcast", {gatherOf(report), broadcastOf(report)});
    }
    if (first == "shared_memory" && member) {
        if (tokens[1] == "training_kept_bytes") return derived(tokens[1], report.keptBytes, "bytes", "weights, gradients, optimizer states and buffers of the trainer's fullest stage, without what is parked");
        if (tokens[1] == "rollout_asleep_bytes") return derived(tokens[1], report.asleepBytes, "bytes", "context and communicators of a sleeping engine: weights and cache are freed");
        if (tokens[1] == "training_parked_bytes") return derived(tokens[1], report.parkedBytes, "bytes", "states that lie in host memory while engines answer");
    }
    if (!report.ran) return std::nullopt;
    const Quantity step = stepTime(report);
    if (first == "iteration_time_s") return step;
    if (member && first == "time_breakdown_s") return partNamed(report, tokens[1], false);
    if (member && first == "parts_s") return partNamed(report, tokens[1], true);
    if (first == "answers_per_s") return derived(first, report.answersPerSecond, "1/s", "answers/iteration time", {countOf("answers", report.answers, "of a step"), step});
    if (first == "output_tokens_per_s") return derived(first, report.outputTokensPerSecond, "1/s", "generated tokens/iteration time", {countOf("generated tokens", report.outputTokensPerSecond * report.stepTime, "of a step's answers"), step});
    if (first == "tokens_per_s") return derived(first, report.trainedTokensPerSecond, "1/s", "trained tokens/iteration time", {countOf("trained tokens", report.trainedTokensPerSecond * report.stepTime, "of the sequences of a step"), step});
    if (first == "cost_per_billion_tokens" && report.costPerBillionTokens)
        return derived(first, *report.costPerBillionTokens, "$", "10⁹ × price of an accelerator hour × accelerators/tokens per s",
                       {given("price of an accelerator hour", report.training->scenario.economics.pricePerAcceleratorHour.value_or(0), "$/h", "/economics/price_per_accelerator_hour"), countOf("accelerators", report.accelerators, "of both halves"),
                        derived("tokens_per_s", report.trainedTokensPerSecond, "1/s", "tokens of the sequences trained, over the step's time", {}, "/tokens_per_s")});
    if (member && first == "idle") {
        const bool rollout = tokens[1] == "rollout";
        return derived(tokens[1], rollout ? report.rolloutIdle : report.trainingIdle, "1", "share of a step in which these accelerators have nothing to do", {step});
    }
    return std::nullopt;
}

} // namespace orrery
