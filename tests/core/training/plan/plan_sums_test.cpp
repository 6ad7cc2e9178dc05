// SPDX-License-Identifier: GPL-3.0-or-later
// What parallel passes must keep: the FLOPs of products and the parameters, summed over ranks; and what they must send: the closed
// forms of the papers, over random models and plans. Nothing here asks the passes what they meant to do.
#include "core/base/json.hpp"
#include "core/training/rank_work/graph_passes.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orrery {
namespace {

const std::string& kindOf(int i) { return test::smallModelKinds()[static_cast<std::size_t>(i) % test::smallModelKinds().size()]; }

bool isProduct(const Operator& op) {
    return op.kind == OperatorKind::gemm || op.kind == OperatorKind::batched_gemm || op.kind == OperatorKind::grouped_gemm ||
           op.kind == OperatorKind::attention;
}

/// FLOPs of the products of a piece over all ranks that share one micro-batch. What every tensor rank repeats counts once.
double flopsOverRanks(const Graph& graph, const Parallelism& plan, bool madeAgainByOperator = false) {
    double flops = 0;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            // torchtitan's checkpointing keeps what reduce-scatters give, so with them it makes less again.
            if (!isProduct(op) || (madeAgainByOperator && op.phase == Phase::recompute)) continue;
            const bool repeated = op.role == TensorRole::replicated && !plan.sequence;
            flops += op.flops * plan.context * (repeated ? 1 : plan.tensor);
        }
    return flops;
}

/// Parameters of a piece over the ranks that share one copy of it.
double parametersOverRanks(const Graph& graph, const Parallelism& plan) {
    double parameters = 0;
    for (const Operator& op : graph.forward) {
        if (op.kind == OperatorKind::grouped_gemm) parameters += op.weights * plan.expert * plan.expertTensor;
        else parameters += op.weights * (op.role == TensorRole::replicated ? 1 : plan.tensor) + op.replicatedWeights;
    }
    return parameters;
}

Json parallelPlan(test::RandomSource& random, const std::string& kind) {
    Json document = test::randomPlan(random, kind);
    document["workload"].erase("task");
    document["workload"].erase("lora_rank");
    return document;
}

Scenario withoutParallelism(Scenario scenario) {
    for (const PassId id : {PassId::tensor, PassId::sequence, PassId::context, PassId::expert, PassId::expert_tensor}) leaveOutOfGraphs(id, scenario);
    return scenario;
}

TEST(ParallelPasses, KeepFlopsAndParameters) {
    test::RandomSource random(51);
    for (int i = 0; i < 100; ++i) {
        const Json document = parallelPlan(random, kindOf(i));
        SCOPED_TRACE(document.dump());
        const Scenario scenario = test::sound(document), whole = withoutParallelism(scenario);
        for (const PieceUse& use : pieceUses(scenario, scenario.execution.recompute)) {
            const Graph shared = plannedGraph(use.piece, scenario, use.recompute).graph, alone = plannedGraph(use.piece, whole, use.recompute).graph;
            const bool byOperator = scenario.execution.profile.selectiveRecompute == SelectiveRecompute::operators;
            const double flops = flopsOverRanks(alone, whole.parallelism, byOperator), parameters = parametersOverRanks(alone, whole.parallelism);
            EXPECT_NEAR(flopsOverRanks(shared, scenario.parallelism, byOperator), flops, 1e-9 * flops) << use.name;
            EXPECT_NEAR(parametersOverRanks(shared, scenario.parallelism), parameters, 1e-9 * parameters) << use.name;
        }
    }
}

TEST(ParallelPasses, HoldAllParametersOfTheModel) {
    test::RandomSource random(52);
    for (int i = 0; i < 50; ++i) {
        const Json document = parallelPlan(random, kindOf(i));
        SCOPED_TRACE(document.dump());
        const Scenario scenario = test::sound(document);
        double parameters = 0;
        for (const PieceUse& use : pieceUses(scenario, scenario.execution.recompute))
            if (use.name != "next_token") parameters += use.count * parametersOverRanks(plannedGraph(use.piece, scenario, use.recompute).graph, scenario.parallelism);
        EXPECT_NEAR(parameters, scenario.model.parameters(), 1e-9 * parameters);
    }
}

TEST(ParallelPasses, BackwardProductsAreTwiceForward) {
    test::RandomSource random(53);
    for (int i = 0; i < 50; ++i) {
        const Scenario scenario = test::sound(parallelPlan(random, kindOf(i)));
        for (const PieceUse& use : pieceUses(scenario, RecomputeKind::none)) {
            const Graph graph = plannedGraph(use.piece, scenario, RecomputeKind::none).graph;
            double forward = 0, backward = 0;
            for (const Operator& op : graph.forward) forward += isProduct(op) ? op.flops : 0;
            for (const Operator& op : graph.backward) backward += isProduct(op) ? op.flops : 0;
            EXPECT_NEAR(backward, 2 * forward, 1e-9 * backward) << use.name;
        }
    }
}

