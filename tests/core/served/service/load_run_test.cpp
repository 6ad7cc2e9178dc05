// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario under other loads than its own: each point is the simulation of the scenario with that load, and the knee is where it says.
#include "core/served/service/load_run.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::test {
namespace {

Json underArrival(const char* model, Json arrival, int count, int input, int output) {
    return {{"format", "orrery-scenario/1"},
            {"name", "loads"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 1}, {"nodes", 1}}},
            {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", count}, {"arrival", std::move(arrival)}, {"input_tokens", input}, {"output_tokens", output}, {"seed", 1}}}}},
            {"parallelism", {{"tensor", 1}}}};
}

Json someLoad() { return underArrival("llama-3.1-8b", {{"process", "poisson"}, {"rate_per_s", 8}}, 200, 1000, 100); }

/// 5,000 tokens in and 500 out of a model that fills two H100: the cache holds some 90 requests.
Json longPrompts(int users) {
    Json document = underArrival("llama-3.3-70b", {{"process", "closed_loop"}, {"concurrency", users}}, 500, 5000, 500);
    document["cluster"]["accelerators_per_node"] = 2;
    document["parallelism"]["tensor"] = 2;
    document["workload"]["precision"] = "fp8";
    document["workload"]["engine"] = {{"enable_prefix_caching", false}, {"kv_cache_dtype", "fp8"}};
    document["execution"] = {{"framework", "trtllm-2025"}};
    return document;
}

void expectTheFiguresOf(const Json& document, double load) {
    const ResultPtr result = run(document);
    const ServingReport& report = *result->serving();
    const auto point = LoadRun(result->scenario).at(load);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->load, load);
    EXPECT_EQ(point->served.ttft.p99, report.served.ttft.p99);
    EXPECT_EQ(point->served.tpot.p50, report.served.tpot.p50);
    EXPECT_EQ(point->served.goodput, report.served.goodput);
    EXPECT_EQ(point->served.kvCacheUtilisation, report.served.kvCacheUtilisation);
    EXPECT_EQ(point->outputTokensPerSecondPerAccelerator, report.outputTokensPerSecondPerAccelerator);
}

TEST(LoadRun, APointIsTheSimulationOfTheScenarioWithThatLoad) {
    Json document = someLoad();
    document["workload"]["slo"] = {{"ttft_s", 0.2}};
    expectTheFiguresOf(document, 8);
    // From any other load of the same scenario as well.
    const auto from = run(document);
    for (const double rate : {2.0, 40.0}) {
        Json other = document;
        other["workload"]["requests"]["arrival"]["rate_per_s"] = rate;
        expectTheFiguresOf(other, rate);
        EXPECT_EQ(LoadRun(from->scenario).at(rate)->served.ttft.p99, run(other)->serving()->served.ttft.p99);
    }
    expectTheFiguresOf(underArrival("llama-3.1-8b", {{"process", "closed_loop"}, {"concurrency", 7}}, 60, 500, 50), 7);
}

TEST(LoadRun, ACurveRisesFromLittleToTooMuchAndHasTheScenariosOwnPoint) {
    const ResultPtr result = run(someLoad());
    double told = 0;
    RunControl control;
    control.progress = [&told](double share) {
        EXPECT_GE(share, told);
        told = share;
    };
    const auto curve = loadCurve(LoadRun(result->scenario), control);
    ASSERT_TRUE(curve);
    EXPECT_TRUE(curve->complete);
    EXPECT_EQ(told, 1);
    const std::vector<LoadPoint>& points = curve->points;
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](const LoadPoint& a, const LoadPoint& b) { return a.load < b.load; }));
    EXPECT_EQ(std::count_if(points.begin(), points.end(), [](const LoadPoint& point) { return point.load == 8; }), 1);
    // Little load leaves a request alone; beyond what the engine can do, more requests make no more tokens.
    EXPECT_LT(points.front().waitingShare, 0.5);
    EXPECT_GT(points.back().waitingShare, 0.5);
    EXPECT_LT(points.front().outputTokensPerSecondPerAccelerator, 0.3 * points.back().outputTokensPerSecondPerAccelerator);
    EXPECT_GT(points.back().served.ttft.p50, 2 * points.front().served.ttft.p50);
    ASSERT_TRUE(curve->knee);
    ASSERT_GT(curve->knee->point, 0U);
    // The knee lies between two neighbours that nobody tells apart.
    EXPECT_LE(points[curve->knee->point].load, 1.1 * points[curve->knee->point - 1].load);
}

TEST(LoadRun, TheKneeOfLongPromptsIsAFullCache) {
    const ResultPtr result = run(longPrompts(60));
    const auto curve = loadCurve(LoadRun(result->scenario));
    ASSERT_TRUE(curve);
    EXPECT_EQ(curve->present.kind, LoadKind::users);
    ASSERT_TRUE(curve->knee);
    const LoadPoint& knee = curve->points[curve->knee->point];
    EXPECT_EQ(curve->knee->sign, KneeSign::cache_full);
    EXPECT_EQ(curve->knee->waitsFor, WaitsFor::cache);
    EXPECT_GT(knee.load, 50);
    EXPECT_LE(knee.load, 100);
    EXPECT_GT(knee.cachePeak, knee.served.kvCacheUtilisation);
    // Every load is a whole number of users.
    for (const LoadPoint& point : curve->points) EXPECT_EQ(point.load, std::round(point.load));
}

TEST(LoadRun, AServiceLevelComesBeforeWhatTheEngineShows) {
    Json document = someLoad();
    const auto free = loadCurve(LoadRun(run(document)->scenario));
    ASSERT_TRUE(free && free->knee);
    // Between what little load takes and what the knee takes.
    const double least = free->points.front().served.ttft.p99, most = free->points[free->knee->point].served.ttft.p99;
    const double limit = std::sqrt(least * most);
    document["workload"]["slo"] = {{"ttft_s", limit}};
    const auto curve = loadCurve(LoadRun(run(document)->scenario));
    ASSERT_TRUE(curve && curve->knee);
    EXPECT_EQ(curve->knee->sign, KneeSign::ttft);
    EXPECT_LE(curve->points[curve->knee->point].load, free->points[free->knee->point].load);
    for (std::size_t i = 0; i < curve->points.size() && i <= curve->knee->point; ++i) EXPECT_EQ(curve->points[i].served.ttft.p99 > limit, i == curve->knee->point);
}

TEST(LoadRun, WhatHasNoLoadToVaryHasNoCurve) {
    const ResultPtr result = run(underArrival("llama-3.1-8b", {{"process", "all_at_once"}}, 20, 100, 10));
    const LoadRun atOnce(result->scenario);
    EXPECT_FALSE(atOnce.present());
    EXPECT_FALSE(atOnce.at(3));
    EXPECT_FALSE(loadCurve(atOnce));
}

TEST(LoadRun, OneThatWasStoppedGivesNothing) {
    const ResultPtr result = run(someLoad());
    const LoadRun loads(result->scenario);
    std::stop_source stop;
    stop.request_stop();
    RunControl control;
    control.stop = stop.get_token();
    EXPECT_FALSE(loads.at(8, control));
    EXPECT_FALSE(loadCurve(loads, control));
}

} // namespace
} // namespace orrery::test
