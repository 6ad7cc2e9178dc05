// SPDX-License-Identifier: GPL-3.0-or-later
// What the recipe of experts (dispatcher, CUDA graphs of parts, one kernel of all experts) does to a layer.
#include "core/base/json.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace orrery::test {
namespace {

constexpr double tokens = 2048, width = 1024, sixteenBitBytes = 2;
constexpr int expertRanks = 4;

/// Eight experts of a small mixture on four ranks, two for each token.
Json smallMixture() {
    Json document = smallScenario(1, 1, 1, 1);
    document["model"]["config"] = {{"model_type", "mixtral"}, {"num_hidden_layers", 4}, {"hidden_size", width}, {"intermediate_size", 3584}, {"num_attention_heads", 16}, {"num_key_value_heads", 8}, {"num_local_experts", 8}, {"num_experts_per_tok", 2}, {"vocab_size", 32000}, {"max_position_embeddings", 4096}};
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}};
    document["workload"]["sequence_length"] = tokens;
    document["workload"]["global_batch_size"] = 16;
    document["parallelism"] = {{"expert", expertRanks}};
    document["execution"] = {{"framework", "megatron-core-2025"}, {"recompute", "none"}};
    return document;
}

RankWork workOfDocument(const Json& document) {
    const Scenario scenario = sound(document);
    JobTraffic traffic(scenario);
    return makeRankWork(scenario, RecomputeKind::none, costModelOf(scenario), traffic);
}

std::map<std::string, double> exchanged(const Graph& graph, std::set<CollectiveKind>& kinds) {
    std::map<std::string, double> bytes;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators)
            if (op.kind == OperatorKind::collective && op.group == RankGroup::expert) {
                bytes[op.name] += op.messageBytes;
                kinds.insert(op.collective);
            }
    return bytes;
}

TEST(MoeDispatcher, SendsWhatItsKindSends) {
    const double own = tokens * width * sixteenBitBytes;
    // A row for each expert; all tokens of all ranks; a token once to every rank with one of its two experts: 1 + 6/7 of 4 ranks.
    const std::map<std::string, double> expected{{"alltoall", 2 * own}, {"allgather", expertRanks * own}, {"deepep", (1 + 6.0 / 7) * own}, {"hybridep", (1 + 6.0 / 7) * own}};
    for (const auto& [dispatcher, bytes] : expected) {
        SCOPED_TRACE(dispatcher);
        Json document = smallMixture();
        document["execution"]["moe_dispatcher"] = dispatcher;
        std::set<CollectiveKind> kinds;
        const auto sent = exchanged(workOfDocument(document).layers[0].graph, kinds);
        ASSERT_EQ(sent.size(), 4u);
        for (const auto& [name, message] : sent) EXPECT_NEAR(message, bytes, 1e-9 * bytes) << name;
        const std::set<CollectiveKind> expectedKinds = dispatcher == "allgather" ? std::set{CollectiveKind::all_gather, CollectiveKind::reduce_scatter} : std::set{CollectiveKind::all_to_all};
        EXPECT_EQ(kinds, expectedKinds);
        // A fixed capacity needs rows (Megatron-Core, moe_expert_capacity_factor).
        document["execution"]["moe_dispatch"] = {{"capacity_factor", 1.0}};
        kinds.clear();
        for (const auto& [name, message] : exchanged(workOfDocument(document).layers[0].graph, kinds)) EXPECT_NEAR(message, 2 * own, 1e-6) << name;
    }
}

/// s of the host for a piece, forward and backward.
double hostSeconds(const Json& document) {
    const Scenario scenario = sound(document);
    const RankWork work = workOfDocument(document);
    const SegmentOptions options = segmentOptions(scenario);
    double seconds = 0;
    for (const PieceWork& layer : work.layers)
        for (const std::vector<Operator>* operators : {&layer.graph.forward, &layer.graph.backward})
            for (const Operator& op : *operators) seconds += hostTime(options, op);
    return seconds;
}

TEST(CudaGraphs, OfPartsLeaveTheOthersToTheHost) {
    const auto inGraphs = [](const Json& graphs) {
        Json document = smallMixture();
        document["execution"]["cuda_graphs"] = graphs;
        std::set<std::string> names;
        const RankWork work = workOfDocument(document);
        for (const Operator& op : work.layers[0].graph.forward)
            if (op.kind != OperatorKind::collective && hostTime(segmentOptions(sound(document)), op) == 0) names.insert(op.name);
        return names;
    };
    const std::set<std::string> attention = inGraphs({{"scope", {"attention"}}}), router = inGraphs({{"scope", {"moe_router"}}}), whole = inGraphs("full_iteration");
    EXPECT_TRUE(inGraphs(false).empty());
    EXPECT_TRUE(attention.contains("attention.core") && !attention.contains("moe.router") && !attention.contains("mlp.norm"));
    EXPECT_TRUE(router.contains("moe.router") && router.contains("mlp.norm") && !router.contains("attention.core") && !router.contains("moe.permute"));
    EXPECT_TRUE(inGraphs({{"scope", {"moe_preprocess"}}}).contains("moe.permute")); // rows are made before they are sent
    EXPECT_TRUE(whole.contains("moe.gate_up") && whole.contains("attention.core"));
    EXPECT_EQ(inGraphs({{"scope", {"attention", "moe"}}}), whole);
}

/// The more graphs hold, the less the host does, over random plans; a whole iteration in a graph never waits for a launch.
TEST(CudaGraphs, TheMoreTheyHoldTheLessTheHostDoes) {
    RandomSource random(386);
    for (int i = 0; i < 40; ++i) {
        Json document = randomPlan(random, smallModelKinds()[static_cast<std::size_t>(i) % smallModelKinds().size()]);
        document["execution"]["framework"] = "megatron-core-2025";
        std::vector<double> seconds;
        for (const Json& graphs : {Json(false), Json{{"scope", {"attention"}}}, Json{{"scope", {"attention", "moe_router", "mlp"}}}, Json{{"scope", {"attention", "moe", "mlp"}}}, Json("full_iteration")}) {
            document["execution"]["cuda_graphs"] = graphs;
            seconds.push_back(hostSeconds(document));
        }
        for (std::size_t each = 1; each < seconds.size(); ++each) EXPECT_LE(seconds[each], seconds[each - 1]) << document.dump();
        EXPECT_LT(seconds[1], seconds[0]);
        EXPECT_EQ(seconds.back(), 0) << document.dump();
    }
}

TEST(FusedExperts, AreOneLaunch) {
    Json document = smallMixture();
    document["execution"]["framework"] = "megatron-bridge-2025";
    for (const char* precision : {"bf16", "fp8"}) {
        document["workload"]["precision"] = precision;
        for (const bool fused : {false, true}) {
            document["execution"]["fused_experts"] = fused;
            const Scenario scenario = sound(document);
            const SegmentOptions options = segmentOptions(scenario);
            const RankWork work = workOfDocument(document);
            for (const Operator& op : work.layers[0].graph.forward) {
                if (op.kind != OperatorKind::grouped_gemm) continue;
                const double launches = options.eagerLaunch * op.kernels;
                if (fused) {
                    EXPECT_DOUBLE_EQ(hostTime(options, op), launches) << op.name;
                } else {
                    EXPECT_GT(hostTime(options, op), launches) << op.name;
                }
            }
            EXPECT_EQ(costModelOf(scenario).loopsExperts, !fused);
        }
    }
}

} // namespace
} // namespace orrery::test