TEST(ParallelPasses, LeaveEverySavedActivationAProducerAndALastUse) {
    test::RandomSource random(57);
    for (int i = 0; i < 100; ++i) {
        const Json document = test::randomPlan(random, kindOf(i));
        SCOPED_TRACE(document.dump());
        const Scenario scenario = test::sound(document);
        for (const PieceUse& use : pieceUses(scenario, scenario.execution.recompute)) {
            const Graph graph = plannedGraph(use.piece, scenario, use.recompute).graph;
            // What the model itself gets from outside; passes only add tensors.
            std::set<TensorId> made, given, produced, used;
            for (const Operator& op : use.piece.forward) {
                for (const TensorId input : op.inputs)
                    if (!made.contains(input)) given.insert(input);
                made.insert(op.outputs.begin(), op.outputs.end());
            }
            for (const Operator& op : graph.forward) produced.insert(op.outputs.begin(), op.outputs.end());
            for (const Operator& op : graph.backward) used.insert(op.inputs.begin(), op.inputs.end());
            for (const Operator& op : graph.forward)
                for (const TensorId id : op.saved) {
                    const std::string& name = graph.tensors[static_cast<std::size_t>(id)].name;
                    EXPECT_TRUE(produced.contains(id) || given.contains(id)) << use.name << ": " << name << " saved by " << op.name;
                    EXPECT_TRUE(used.contains(id)) << use.name << ": " << name << " saved by " << op.name;
                }
        }
    }
}

double sent(const Graph& graph, RankGroup group, std::string_view name = {}) {
    double bytes = 0;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators)
            if (op.kind == OperatorKind::collective && op.group == group && op.name.starts_with(name)) bytes += op.messageBytes;
    return bytes;
}

TEST(PlanTraffic, TensorSendsWhatRow6Says) {
    // Elements a layer and GPU in units of b s h (t − 1)/t; a message is the whole buffer, an all-reduce moves it twice.
    test::RandomSource random(54);
    for (int i = 0; i < 40; ++i) {
        Json document = parallelPlan(random, i % 2 ? "gpt2" : "llama");
        document["parallelism"]["context"] = 1;
        document["parallelism"]["tensor"] = random.pick(std::vector<int>{2, 4});
        document["workload"]["precision"] = "bf16"; // the row counts 16-bit messages; some stacks gather in 8
        SCOPED_TRACE(document.dump());
        Scenario scenario = test::sound(document);
        scenario.execution.profile.recomputeStopsEarly = false; // the row counts whole layers made again
        // and inputs gathered once for all their products, and again in backward.
        FrameworkProfile& profile = scenario.execution.profile;
        profile.keepsGatheredInputs = profile.gathersEachProduct = profile.separateProducts = false;
        const Architecture& model = scenario.model;
        const double unit = 2.0 * scenario.training().microBatch * scenario.training().sequenceLength * double(model.hidden);
        const auto pieces = pieceUses(scenario, RecomputeKind::none);
        for (const RecomputeKind kind : {RecomputeKind::none, RecomputeKind::full}) {
            double units = 0;
            const Graph layer = plannedGraph(pieces[1].piece, scenario, kind).graph;
            for (const std::vector<Operator>* operators : {&layer.forward, &layer.backward})
                for (const Operator& op : *operators)
                    if (op.group == RankGroup::tensor) units += op.messageBytes / unit * (op.collective == CollectiveKind::all_reduce ? 2 : 1);
            const bool sequence = scenario.parallelism.sequence;
            EXPECT_NEAR(units, (sequence ? 10 : 8) + (kind == RecomputeKind::full ? 4 : 0), 1e-9);
        }
    }
}

TEST(PlanTraffic, ContextSendsKeysAndValuesOrHeads) {
    test::RandomSource random(55);
    int seen = 0;
    for (int i = 0; i < 100; ++i) {
        const Json document = parallelPlan(random, kindOf(i));
        const Scenario scenario = test::sound(document);
        const Parallelism& plan = scenario.parallelism;
        if (plan.context == 1) continue;
        ++seen;
        SCOPED_TRACE(document.dump());
        const Architecture& model = scenario.model;
        const double tokens = double(scenario.training().microBatch) * scenario.training().sequenceLength;
        // Latent attention is trained with keys and values of every head: those of the shared rotary part ride with the keys.
        double query = double(model.heads * model.headDim), key = double(model.kvHeads * model.headDim), value = key, out = query;
        if (model.latent) {
            query = key = double(model.heads) * double(model.latent->plainDim + model.latent->rotaryDim);
            value = out = double(model.heads) * double(model.latent->valueDim);
        }
        // Forward and backward, 16 bit. Gathered: all tokens' keys and values (Llama 3, section 3.3.2; round a ring the same, piece
        // by piece). Exchanged: a rank's own tokens (Jacobs et al. 2023, section 3.2).
        const double gathered = 2 * 2 * tokens * (key + value) / plan.tensor;
        const double exchanged = 2 * 2 * tokens / plan.context * (query + key + value + out) / plan.tensor;
        for (const PieceUse& use : pieceUses(scenario, RecomputeKind::none)) {
            if (!use.name.starts_with("layer")) continue;
            const Graph layer = plannedGraph(use.piece, scenario, RecomputeKind::none).graph;
            const double expected = plan.contextMethod == ContextMethod::all_to_all ? exchanged : gathered;
            EXPECT_NEAR(sent(layer, RankGroup::context), expected, 1e-9 * expected) << use.name;
        }
    }
    EXPECT_GT(seen, 40);
}

