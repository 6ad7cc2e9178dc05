// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

// Defaults: what they are, and that each is listed as assumed.

namespace orrery::test {
namespace {

Json bareDocument() {
    Json document = soundDocument();
    document.erase("parallelism");
    document["cluster"].erase("accelerators_per_node");
    at(document, "/workload/global_batch_size") = 64;
    return document;
}

TEST(Filling, EveryDefaultIsListedOnce) {
    const ScenarioReading reading = read(bareDocument());
    ASSERT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    const Scenario& scenario = *reading.scenario;
    for (const char* pointer :
         {"/parallelism/tensor", "/parallelism/pipeline", "/parallelism/virtual_pipeline", "/parallelism/context", "/parallelism/expert",
          "/parallelism/expert_tensor", "/parallelism/sequence", "/parallelism/zero_stage", "/parallelism/schedule", "/parallelism/order",
          "/parallelism/pipeline_layout", "/workload/optimizer", "/workload/task", "/workload/gradient_precision",
          "/workload/optimizer_precision", "/execution/framework", "/execution/recompute", "/execution/attention", "/execution/compile",
          "/execution/cuda_graphs", "/execution/overlap/data", "/execution/overlap/tensor", "/execution/overlap/pipeline",
          "/execution/overlap/expert", "/cluster/accelerators_per_node", "/cluster/scale_up/bandwidth_gb_s", "/cluster/scale_up/latency_us",
          "/cluster/scale_up/domain_size", "/cluster/scale_out/bandwidth_gb_s", "/cluster/scale_out/latency_us",
          "/cluster/scale_out/oversubscription"}) {
        const auto count = std::count_if(scenario.assumed.begin(), scenario.assumed.end(), [&](const Assumption& a) { return a.pointer == pointer; });
        EXPECT_EQ(count, 1) << pointer;
    }
    for (const Assumption& assumption : scenario.assumed) {
        EXPECT_FALSE(assumption.why.empty()) << assumption.pointer;
        EXPECT_FALSE(assumption.value->is_null()) << assumption.pointer;
    }
}

TEST(Filling, FineTuningHasDefaultsOfItsOwn) {
    Json document = soundDocument();
    document["execution"]["framework"] = "nemo-2024";
    const auto reading = [&](const char* task) {
        document["workload"]["task"] = task;
        return read(document);
    };
    // Pre-training fills a sequence with one document and keeps moments in fp32.
    const ScenarioReading pretraining = reading("pretrain"), tuning = reading("sft");
    ASSERT_TRUE(pretraining.scenario && tuning.scenario) << listed(tuning.problems);
    EXPECT_EQ(pretraining.scenario->training().documentLength, 0);
    EXPECT_EQ(pretraining.scenario->training().optimizerElementBytes, 4);
    EXPECT_EQ(tuning.scenario->training().documentLength, 200);
    EXPECT_EQ(tuning.scenario->training().optimizerElementBytes, 2);
    document["workload"]["document_length"] = 4096;
    document["workload"]["optimizer_precision"] = "fp32";
    const ScenarioReading given = reading("sft");
    ASSERT_TRUE(given.scenario) << listed(given.problems);
    EXPECT_EQ(given.scenario->training().documentLength, 4096);
    EXPECT_EQ(given.scenario->training().optimizerElementBytes, 4);
}

TEST(Filling, WhatIsGivenIsNotAssumed) {
    const ScenarioReading reading = read(soundDocument());
    for (const char* pointer : {"/parallelism/tensor", "/parallelism/pipeline", "/parallelism/sequence", "/parallelism/zero_stage",
                                "/cluster/accelerators_per_node"})
        EXPECT_EQ(assumed(*reading.scenario, pointer), nullptr) << pointer;
}

// The values the contract states.
TEST(Filling, ContractDefaults) {
    const Scenario scenario = *read(bareDocument()).scenario;
    EXPECT_EQ(scenario.parallelism.tensor, 1);
    EXPECT_EQ(scenario.parallelism.pipeline, 1);
    EXPECT_EQ(scenario.parallelism.virtualPipeline, 1);
    EXPECT_EQ(scenario.parallelism.data, 64);
    EXPECT_FALSE(scenario.parallelism.sequence);
    EXPECT_EQ(scenario.parallelism.zeroStage, 0);
    EXPECT_EQ(scenario.parallelism.schedule, ScheduleKind::one_f_one_b);
    EXPECT_EQ(scenario.parallelism.order, "tp-cp-ep-dp-pp");
    EXPECT_EQ(scenario.parallelism.layout, (std::vector<int>{80}));
    EXPECT_EQ(scenario.training().optimizer, OptimizerKind::adam);
    EXPECT_EQ(scenario.execution.profile.id, catalog().newestFramework().id);
    EXPECT_EQ(*assumed(scenario, "/cluster/scale_up/domain_size")->value, 8);

    Json chunked = soundDocument();
    at(chunked, "/parallelism/virtual_pipeline") = 4;
    EXPECT_EQ(read(chunked).scenario->parallelism.schedule, ScheduleKind::interleaved);
    EXPECT_EQ(read(chunked).scenario->parallelism.layout, std::vector<int>(8, 10));
}

// The contract's own examples: H100 NVLink 450 GB/s, one 400 Gb/s NIC per accelerator 50 GB/s.
TEST(Filling, TheUsualPlatformFillsTheFabrics) {
    const Scenario scenario = *read(soundDocument()).scenario;
    EXPECT_EQ(*assumed(scenario, "/cluster/scale_up/bandwidth_gb_s")->value, 450);
    EXPECT_EQ(*assumed(scenario, "/cluster/scale_out/bandwidth_gb_s")->value, 50);
    EXPECT_EQ(scenario.cluster.accelerators(), 64);
}

TEST(Filling, AProfileSetsItsErasDefaults) {
    Json document = soundDocument();
    document["execution"] = Json{{"framework", "megatron-2021"}};
    const Scenario scenario = *read(document).scenario;
    EXPECT_EQ(scenario.execution.attention, AttentionKind::unfused);
    EXPECT_EQ(scenario.execution.recompute, RecomputeKind::full);
    EXPECT_FALSE(scenario.execution.overlap.data);
    ASSERT_NE(assumed(scenario, "/execution/attention"), nullptr);
    EXPECT_EQ(assumed(scenario, "/execution/attention")->why, "default of the profile megatron-2021");

    document["execution"]["attention"] = "flash";
    document["execution"]["overlap"] = Json{{"data", true}};
    const Scenario given = *read(document).scenario;
    EXPECT_EQ(given.execution.attention, AttentionKind::flash);
    EXPECT_TRUE(given.execution.overlap.data);
    EXPECT_EQ(assumed(given, "/execution/attention"), nullptr);
    EXPECT_EQ(assumed(given, "/execution/overlap/data"), nullptr);
    EXPECT_NE(assumed(given, "/execution/overlap/tensor"), nullptr);
}

TEST(Filling, AGradientPrecisionReplacesTheProfiles) {
    const double profile = catalog().newestFramework().gradientBytes;
    ASSERT_EQ(profile, 4);
    EXPECT_EQ(read(soundDocument()).scenario->execution.profile.gradientBytes, 4);
    EXPECT_EQ(read(changed("/workload/gradient_precision", "bf16")).scenario->execution.profile.gradientBytes, 2);
}

TEST(Filling, ModelsFromAFile) {
    const std::string config = catalog().model("llama-3.1-8b")->config->dump();
    const FileReader files = [&](const std::string& path, std::string& error) -> std::optional<std::string> {
        if (path == "config.json") return config;
        if (path == "broken.json") return "{\n\"a\": }";
        if (path == "empty.json") return "{}";
        error = path == "folder" ? "it is a directory" : "no such file";
        return std::nullopt;
    };
    const auto from = [&](const char* path) {
        Json document = soundDocument();
        document["model"] = Json{{"config_file", path}};
        return read(document, files);
    };
    const ScenarioReading good = from("config.json");
    ASSERT_TRUE(good.scenario.has_value()) << listed(good.problems);
    EXPECT_EQ(good.scenario->model.layers, 32);
    EXPECT_EQ(good.scenario->modelName, "llama");

    const ScenarioReading folder = from("folder");
    ASSERT_NE(find(folder.problems, "file-unreadable"), nullptr);
    EXPECT_EQ(find(folder.problems, "file-unreadable")->message, "Cannot read folder: it is a directory.");
    EXPECT_EQ(find(folder.problems, "file-unreadable")->pointer, "/model/config_file");

    const ScenarioReading broken = from("broken.json");
    ASSERT_NE(find(broken.problems, "json-syntax"), nullptr) << listed(broken.problems);
    EXPECT_EQ(find(broken.problems, "json-syntax")->file, "broken.json");
    EXPECT_EQ(find(broken.problems, "json-syntax")->line, 2);

    const ScenarioReading empty = from("empty.json");
    EXPECT_FALSE(empty.scenario.has_value());
    ASSERT_FALSE(empty.problems.empty());
    for (const Problem& problem : empty.problems) {
        EXPECT_EQ(problem.pointer, "/model/config_file");
        EXPECT_NE(problem.message.find("empty.json"), std::string::npos) << problem.message;
    }
    EXPECT_FALSE(from("absent.json").scenario.has_value());
}

TEST(Filling, ModelConfigsThatCannotBe) {
    Json document = soundDocument();
    document["model"] = Json{{"config", catalog().model("llama-3.1-70b")->config}};
    document["model"]["config"]["model_type"] = "time_machine";
    const ScenarioReading alike = read(document); // its fields are those of a model that is known
    EXPECT_TRUE(alike.scenario.has_value());
    const Problem* likeness = find(alike.problems, "architecture-by-likeness");
    ASSERT_NE(likeness, nullptr) << listed(alike.problems);
    EXPECT_NE(likeness->message.find("time_machine"), std::string::npos) << likeness->message;
    EXPECT_TRUE(likeness->pointer.starts_with("/model/config")) << likeness->pointer;
    document["model"]["config"].erase("num_attention_heads");
    const ScenarioReading unknown = read(document);
    EXPECT_FALSE(unknown.scenario.has_value());
    ASSERT_TRUE(hasErrors(unknown.problems));
    EXPECT_TRUE(unknown.problems.front().pointer.starts_with("/model/config")) << unknown.problems.front().pointer;

    document["model"]["config"] = catalog().model("llama-3.1-70b")->config;
    document["model"]["config"].erase("num_hidden_layers");
    const ScenarioReading missing = read(document);
    EXPECT_FALSE(missing.scenario.has_value());
    ASSERT_TRUE(hasErrors(missing.problems));
    EXPECT_NE(missing.problems.front().message.find("num_hidden_layers"), std::string::npos) << listed(missing.problems);

    document["model"]["config"] = "llama";
    expectProblem(document, "wrong-type", "/model/config", "A model config must be an object, but is \"llama\".");
}

TEST(Filling, EconomicsAndNotesAreKept) {
    Json document = soundDocument();
    document["notes"] = "first try";
    document["economics"] = Json{{"price_per_accelerator_hour", 2.5}, {"tokens_total", 1e12}};
    const Scenario scenario = *read(document).scenario;
    EXPECT_EQ(scenario.name, "Llama-3.1-70B on 8 DGX H100");
    EXPECT_EQ(scenario.notes, "first try");
    EXPECT_EQ(scenario.economics.pricePerAcceleratorHour, 2.5);
    EXPECT_EQ(scenario.economics.tokensTotal, 1e12);
    EXPECT_FALSE(scenario.economics.powerWatts.has_value());
    EXPECT_EQ(scenario.modelName, "llama-3.1-70b");
}

} // namespace
} // namespace orrery::test
