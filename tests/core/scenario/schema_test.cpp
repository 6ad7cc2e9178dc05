// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"
#include "tests/core/scenario/schema_validator.hpp"

#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_table.hpp"
#include "tests/support/folders.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace orrery::test {
namespace {

TEST(Schema, IsDraft7AndClosed) {
    const Json schema = scenarioSchema();
    EXPECT_EQ(schema.at("$schema"), "http://json-schema.org/draft-07/schema#");
    EXPECT_EQ(schema.at("additionalProperties"), false);
    EXPECT_EQ(schema.at(Json::json_pointer("/properties/parallelism/additionalProperties")), false);
    EXPECT_EQ(schema.at(Json::json_pointer("/properties/parallelism/properties/zero_stage/maximum")), 3);
    EXPECT_EQ(schema.at(Json::json_pointer("/properties/parallelism/properties/tensor/default")), 1);
    EXPECT_FALSE(schema.at(Json::json_pointer("/properties/view")).contains("additionalProperties"));
    EXPECT_FALSE(schema.at(Json::json_pointer("/properties/model/properties/config")).contains("additionalProperties"));
}

/// Every key that the contract names for a scenario, by the object that holds it.
TEST(Schema, HasEveryKeyOfTheContract) {
    const Json schema = scenarioSchema();
    const auto expectKeys = [&](const std::string& pointer, std::initializer_list<const char*> keys) {
        const Json& properties = schema.at(Json::json_pointer(pointer + "/properties"));
        for (const char* key : keys) {
            ASSERT_TRUE(properties.contains(key)) << pointer << " lacks " << key;
            EXPECT_FALSE(properties.at(key).at("description").get<std::string>().empty()) << key;
        }
    };
    expectKeys("", {"format", "name", "notes", "model", "cluster", "workload", "parallelism", "execution", "hybrid", "economics", "search", "view"});
    expectKeys("/properties/model", {"preset", "config", "config_file", "graph", "graph_file"});
    expectKeys("/properties/cluster", {"accelerator", "accelerators_per_node", "nodes", "scale_up", "scale_out", "topology"});
    for (const char* fabric : {"scale_up", "scale_out"})
        expectKeys(std::string("/properties/cluster/properties/") + fabric, {"bandwidth_gb_s", "latency_us", "domain_size", "oversubscription"});
    expectKeys("/properties/cluster/properties/topology/properties/nodes/items", {"id", "kind", "accelerator", "count", "replicas", "domain"});
    expectKeys("/properties/cluster/properties/topology/properties/links/items", {"from", "to", "bandwidth_gb_s", "latency_us", "count"});
    expectKeys("/properties/workload/oneOf/0", {"sequence_length", "global_batch_size", "micro_batch_size", "precision", "fp8_recipe", "optimizer",
                                                "gradient_precision", "optimizer_precision", "task", "lora_rank"});
    expectKeys("/properties/workload/oneOf/1", {"batch_size", "input_length", "output_length", "precision", "kv_cache_precision", "activation_scales"});
    expectKeys("/properties/workload/oneOf/2", {"requests", "engine", "fleet", "precision", "slo"});
    expectKeys("/properties/workload/oneOf/2/properties/fleet", {"router", "autoscale", "admission", "failures"});
    expectKeys("/properties/workload/oneOf/2/properties/fleet/properties/autoscale", {"min", "max", "interval_s", "start_s", "target"});
    expectKeys("/properties/workload/oneOf/2/properties/engine",
               {"max_num_seqs", "max_num_batched_tokens", "max_model_len", "enable_chunked_prefill", "enable_prefix_caching", "block_size",
                "gpu_memory_utilization", "kv_cache_dtype", "speculative", "disaggregation"});
    expectKeys("/properties/workload/oneOf/2/properties/requests",
               {"file", "hash_block_size", "count", "arrival", "input_tokens", "output_tokens", "seed"});
    expectKeys("/properties/parallelism",
               {"tensor", "pipeline", "virtual_pipeline", "context", "expert", "expert_tensor", "data", "sequence", "zero_stage", "shard_group",
                "schedule", "context_method", "attention_data", "order", "pipeline_layout"});
    expectKeys("/properties/execution",
               {"framework", "framework_version", "recompute", "attention", "compile", "cuda_graphs", "overlap", "moe_dispatcher", "fused_experts", "moe_dispatch", "expert_load",
                "offload", "passes", "jitter", "stragglers", "degraded_links", "profile", "calibration"});
    expectKeys("/properties/hybrid", {"ranks", "classes"});
    expectKeys("/properties/economics", {"price_per_accelerator_hour", "power_w", "tokens_total"});
    expectKeys("/properties/search", {"vary", "objective", "constraints"});
}

TEST(Schema, AcceptsWhatTheContractWritesOut) {
    const SchemaValidator validator;
    EXPECT_EQ(validator.mistakes(soundDocument()), "");
    Json document = soundDocument();
    document["execution"] = Json::parse(R"({"recompute": {"modules": ["attention"]}, "moe_dispatch": {"capacity_factor": 1.25},
        "expert_load": {"zipf": 1.1}, "offload": {"weights": 0, "activations": 0.5, "optimizer": 1}, "passes": {"fusion": false},
        "calibration": {"gemm_rate_of_peak": 0.48}, "overlap": {"data": true, "tensor": false, "pipeline": true, "expert": false}})");
    document["hybrid"] = Json::parse(R"({"ranks": {"0": "rank0.json"}, "classes": {"middle": 3}})");
    document["search"] = Json::parse(R"({"vary": {"/parallelism/tensor": [1, 2, 4, 8]}, "objective": {"maximize": "/mfu"},
        "constraints": [{"pointer": "/memory/peak_bytes", "op": "<", "value": 8e10}]})");
    EXPECT_EQ(validator.mistakes(document), "");
    document["workload"] = Json::parse(R"({"kind": "serving", "precision": "fp8", "requests": {"count": 100,
        "arrival": {"process": "poisson", "rate_per_s": 4}, "input_tokens": {"distribution": "lognormal", "mean": 500}, "output_tokens": 100, "seed": 1},
        "engine": {"max_num_seqs": 256, "kv_cache_dtype": "auto"}, "slo": {"ttft_s": 1}})");
    EXPECT_EQ(validator.mistakes(document), "");
    document["workload"]["requests"] = Json{{"file", "requests.jsonl"}};
    EXPECT_EQ(validator.mistakes(document), "");
}