TEST(PlanTraffic, ExpertsGetEveryRowAndGiveItBack) {
    test::RandomSource random(56);
    int seen = 0;
    for (int i = 0; i < 100; ++i) {
        Json document = parallelPlan(random, kindOf(i));
        if (!test::sound(document).model.experts) continue;
        document["execution"]["moe_dispatcher"] = "alltoall"; // others send a token once
        const Scenario scenario = test::sound(document);
        const Parallelism& plan = scenario.parallelism;
        ++seen;
        SCOPED_TRACE(document.dump());
        const double tokens = double(scenario.training().microBatch) * scenario.training().sequenceLength / plan.context / (plan.sequence ? plan.tensor : 1);
        const double rows = 2 * tokens * double(scenario.model.experts->perToken) * double(scenario.model.hidden); // bytes
        for (const PieceUse& use : pieceUses(scenario, RecomputeKind::none)) {
            const Graph layer = plannedGraph(use.piece, scenario, RecomputeKind::none).graph;
            const bool routed = std::any_of(layer.forward.begin(), layer.forward.end(), [](const Operator& op) { return op.name == "moe.permute"; });
            // Dispatch and combine, forward and backward; what ranks that share a matrix gather is as often as large as they are.
            const double toExperts = routed && plan.expert > 1 ? 4 * rows : 0;
            const double amongOne = routed && plan.expertTensor > 1 ? 4 * rows * plan.expertTensor : 0;
            EXPECT_NEAR(sent(layer, RankGroup::expert), toExperts, 1e-9 * toExperts) << use.name;
            EXPECT_NEAR(sent(layer, RankGroup::expert_tensor), amongOne, 1e-9 * amongOne) << use.name;
        }
    }
    EXPECT_GT(seen, 50);
}

double rowBytes(const Result& result, const std::string& name) {
    for (const OperationRow& row : result.operations)
        if (row.kind == name) return row.bytes;
    return 0;
}

TEST(PlanTraffic, ReplicasSendWhatZeroSays) {
    // Rajbhandari et al. 2020, section 7: Ψ elements of gradients reduced (an all-reduce counts its buffer once here and moves it twice);
    // from stage 1 they are scattered and the weights gathered; from stage 2 every micro-batch scatters; stage 3 gathers weights
    // for forward and again for backward of every micro-batch.
    for (const bool overlap : {false, true})
        for (const int tensor : {1, 2})
            for (const int microBatches : {1, 4})
                for (const int stage : {0, 1, 2, 3}) {
                    Json document = test::smallScenario(tensor, 1, 8, microBatches);
                    document["parallelism"]["zero_stage"] = stage;
                    document["execution"]["overlap"] = {{"data", overlap}};
                    SCOPED_TRACE(document.dump());
                    const ResultPtr result = test::run(document);
                    const FrameworkProfile& profile = result->scenario.execution.profile;
                    const RankWork work = [&] {
                        JobTraffic traffic(result->scenario);
                        return makeRankWork(result->scenario, RecomputeKind::none, makeCostModel(result->scenario.cluster.accelerator, result->scenario.kernels, Precision::bf16), traffic);
                    }();
                    double elements = work.embedding.elements + work.head.elements;
                    for (int layer = 0; layer < 16; ++layer) elements += work.layer(layer).elements;
                    const double gradients = elements * profile.gradientReduceBytes, weights = elements * profile.gatheredWeightBytes;
                    const double scattered = stage == 0 ? 0 : stage == 1 ? gradients
                                                                         : microBatches * gradients;
                    const double gathered = stage == 0 ? 0 : stage < 3 ? weights
                                                                       : 2 * microBatches * weights;
                    EXPECT_NEAR(rowBytes(*result, "data.all_reduce_gradients"), stage == 0 ? gradients : 0, 1e-6 * gradients);
                    EXPECT_NEAR(rowBytes(*result, "data.reduce_scatter_gradients"), scattered, 1e-6 * gradients);
                    EXPECT_NEAR(rowBytes(*result, "data.gather_parameters"), gathered, 1e-6 * gradients);
                }
}

} // namespace
} // namespace orrery
