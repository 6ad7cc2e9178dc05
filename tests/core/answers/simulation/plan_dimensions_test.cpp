// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding in groups, offloading and the optimizers, seen from a whole run.
#include "core/base/json.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <map>

namespace orrery::test {
namespace {

/// 16 data ranks of a small model, everything sharded.
Json sharded() {
    Json document = smallScenario(1, 1, 16, 2);
    document["parallelism"]["zero_stage"] = 3;
    document["execution"]["framework"] = "torchtitan-2025";
    return document;
}

std::map<std::string, OperationRow> rowsOf(const ResultPtr& result) {
    std::map<std::string, OperationRow> rows;
    for (const OperationRow& row : result->operations) rows[row.kind] = row;
    return rows;
}

double sum(const TimeBreakdown& breakdown) {
    double all = 0;
    for (const double part : breakdown) all += part;
    return all;
}

TEST(HybridSharding, OneGroupOfAllIsFullSharding) {
    Json grouped = sharded();
    grouped["parallelism"]["shard_group"] = 16;
    EXPECT_EQ(run(sharded())->training()->iterationTime, run(grouped)->training()->iterationTime);
}

TEST(HybridSharding, GroupsGatherAmongThemselvesAndAddUpShards) {
    Json grouped = sharded();
    grouped["parallelism"]["shard_group"] = 8;
    const auto all = rowsOf(run(sharded())), groups = rowsOf(run(grouped));
    // The same buffers are gathered and scattered, within a node's links; each rank's eighth is then added up with its twin's.
    EXPECT_EQ(groups.at("data.gather_parameters").bytes, all.at("data.gather_parameters").bytes);
    EXPECT_EQ(groups.at("data.reduce_scatter_gradients").bytes, all.at("data.reduce_scatter_gradients").bytes);
    EXPECT_NEAR(groups.at("data.all_reduce_shards").bytes, all.at("data.reduce_scatter_gradients").bytes / 8, 1e-6);
    EXPECT_LT(groups.at("data.gather_parameters").time, all.at("data.gather_parameters").time);
    EXPECT_NEAR(groups.at("optimizer.adam").bytes, 2 * all.at("optimizer.adam").bytes, 1e-6 * all.at("optimizer.adam").bytes);
}

TEST(HybridSharding, GroupsOfOneAreCopies) {
    Json copies = sharded();
    copies["parallelism"]["shard_group"] = 1;
    const auto rows = rowsOf(run(copies));
    EXPECT_EQ(rows.count("data.gather_parameters"), 0u);
    EXPECT_EQ(rows.count("data.reduce_scatter_gradients"), 0u);
    EXPECT_NEAR(rows.at("data.all_reduce_shards").bytes, rowsOf(run(sharded())).at("data.reduce_scatter_gradients").bytes, 1e-6);
}

TEST(Offload, AFastLinkCostsNothingAndASlowOneIsTheTime) {
    Json resident = sharded();
    resident["execution"]["recompute"] = "none";
    const double usual = run(resident)->training()->iterationTime;
    Scenario scenario = sound(resident);
    for (const bool weights : {true, false}) {
        (weights ? scenario.execution.offload.weights : scenario.execution.offload.activations) = 0.5;
        scenario.cluster.accelerator.hostLinkBandwidth = 1e18;
        EXPECT_NEAR(simulate(scenario).result->training()->iterationTime, usual, 1e-6 * usual);
        scenario.cluster.accelerator.hostLinkBandwidth = 1e8;
        const ResultPtr slow = simulate(scenario).result;
        const OperationRow reload = rowsOf(slow).at(weights ? "reload.weights" : "reload.activations");
        EXPECT_NEAR(reload.time, reload.bytes / 1e8, 1e-9 * reload.time);
        EXPECT_GE(slow->training()->iterationTime, reload.time);
        EXPECT_NEAR(sum(slow->training()->breakdown), slow->training()->iterationTime, 1e-9 * slow->training()->iterationTime);
        scenario.execution.offload = {};
    }
}

TEST(Offload, WhatForwardKeepsGoesAndComesBackOnce) {
    Scenario scenario = sound(sharded());
    scenario.execution.recompute = RecomputeKind::none;
    scenario.execution.offload.activations = 1;
    const auto whole = rowsOf(simulate(scenario).result);
    scenario.execution.offload.activations = 0.25;
    const auto quarter = rowsOf(simulate(scenario).result);
    EXPECT_EQ(whole.at("offload.activations").bytes, whole.at("reload.activations").bytes);
    EXPECT_EQ(whole.at("offload.activations").count, whole.at("reload.activations").count);
    EXPECT_NEAR(quarter.at("offload.activations").bytes, whole.at("offload.activations").bytes / 4, 1e-6);
}

TEST(Offload, TheHostStepsOverItsShareOfTheParameters) {
    Scenario scenario = sound(sharded());
    const ResultPtr device = simulate(scenario).result;
    scenario.execution.offload.optimizer = 1;
    const ResultPtr host = simulate(scenario).result;
    const double ownParameters = device->parameters / 16;
    // Eight ranks of a host share its 10.3 billion parameters a second (ZeRO-Offload, table 4).
    EXPECT_NEAR(rowsOf(host).at("optimizer.on_host").time, ownParameters * 8 / 10.3e9, 1e-9);
    EXPECT_GT(host->training()->iterationTime, device->training()->iterationTime);
}

TEST(Optimizers, ReadAndWriteTheirStates) {
    std::map<std::string, OperationRow> rows;
    for (const char* optimizer : {"adam", "sgd", "muon"}) {
        Json document = sharded();
        document["workload"]["optimizer"] = optimizer;
        rows[optimizer] = rowsOf(run(document)).at(std::string("optimizer.") + optimizer);
    }
    const Scenario scenario = sound(sharded());
    const double parameters = scenario.model.parameters() / 16;
    // One moment in fp32 less to read and to write.
    EXPECT_NEAR(rows["adam"].bytes - rows["sgd"].bytes, 8 * parameters, 1e-6 * rows["adam"].bytes);
    EXPECT_NEAR(rows["muon"].bytes, rows["sgd"].bytes, 1e-6);
}

TEST(Optimizers, MuonMultipliesMatrices) {
    Json document = sharded();
    document["workload"]["optimizer"] = "muon";
    const ResultPtr result = run(document);
    // A layer of GPT-2's shape, h = 1024: queries', keys', values' and the output's projections of h × h and two of h × 4h; 5 (4 a² b + 2 a³) each.
    const double h = 1024, layer = 5 * (4 * h * h * (4 * h + 4 * h + 4 * h) + 6 * 2 * h * h * h);
    EXPECT_NEAR(rowsOf(result).at("optimizer.newton_schulz").flops, 16 * layer / 16, 1e-6 * layer);
}

} // namespace
} // namespace orrery::test