/// The validator and the reader's own table must judge alike: one tree, two readings of it.
TEST(Schema, AgreesWithTheReadersTable) {
    const SchemaValidator validator;
    const std::vector<std::pair<std::string, Json>> changes{
        {"/parallelism/tensor", -1},
        {"/parallelism/tensor", 0},
        {"/parallelism/tensor", 2.5},
        {"/parallelism/tensor", "8"},
        {"/parallelism/tensor", 1e12},
        {"/parallelism/tensor", 7},
        {"/parallelism/tensr", 8},
        {"/parallelism/sequence", 1},
        {"/parallelism/zero_stage", 4},
        {"/parallelism/schedule", "zb-v"},
        {"/parallelism/schedule", "zigzag"},
        {"/parallelism/pipeline_layout", Json::array()},
        {"/parallelism/pipeline_layout", Json::array({40, 40})},
        {"/parallelism/pipeline_layout", Json::array({40, -1})},
        {"/workload/precision", "fp8"},
        {"/workload/precision", "int8"},
        {"/workload/kind", "inference"},
        {"/workload/kind", "dreaming"},
        {"/workload/batch_size", 4},
        {"/cluster/nodez", 1},
        {"/cluster/scale_out", Json{{"bandwidth_gb_s", 0}}},
        {"/cluster/scale_out", Json{{"bandwidth_gb_s", 50}}},
        {"/cluster/scale_up", Json{{"oversubscription", 0.5}}},
        {"/cluster/topology", Json{{"nodes", Json::array()}}},
        {"/cluster/accelerator", Json{{"id", "x"}, {"l2_mb", nullptr}}},
        {"/cluster/accelerator", Json{{"idd", "x"}}},
        {"/cluster/accelerator", 5},
        {"/execution", Json{{"recompute", "some"}}},
        {"/execution", Json{{"recompute", {{"every", 2}}}}},
        {"/execution", Json{{"recompute", {{"every", 0}}}}},
        {"/execution", Json{{"passes", {{"fusion", 1}}}}},
        {"/execution", Json{{"calibration", {{"x", 0}}}}},
        {"/execution", Json{{"jitter", 0.1}}},
        {"/model/preset", nullptr},
        {"/model/config_file", "a.json"},
        {"/format", nullptr},
        {"/format", "2"},
        {"/notes", Json::array({1})},
        {"/view", 3},
        {"/hybrid", 3},
        {"/search", Json::object()},
        {"/economics", Json{{"tokens_total", 0}}},
        {"/workload/precision", nullptr},
        {"/cluster/nodes", nullptr},
        {"/cluster/accelerator", nullptr},
    };
    int refused = 0;
    for (const auto& [pointer, value] : changes) {
        const Json document = changed(pointer, value);
        Problems problems;
        checkShape(document, scenarioShape(), "", problems);
        const std::string mistakes = validator.mistakes(document);
        EXPECT_EQ(mistakes.empty(), problems.empty()) << pointer << " = " << value.dump() << "\nvalidator: " << mistakes
                                                      << "\ntable: " << listed(problems);
        refused += problems.empty() ? 0 : 1;
    }
    EXPECT_GE(refused, 25);
}

TEST(Schema, EveryShippedExampleIsValid) {
    const SchemaValidator validator;
    for (const auto& entry : std::filesystem::directory_iterator(sourcePath("resources/examples"))) {
        if (!entry.path().string().ends_with(".orrery.json")) continue;
        std::ifstream in(entry.path());
        const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        Problems problems;
        const auto document = parseJson(text, entry.path().filename().string(), problems);
        ASSERT_TRUE(document.has_value()) << listed(problems);
        EXPECT_EQ(validator.mistakes(*document), "") << entry.path();
        const ScenarioReading reading = read(*document);
        EXPECT_TRUE(reading.scenario.has_value()) << entry.path() << "\n"
                                                  << listed(reading.problems);
    }
}

} // namespace
} // namespace orrery::test
