// SPDX-License-Identifier: GPL-3.0-or-later
// Context, expert, precision and LoRA passes against what the papers say is sent, stored and computed. Every figure is written out.
#include "core/base/json.hpp"
#include "core/training/passes/passes.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

/// A mixture of experts in Mixtral's shape, small.
Json mixture(int tensor, int context, int expert, int expertTensor, int nodes) {
    Json document = test::smallScenario(tensor, 1, 1, 1);
    document["model"]["config"] = {{"model_type", "mixtral"}, {"num_hidden_layers", 4}, {"hidden_size", 1024}, {"intermediate_size", 3584}, {"num_attention_heads", 16}, {"num_key_value_heads", 8}, {"num_local_experts", 8}, {"num_experts_per_tok", 2}, {"vocab_size", 32000}, {"max_position_embeddings", 4096}};
    document["cluster"]["nodes"] = nodes;
    document["workload"]["sequence_length"] = 2048;
    document["workload"]["global_batch_size"] = nodes * 8 / (tensor * context) * 2;
    document["parallelism"] = {{"tensor", tensor}, {"context", context}, {"expert", expert}, {"expert_tensor", expertTensor}, {"sequence", tensor > 1}};
    return document;
}

RankWork workOf(const Scenario& scenario) {
    JobTraffic traffic(scenario);
    return makeRankWork(scenario, RecomputeKind::none, costModelOf(scenario), traffic);
}

double sentBy(const Graph& graph, RankGroup group) {
    double bytes = 0;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators)
            if (op.kind == OperatorKind::collective && op.group == group) bytes += op.messageBytes;
    return bytes;
}

double productFlops(const Graph& graph) {
    double flops = 0;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators)
            if (op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm || op.kind == OperatorKind::attention) flops += op.flops;
    return flops;
}

TEST(ContextPass, SharesOutWorkAndSendsKeysAndValuesOfAllRanks) {
    const double tokens = 2048, kvWidth = 8 * 64.0;
    const RankWork whole = workOf(test::sound(mixture(1, 1, 1, 1, 1)));
    for (const int c : {2, 4, 8}) {
        SCOPED_TRACE(c);
        const RankWork shared = workOf(test::sound(mixture(1, c, 1, 1, 1)));
        const Graph& layer = shared.layers[0].graph;
        EXPECT_NEAR(productFlops(layer) * c, productFlops(whole.layers[0].graph), 1e-9 * productFlops(whole.layers[0].graph));
        // Gathered forward, its gradient scattered backward: keys and values of the whole sequence in 16 bit, each.
        EXPECT_NEAR(sentBy(layer, RankGroup::context), 2 * (2 * tokens * kvWidth * 2), 1e-6);
        EXPECT_EQ(shared.layers[0].elements, whole.layers[0].elements) << "weights are not shared out";
    }
}

TEST(ContextPass, ByExchangeSendsWhatUlyssesSends) {
    Json document = mixture(1, 4, 1, 1, 1);
    document["parallelism"]["context_method"] = "all_to_all";
    const RankWork work = workOf(test::sound(document));
    // Jacobs et al. 2023, section 3.2: query, key and value in, the context out, forward and backward; here of 512 tokens a rank.
    const double tokens = 2048.0 / 4, query = 16 * 64.0, keyValue = 8 * 64.0;
    EXPECT_NEAR(sentBy(work.layers[0].graph, RankGroup::context), 2 * 2 * tokens * (query + 2 * keyValue + query), 1e-6);
}

