// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/graph_passes.hpp"

#include "core/model/backward.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/training/job_traffic/collective_choice.hpp"
#include "core/training/memory/static_memory.hpp"
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

bool fusesElementwise(const Scenario& scenario) { return scenario.execution.profile.fusedElementwise || scenario.execution.compile; }

FusionOptions fusionOptions(const Scenario& scenario) {
    const FrameworkProfile& profile = scenario.execution.profile;
    return {scenario.execution.attention != AttentionKind::unfused, profile.fusedSoftmax,
            fusesElementwise(scenario), profile.loss,
            profile.gathersLogits && scenario.parallelism.tensor > 1};
}

MatrixFormat matrixFormat(const TrainingWorkload& workload) {
    if (workload.precision == Precision::fp8 && workload.fp8Recipe == Fp8Recipe::rowwise) return MatrixFormat::row_fp8;
    if (workload.precision == Precision::fp8 && workload.fp8Recipe == Fp8Recipe::block) return MatrixFormat::block_fp8;
    return traitsOf(workload.precision).format;
}

Quantisation quantisation(const Scenario& scenario) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const PhysicsConstants& physics = scenario.kernels.physics;
    // Scales by rows of the whole product are known only where it is whole (torchtitan, apply_non_moe_tp).
    const bool gathersQuantised = profile.gathersQuantised && scenario.training().fp8Recipe != Fp8Recipe::rowwise;
    return {profile.savesQuantisedInputs, profile.tensorScaling, profile.normsQuantise, gathersQuantised, scenario.kernels.anyOperandLayout,
            profile.separateProducts, quantisesWeightsEachPass(scenario), physics.rowQuantisingBytes, physics.columnQuantisingBytes};
}

ExpertSharing expertSharing(const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    const double most = execution.expertCapacity > 0 ? execution.expertCapacity : execution.expertLoad;
    const bool padded = execution.expertCapacity > 0 && execution.profile.experts.padsCapacity;
    ExpertSharing sharing{double(scenario.parallelism.expert), padded ? most : std::min(execution.expertLoad, most)};
    if (deduplicatesTokens(scenario)) sharing.visitedRanks = exchangeForm(routingOf(scenario), scenario.parallelism.expert, 1).ranks;
    if (gathersTokens(scenario)) {
        sharing.visitedRanks = scenario.parallelism.expert;
        sharing.gathers = true;
    }
    return sharing;
}

/// Whether the host launches experts by themselves, and waits for the numbers of their rows.
bool launchesExperts(const Execution& execution) {
    if (!execution.cudaGraphs) return true;
    return !execution.graphsHoldIteration && execution.graphParts.empty() && !execution.profile.experts.inGraphs && execution.expertCapacity <= 0;
}

/// What graphs of layers' parts leave to the host.
Graph outsideGraphs(Graph graph, const Execution& execution) {
    const bool waits = execution.expertCapacity <= 0 && std::find(execution.graphParts.begin(), execution.graphParts.end(), GraphPart::moe) == execution.graphParts.end();
    return outsideGraphsPass(std::move(graph), execution.graphParts, waits);
}

double allElements(const Graph& graph) {
    double elements = 0;
    for (const Operator& op : graph.forward) elements += op.weights + op.replicatedWeights;
    return elements;
}

/// Each tensor rank looks up the whole hidden state by itself.
void replicateEmbedding(Graph& graph) {
    for (Operator& op : graph.forward) {
        if (op.kind != OperatorKind::embedding) continue;
        op.role = TensorRole::whole;
        op.replicatedWeights += std::exchange(op.weights, 0);
    }
}

WeightGradients weightGradients(const Scenario& scenario, const Graph& graph) {
    if (ReplicaPolicy(scenario).unshardsWeights() || scenario.execution.profile.keepsBackwardGradients) return WeightGradients::kept;
    const bool ends = graph.name == "embedding" || graph.name == "head";
    return scenario.execution.profile.cachesWeightGradients && !ends ? WeightGradients::elsewhere : WeightGradients::transient;
}

