// SPDX-License-Identifier: GPL-3.0-or-later
// Every axis of a plan that a search promises is one: its values are read, tell plans apart, and pruning finds what whole simulations find.
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace orrery {
namespace {

struct Axis {
    const char* name;
    Json base, vary;
};

Json trainedBase(const char* model, int nodes, Json plan) {
    return {{"format", "orrery-scenario/1"},
            {"name", "axes"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 64}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", std::move(plan)},
            {"execution", {{"framework", "megatron-bridge-2025"}}}};
}

Json servedBase(const char* model, int nodes, Json plan) {
    return {{"format", "orrery-scenario/1"},
            {"name", "axes"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", 30}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 40}}}, {"input_tokens", 800}, {"output_tokens", 40}, {"seed", 1}}}, {"engine", {{"max_num_seqs", 32}}}}},
            {"parallelism", std::move(plan)},
            {"execution", {{"framework", "vllm-2025"}}}};
}

Json oneKey(const char* pointer, Json values) { return {{pointer, std::move(values)}}; }

std::vector<Axis> trainedAxes() {
    const Json dense = trainedBase("llama-3.1-8b", 2, {{"tensor", 2}, {"pipeline", 2}}), sharded = trainedBase("llama-3.1-8b", 2, {{"zero_stage", 3}});
    return {{"tensor", dense, oneKey("/parallelism/tensor", {1, 2, 4})},
            {"pipeline", dense, oneKey("/parallelism/pipeline", {1, 2, 4})},
            {"schedule", dense, oneKey("/parallelism/schedule", {"gpipe", "zb-h1", "zb-v", "v-half", "v-min", "dualpipe"})},
            {"chunks", dense, oneKey("/parallelism/virtual_pipeline", {1, 2, 4})},
            {"layout", dense, oneKey("/parallelism/pipeline_layout", {{16, 16}, {15, 17}, {18, 14}})},
            {"context", dense, oneKey("/parallelism/context", {1, 2, 4})},
            {"expert", trainedBase("mixtral-8x7b", 8, {{"tensor", 2}}), oneKey("/parallelism/expert", {4, 8})},
            {"ZeRO", dense, oneKey("/parallelism/zero_stage", {0, 1, 2, 3})},
            {"shard group", sharded, oneKey("/parallelism/shard_group", {4, 8, 16})},
            {"micro-batch", dense, oneKey("/workload/micro_batch_size", {1, 2, 4})},
            {"recomputation", dense, oneKey("/execution/recompute", {"none", "full", {{"every", 2}}, {{"modules", {"mlp"}}}})},
            {"offload", dense, oneKey("/execution/offload/optimizer", {0, 0.5, 1})},
            {"precision", dense, oneKey("/workload/precision", {"bf16", "fp8"})}};
}

std::vector<Axis> servedAxes() {
    const Json dense = servedBase("llama-3.1-8b", 1, {{"tensor", 2}}), sparse = servedBase("qwen3-30b-a3b", 1, {{"tensor", 4}});
    Json roles = dense;
    roles["workload"]["engine"]["disaggregation"] = {{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 1}}}};
    return {{"tensor", dense, oneKey("/parallelism/tensor", {1, 2, 4})},
            {"pipeline", dense, oneKey("/parallelism/pipeline", {1, 2, 4})},
            {"expert", sparse, oneKey("/parallelism/expert", {1, 2, 4})},
            {"attention-data", servedBase("qwen3-30b-a3b", 1, {{"tensor", 1}}), oneKey("/parallelism/attention_data", {1, 2, 4})},
            {"replicas", dense, oneKey("/parallelism/data", {1, 2, 4})},
            {"roles", dense, oneKey("/workload/engine/disaggregation", {nullptr, {{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 2}}}}, {{"prefill", {{"instances", 2}}}, {"decode", {{"instances", 1}, {"parallelism", {{"tensor", 4}}}}}}})},
            {"instances of roles", roles, {{"/workload/engine/disaggregation/prefill/instances", {1, 2}}, {"/workload/engine/disaggregation/decode/instances", {1, 2}}}},
            {"sequences", dense, oneKey("/workload/engine/max_num_seqs", {1, 2, 32})},
            {"chunk", dense, oneKey("/workload/engine/max_num_batched_tokens", {256, 512, 1024})},
            {"precision", dense, oneKey("/workload/precision", {"bf16", "fp8", "int4"})},
            {"cache", dense, oneKey("/workload/engine/kv_cache_dtype", {"auto", "fp8"})},
            {"speculation", dense, oneKey("/workload/engine/speculative", {nullptr, {{"method", "ngram"}, {"tokens", 3}, {"acceptance", 0.6}}, {{"method", "eagle"}, {"tokens", 2}, {"acceptance", 0.7}}})}};
}