TEST(ExpertPass, KeepsWorkAndWeightsAndSendsEveryRowThereAndBack) {
    const RankWork whole = workOf(test::sound(mixture(1, 1, 1, 1, 2)));
    const double rows = 2048.0 * 2, hidden = 1024;
    for (const int e : {2, 4, 8}) {
        SCOPED_TRACE(e);
        const RankWork shared = workOf(test::sound(mixture(1, 1, e, 1, 2)));
        EXPECT_NEAR(productFlops(shared.layers[0].graph), productFlops(whole.layers[0].graph), 1e-9 * productFlops(whole.layers[0].graph));
        EXPECT_DOUBLE_EQ(shared.layers[0].expertElements * e, whole.layers[0].expertElements);
        EXPECT_DOUBLE_EQ(shared.layers[0].elements, whole.layers[0].elements);
        // Dispatch and combine, forward and backward, each row once.
        EXPECT_NEAR(sentBy(shared.layers[0].graph, RankGroup::expert), 4 * rows * hidden * 2, 1e-6);
    }
    EXPECT_DOUBLE_EQ(whole.layers[0].expertElements, 8 * 3 * 1024.0 * 3584);
}

TEST(ExpertPass, DeduplicatedSendsATokenOnceToEachRankAndKeepsTheWork) {
    const auto bridge = [](int experts) {
        Json document = mixture(1, 1, experts, 1, 2);
        document["execution"]["framework"] = "megatron-bridge-2025";
        document["execution"]["recompute"] = "none";
        return document;
    };
    const RankWork whole = workOf(test::sound(bridge(1)));
    for (const int e : {2, 4, 8}) {
        SCOPED_TRACE(e);
        Json document = bridge(e);
        const RankWork shared = workOf(test::sound(document));
        const Graph& layer = shared.layers[0].graph;
        EXPECT_NEAR(productFlops(layer), productFlops(whole.layers[0].graph), 1e-9 * productFlops(whole.layers[0].graph));
        // Two different experts of 8: the second is on the same rank with (8/e − 1)/7.
        const double ranks = 2 - (8.0 / e - 1) / 7;
        EXPECT_NEAR(sentBy(layer, RankGroup::expert), 4 * ranks * 2048 * 1024 * 2, 1e-3);
        // Rows are made where the experts are: dispatch, then permute; unpermute, then combine; the other way round in backward.
        std::vector<std::string> order;
        for (const std::vector<Operator>* operators : {&layer.forward, &layer.backward})
            for (const Operator& op : *operators)
                if (op.name.find("permute") != std::string::npos || op.group == RankGroup::expert) order.push_back(op.name);
        EXPECT_EQ(order, (std::vector<std::string>{"moe.dispatch", "moe.permute", "moe.unpermute", "moe.combine", "moe.combine.backward",
                                                   "moe.unpermute.backward", "moe.permute.backward", "moe.dispatch.backward"}));
        // A capacity makes it send rows again (Megatron-Core: only with the alltoall dispatcher).
        document["execution"]["moe_dispatch"] = {{"capacity_factor", 1.0}};
        EXPECT_NEAR(sentBy(workOf(test::sound(document)).layers[0].graph, RankGroup::expert), 4 * 2 * 2048.0 * 1024 * 2, 1e-3);
    }
}