TrafficRules trafficRules(const Scenario& scenario) {
    const FrameworkProfile& profile = scenario.execution.profile;
    TrafficRules rules{profile.gradientBytes, profile.gradientCopyBytes <= 0, profile.lossForwardBytes, profile.lossBackwardBytes};
    if (scenario.execution.compile) return rules;
    rules.normForwardBytes = profile.eagerNormBytes;
    rules.normBackwardBytes = profile.eagerNormBackwardBytes;
    rules.rotaryBytes = profile.eagerRotaryBytes;
    return rules;
}

WeightCopies weightCopies(const Scenario& scenario, const Graph& graph, double frozen) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const double trained = allElements(graph);
    return {ReplicaPolicy(scenario).unshardsWeights() ? profile.gatheredCopyBytes * (trained + frozen) : 0, profile.gradientCopyBytes * trained};
}

Graph recomputed(Graph graph, const Scenario& scenario, RecomputeKind recompute) {
    const bool byOperator = recompute == RecomputeKind::selective && scenario.execution.profile.selectiveRecompute == SelectiveRecompute::operators;
    return byOperator ? recomputeOperatorsPass(std::move(graph), scenario.execution.compile)
                      : recomputePass(std::move(graph), recompute, scenario.execution.recomputeModules,
                                      scenario.execution.profile.recomputeStopsEarly);
}

/// A fused loss over chunks has no such kernels.
bool sharesEagerLoss(const Scenario& scenario) {
    const FrameworkProfile& profile = scenario.execution.profile;
    return profile.loss == LossKernel::eager_fp32 && !profile.gathersLogits && scenario.parallelism.tensor > 1 && !scenario.execution.chunkedLoss;
}

bool isLayer(const Graph& graph) { return graph.name != "embedding" && graph.name != "head"; }

} // namespace

/// A product that gathers its input itself reads the parts where they arrive. Compiled code shows no such copies: with plain collectives it is
/// 9 and 10 % slower than with products that gather their inputs (torchtitan, benchmarks/asyncTP_llama3_h100_2025-06), which their waits explain.
bool laysOutGathers(const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    return execution.profile.laysOutGathers && !execution.compile && scenario.parallelism.tensor > 1 && scenario.parallelism.sequence && !execution.overlap.tensor;
}

PlannedGraph plannedGraph(Graph graph, const Scenario& scenario, RecomputeKind recompute) {
    const Parallelism& plan = scenario.parallelism;
    graph = precisionPass(std::move(graph), matrixFormat(scenario.training()));
    graph = fusionPass(std::move(graph), fusionOptions(scenario));
    if (scenario.execution.profile.replicatesEmbedding) replicateEmbedding(graph);
    if (scenario.execution.profile.separateProducts) graph = separateProductsPass(std::move(graph));
    graph = tensorPass(std::move(graph), scenario.model, plan.tensor, scenario.execution.profile.gathersEachProduct);
    if (plan.sequence) graph = sequencePass(std::move(graph), plan.tensor);
    if (plan.sequence && plan.tensor > 1 && scenario.execution.profile.keepsGatheredInputs) graph = keepGatheredInputs(std::move(graph));
    graph = contextPass(std::move(graph), plan.context, plan.contextMethod);
    if (scenario.model.experts) {
        const FrameworkProfile& profile = scenario.execution.profile;
        if (profile.experts.eagerBias)
            graph = eagerExpertBiasPass(std::move(graph), scenario.model.experts->bias, scenario.model.experts->clamped);
        graph = expertPass(std::move(graph), expertSharing(scenario));
        graph = expertTensorPass(std::move(graph), plan.expertTensor);
        if (profile.experts.weighsOutputs) graph = expertScoresPass(std::move(graph), fusesElementwise(scenario));
        // With a fixed capacity the host knows every shape beforehand.
        if (launchesExperts(scenario.execution)) graph = eagerExpertsPass(std::move(graph), scenario.execution.expertCapacity <= 0);
    }
    if (!scenario.execution.graphParts.empty()) graph = outsideGraphs(std::move(graph), scenario.execution);
    graph = deriveBackward(std::move(graph));
    if (scenario.execution.compile && scenario.execution.profile.gathersEachProduct) graph = shareGathersPass(std::move(graph));
    double frozen = 0;
    if (scenario.training().task == TaskKind::lora) {
        frozen = allElements(graph);
        graph = loraPass(std::move(graph), scenario.training().loraRank, scenario.execution.profile.adaptedProducts);
    }
    if (isLayer(graph)) graph = recomputed(std::move(graph), scenario, recompute);
    graph = removeIdentities(std::move(graph));
    if (sharesEagerLoss(scenario)) graph = parallelLossPass(std::move(graph));
    if (scenario.execution.chunkedLoss) graph = chunkedLossPass(std::move(graph));
    settleTraffic(graph, trafficRules(scenario));
    if (scenario.execution.compile && scenario.execution.profile.separateProducts) graph = fuseGradientSumsPass(std::move(graph));
    graph = lowerPrecision(std::move(graph), quantisation(scenario));
    if (laysOutGathers(scenario)) graph = layoutCopiesPass(std::move(graph));
    if (const WeightStorage frozenAs = scenario.training().frozenStorage; frozenAs != WeightStorage::as_multiplied)
        graph = widenFrozenPass(std::move(graph), storedWeightBytes(frozenAs, sixteenBit));
    const FrameworkProfile& profile = scenario.execution.profile;
    if (profile.plansMemory && profile.loss == LossKernel::fused) graph = lossInPlacePass(std::move(graph));
    graph = weightCopiesPass(std::move(graph), weightCopies(scenario, graph, frozen));
    const WeightGradients place = weightGradients(scenario, graph);
    return {weightGradientPass(std::move(graph), place), frozen};
}

