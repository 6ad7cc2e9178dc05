// SPDX-License-Identifier: GPL-3.0-or-later
// A fleet in a scenario: what it costs and what it refuses, and that one which never changes is today's replicas byte for byte.
#include "core/results/derivation/explain.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <string>

namespace orrery::test {
namespace {

Json servedBy(int replicas) {
    return Json::parse(R"({"format": "orrery-scenario/1", "name": "fleet", "model": {"preset": "llama-3.1-8b"},
      "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": )" +
                       std::to_string(replicas) + R"(, "nodes": 1},
      "workload": {"kind": "serving", "precision": "bf16", "slo": {"ttft_s": 1, "tpot_s": 0.02},
        "requests": {"count": 300, "arrival": {"process": "poisson", "rate_per_s": 6, "curve": {"rates": [1, 8, 1, 0.2], "period_s": 60}}, "input_tokens": 900, "output_tokens": 120, "seed": 4}},
      "execution": {"framework": "vllm-2026"}, "parallelism": {"tensor": 1}, "economics": {"price_per_accelerator_hour": 3}})");
}

Json withoutFleet(Json result) {
    result.erase("fleet");
    Json assumed = Json::array();
    for (const Json& one : result["assumed"])
        if (const std::string pointer = one["pointer"]; !pointer.starts_with("/workload/fleet") && pointer != "/workload/engine/router") assumed.push_back(one);
    result["assumed"] = std::move(assumed);
    return result;
}

TEST(Fleet, ThatNeverChangesIsTodaysReplicasByteForByte) {
    for (const char* router : {"round_robin", "least_loaded", "prefix_aware", "session_affinity", "power_of_two"}) {
        Json plain = servedBy(4), fleet = servedBy(4);
        plain["workload"]["engine"]["router"] = router;
        fleet["workload"]["fleet"] = {{"router", router}, {"autoscale", {{"min", 4}, {"max", 4}, {"interval_s", 5}, {"start_s", 30}, {"target", 4}}}};
        const Json before = toJson(*run(plain)), after = toJson(*run(fleet));
        ASSERT_TRUE(after.contains("fleet"));
        EXPECT_EQ(before.dump(), withoutFleet(after).dump()) << router;
        EXPECT_EQ(after["fleet"]["mean_replicas"], 4);
        EXPECT_EQ(after["fleet"]["started"], 0);
    }
}

TEST(Fleet, CostsWhatItsReplicasDo) {
    Json document = servedBy(6);
    document["workload"]["fleet"] = {{"router", "least_loaded"}, {"autoscale", {{"min", 1}, {"interval_s", 2}, {"start_s", 4}, {"target", 6}}}, {"admission", {{"max_per_replica", 16}, {"max_waiting", 40}, {"timeout_s", 20}}}, {"failures", Json::array({{{"replica", 0}, {"at_s", 17.3}, {"repair_s", 10}}})}};
    const ResultPtr result = run(document);
    const Json answer = toJson(*result), fleet = answer["fleet"];
    EXPECT_EQ(fleet["failures"], 1);
    EXPECT_GT(fleet["moved"], 0);
    EXPECT_GT(fleet["most_replicas"], 2);
    EXPECT_LT(fleet["mean_replicas"], fleet["most_replicas"]);
    const double duration = answer["duration_s"], hours = fleet["replica_hours"];
    EXPECT_NEAR(hours * 3600 / duration, fleet["mean_replicas"], 1e-9);
    EXPECT_NEAR(fleet["cost"], 3 * hours, 1e-9);
    // What a million tokens cost is what the replicas cost over the tokens.
    EXPECT_NEAR(answer["cost_per_million_output_tokens"].get<double>(), 3 * hours / (answer["output_tokens_per_s"].get<double>() * duration) * 1e6, 1e-6);
    std::int64_t arrived = 0, completed = 0, refused = 0;
    double replicaSeconds = 0, tokens = 0, cost = 0;
    for (const Json& part : fleet["over_time"]) {
        arrived += part["arrived"].get<std::int64_t>();
        completed += part["completed"].get<std::int64_t>();
        refused += part["refused"].get<std::int64_t>();
        replicaSeconds += part["replicas"].get<double>() * part["duration_s"].get<double>();
        cost += part["cost"].get<double>();
        tokens += part["output_tokens_per_s"].get<double>() * part["duration_s"].get<double>();
    }
    EXPECT_EQ(arrived, 300);
    EXPECT_EQ(completed, answer["requests"]["completed"]);
    EXPECT_EQ(refused, answer["requests"]["rejected"]);
    EXPECT_EQ(completed + refused, 300);
    EXPECT_NEAR(replicaSeconds, hours * 3600, 1e-6);
    EXPECT_NEAR(cost, fleet["cost"], 1e-9);
    EXPECT_NEAR(tokens, 120.0 * static_cast<double>(completed), 1e-6);
    // Each figure says where it comes from.
    const Json figures = Json{{"fleet", fleet}}.flatten();
    for (const auto& [pointer, value] : figures.items()) {
        const auto why = explain(*result, pointer);
        ASSERT_TRUE(why) << pointer;
        EXPECT_EQ(why->value, value.get<double>()) << pointer;
        EXPECT_FALSE(why->formula.empty()) << pointer;
    }
}