TEST(EagerExpertsPass, LeavesExpertsToTheHostWhereGraphsDoNotHoldThem) {
    Json document = mixture(1, 1, 4, 1, 2);
    document["execution"]["framework"] = "megatron-bridge-2025";
    document["execution"]["recompute"] = "none";
    const auto eager = [](const Graph& graph) {
        std::vector<std::string> names;
        for (const Operator& op : graph.forward)
            if (op.eager && op.kind == OperatorKind::grouped_gemm) names.push_back(op.name);
        return names;
    };
    const Scenario scenario = test::sound(document);
    const RankWork dropless = workOf(scenario);
    EXPECT_EQ(eager(dropless.layers[0].graph), (std::vector<std::string>{"moe.gate_up", "moe.down"}));
    const SegmentOptions options = segmentOptions(scenario);
    const double each = test::catalog().framework("megatron-bridge-2025")->expertHost;
    EXPECT_GT(each, 0);
    for (const std::vector<Operator>* operators : {&dropless.layers[0].graph.forward, &dropless.layers[0].graph.backward})
        for (const Operator& op : *operators) {
            // 8 experts on 4 ranks; what graphs hold costs the host nothing.
            if (op.eager && op.kind == OperatorKind::collective) {
                EXPECT_DOUBLE_EQ(hostTime(options, op), options.eagerLaunch * op.kernels * test::catalog().physics().collectiveHostLaunches) << op.name;
                continue;
            }
            const double expected = !op.eager ? 0 : options.eagerLaunch * op.kernels * (op.phase == Phase::backward ? test::catalog().physics().backwardHostShare : 1) + (op.kind == OperatorKind::grouped_gemm ? 2 * each : 0);
            EXPECT_DOUBLE_EQ(hostTime(options, op), expected) << op.name;
            EXPECT_EQ(op.hostWaits, op.name == "moe.top_k") << op.name;
            if (op.name.starts_with("attention.")) {
                EXPECT_FALSE(op.eager) << op.name;
            }
        }
    // With a capacity nobody waits for the routing's outcome; without graphs the host launches everything alike.
    document["execution"]["moe_dispatch"] = {{"capacity_factor", 1.0}};
    const RankWork capped = workOf(test::sound(document));
    for (const Operator& op : capped.layers[0].graph.forward) EXPECT_FALSE(op.hostWaits) << op.name;
    document["execution"]["framework"] = "megatron-core-2025";
    EXPECT_TRUE(eager(workOf(test::sound(document)).layers[0].graph).size() == 2u);
    document["execution"]["cuda_graphs"] = true;
    EXPECT_TRUE(eager(workOf(test::sound(document)).layers[0].graph).empty());
}

TEST(EagerExpertsPass, IsWaitedForWhereKernelsSlowEachOtherToo) {
    Json document = mixture(1, 1, 4, 1, 2);
    document["execution"]["framework"] = "megatron-bridge-2025";
    document["execution"]["recompute"] = "none";
    Scenario scenario = test::sound(document);
    const double each = scenario.execution.profile.expertHost = 0.01;
    for (const double slowdown : {1.0, 1.5}) {
        scenario.kernels.overlapSlowdown = slowdown;
        const RankWork work = workOf(scenario);
        // Two products forward, four backward, of two experts a rank.
        EXPECT_GE(work.segments[work.layers[0].forwardSegment].duration, 2 * 2 * each) << slowdown;
        EXPECT_GE(work.segments[work.layers[0].backwardSegment].duration, 4 * 2 * each) << slowdown;
    }
}

TEST(ExpertPass, OfOneExpertsMatricesEachRankHoldsItsShare) {
    const RankWork whole = workOf(test::sound(mixture(1, 1, 2, 1, 2)));
    const RankWork cut = workOf(test::sound(mixture(1, 1, 2, 2, 2)));
    EXPECT_DOUBLE_EQ(cut.layers[0].expertElements * 2, whole.layers[0].expertElements);
    EXPECT_NEAR(productFlops(cut.layers[0].graph), productFlops(whole.layers[0].graph), 1e-9 * productFlops(whole.layers[0].graph));
    // Rows of both ranks gathered before, sums scattered after, the other way round in backward.
    const double gathered = 2 * 2048.0 * 2 * 1024 * 2;
    EXPECT_NEAR(sentBy(cut.layers[0].graph, RankGroup::expert_tensor), 4 * gathered, 1e-6);
}

TEST(ExpertPass, SwitchedOffLeavesTheGraphWithoutIt) {
    Json off = mixture(1, 1, 4, 1, 2);
    off["execution"]["passes"] = {{"expert", false}};
    const Graph one = workOf(test::sound(off)).layers[0].graph, other = workOf(test::sound(mixture(1, 1, 1, 1, 2))).layers[0].graph;
    ASSERT_EQ(one.forward.size() + 0, other.forward.size());
    for (std::size_t i = 0; i < one.forward.size(); ++i) EXPECT_EQ(one.forward[i].name, other.forward[i].name);
}