std::vector<PieceUse> pieceUses(const Scenario& scenario, RecomputeKind recompute) {
    const TokenShape tokens{double(scenario.training().microBatch), double(scenario.training().sequenceLength), double(scenario.training().documentLength), scenario.training().images};
    ModelPieces pieces = buildModelPieces(scenario.model, tokens);
    const bool every = recompute == RecomputeKind::every;
    const RecomputeKind elsewhere = every ? RecomputeKind::none : recompute;
    std::vector<PieceUse> uses{{"embedding", std::move(pieces.embedding), RecomputeKind::none, 1}};
    std::vector<int> plain(pieces.layers.size(), 0), redone(pieces.layers.size(), 0);
    for (int layer = 0; layer < static_cast<int>(scenario.model.layers); ++layer) {
        const bool again = every && layer % scenario.execution.recomputeEvery == 0;
        ++(again ? redone : plain)[pieces.layerKindOf(layer)];
    }
    for (std::size_t kind = 0; kind < pieces.layers.size(); ++kind) {
        const std::string name = pieces.layers.size() > 1 ? "layer " + std::to_string(kind + 1) : "layer";
        if (plain[kind] > 0) uses.push_back({name, pieces.layers[kind], elsewhere, plain[kind]});
        if (redone[kind] > 0) uses.push_back({name + ", recomputed", pieces.layers[kind], RecomputeKind::full, redone[kind]});
    }
    if (pieces.nextToken) uses.push_back({"next_token", std::move(*pieces.nextToken), elsewhere, static_cast<int>(scenario.model.nextTokenModules)});
    uses.push_back({"head", std::move(pieces.head), RecomputeKind::none, 1});
    return uses;
}

void leaveOutOfGraphs(PassId id, Scenario& scenario) {
    Parallelism& plan = scenario.parallelism;
    Execution& execution = scenario.execution;
    switch (id) {
    case PassId::precision:
        if (matrixFormat(scenario.training()) != MatrixFormat::sixteen_bit) scenario.training().precision = Precision::bf16;
        break;
    case PassId::fusion:
        execution.attention = AttentionKind::unfused;
        execution.compile = execution.profile.fusedSoftmax = execution.profile.fusedElementwise = false;
        break;
    case PassId::tensor: plan.tensor = 1; break;
    case PassId::sequence: plan.sequence = false; break;
    case PassId::context: plan.context = 1; break;
    case PassId::expert:
        plan.expert = 1;
        execution.expertLoad = 1; // one rank has the mean's rows
        break;
    case PassId::expert_tensor: plan.expertTensor = 1; break;
    case PassId::lora: scenario.training().task = TaskKind::sft; break;
    case PassId::recompute: execution.recompute = RecomputeKind::none; break;
    case PassId::chunked_loss: execution.chunkedLoss = false; break;
    default: break; // no graph pass
    }
}

} // namespace orrery
