// SPDX-License-Identifier: GPL-3.0-or-later
// Plans read as numbers alone are what the whole reading gives, and break the same rule first.
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/reader/plan_reader.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <map>

namespace orrery {
namespace {

using test::catalog;

Json trainingOf(const char* model, const char* accelerator, int nodes, const char* framework) {
    return {{"format", "orrery-scenario/1"},
            {"name", "space"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", accelerator}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 96}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"execution", {{"framework", framework}}}};
}

/// All keys that can be read so, sound values and others.
const std::vector<std::pair<const char*, Json>>& everyKey() {
    static const std::vector<std::pair<const char*, Json>> keys{
        {"/parallelism/tensor", {1, 2, 3, 4, 8, 16}},
        {"/parallelism/pipeline", {1, 2, 3, 4, 8}},
        {"/parallelism/context", {1, 1, 2, 3}},
        {"/parallelism/expert", {1, 1, 2, 8}},
        {"/parallelism/expert_tensor", {1, 1, 2}},
        {"/parallelism/virtual_pipeline", {1, 2, 3, 40}},
        {"/parallelism/schedule", {"1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "dualpipe"}},
        {"/parallelism/sequence", {false, true}},
        {"/parallelism/zero_stage", {0, 1, 2, 3}},
        {"/parallelism/shard_group", {1, 2, 5}},
        {"/parallelism/context_method", {"ring", "all_gather", "all_to_all"}},
        {"/workload/micro_batch_size", {1, 2, 3, 5}},
        {"/execution/recompute", {"none", "selective", "full", "auto", {{"every", 2}}, {{"every", 900}}, {{"modules", {"mlp", "core_attn"}}}, {{"modules", {"mlq"}}}}},
        {"/execution/overlap/data", {false, true}},
        {"/execution/overlap/tensor", {false, true}},
        {"/execution/overlap/pipeline", {false, true}},
        {"/execution/overlap/expert", {false, true}},
        {"/execution/offload/weights", {0, 0.5}},
        {"/execution/offload/activations", {0, 1}},
        {"/execution/offload/optimizer", {0, 1}}};
    return keys;
}

std::string wordsOf(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    const TrainingWorkload& workload = scenario.training();
    Json words = {plan.tensor, plan.pipeline, plan.virtualPipeline, plan.context, int(plan.contextMethod), plan.expert, plan.expertTensor, plan.attentionData, plan.data, plan.shardGroup, plan.sequence,
                  plan.zeroStage, int(plan.schedule), plan.order, plan.layout, execution.profile.id, int(execution.recompute), execution.recomputeModules, execution.recomputeEvery,
                  execution.expertCapacity, execution.expertLoad, int(execution.attention), execution.compile, execution.cudaGraphs, execution.overlap.data, execution.overlap.tensor,
                  execution.overlap.pipeline, execution.overlap.expert, execution.passes, execution.chunkedLoss, execution.calibration, execution.offload.weights, execution.offload.activations,
                  execution.offload.optimizer, workload.sequenceLength, workload.globalBatch, workload.microBatch, int(workload.precision), workload.documentLength, scenario.modelName,
                  scenario.cluster.accelerators(), scenario.kernels.gemmRateOfPeak};
    return words.dump();
}

/// Random plans of a random choice of keys: each read both ways.
void holdAgainstWholeReading(const Json& document, test::RandomSource& random, std::map<std::string, int>& seen) {
    std::vector<PlanKey> keys;
    for (const auto& [pointer, values] : everyKey()) {
        if (random.below(3) == 0) continue;
        PlanKey key{pointer, {}};
        for (const Json& value : values) key.values.emplace_back(value);
        std::rotate(key.values.begin(), key.values.begin() + static_cast<std::ptrdiff_t>(random.below(key.values.size())), key.values.end());
        keys.push_back(std::move(key));
    }
    const auto reader = PlanReader::of(document, keys, catalog(), {});
    ASSERT_TRUE(reader);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::size_t> values;
        std::vector<ScenarioEdit> edits;
        for (const PlanKey& key : keys) {
            // Mostly what is nothing out of the ordinary, so that some plans are sound.
            values.push_back(random.below(3) == 0 ? random.below(key.values.size()) : 0);
            edits.push_back({key.pointer, key.values[values.back()]});
        }
        const ScenarioReading whole = readScenario(*applyEdits(document, edits).document, catalog());
        std::string broken;
        for (const Problem& problem : whole.problems)
            if (broken.empty() && problem.severity == Severity::error) broken = problem.code;
        const std::string_view direct = reader->read(values);
        ++seen[broken];
        std::string plan;
        for (const ScenarioEdit& edit : edits) plan += edit.pointer + " " + edit.value->dump() + ", ";
        ASSERT_EQ(direct, broken) << plan;
        if (broken.empty()) {
            ASSERT_EQ(wordsOf(reader->scenario()), wordsOf(*whole.scenario)) << plan;
        }
    }
}

TEST(PlanReader, ReadsRandomPlansAsTheWholeReadingDoes) {
    test::RandomSource random(11);
    std::map<std::string, int> seen;
    const std::vector<Json> documents{trainingOf("gpt3-175b", "h100-sxm5-80gb", 6, "megatron-bridge-2025"), trainingOf("mixtral-8x7b", "a100-sxm4-80gb", 4, "megatron-2022"),
                                      trainingOf("deepseek-v3", "h100-sxm5-80gb", 16, "megatron-bridge-2025"), trainingOf("llama-3.1-8b", "h100-sxm5-80gb", 2, "torchtitan-2025")};
    for (int round = 0; round < 40; ++round) holdAgainstWholeReading(documents[static_cast<std::size_t>(round) % documents.size()], random, seen);
    EXPECT_GT(seen[""], 100) << "some plans are sound";
    EXPECT_GT(seen.size(), 14U) << "most rules were broken";
}

TEST(PlanReader, LeavesWhatNoPlanMendsToTheWholeReading) {
    const std::vector<PlanKey> keys{{"/parallelism/tensor", {1, 2}}};
    Json document = trainingOf("gpt3-175b", "h100-sxm5-80gb", 2, "megatron-bridge-2025");
    EXPECT_TRUE(PlanReader::of(document, keys, catalog(), {}));
    EXPECT_FALSE(PlanReader::of(document, {{"/parallelism/tensor", {1, 0}}}, catalog(), {}));
    EXPECT_FALSE(PlanReader::of(document, {{"/parallelism/tensor", {nullptr, 2}}}, catalog(), {}));
    EXPECT_FALSE(PlanReader::of(document, {{"/workload/global_batch_size", {64}}}, catalog(), {}));
    for (const auto& [pointer, value] : std::vector<std::pair<const char*, Json>>{{"/workload/fp8_recipe", "block"},
                                                                                  {"/model/preset", "gpt3"},
                                                                                  {"/execution/passes", {{"fusion", false}}},
                                                                                  {"/parallelism/pipeline_layout", {96}},
                                                                                  {"/execution/stragglers", {{{"rank", 99}, {"slowdown", 2}}}}}) {
        document = *applyEdits(trainingOf("gpt3-175b", "h100-sxm5-80gb", 2, "megatron-bridge-2025"), {{pointer, value}}).document;
        EXPECT_FALSE(PlanReader::of(document, keys, catalog(), {})) << pointer;
    }
}

} // namespace
} // namespace orrery
