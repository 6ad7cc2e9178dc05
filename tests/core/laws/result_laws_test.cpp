// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of whole results, by the event simulation of random plans of the whole catalogue, and of what a document's form must not change.
#include "core/answers/simulation/simulate.hpp"
#include "core/results/iteration/assemble.hpp"
#include "tests/core/laws/law_plans.hpp"
#include "tests/core/training/estimate/random_plans.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

TEST(ResultLaws, SharesLieWithinOneAndBytesAreNotNegative) {
    Law shares("shares, MFU and HFU lie within 0 and 1, and nothing computes faster than the peak"), bytes("no bytes and no seconds are negative"), sums("the parts of the breakdown sum to the iteration");
    for (const Json& plan : soundPlans(921, plansOfALaw)) {
        const auto scenario = readPlan(plan);
        if (!scenario) continue;
        const Outcome outcome = simulate(*scenario);
        if (!outcome.result) continue;
        const auto name = [&] { return described(plan); };
        const TrainingMetrics& metrics = *outcome.result->training();
        const auto within = [&](double value, const char* what) {
            shares.holds(value >= 0 && value <= 1, [&] { return std::string(what) + " " + std::to_string(value) + ": " + name(); });
        };
        within(metrics.mfu, "MFU");
        within(metrics.hfu, "HFU");
        within(metrics.mfuCausal, "causal MFU");
        within(metrics.bubbleFraction, "bubble");
        shares.atLeast(metrics.hfu, metrics.mfu, 1e-12, [&] { return "MFU above HFU: " + name(); });
        shares.atLeast(metrics.mfu, metrics.mfuCausal, 1e-12, [&] { return "causal MFU above MFU: " + name(); });
        // Of an attention the causal half is not computed.
        for (const OperationRow& row : outcome.result->operations) {
            const bool product = row.work == OperatorKind::gemm || row.work == OperatorKind::batched_gemm || row.work == OperatorKind::grouped_gemm;
            if (!product && row.work != OperatorKind::attention) continue;
            const double peak = densePeak(*scenario), done = product ? row.flops : row.flops / 2;
            shares.holds(peak <= 0 || done <= (1 + 1e-9) * peak * row.time, [&] { return row.kind + " beyond the peak: " + name(); });
        }
        double sum = 0;
        for (const double part : metrics.breakdown) {
            bytes.holds(part >= -1e-12 * metrics.iterationTime, [&] { return "a part of the breakdown " + std::to_string(part) + ": " + name(); });
            sum += part;
        }
        sums.holds(std::abs(sum - metrics.iterationTime) <= 1e-9 * metrics.iterationTime, name);
        for (const StageMemory& stage : outcome.result->memory.stages)
            for (std::size_t kind = 0; kind < stage.bytes.size(); ++kind)
                bytes.holds(stage.bytes[kind] >= 0, [&] { return std::string(toString(static_cast<MemoryKind>(kind))) + " " + std::to_string(stage.bytes[kind]) + ": " + name(); });
        for (const StageTimeline& stage : outcome.result->timeline.stages)
            for (const auto& sample : stage.memory)
                bytes.holds(sample.activations >= 0 && sample.temporary >= 0, [&] { return "a moment of stage " + std::to_string(stage.stage) + ", kept " + std::to_string(sample.activations) + ", temporary " + std::to_string(sample.temporary) + ": " + name(); });
    }
    shares.settle(plansOfALaw);
    bytes.settle(plansOfALaw);
    sums.settle(plansOfALaw / 2);
}

TEST(ResultLaws, TheSameAgainIsTheSame) {
    Law law("the same plan again gives the same bytes");
    for (const Json& plan : soundPlans(922, plansOfALaw)) {
        const auto first = estimated(plan), second = estimated(plan);
        if (!first || !second) continue;
        law.holds(first->iterationTime == second->iterationTime && first->devicePeak == second->devicePeak, [&] { return described(plan); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

TEST(ResultLaws, APresetWrittenOutIsThePreset) {
    Law law("an accelerator written out takes as long as its id");
    for (const Json& plan : soundPlans(924, plansOfALaw)) {
        const auto byId = estimated(plan), writtenOut = estimated(withAcceleratorWrittenOut(plan));
        if (!byId) continue;
        law.holds(writtenOut && writtenOut->iterationTime == byId->iterationTime && writtenOut->devicePeak == byId->devicePeak,
                  [&] { return described(plan) + ": " + std::to_string(byId->iterationTime) + " s, written out " + std::to_string(writtenOut ? writtenOut->iterationTime : 0); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

/// The short form's cluster as somebody would draw it: hosts on one switch, an interface for each accelerator.
Json drawn(Json plan) {
    const Json cluster = plan["cluster"];
    Json host{{"id", "host"}, {"kind", "host"}, {"accelerator", cluster["accelerator"]}, {"count", cluster["accelerators_per_node"]}};
    const int nodes = cluster["nodes"].get<int>();
    if (nodes > 1) host["replicas"] = nodes;
    Json nodesOf = Json::array({host}), links = Json::array();
    if (nodes > 1) {
        nodesOf.push_back({{"id", "fabric"}, {"kind", "switch"}});
        links.push_back({{"from", "host"},
                         {"to", "fabric"},
                         {"bandwidth_gb_s", cluster["scale_out"]["bandwidth_gb_s"]},
                         {"latency_us", cluster["scale_out"]["latency_us"]},
                         {"count", cluster["accelerators_per_node"]}});
    }
    plan["cluster"] = {{"scale_up", cluster["scale_up"]}, {"topology", {{"nodes", nodesOf}, {"links", links}}}};
    return plan;
}

TEST(ResultLaws, ADrawnClusterIsItsShortForm) {
    Law law("a drawn cluster takes as long as its short form");
    RandomSource random = lawSource(923);
    for (Json plan : soundPlans(923, plansOfALaw)) {
        const int perNode = plan["cluster"]["accelerators_per_node"].get<int>();
        plan["cluster"]["scale_up"] = {{"bandwidth_gb_s", random.logBetween(50, 900)}, {"latency_us", random.between(0.5, 3.0)}, {"domain_size", perNode}};
        plan["cluster"]["scale_out"] = {{"bandwidth_gb_s", random.logBetween(5, 100)}, {"latency_us", random.between(2.0, 10.0)}};
        const auto shortForm = estimated(plan);
        Json drawing = drawn(plan);
        drawing["cluster"]["scale_up"].erase("domain_size");
        const auto asDrawn = estimated(drawing);
        if (!shortForm) continue;
        law.holds(asDrawn && asDrawn->iterationTime == shortForm->iterationTime && asDrawn->devicePeak == shortForm->devicePeak,
                  [&] { return described(plan) + ": " + std::to_string(shortForm->iterationTime) + " s, drawn " + std::to_string(asDrawn ? asDrawn->iterationTime : 0); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

} // namespace
} // namespace orrery::test