TEST(ExpertLoad, TheBusiestRankWorksOnItsShareOfTheRows) {
    Json document = mixture(1, 1, 4, 1, 2);
    document["execution"]["expert_load"] = {{"histogram", {3, 3, 1, 1, 1, 1, 1, 1}}};
    // The first rank holds the two experts with 3 of 12 each: 6/12 of the rows where 1/4 would be even.
    EXPECT_DOUBLE_EQ(test::sound(document).execution.expertLoad, 2);
    EXPECT_DOUBLE_EQ(test::sound(mixture(1, 1, 4, 1, 2)).execution.expertLoad, 1);
    document["execution"]["moe_dispatch"] = {{"capacity_factor", 1.25}};
    const RankWork capped = workOf(test::sound(document));
    const RankWork even = workOf(test::sound(mixture(1, 1, 4, 1, 2)));
    const auto expertFlops = [](const Graph& graph) {
        double flops = 0;
        for (const Operator& op : graph.forward)
            if (op.kind == OperatorKind::grouped_gemm) flops += op.flops;
        return flops;
    };
    EXPECT_DOUBLE_EQ(expertFlops(capped.layers[0].graph), 1.25 * expertFlops(even.layers[0].graph));
    // Where shapes are fixed, room that no row came to is multiplied as well.
    document["execution"].erase("expert_load");
    Scenario padded = test::sound(document);
    EXPECT_DOUBLE_EQ(expertFlops(workOf(padded).layers[0].graph), expertFlops(even.layers[0].graph));
    padded.execution.profile.experts.padsCapacity = true;
    EXPECT_DOUBLE_EQ(expertFlops(workOf(padded).layers[0].graph), 1.25 * expertFlops(even.layers[0].graph));
}

TEST(ExpertCapacity, IsTheProfilesWhereNothingIsSaid) {
    Json document = mixture(1, 1, 4, 1, 2);
    document["cluster"]["accelerator"] = "tpu-v5p";
    document["execution"]["framework"] = "maxtext-2025";
    EXPECT_EQ(test::sound(document).execution.expertCapacity, test::catalog().framework("maxtext-2025")->experts.capacityFactor);
    document["execution"]["moe_dispatch"] = "dropless";
    EXPECT_EQ(test::sound(document).execution.expertCapacity, 0);
    document["execution"]["framework"] = "megatron-core-2025";
    document["execution"].erase("moe_dispatch");
    EXPECT_EQ(test::sound(document).execution.expertCapacity, 0);
}

TEST(PrecisionPass, QuantisesLayersAndLeavesLogitsAttentionAndRouterAlone) {
    Json document = mixture(1, 1, 4, 1, 2);
    document["cluster"]["accelerator"] = "h100-sxm5-80gb";
    const RankWork plain = workOf(test::sound(document));
    document["workload"]["precision"] = "fp8";
    const RankWork eight = workOf(test::sound(document));
    for (const Operator& op : eight.layers[0].graph.forward) {
        const bool product = op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
        EXPECT_EQ(op.format == MatrixFormat::fp8, product && !op.name.starts_with("moe.router")) << op.name;
    }
    for (const Operator& op : eight.head.graph.forward) EXPECT_EQ(op.format, MatrixFormat::sixteen_bit) << op.name;
    EXPECT_NEAR(productFlops(eight.layers[0].graph), productFlops(plain.layers[0].graph), 1e-9 * productFlops(plain.layers[0].graph));
    document["execution"]["passes"] = {{"precision", false}};
    const RankWork off = workOf(test::sound(document));
    ASSERT_EQ(off.layers[0].graph.forward.size(), plain.layers[0].graph.forward.size());
    for (std::size_t i = 0; i < off.layers[0].graph.forward.size(); ++i)
        EXPECT_EQ(off.layers[0].graph.forward[i].bytesRead, plain.layers[0].graph.forward[i].bytesRead);
}

