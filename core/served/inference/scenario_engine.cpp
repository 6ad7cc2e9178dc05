// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/scenario_engine.hpp"

#include "core/network/routing/routed_fabric.hpp"
#include "core/network/transfers/group_layout.hpp"
#include "core/scenario/served_precision.hpp"

#include <numeric>
#include <optional>
#include <variant>

namespace orrery {
namespace {

EngineNetwork networkOf(const Scenario& scenario, const std::vector<int>& ranks) {
    const Cluster& cluster = scenario.cluster;
    RoutedFabric fabric(cluster);
    const GroupLayout layout = layoutOf(fabric.fabric(), ranks);
    EngineNetwork network;
    network.library = scenario.library;
    network.domainSize = layout.members;
    network.domainSpansHosts = fabric.fabric().domains() < static_cast<std::uint32_t>(cluster.hosts());
    network.upBandwidth = cluster.scaleUpBandwidth;
    network.addedUpLatency = cluster.scaleUpLatency - cluster.usualScaleUpLatency;
    if (layout.domainCount() > 1) {
        network.outBandwidth = interfaceBandwidth(fabric.fabric(), ranks);
        // Links on the way may be thinner than all that crosses them: an oversubscribed leaf, a thin cable of a drawing.
        constexpr double rounding = 1e-9;
        const TransferPattern ring = domainRing(fabric.router(), layout);
        if (const double rate = aloneRate(ring, fabric.capacities()); ring.connected && rate < network.outBandwidth * (1 - rounding)) network.outBandwidth = rate;
        network.outLatency = fabric.router().way(layout.domains[0].front(), layout.domains[1].front()).latency;
    }
    return network;
}

ActivationScales scalesOf(const Workload& workload) {
    if (const auto* batch = std::get_if<InferenceWorkload>(&workload)) return batch->scales;
    const auto* served = std::get_if<ServingWorkload>(&workload);
    return served ? served->scales : ActivationScales::at_run_time;
}

std::optional<Fp8Recipe> recipeOf(const Workload& workload) {
    if (const auto* batch = std::get_if<InferenceWorkload>(&workload)) return batch->fp8Recipe;
    const auto* served = std::get_if<ServingWorkload>(&workload);
    return served ? served->fp8Recipe : std::nullopt;
}

/// What one thread of the hosts gets done, over those that profiles speak of.
double hostSpeed(const Scenario& scenario) {
    constexpr int firstOfNewer = 2022; // H100 and its hosts with DDR5 and PCIe 5.0
    const int released = scenario.cluster.accelerator.releaseYear;
    return released > 0 && released < firstOfNewer ? scenario.kernels.physics.olderHostSpeed : 1;
}

} // namespace

EngineModel engineOf(const Scenario& scenario, const Parallelism& plan, Precision cache, bool asyncScheduling, int firstRank) {
    Parallelism one = plan;
    one.data = 1;
    std::vector<int> ranks(static_cast<std::size_t>(one.ranks()));
    std::iota(ranks.begin(), ranks.end(), firstRank);
    return engineOf(scenario, plan, cache, asyncScheduling, ranks);
}

EngineModel engineOf(const Scenario& scenario, const Parallelism& plan, Precision cache, bool asyncScheduling, const std::vector<int>& ranks) {
    EngineModel engine;
    engine.model = scenario.model;
    engine.images = imagesOf(scenario.workload);
    engine.parallelism = plan;
    engine.parallelism.data = 1;
    engine.precision = scenario.precision();
    engine.fp8Recipe = recipeOf(scenario.workload);
    engine.cachePrecision = cache;
    engine.weightsAlone = servedArithmetic(scenario.execution.profile, scenario.cluster.accelerator, engine.precision) == ServedArithmetic::weights_only;
    engine.cost = costModelOf(scenario);
    engine.profile = scenario.execution.profile;
    engine.network = networkOf(scenario, ranks);
    // Training's calibration folds how its stacks quantise and buffer into what narrow products keep of the tables' rates. An engine runs the
    // tables' own kernels and quantises by others.
    KernelConstants& rates = engine.cost.constants;
    rates.sustainedFp8Share = rates.physics.servedFp8Share;
    rates.sustainedFp4Share = rates.physics.servedFp4Share;
    // What training keeps of its own attention kernels' rate says nothing of the tables' ones.
    rates.attentionShare = engine.cost.attentionShare = 1;
    // Nor do they run an era's kernels apart: what a step moves is what its graph says.
    engine.cost.elementwiseTraffic = 1;
    ServingProfile& serving = engine.profile.serving;
    if (serving.servesAnyHeads && std::holds_alternative<ServingWorkload>(scenario.workload)) serving.groupedHeads.clear();
    // Where scales are known beforehand, compiled code lets norms and activations write quantised operands (vLLM: fuse_norm_quant,
    // fuse_act_quant). Scales found at run time take kernels of their own.
    if (serving.capturesPrompts && engine.precision == Precision::fp8 && !engine.weightsAlone && scalesOf(scenario.workload) == ActivationScales::calibrated) engine.profile.normsQuantise = true;
    const double speed = hostSpeed(scenario);
    for (double* time : {&serving.stepHost, &serving.sequenceHost, &serving.graphLaunch, &serving.eagerLaunch, &serving.launchSpread, &engine.profile.hostLaunch}) *time /= speed;
    const PhysicsConstants& physics = scenario.kernels.physics;
    if (scenario.cluster.accelerator.hostLinkBandwidth >= physics.swiftHostLink && physics.swiftHostLink > 0)
        for (double* time : {&serving.eagerLaunch, &engine.profile.hostLaunch}) *time /= physics.coherentHostLaunches;
    engine.cudaGraphs = scenario.execution.cudaGraphs;
    engine.asyncScheduling = asyncScheduling;
    engine.memoryBytes = scenario.cluster.accelerator.memoryBytes;
    return engine;
}

} // namespace orrery