/// More replicas at most, looked at as often: nobody waits longer in the mean, and nobody more is refused.
TEST(Fleet, ThatMayGrowFurtherServesNoFewer) {
    std::int64_t before = 0;
    for (const int most : {1, 2, 4, 8}) {
        Json document = servedBy(8);
        document["workload"]["fleet"] = {{"router", "least_loaded"}, {"autoscale", {{"min", 1}, {"max", most}, {"interval_s", 1}, {"start_s", 0}, {"target", 2}}}, {"admission", {{"max_per_replica", 4}, {"max_waiting", 4}}}};
        const std::int64_t completed = toJson(*run(document))["requests"]["completed"];
        EXPECT_GE(completed, before) << most;
        before = completed;
    }
    EXPECT_GT(before, 200);
}

TEST(Fleet, WhatCanNotBeIsRefusedWithAMend) {
    const auto refusedAt = [](const Json& fleet) {
        Json document = servedBy(2);
        document["workload"]["fleet"] = fleet;
        const ScenarioReading reading = read(document);
        for (const Problem& problem : reading.problems)
            if (problem.severity == Severity::error) {
                EXPECT_FALSE(problem.mend.empty()) << problem.message;
                return problem.pointer;
            }
        return std::string("nowhere");
    };
    EXPECT_EQ(refusedAt({{"autoscale", {{"max", 3}, {"target", 1}}}}), "/workload/fleet/autoscale/max");
    EXPECT_EQ(refusedAt({{"autoscale", {{"min", 2}, {"max", 1}}}}), "/workload/fleet/autoscale/min");
    EXPECT_EQ(refusedAt({{"autoscale", {{"min", 1}, {"max", 2}}}}), "/workload/fleet/autoscale/target");
    EXPECT_EQ(refusedAt({{"autoscale", {{"min", 1}, {"target", -1}}}}), "/workload/fleet/autoscale/target");
    EXPECT_EQ(refusedAt({{"failures", Json::array({{{"replica", 2}, {"at_s", 1}}})}}), "/workload/fleet/failures/0/replica");
    EXPECT_EQ(refusedAt({{"failures", {{"mtbf_hours", 0}}}}), "/workload/fleet/failures/mtbf_hours");
    EXPECT_EQ(refusedAt({{"router", "roulette"}}), "/workload/fleet/router");
    EXPECT_EQ(refusedAt({{"admission", {{"max_per_replica", 0}}}}), "/workload/fleet/admission/max_per_replica");
    EXPECT_EQ(refusedAt({{"failures", {{"mtbf_hours", 1}}}}), "nowhere");
    Json split = servedBy(2);
    split["workload"]["engine"]["disaggregation"] = {{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 1}}}};
    split["workload"]["fleet"] = Json::object();
    const ScenarioReading reading = read(split);
    EXPECT_TRUE(hasErrors(reading.problems));
}

} // namespace
} // namespace orrery::test