std::vector<Axis> axesOfBoth(const Json& base) {
    return {{"accelerator", base, oneKey("/cluster/accelerator", {"h100-sxm5-80gb", "a100-sxm4-80gb", "b200-sxm-180gb"})},
            {"hosts", base, oneKey("/cluster/nodes", {2, 4})},
            {"links between hosts", base, oneKey("/cluster/scale_out/bandwidth_gb_s", {12.5, 50, 100})},
            {"links within", base, oneKey("/cluster/scale_up/bandwidth_gb_s", {225, 450})},
            {"passes", base, oneKey("/execution/passes/fusion", {true, false})},
            {"CUDA graphs", base, oneKey("/execution/cuda_graphs", {true, false})}};
}

void expectAxis(const Axis& axis) {
    Json document = axis.base;
    document["search"] = {{"vary", axis.vary}};
    const Trials trials(document, test::catalog());
    Problems problems;
    auto question = searchQuestionOf(document, problems);
    ASSERT_TRUE(question) << axis.name;
    question->asksForFront = true; // the usual one of the workload
    for (const SweptKey& key : question->space.axes) EXPECT_TRUE(problemsOfPlace(trials, key.pointer, *key.values.front()).empty()) << axis.name;
    SearchOptions brute;
    brute.prune = false;
    const SearchRun pruned = runSearch(trials, *question), whole = runSearch(trials, *question, brute);
    const Json found = searchDocument(*question, pruned), expected = searchDocument(*question, whole);
    EXPECT_EQ(found["best"], expected["best"]) << axis.name;
    EXPECT_EQ(found["pareto"], expected["pareto"]) << axis.name;
    EXPECT_EQ(double(whole.evaluated), whole.combinations) << axis.name << ": " << (whole.pruned.empty() ? "" : whole.pruned.front().why);
    std::set<std::string> told;
    for (const FoundPlan& plan : whole.best) {
        std::string figures;
        for (const BoxedJson& figure : plan.point.metrics) figures += figure->dump() + " ";
        told.insert(figures);
    }
    EXPECT_EQ(double(told.size()), whole.combinations) << axis.name << ": values that make no difference";
}

TEST(SearchAxes, OfTraining) {
    for (const Axis& axis : trainedAxes()) expectAxis(axis);
    const Json base = trainedBase("llama-3.1-8b", 2, {{"tensor", 2}, {"pipeline", 2}});
    for (const Axis& axis : axesOfBoth(base)) expectAxis(axis);
    for (const char* overlap : {"/execution/overlap/data", "/execution/overlap/tensor", "/execution/overlap/pipeline"}) expectAxis({overlap, base, oneKey(overlap, {true, false})});
    expectAxis({"overlap of experts", trainedBase("mixtral-8x7b", 8, {{"tensor", 2}, {"expert", 4}}), oneKey("/execution/overlap/expert", {true, false})});
}

/// Engines over two hosts, so that links between these matter; overlaps are training's.
TEST(SearchAxes, OfServing) {
    for (const Axis& axis : servedAxes()) expectAxis(axis);
    Json base = servedBase("llama-3.1-8b", 2, {{"tensor", 4}});
    base["cluster"]["accelerators_per_node"] = 2;
    for (const Axis& axis : axesOfBoth(base)) expectAxis(axis);
}

} // namespace
} // namespace orrery
