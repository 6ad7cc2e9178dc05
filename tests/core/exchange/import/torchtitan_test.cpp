// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/torchtitan_models.hpp"
#include "tests/core/exchange/import/import_checks.hpp"
#include "tests/core/exchange/import/import_inputs.hpp"

namespace orrery {
namespace {

ImportOptions withFile(const std::string& name, const std::string& text) {
    ImportOptions options;
    options.readFile = [name, text](const std::string& path, std::string& error) -> std::optional<std::string> {
        if (path == name) return text;
        error = "no such file";
        return std::nullopt;
    };
    return options;
}

TEST(TorchtitanImport, Llama8bAsPublished) {
    const Scenario scenario = soundScenario(scenarioOf(inputs::titan8b));
    EXPECT_NEAR(scenario.model.parameters(), 8.03e9, 0.001 * 8.03e9);
    EXPECT_EQ(scenario.cluster.accelerators(), 64);
    EXPECT_EQ(scenario.training().sequenceLength, 8192);
    EXPECT_EQ(scenario.training().globalBatch, 64);
    EXPECT_EQ(scenario.parallelism.zeroStage, 3);
    EXPECT_EQ(scenario.execution.recompute, RecomputeKind::selective);
    EXPECT_EQ(scenario.execution.compile, false);
}

TEST(TorchtitanImport, Llama405bAsPublished) {
    const Json s = scenarioOf(inputs::titan405b);
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-405b");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 8);
    EXPECT_EQ(at(s, "/parallelism/sequence"), true);
    EXPECT_EQ(at(s, "/cluster/nodes"), 16);
    EXPECT_EQ(at(s, "/cluster/accelerator"), "h100-sxm5-80gb");
    EXPECT_EQ(at(s, "/workload/precision"), "fp8");
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 32) << "2 on each of 128/8 data ranks";
    EXPECT_EQ(at(s, "/execution/recompute"), "full");
    EXPECT_EQ(at(s, "/execution/compile"), true);
    EXPECT_EQ(at(s, "/execution/overlap/tensor"), true);
}

TEST(TorchtitanImport, CommandLineCountsOverTheFile) {
    const Json s = scenarioOf("NGPU=8 CONFIG_FILE=\"./llama3_8b.toml\" ./run_train.sh --training.local_batch_size 2 --parallelism.pipeline_parallel_degree=4 "
                              "--parallelism.pipeline_parallel_schedule Interleaved1F1B --training.compile --activation_checkpoint.mode selective "
                              "--activation_checkpoint.selective_ac_option 2",
                              withFile("./llama3_8b.toml", inputs::titan8b));
    EXPECT_EQ(at(s, "/cluster/nodes"), 1);
    EXPECT_EQ(at(s, "/parallelism/pipeline"), 4);
    EXPECT_EQ(at(s, "/parallelism/schedule"), "interleaved");
    EXPECT_EQ(at(s, "/parallelism/virtual_pipeline"), 2);
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 2) << "with a pipeline, gathered weights stay until backward";
    EXPECT_EQ(at(s, "/workload/micro_batch_size"), 1);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 4) << "2 on each of 8/4 data ranks";
    EXPECT_EQ(at(s, "/execution/recompute"), (Json{{"every", 2}}));
    EXPECT_EQ(at(s, "/execution/compile"), true);
}

/// torchtitan of 2026 names a function of its registry: run_train.sh's MODULE and CONFIG, or the options it makes of them.
TEST(TorchtitanImport, ConfigurationsOfTheRegistry) {
    for (const char* text : {"NGPU=8 MODULE=llama3 CONFIG=llama3_8b ./run_train.sh --training.local_batch_size 2 --parallelism.tensor_parallel_degree 2",
                             "torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config llama3_8b --training.local_batch_size 2 --parallelism.tensor_parallel_degree 2"}) {
        const Json s = scenarioOf(text);
        EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-8b") << text;
        EXPECT_EQ(at(s, "/workload/sequence_length"), 8192) << "the registry's own";
        EXPECT_EQ(at(s, "/workload/micro_batch_size"), 2) << "the command's counts";
        EXPECT_EQ(at(s, "/execution/recompute"), "selective");
    }
    const Json large = scenarioOf("NGPU=8 MODULE=llama3 CONFIG=llama3_405b ./run_train.sh");
    EXPECT_EQ(at(large, "/parallelism/tensor"), 8);
    EXPECT_EQ(at(large, "/workload/precision"), "fp8");
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=qwen3_30b_a3b ./run_train.sh"), "/model/preset"), "qwen3-30b-a3b");
    EXPECT_EQ(at(scenarioOf("NGPU=8 CONFIG=llama3_8b_mxfp8 ./run_train.sh"), "/workload/precision"), "mxfp8");
    const Import unknown = importCommandLine("NGPU=8 MODULE=llama9 CONFIG=llama9_1t ./run_train.sh");
    EXPECT_FALSE(unknown.scenario) << "nothing is taken in place of a model that nobody knows";
    EXPECT_EQ(mentions(unknown.problems, "unknown-model", "llama9_1t"), 1);
}

