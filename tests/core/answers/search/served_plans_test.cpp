// SPDX-License-Identifier: GPL-3.0-or-later
// Served plans simulated for their figures alone, as far as limits can hold, are what whole simulations give.
#include "core/answers/search/search.hpp"
#include "core/answers/search/served_plans.hpp"
#include "core/base/json.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using test::catalog;

/// A small model on two hosts, pools and limits of all sorts, and limits of latency that some plans keep.
Json servedSpace(const char* framework, const Json& arrival, const Json& vary, double ttft, double tpot) {
    Json document = Json::parse(R"({
        "format": "orrery-scenario/1", "name": "served", "model": {"preset": "llama-3.1-8b"},
        "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 1},
        "workload": {"kind": "serving", "precision": "bf16",
            "requests": {"count": 60, "input_tokens": {"distribution": "lognormal", "mean": 900, "std": 400, "max": 4000}, "output_tokens": {"distribution": "uniform", "min": 20, "max": 90}, "shared_prefix_tokens": 200, "seed": 3},
            "engine": {"max_num_seqs": 8, "max_num_batched_tokens": 1024, "enable_prefix_caching": true}},
        "parallelism": {"tensor": 1}})");
    document["execution"] = {{"framework", framework}};
    document["workload"]["requests"]["arrival"] = arrival;
    document["search"] = {{"vary", vary},
                          {"objective", {{"maximize", "/output_tokens_per_s_per_accelerator"}}},
                          {"pareto", {{"maximize", "/output_tokens_per_s_per_user"}}},
                          {"constraints", {{{"pointer", "/ttft_s/p90"}, {"op", "<="}, {"value", ttft}}, {{"pointer", "/tpot_s/p90"}, {"op", "<"}, {"value", tpot}}}}};
    return document;
}

const Json pools{nullptr, {{"prefill", {{"instances", 2}}}, {"decode", {{"instances", 1}, {"parallelism", {{"tensor", 2}}}}}}, {{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 2}}}}};

std::vector<Json> servedSpaces() {
    const Json limits{{"/parallelism/tensor", {1, 2, 3, 4}}, {"/parallelism/pipeline", {1, 2}}, {"/workload/engine/max_num_seqs", {2, 8, 64}}, {"/workload/engine/max_num_batched_tokens", {4, 512, 2048}}};
    Json roles = limits;
    roles["/workload/engine/disaggregation"] = pools;
    roles.erase("/parallelism/pipeline");
    std::vector<Json> all;
    for (const char* framework : {"vllm-2025", "trtllm-2025", "sglang-2025"}) {
        all.push_back(servedSpace(framework, {{"process", "poisson"}, {"rate_per_s", 30}}, limits, 0.4, 0.02));
        all.push_back(servedSpace(framework, {{"process", "closed_loop"}, {"concurrency", 12}}, roles, 0.2, 0.01));
    }
    all.push_back(servedSpace("vllm-2025", {{"process", "poisson"}, {"rate_per_s", 30}}, {{"/execution/cuda_graphs", {false, true}}, {"/workload/precision", {"bf16", "fp8"}}, {"/cluster/accelerator", {"h100-sxm5-80gb", "a100-sxm4-80gb"}}, {"/workload/requests/arrival/rate_per_s", {5, 40}}, {"/workload/engine/enable_prefix_caching", {true, false}}}, 0.1, 0.008));
    return all;
}

std::string plansOf(const SearchQuestion& question, const SearchRun& run) {
    const Json document = searchDocument(question, run);
    return Json{{"best", document["best"]}, {"pareto", document["pareto"]}, {"feasible", document["feasible"]}}.dump(1);
}

TEST(ServedPlans, AFrontOfFiguresAloneIsTheFrontOfWholeSimulations) {
    double broken = 0, feasible = 0;
    for (const Json& document : servedSpaces()) {
        const Trials trials(document, catalog());
        Problems problems;
        const auto question = searchQuestionOf(document, problems);
        ASSERT_TRUE(question);
        ASSERT_TRUE(ServedPlans::of(trials, *question));
        RunControl two;
        two.threads = 2;
        SearchOptions brute;
        brute.prune = false;
        const SearchRun pruned = runSearch(trials, *question, {}, two), whole = runSearch(trials, *question, brute);
        EXPECT_EQ(plansOf(*question, pruned), plansOf(*question, whole)) << document["execution"].dump();
        double counted = double(pruned.evaluated);
        for (const PrunedRule& rule : pruned.pruned) counted += double(rule.count);
        EXPECT_EQ(counted, pruned.combinations);
        EXPECT_EQ(pruned.evaluated, whole.evaluated);
        broken += double(pruned.brokenOff);
        feasible += double(pruned.feasible);
    }
    EXPECT_GT(broken, 20);
    EXPECT_GT(feasible, 20);
}

TEST(ServedPlans, EveryFigureIsTheWholeSimulations) {
    Json document = servedSpaces()[1];
    document["search"].erase("constraints");
    document["measures"] = {{"a", "/itl_s/p99"}, {"b", "/e2e_s/mean"}, {"c", "/queue_s/p95"}, {"d", "/kv_cache_utilisation"}, {"e", "/prefix_hit_rate"}, {"f", "/time_breakdown_s"}, {"g", "/kv_cache"}, {"h", "/duration_s"}, {"i", "/energy_j_per_output_token"}, {"k", "/preemptions"}};
    const Trials trials(document, catalog());
    Problems problems;
    const auto question = searchQuestionOf(document, problems);
    ASSERT_TRUE(question);
    const auto plans = ServedPlans::of(trials, *question);
    ASSERT_TRUE(plans);
    int compared = 0;
    for (std::size_t index = 0; index < static_cast<std::size_t>(question->space.points()); ++index) {
        PrunedCounts counts;
        const ServedPlans::Found found = plans->find(index, {}, counts);
        if (!found.point) continue;
        const SweptPoint whole = sweptPoint(trials.run(question->space.changes(index)), question->space.measures);
        ASSERT_EQ(pointDocument(question->space, index, *found.point).dump(), pointDocument(question->space, index, whole).dump());
        ++compared;
    }
    EXPECT_GT(compared, 10);
}

TEST(ServedPlans, AFigureThatOnlyAResultHasTakesWholeSimulations) {
    Json document = servedSpaces()[0];
    document["measures"] = {{"peak", "/memory/peak_bytes"}};
    const Trials trials(document, catalog());
    Problems problems;
    const auto question = searchQuestionOf(document, problems);
    ASSERT_TRUE(question);
    EXPECT_FALSE(ServedPlans::of(trials, *question));
}

} // namespace
} // namespace orrery
