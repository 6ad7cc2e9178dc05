// SPDX-License-Identifier: GPL-3.0-or-later
// torchtitan by version: configurations of its registry, keys of 2026, schedules and how it splits layers.
#include "core/base/json.hpp"
#include "tests/core/exchange/import/import_checks.hpp"

#include <numeric>

namespace orrery {
namespace {

TEST(TorchtitanVersions, BatchesInTokens) {
    const Json s = scenarioOf("NGPU=8 MODULE=llama3 CONFIG=llama3_8b ./run_train.sh --training.num_tokens_per_microbatch_per_dp_rank 16384 --training.max_context_length 8192 "
                              "--parallelism.pipeline_parallel_degree 2 --parallelism.num_pp_microbatches 8");
    EXPECT_EQ(at(s, "/workload/micro_batch_size"), 2);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 64) << "8 micro-batches of 2 on each of 4 data ranks";
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b ./run_train.sh --training.num_tokens_per_train_step 524288"), "/workload/global_batch_size"), 64);
}

TEST(TorchtitanVersions, ConfigurationsByWhateverName) {
    const auto preset = [](const std::string& text) { return at(scenarioOf(text), "/model/preset"); };
    EXPECT_EQ(preset("NGPU=8 MODULE=qwen3 CONFIG=sft_qwen3_8b_math ./run_train.sh"), "qwen3-8b");
    EXPECT_EQ(preset("NGPU=8 MODULE=graph_trainer.llama3 CONFIG=graph_trainer_llama3_8b ./run_train.sh"), "llama-3.1-8b");
    EXPECT_EQ(preset("torchrun --nproc_per_node=8 -m torchtitan.train --module=torchtitan.models.deepseek_v3 --config=deepseek_v3_16b"), "deepseek-v2-lite");
    EXPECT_EQ(preset("export NGPU=8\nexport MODULE=llama3\nexport CONFIG=llama3_70b\n./run_train.sh"), "llama-3.1-70b");
    const Json wide = scenarioOf("NGPU=8 MODULE=torchtitan_recipes.tests.features CONFIG=llama3_debugmodel_fsdp2_cp2_tp2 ./run_train.sh");
    EXPECT_EQ(at(wide, "/parallelism/context"), 2) << "degrees stand in the name";
    EXPECT_EQ(at(wide, "/parallelism/tensor"), 2);
    const Import four = importCommandLine("NGPU=8 CONFIG=llama3_8b_first_85_pct_layers_nvfp4 ./run_train.sh");
    ASSERT_TRUE(four.scenario);
    EXPECT_EQ(at(*four.scenario, "/workload/precision"), "nvfp4");
    EXPECT_EQ(mentions(four.problems, "option-not-understood", "first_85_pct_layers"), 1) << "what of the name is not read is said";
}

TEST(TorchtitanVersions, SubcommandsPickTheRecomputation) {
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b ./run_train.sh activation-checkpoint:full"), "/execution/recompute"), "full");
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b ./run_train.sh --compile.enable activation_checkpoint:none"), "/execution/recompute"), "none");
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b ./run_train.sh --activation_checkpoint.mode memory_budget --activation_checkpoint.memory_budget 0.75"), "/execution/recompute"), (Json{{"every", 4}}));
}

TEST(TorchtitanVersions, CompilesTheModelOnlyWhereItIsNamed) {
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b ./run_train.sh --compile.enable"), "/execution/compile"), true);
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b ./run_train.sh --compile.enable --compile.components loss"), "/execution/compile"), false);
    const Import toml = importCommandLine("[model]\nname=\"llama3\"\nflavor=\"8B\"\n[compile]\nenable = true\ncomponents = [\"loss\"]\n", {.fileName = "t.toml"});
    EXPECT_EQ(at(*toml.scenario, "/execution/compile"), false);
    EXPECT_EQ(at(scenarioOf("NGPU=128 CONFIG=llama3_405b ./run_train.sh"), "/execution/compile"), true) << "its configuration has it";
}

std::string stages(const std::string& schedule, const std::string& more = {}) {
    return "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 16\n[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = \"" + schedule + "\"\n" + more;
}

/// distributed/pipeline_parallel.py: 34 layers with both ends, 8 or 9 a stage, the spare ones first.
TEST(TorchtitanPipelines, SplitLayersAsTorchtitanDoes) {
    const auto layout = [](const std::string& text) { return at(scenarioOf(text, {.fileName = "t.toml"}), "/parallelism/pipeline_layout"); };
    EXPECT_EQ(layout(stages("1F1B")), Json::array({8, 9, 8, 7}));
    EXPECT_EQ(layout(stages("1F1B", "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0\n")), Json()) << "even: 8 each";
    EXPECT_EQ(layout(stages("Interleaved1F1B")).size(), 8U);
    const Json folded = layout(stages("ZBVZeroBubble"));
    EXPECT_EQ(folded.size(), 8U) << "two chunks a stage";
    EXPECT_EQ(std::accumulate(folded.begin(), folded.end(), 0, [](int sum, const Json& one) { return sum + one.get<int>(); }), 32);
    std::string parts;
    for (int stage = 0; stage < 4; ++stage) {
        parts += stage == 0 ? "[\"tok_embeddings\"" : ", [\"norm\"";
        for (int layer = 8 * stage; layer < 8 * stage + 8; ++layer) parts += ", \"layers." + std::to_string(layer) + "\"";
        parts += "]";
    }
    EXPECT_EQ(layout(stages("1F1B", "module_fqns_per_model_part = [" + parts + "]\n")), Json::array({8, 8, 8, 8}));
}

TEST(TorchtitanPipelines, SchedulesWithoutOneOfOurOwnAreSaid) {
    for (const char* name : {"DualPipeV", "dualpipev", "InterleavedZeroBubble", "LoopedBFS"}) {
        const Import imported = importCommandLine(stages(name), {.fileName = "t.toml"});
        ASSERT_TRUE(imported.scenario) << name;
        EXPECT_EQ(mentions(imported.problems, "approximated", "taken as"), 1) << name;
        soundScenario(*imported.scenario);
    }
    EXPECT_EQ(at(scenarioOf(stages("InterleavedZeroBubble"), {.fileName = "t.toml"}), "/parallelism/virtual_pipeline"), 2);
    EXPECT_EQ(at(scenarioOf(stages("DualPipeV"), {.fileName = "t.toml"}), "/parallelism/schedule"), "zb-v") << "weights once";
}

} // namespace
} // namespace orrery