TEST(TorchtitanImport, HybridSharding) {
    const Json s = scenarioOf("torchrun --nproc_per_node=8 --nnodes 4 -m torchtitan.train --job.config_file c.toml --parallelism.data_parallel_replicate_degree 4 "
                              "--parallelism.data_parallel_shard_degree 8",
                              withFile("c.toml", inputs::titan8b));
    EXPECT_EQ(at(s, "/parallelism/shard_group"), 8);
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 3);
    EXPECT_EQ(at(s, "/cluster/nodes"), 4);
}

TEST(TorchtitanImport, EveryModelIsInTheCatalogue) {
    const Catalog catalog = shippedCatalog();
    for (const std::string& name : torchtitanModels()) {
        const std::size_t blank = name.find(' ');
        const auto model = torchtitanModel(name.substr(0, blank), name.substr(blank + 1));
        ASSERT_TRUE(model) << name;
        const ModelEntry* entry = catalog.model(model->model->at("preset").get<std::string>());
        ASSERT_TRUE(entry) << name;
        EXPECT_EQ(entry->config->value("num_hidden_layers", Json()), model->layers) << name;
    }
}

TEST(TorchtitanImport, UnknownKeysAreListedWithTheirLine) {
    const Import imported = importCommandLine("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_length = 4096\n[odd]\nthing = 3\n", {.fileName = "t.toml"});
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "training.seq_length", 5), 1);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "odd.thing", 7), 1);
}

TEST(TorchtitanImport, BrokenTomlAndUnknownModels) {
    const Import broken = importCommandLine("[model\nname = 3", {.fileName = "t.toml"});
    EXPECT_FALSE(broken.scenario);
    EXPECT_EQ(broken.problems.front().code, "no-toml");
    EXPECT_EQ(broken.problems.front().line, 1);
    const Import unknown = importCommandLine("[model]\nname = \"llama9\"\nflavor = \"1T\"\n");
    EXPECT_FALSE(unknown.scenario);
    EXPECT_EQ(mentions(unknown.problems, "unknown-model", "llama9", 3), 1);
}

Json titanWith(const std::string& words) { return scenarioOf("NGPU=8 CONFIG_FILE=\"./llama3_8b.toml\" ./run_train.sh " + words, withFile("./llama3_8b.toml", inputs::titan8b)); }

TEST(TorchtitanImport, TakesOverTheFormatsOfStates) {
    Json s = titanWith("--training.dtype bfloat16 --training.mixed_precision_reduce bfloat16");
    for (const char* key : {"weight_precision", "gradient_precision", "optimizer_precision"}) EXPECT_EQ(at(s, std::string("/workload/") + key), "bf16") << key;
    s = titanWith("--training.dtype bfloat16");
    EXPECT_EQ(at(s, "/workload/weight_precision"), "bf16");
    EXPECT_EQ(at(s, "/workload/gradient_precision"), Json()) << "kept like the weights, reduced in fp32";
    EXPECT_EQ(soundScenario(s).execution.profile.gradientBytes, 2);
    EXPECT_EQ(soundScenario(s).execution.profile.gradientReduceBytes, 4);
    s = titanWith("--optimizer.state_dtype bfloat16 --training.mixed_precision_reduce bfloat16");
    EXPECT_EQ(at(s, "/workload/optimizer_precision"), "bf16");
    EXPECT_EQ(at(s, "/workload/gradient_reduce_precision"), "bf16");
    EXPECT_EQ(soundScenario(s).execution.profile.gradientBytes, 4);
    EXPECT_EQ(soundScenario(s).execution.profile.gradientReduceBytes, 2);
}

TEST(TorchtitanImport, DualPipeVHoldsEachWeightOnce) {
    const Json s = titanWith("--parallelism.pipeline_parallel_degree 4 --parallelism.pipeline_parallel_schedule DualPipeV");
    EXPECT_EQ(at(s, "/parallelism/schedule"), "zb-v");
    soundScenario(s);
}

} // namespace
} // namespace orrery