TEST(LoraPass, TrainsThinMatricesAndNothingElse) {
    Json document = test::smallScenario(1, 1, 8, 2);
    document["workload"]["task"] = "lora";
    document["workload"]["lora_rank"] = 8;
    const Scenario scenario = test::sound(document);
    const RankWork work = workOf(scenario);
    // Hu et al. 2021: r (in + out) for each layer's query-key-value, output, up and down.
    const double h = 1024;
    EXPECT_DOUBLE_EQ(work.layers[0].elements, 8 * ((h + 3 * h) + (h + h) + (h + 4 * h) + (4 * h + h)));
    EXPECT_DOUBLE_EQ(work.embedding.elements, 0);
    double frozen = work.embedding.frozenElements + work.head.frozenElements + 16 * work.layers[0].frozenElements;
    EXPECT_DOUBLE_EQ(frozen, scenario.model.parameters());
    for (const Operator& op : work.layers[0].graph.backward) EXPECT_FALSE(op.name.ends_with(".wgrad")) << op.name;
    document["workload"]["task"] = "pretrain";
    EXPECT_LT([&] { document["workload"]["task"] = "lora"; return test::run(document)->memory.peakBytes; }(),
              [&] { document["workload"]["task"] = "pretrain"; return test::run(document)->memory.peakBytes; }());
}

TEST(Recompute, EveryNthLayerLiesBetweenNoneAndAll) {
    Json document = test::smallScenario(1, 1, 8, 2);
    const auto runWith = [&](Json recompute) {
        document["execution"]["recompute"] = std::move(recompute);
        return test::run(document);
    };
    const ResultPtr none = runWith("none"), full = runWith("full"), every = runWith({{"every", 2}}), all = runWith({{"every", 1}});
    const auto part = [](const ResultPtr& result) { return result->training()->breakdown[static_cast<std::size_t>(TimePart::recompute)]; };
    EXPECT_EQ(part(none), 0);
    EXPECT_NEAR(part(every), part(full) / 2, 1e-9 * part(full));
    EXPECT_NEAR(part(all), part(full), 1e-9 * part(full));
    EXPECT_GT(every->memory.peakBytes, full->memory.peakBytes);
    EXPECT_LT(every->memory.peakBytes, none->memory.peakBytes);
}

TEST(Recompute, OfModulesWhatMegatronCallsThem) {
    Json document = test::smallScenario(2, 1, 4, 2);
    document["execution"]["recompute"] = {{"modules", {"core_attn"}}};
    const ResultPtr core = test::run(document);
    document["execution"]["recompute"] = "selective";
    EXPECT_DOUBLE_EQ(test::run(document)->training()->iterationTime, core->training()->iterationTime) << "selective is the attention core";
    document["execution"]["recompute"] = {{"modules", {"mlp"}}};
    const ResultPtr mlp = test::run(document);
    document["execution"]["recompute"] = "none";
    EXPECT_LT(mlp->memory.peakBytes, test::run(document)->memory.peakBytes);
    document["execution"]["recompute"] = {{"modules", {"mpl"}}};
    const ScenarioReading reading = test::read(document);
    ASSERT_EQ(reading.problems.size(), 1u);
    EXPECT_EQ(reading.problems[0].pointer, "/execution/recompute/modules/0");
    EXPECT_EQ(reading.problems[0].mend, "Use mlp.");
}

TEST(ExpertRules, GroupsMustBeWholeAndModelsMustHaveExperts) {
    const auto problemOf = [](const Json& document) {
        const ScenarioReading reading = test::read(document);
        EXPECT_FALSE(reading.scenario);
        return reading.problems.empty() ? Problem{} : reading.problems.front();
    };
    EXPECT_EQ(problemOf(mixture(1, 1, 3, 1, 2)).pointer, "/parallelism/expert");
    EXPECT_EQ(*problemOf(mixture(1, 1, 16, 1, 1)).edits.front().value, 8);
    Json dense = test::smallScenario(1, 1, 8, 2);
    dense["parallelism"]["expert"] = 2;
    EXPECT_EQ(*problemOf(dense).edits.front().value, 1);
}

} // namespace
} // namespace orrery
