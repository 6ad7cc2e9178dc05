// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/scenario/serving_words.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"
#include "tests/core/scenario/schema_validator.hpp"

#include <set>

// Workloads of kind inference and serving: keys, defaults, rules and what is read of them.

namespace orrery::test {
namespace {

Json inferenceDocument() {
    return Json::parse(R"({
        "format": "orrery-scenario/1",
        "model": {"preset": "llama-3.1-8b"},
        "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 1},
        "workload": {"kind": "inference", "batch_size": 8, "input_length": 1024, "output_length": 128, "precision": "bf16"},
        "parallelism": {"tensor": 2}
    })");
}

Json servingDocument() {
    Json document = inferenceDocument();
    document["workload"] = Json::parse(R"({"kind": "serving", "precision": "bf16", "requests": {"count": 100,
        "arrival": {"process": "poisson", "rate_per_s": 4}, "input_tokens": 512, "output_tokens": 128}})");
    return document;
}

Json with(Json document, const std::string& pointer, Json value) {
    const Json::json_pointer place(pointer);
    if (value.is_null()) document.at(place.parent_pointer()).erase(place.back());
    else document[place] = std::move(value);
    return document;
}

Json serving(const std::string& pointer, Json value) { return with(servingDocument(), pointer, std::move(value)); }
Json inference(const std::string& pointer, Json value) { return with(inferenceDocument(), pointer, std::move(value)); }

Scenario sound(const Json& document, const FileReader& files = {}) {
    const ScenarioReading reading = read(document, files);
    EXPECT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    return reading.scenario.value_or(Scenario{});
}

const ServingWorkload& served(const Scenario& scenario) { return std::get<ServingWorkload>(scenario.workload); }

/// A warning of this code at this place, beside a scenario that is read.
void expectWarning(const Json& document, const std::string& code, const std::string& pointer) {
    const ScenarioReading reading = read(document);
    EXPECT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    for (const Problem& problem : reading.problems)
        if (problem.code == code && problem.pointer == pointer) {
            EXPECT_EQ(problem.severity, Severity::warning);
            EXPECT_FALSE(problem.mend.empty());
            return;
        }
    ADD_FAILURE() << "no " << code << " at " << pointer << " among:\n"
                  << listed(reading.problems);
}

void expectRefused(const Json& document, const std::string& code, const std::string& pointer) {
    const ScenarioReading reading = read(document);
    EXPECT_FALSE(reading.scenario.has_value());
    for (const Problem& problem : reading.problems)
        if (problem.code == code && problem.pointer == pointer && problem.severity == Severity::error) {
            EXPECT_FALSE(problem.mend.empty());
            if (!problem.edits.empty()) {
                const ScenarioReading again = read(mended(document, problem));
                EXPECT_TRUE(again.scenario.has_value()) << toText(problem) << "\nthen:\n"
                                                        << listed(again.problems);
            }
            return;
        }
    ADD_FAILURE() << "no " << code << " at " << pointer << " among:\n"
                  << listed(reading.problems);
}

TEST(Inference, IsReadWithTheNewestVllm) {
    const Scenario scenario = sound(inferenceDocument());
    const auto& batch = std::get<InferenceWorkload>(scenario.workload);
    EXPECT_EQ(batch.batchSize, 8);
    EXPECT_EQ(batch.inputLength, 1024);
    EXPECT_EQ(batch.outputLength, 128);
    EXPECT_EQ(wordOf(batch.cachePrecision), "bf16");
    EXPECT_EQ(wordOf(scenario.precision()), "bf16");
    EXPECT_EQ(scenario.execution.profile.id, "vllm-2026");
    EXPECT_EQ(scenario.parallelism.data, 4); // 8 accelerators in instances of 2
    EXPECT_EQ(scenario.parallelism.ranks(), 8);
    EXPECT_EQ(scenario.parallelism.layout, std::vector<int>{32});
    EXPECT_FALSE(scenario.isTraining());
    EXPECT_TRUE(scenario.warnings.empty()) << listed(scenario.warnings);
}

TEST(Inference, CacheFollowsSixteenBitWeightsUnlessGiven) {
    const auto cache = [](const Json& document) { return wordOf(std::get<InferenceWorkload>(sound(document).workload).cachePrecision); };
    EXPECT_EQ(cache(inference("/workload/precision", "fp16")), "fp16");
    // vLLM's auto is 16 bit unless a checkpoint brings scales of the cache, which TensorRT-LLM's (ModelOpt's kv_cache_quant_algo) do.
    EXPECT_EQ(cache(inference("/workload/precision", "fp8")), "bf16");
    EXPECT_EQ(cache(with(inference("/workload/precision", "fp8"), "/execution", Json{{"framework", "trtllm-2025"}})), "fp8");
    EXPECT_EQ(cache(inference("/workload/kv_cache_precision", "fp8")), "fp8");
    EXPECT_EQ(cache(inference("/workload/kv_cache_precision", "auto")), "bf16");
}

/// What the cache's format is left at changes no scales; one that is said to have 16 bit is a checkpoint without them.
TEST(Inference, ScalesOfInputsAreTheCheckpoints) {
    const auto scales = [](const Json& document) { return wordOf(std::get<InferenceWorkload>(sound(document).workload).scales); };
    Json document = inference("/workload/precision", "fp8");
    EXPECT_EQ(scales(document), "calibrated");
    for (const auto& [cache, expected] : {std::pair("auto", "calibrated"), std::pair("fp8", "calibrated"), std::pair("bf16", "at_run_time")}) {
        document["workload"]["kv_cache_precision"] = cache;
        EXPECT_EQ(scales(document), expected) << cache;
    }
    document["workload"]["activation_scales"] = "calibrated";
    EXPECT_EQ(scales(document), "calibrated") << "what is said counts";
}

/// No key of training is filled in, and each that is filled says why.
TEST(Served, NothingOfTrainingIsAssumed) {
    const std::set<std::string> ofTraining{"/parallelism/virtual_pipeline", "/parallelism/zero_stage", "/parallelism/schedule", "/parallelism/sequence",
                                           "/execution/recompute", "/execution/overlap/data", "/workload/optimizer", "/workload/task",
                                           "/workload/gradient_precision", "/workload/optimizer_precision"};
    for (const Json& document : {inferenceDocument(), servingDocument()}) {
        const Scenario scenario = sound(document);
        std::set<std::string> seen;
        for (const Assumption& assumption : scenario.assumed) {
            EXPECT_FALSE(ofTraining.contains(assumption.pointer)) << assumption.pointer;
            EXPECT_FALSE(assumption.why.empty()) << assumption.pointer;
            EXPECT_TRUE(seen.insert(assumption.pointer).second) << assumption.pointer << " twice";
        }
        for (const char* pointer : {"/execution/framework", "/execution/attention", "/parallelism/data", "/parallelism/pipeline", "/parallelism/pipeline_layout"})
            EXPECT_TRUE(seen.contains(pointer)) << pointer;
    }
}

/// A scenario that writes out what was assumed gives the same scenario, with nothing of it assumed.
TEST(Served, WhatWasAssumedCanBeWrittenOut) {
    for (const Json& document : {inferenceDocument(), servingDocument()}) {
        const Scenario first = sound(document);
        Json whole = document;
        for (const Assumption& assumption : first.assumed)
            if (!assumption.pointer.starts_with("/execution/calibration")) whole[Json::json_pointer(assumption.pointer)] = *assumption.value;
        const Scenario again = sound(whole);
        EXPECT_TRUE(again.warnings.empty()) << listed(again.warnings);
        for (const Assumption& assumption : again.assumed) EXPECT_FALSE(assumption.pointer.starts_with("/workload")) << assumption.pointer;
        EXPECT_EQ(again.parallelism.data, first.parallelism.data);
        EXPECT_EQ(again.parallelism.layout, first.parallelism.layout);
        EXPECT_EQ(again.workload.index(), first.workload.index());
    }
}

TEST(Served, KeysOfTrainingAreNamedAndChangeNothing) {
    expectWarning(inference("/parallelism/zero_stage", 3), "no-effect", "/parallelism/zero_stage");
    expectWarning(inference("/parallelism/schedule", "1f1b"), "no-effect", "/parallelism/schedule");
    expectWarning(serving("/parallelism/sequence", true), "no-effect", "/parallelism/sequence");
    expectWarning(serving("/parallelism/virtual_pipeline", 2), "no-effect", "/parallelism/virtual_pipeline");
    expectWarning(serving("/execution", Json{{"recompute", "full"}}), "no-effect", "/execution/recompute");
    expectWarning(serving("/execution", Json{{"offload", {{"optimizer", 1}}}}), "no-effect", "/execution/offload/optimizer");
    expectWarning(serving("/economics", Json{{"tokens_total", 1e12}}), "no-effect", "/economics/tokens_total");
    expectWarning(serving("/execution", Json{{"framework", "megatron-core-2025"}}), "profile-of-training", "/execution/framework");
    // Off is no request for anything.
    EXPECT_TRUE(sound(serving("/execution", Json{{"recompute", "none"}})).warnings.empty());
}

TEST(Served, InstancesShareOutTheAccelerators) {
    expectRefused(inference("/parallelism/tensor", 3), "tensor-heads", "/parallelism/tensor");
    expectRefused(inference("/parallelism/pipeline", 3), "ranks-not-divisible", "/parallelism/pipeline");
    expectRefused(inference("/parallelism/pipeline", 16), "too-many-ranks", "/parallelism/pipeline");
    expectRefused(inference("/parallelism/attention_data", 8), "too-many-ranks", "/parallelism/attention_data");
    expectRefused(inference("/parallelism/data", 5), "data-mismatch", "/parallelism/data");
    expectRefused(inference("/parallelism/expert", 2), "expert-not-divisible", "/parallelism/expert");
    expectWarning(inference("/parallelism/data", 3), "idle-accelerators", "/parallelism/data");
    // 32 heads with 8 key-value heads: 16 tensor ranks hold each of these twice.
    Json wide = with(inference("/parallelism/tensor", 16), "/cluster/nodes", 2);
    EXPECT_EQ(sound(wide).parallelism.data, 1);
    // A layout has a stage for each of the plan's.
    Json staged = inference("/parallelism/pipeline", 2);
    EXPECT_EQ(sound(with(staged, "/parallelism/pipeline_layout", {17, 15})).parallelism.layout, (std::vector<int>{17, 15}));
    expectRefused(with(staged, "/parallelism/pipeline_layout", {17, 16}), "layout-mismatch", "/parallelism/pipeline_layout");
    expectRefused(with(staged, "/parallelism/pipeline_layout", {32}), "layout-mismatch", "/parallelism/pipeline_layout");
}

TEST(Served, ExpertsLieOnTheRanksOfOneInstance) {
    const auto mixture = [](int tensor, int attentionData, int expert, int matrices) {
        Json document = inferenceDocument();
        document["model"] = Json{{"preset", "mixtral-8x7b"}};
        document["parallelism"] = Json{{"tensor", tensor}, {"attention_data", attentionData}, {"expert", expert}, {"expert_tensor", matrices}};
        return document;
    };
    for (const auto& [tensor, attentionData, expert, matrices] : {std::array{8, 1, 1, 8}, {8, 1, 8, 1}, {4, 2, 4, 2}, {1, 8, 8, 1}, {2, 1, 2, 1}}) {
        const Scenario scenario = sound(mixture(tensor, attentionData, expert, matrices));
        EXPECT_EQ(scenario.parallelism.attentionData, attentionData);
        EXPECT_EQ(scenario.parallelism.data, 8 / (tensor * attentionData));
    }
    // Four instances of two ranks each: eight expert ranks would reach over instances.
    expectRefused(mixture(2, 1, 8, 1), "expert-not-divisible", "/parallelism/expert");
    expectRefused(mixture(8, 1, 3, 1), "expert-not-divisible", "/parallelism/expert");
    // Engines share out all that is there: whatever is left untold, and what a scenario says otherwise.
    Json untold = mixture(8, 1, 1, 1);
    untold["parallelism"] = Json{{"tensor", 8}};
    EXPECT_EQ(sound(untold).parallelism.expertTensor, 8);
    expectWarning(mixture(8, 1, 2, 1), "experts-shared", "/parallelism/expert_tensor");
}

/// 256 experts on 48 ranks: six places each hold 32 of them twice. What would do is in the refusal, for the pool that asks.
TEST(Serving, CopiesOfExpertsFillRanksThatDoNotDivideThem) {
    Json document = servingDocument();
    document["model"] = Json{{"preset", "deepseek-r1"}};
    document["cluster"] = Json{{"accelerator", "gb300"}, {"accelerators_per_node", 4}, {"nodes", 16}, {"scale_up", {{"domain_size", 72}}}};
    document["workload"]["precision"] = "nvfp4";
    document["parallelism"] = Json::object();
    const auto pool = [](int instances, int ranks) { return Json{{"instances", instances}, {"parallelism", {{"tensor", 1}, {"attention_data", ranks}, {"expert", ranks}}}}; };
    document["workload"]["engine"]["disaggregation"] = Json{{"prefill", pool(4, 4)}, {"decode", pool(1, 48)}};
    const std::string decode = "/workload/engine/disaggregation/decode";
    expectRefused(document, "expert-not-divisible", decode + "/parallelism/expert");
    const ScenarioReading refused = read(document);
    const auto problem = std::find_if(refused.problems.begin(), refused.problems.end(), [](const Problem& one) { return one.code == "expert-not-divisible"; });
    ASSERT_NE(problem, refused.problems.end());
    EXPECT_NE(problem->mend.find("expert_slots 288"), std::string::npos) << problem->mend;
    ASSERT_EQ(problem->edits.size(), 1u);
    EXPECT_EQ(problem->edits[0].pointer, decode + "/engine/expert_slots");
    EXPECT_EQ(problem->edits[0].value, Json(288));

    const Json slots = with(document, decode + "/engine", Json{{"expert_slots", 288}});
    const Disaggregation pools = *served(sound(slots)).disaggregation;
    EXPECT_EQ(pools.decode.engine.expertSlots, 288);
    EXPECT_EQ(pools.prefill.engine.expertSlots, 0);
    // What both pools say is the engine's; 288 divide over 4 ranks too.
    const Json both = with(document, "/workload/engine/expert_slots", 288);
    EXPECT_EQ(served(sound(both)).disaggregation->prefill.engine.expertSlots, 288);
    expectRefused(with(both, decode + "/engine", Json{{"expert_slots", 300}}), "expert-not-divisible", decode + "/parallelism/expert");
    expectRefused(with(document, decode + "/engine", Json{{"expert_slots", 240}}), "expert-slots", decode + "/engine/expert_slots");
}

TEST(Serving, TiersOfTheCacheStandFromNearToFar) {
    const Json host{{"kind", "host"}, {"capacity_gb", 100}, {"bandwidth_gb_s", 50}}, disk{{"kind", "disk"}, {"capacity_gb", 2000}, {"bandwidth_gb_s", 6}, {"policy", "on_eviction"}, {"prefetch", true}};
    const EngineSettings engine = served(sound(serving("/workload/engine", Json{{"kv_tiers", {host, disk}}}))).engine.settings;
    ASSERT_EQ(engine.tiers.size(), 2u);
    EXPECT_EQ(engine.tiers[0], (CacheTierSettings{CacheTierKind::host, 1e11, 5e10, TierWrites::write_through, false}));
    EXPECT_EQ(engine.tiers[1], (CacheTierSettings{CacheTierKind::disk, 2e12, 6e9, TierWrites::on_eviction, true}));
    expectRefused(serving("/workload/engine", Json{{"kv_tiers", {disk, host}}}), "tier-order", "/workload/engine/kv_tiers/1/kind");
    expectRefused(serving("/workload/engine", Json{{"kv_tiers", {host, host}}}), "tier-order", "/workload/engine/kv_tiers/1/kind");
    expectWarning(serving("/workload/engine", Json{{"kv_tiers", {host}}, {"enable_prefix_caching", false}}), "no-effect", "/workload/engine/kv_tiers");
}

TEST(Serving, SessionsHaveTurnsWaitsAndBranches) {
    const SessionLaw sessions = *std::get<RequestLaw>(served(sound(serving("/workload/requests/sessions", Json::parse(R"({"turns": {"distribution": "uniform", "min": 2, "max": 9},
        "tool_wait_s": 1.5, "branches": 3, "turn_input_tokens": 200})"))))
                                                          .requests)
                                     .sessions;
    EXPECT_EQ(sessions.turns.kind, LengthKind::uniform);
    EXPECT_EQ(sessions.turns.most, 9);
    EXPECT_EQ(sessions.toolWait, 1.5);
    EXPECT_EQ(sessions.branches, 3);
    EXPECT_EQ(sessions.branchTurns.mean, 1);
    EXPECT_EQ(sessions.turnInput->mean, 200);
    expectRefused(serving("/workload/requests/sessions", Json{{"turns", 0}}), "out-of-range", "/workload/requests/sessions/turns");
}

TEST(Serving, SlotsThatHoldNothingAreNamed) {
    expectRefused(serving("/workload/engine", Json{{"expert_slots", 16}}), "no-experts", "/workload/engine/expert_slots");
    Json mixture = with(serving("/workload/engine", Json{{"expert_slots", 16}}), "/model/preset", "mixtral-8x7b");
    mixture["parallelism"] = Json{{"tensor", 8}};
    expectWarning(mixture, "no-effect", "/workload/engine/expert_slots");
    mixture["parallelism"] = Json{{"tensor", 8}, {"expert", 8}};
    EXPECT_EQ(served(sound(mixture)).engine.expertSlots, 16);
    // More ranks than experts.
    Json wide = with(mixture, "/cluster/nodes", 2);
    wide["parallelism"] = Json{{"tensor", 1}, {"attention_data", 16}, {"expert", 16}};
    sound(wide);
    wide["workload"]["engine"] = Json::object();
    expectRefused(wide, "expert-not-divisible", "/parallelism/expert");
}

TEST(Served, PrecisionsThatAreWeightsOnlyRunIn16Bit) {
    for (const char* precision : {"bf16", "fp16", "fp8", "mxfp8", "int8", "int4", "mxfp4"})
        EXPECT_EQ(wordOf(sound(inference("/workload/precision", precision)).precision()), precision);
    // No 4-bit units in Hopper, no 8-bit ones in Ampere: vLLM widens such weights, TensorRT-LLM does not.
    for (const Json& narrow : {inference("/workload/precision", "nvfp4"), with(inference("/workload/precision", "fp8"), "/cluster/accelerator", "a100-sxm4-80gb")}) {
        expectWarning(narrow, "weights-only", "/workload/precision");
        expectRefused(with(narrow, "/execution", Json{{"framework", "trtllm-2025"}}), "precision-not-on-accelerator", "/workload/precision");
    }
}

TEST(Served, LengthsBeyondTheModelAreWarnedOf) {
    expectWarning(inference("/workload/input_length", 131072), "sequence-beyond-positions", "/workload/output_length");
    expectWarning(serving("/workload/engine", Json{{"max_model_len", 262144}}), "sequence-beyond-positions", "/workload/engine/max_model_len");
    expectWarning(serving("/workload/engine", Json{{"max_model_len", 600}}), "requests-too-long", "/workload/requests/output_tokens");
}

TEST(Served, AGraphIsNotServed) {
    Json document = inferenceDocument();
    document["model"] = Json{{"graph_file", "block.json"}};
    EXPECT_FALSE(read(document).scenario.has_value());
}

TEST(Serving, EveryKeyOfTheContractIsRead) {
    Json document = servingDocument();
    document["cluster"]["nodes"] = 4;
    document["workload"] = Json::parse(R"({"kind": "serving", "precision": "fp8",
        "requests": {"count": 1000, "arrival": {"process": "gamma", "rate_per_s": 2.5, "burstiness": 0.5},
            "input_tokens": {"distribution": "lognormal", "mean": 900, "std": 400, "min": 300, "max": 8000},
            "output_tokens": {"distribution": "uniform", "min": 10, "max": 500}, "shared_prefix_tokens": 256, "seed": 7},
        "engine": {"max_num_seqs": 200, "max_num_batched_tokens": 4096, "max_model_len": 16384, "enable_chunked_prefill": true,
            "enable_prefix_caching": true, "block_size": 32, "gpu_memory_utilization": 0.85, "kv_cache_dtype": "fp8",
            "scheduler_policy": "trtllm_max_utilization", "async_scheduling": true, "scheduling_policy": "priority",
            "speculative": {"method": "draft_model", "tokens": 4, "acceptance": 0.6, "draft_model": "llama-3.2-1b"},
            "disaggregation": {"prefill": {"instances": 2, "hosts": 1, "parallelism": {"tensor": 4}, "engine": {"max_num_seqs": 16}},
                               "decode": {"hosts": 2, "parallelism": {"tensor": 8}}},
            "router": "prefix_aware"},
        "slo": {"ttft_s": 1, "tpot_s": 0.05, "e2e_s": 30}})");
    EXPECT_EQ(SchemaValidator().mistakes(document), "");
    const Scenario scenario = sound(document);
    const ServingWorkload& workload = served(scenario);
    const auto& law = std::get<RequestLaw>(workload.requests);
    EXPECT_EQ(law.count, 1000);
    EXPECT_EQ(law.process, ArrivalProcess::gamma);
    EXPECT_EQ(law.ratePerSecond, 2.5);
    EXPECT_EQ(law.shape, 0.5);
    EXPECT_EQ(law.input.kind, LengthKind::lognormal);
    EXPECT_EQ(law.input.mean, 900);
    EXPECT_EQ(law.input.deviation, 400);
    EXPECT_EQ(law.output.least, 10);
    EXPECT_EQ(law.output.most, 500);
    EXPECT_EQ(law.sharedPrefix, 256);
    EXPECT_EQ(law.seed, 7u);
    const EngineOptions& engine = workload.engine;
    EXPECT_EQ(engine.settings.maxSeqs, 200);
    EXPECT_EQ(engine.settings.maxBatchedTokens, 4096);
    EXPECT_EQ(engine.settings.maxModelLength, 16384);
    EXPECT_TRUE(engine.settings.chunkedPrefill);
    EXPECT_TRUE(engine.settings.prefixCaching);
    EXPECT_EQ(engine.settings.blockSize, 32);
    EXPECT_EQ(engine.memoryShare, 0.85);
    EXPECT_EQ(wordOf(engine.cachePrecision), "fp8");
    EXPECT_EQ(engine.settings.policy, SchedulerPolicy::trtllm_max_utilization);
    EXPECT_TRUE(engine.settings.asyncScheduling);
    EXPECT_EQ(engine.settings.order, QueueOrder::priority);
    ASSERT_TRUE(engine.drafts.has_value());
    EXPECT_EQ(engine.drafts->method, DraftMethod::draft_model);
    EXPECT_EQ(engine.settings.speculative.tokens, 4);
    EXPECT_EQ(engine.settings.speculative.acceptance, 0.6);
    ASSERT_NE(engine.drafts->model, nullptr);
    EXPECT_EQ(engine.drafts->name, "llama-3.2-1b");
    EXPECT_LT(engine.drafts->model->layers, scenario.model.layers);
    ASSERT_TRUE(workload.disaggregation.has_value());
    const ServingPool &prefill = workload.disaggregation->prefill, &decode = workload.disaggregation->decode;
    EXPECT_EQ(prefill.instances, 2);
    EXPECT_EQ(prefill.plan.tensor, 4);
    EXPECT_EQ(prefill.engine.settings.maxSeqs, 16);
    EXPECT_EQ(prefill.engine.settings.maxBatchedTokens, 4096); // as the scenario's engine
    EXPECT_EQ(prefill.places, (std::vector<AcceleratorRange>{{0, 8}}));
    EXPECT_EQ(decode.instances, 2); // two hosts of eight hold two instances of eight
    EXPECT_EQ(decode.plan.tensor, 8);
    EXPECT_EQ(decode.engine.settings.maxSeqs, 200);
    EXPECT_EQ(decode.places, (std::vector<AcceleratorRange>{{8, 16}}));
    EXPECT_EQ(scenario.parallelism.data, 4);
    EXPECT_EQ(workload.router, RouterKind::prefix_aware);
    EXPECT_EQ(wordOf(workload.precision), "fp8");
    EXPECT_EQ(workload.slo.ttft, 1);
    EXPECT_EQ(workload.slo.tpot, 0.05);
    EXPECT_EQ(workload.slo.e2e, 30);
}

TEST(Serving, UnknownKeysAreRefusedWhereTheyStand) {
    expectProblem(serving("/workload/engin", Json::object()), "unknown-key", "/workload/engin",
                  "There is no key \"engin\" in /workload; the nearest known key is \"engine\".");
    expectProblem(serving("/workload/engine/max_num_sequs", 8), "unknown-key", "/workload/engine/max_num_sequs",
                  "There is no key \"max_num_sequs\" in /workload/engine; the nearest known key is \"max_num_seqs\".");
    for (const char* pointer : {"/workload/requests/coun", "/workload/requests/arrival/rate_per_sec", "/workload/slo/tfft_s", "/workload/requests/input_tokens/mode",
                                "/workload/engine/speculative/accept", "/workload/engine/disaggregation/prefill/instance",
                                "/workload/engine/disaggregation/decode/parallelism/zero_stage", "/workload/engine/disaggregation/decode/engine/router"}) {
        Json document = servingDocument();
        document["workload"]["engine"] = Json::parse(R"({"speculative": {"method": "ngram"}, "disaggregation": {"prefill": {"instances": 1}, "decode": {"instances": 1}}})");
        document["workload"]["slo"] = Json::object();
        document["workload"]["requests"]["input_tokens"] = Json{{"distribution", "exponential"}, {"mean", 100}};
        const ScenarioReading reading = read(with(document, pointer, 1));
        EXPECT_FALSE(reading.scenario.has_value()) << pointer;
        const Problem* problem = find(reading.problems, "unknown-key");
        ASSERT_NE(problem, nullptr) << pointer << "\n"
                                    << listed(reading.problems);
        EXPECT_EQ(problem->pointer, pointer);
    }
}

TEST(Serving, WordsAndRangesAreChecked) {
    const std::pair<const char*, Json> wrong[] = {{"/workload/engine/router", "random"}, {"/workload/engine/scheduler_policy", "vllm_v2"}, {"/workload/engine/scheduling_policy", "lifo"}, {"/workload/engine/kv_cache_dtype", "fp5"}, {"/workload/requests/arrival/process", "bursts"}, {"/workload/engine/speculative", Json{{"method", "guess"}}}, {"/workload/requests/input_tokens", Json{{"distribution", "pareto"}}}};
    for (const auto& [pointer, value] : wrong) EXPECT_NE(find(read(serving(pointer, value)).problems, "unknown-value"), nullptr) << pointer;
    const std::pair<const char*, Json> beyond[] = {{"/workload/engine/gpu_memory_utilization", 1.5}, {"/workload/engine/max_num_seqs", 0}, {"/workload/engine/block_size", 0}, {"/workload/requests/count", 0}, {"/workload/requests/arrival/rate_per_s", 0}, {"/workload/slo/ttft_s", 0}, {"/workload/engine/speculative", Json{{"method", "ngram"}, {"acceptance", 2}}}};
    for (const auto& [pointer, value] : beyond) {
        const ScenarioReading reading = read(serving(pointer, value));
        EXPECT_FALSE(reading.scenario.has_value()) << pointer;
        EXPECT_NE(find(reading.problems, "out-of-range"), nullptr) << pointer;
    }
    expectRefused(serving("/workload/requests/arrival/rate_per_s", nullptr), "missing-key", "/workload/requests/arrival/rate_per_s");
    expectRefused(serving("/workload/requests/arrival", Json{{"process", "closed_loop"}}), "missing-key", "/workload/requests/arrival/concurrency");
    expectWarning(serving("/workload/requests/arrival", Json{{"process", "all_at_once"}, {"rate_per_s", 1}}), "no-effect", "/workload/requests/arrival/rate_per_s");
    expectRefused(serving("/workload/requests/shared_prefix_tokens", 513), "prefix-beyond-input", "/workload/requests/shared_prefix_tokens");
}

// vllm/engine/arg_utils.py of 0.11: block_size 16, gpu_memory_utilization 0.9; 8192 tokens and 1024 requests of a step on accelerators of 70 GiB
// and more that are no A100, else 2048 and 256; both V1 features on.
TEST(Serving, DefaultsAreVllms) {
    const EngineOptions engine = served(sound(servingDocument())).engine;
    EXPECT_EQ(engine.settings.policy, SchedulerPolicy::vllm);
    EXPECT_EQ(engine.settings.blockSize, 16);
    EXPECT_EQ(engine.memoryShare, 0.9);
    EXPECT_EQ(engine.settings.maxBatchedTokens, 8192);
    EXPECT_EQ(engine.settings.maxSeqs, 1024);
    EXPECT_EQ(engine.settings.maxModelLength, 131072);
    EXPECT_EQ(wordOf(engine.cachePrecision), "bf16");
    EXPECT_TRUE(engine.settings.chunkedPrefill);
    EXPECT_TRUE(engine.settings.prefixCaching);
    EXPECT_FALSE(engine.settings.asyncScheduling);
    EXPECT_EQ(engine.settings.order, QueueOrder::fcfs);
    EXPECT_FALSE(engine.drafts.has_value());
    for (const char* accelerator : {"a100-sxm4-80gb", "l40s"}) {
        const EngineOptions smaller = served(sound(serving("/cluster/accelerator", accelerator))).engine;
        EXPECT_EQ(smaller.settings.maxBatchedTokens, 2048) << accelerator;
        EXPECT_EQ(smaller.settings.maxSeqs, 256) << accelerator;
    }
    const Scenario scenario = sound(servingDocument());
    for (const char* key : {"max_num_seqs", "max_num_batched_tokens", "max_model_len", "enable_chunked_prefill", "enable_prefix_caching", "block_size",
                            "gpu_memory_utilization", "kv_cache_dtype", "scheduler_policy", "async_scheduling", "scheduling_policy", "router"})
        EXPECT_NE(assumed(scenario, std::string("/workload/engine/") + key), nullptr) << key;
}

TEST(Serving, SchedulersFollowTheProfile) {
    const auto engine = [](const char* framework) { return served(sound(serving("/execution", Json{{"framework", framework}}))).engine; };
    EXPECT_EQ(engine("vllm-2024").settings.policy, SchedulerPolicy::vllm_v0);
    EXPECT_EQ(engine("trtllm-2025").settings.policy, SchedulerPolicy::trtllm_guaranteed_no_evict);
    EXPECT_EQ(engine("sglang-2025").settings.policy, SchedulerPolicy::sglang);
    EXPECT_EQ(engine("generic-2026").settings.policy, SchedulerPolicy::vllm);
    EXPECT_FALSE(engine("vllm-2023").settings.chunkedPrefill);
    EXPECT_EQ(engine("vllm-2023").settings.maxBatchedTokens, 131072); // a whole prompt
    EXPECT_EQ(engine("vllm-2024").settings.maxBatchedTokens, 512);    // chunked, for the model has more than 32768 positions
}

/// An engine of TensorRT-LLM that splits no prompts takes a step in which the longest fits beside a token of each sequence.
TEST(Serving, WholePromptsFitAStepOfTensorRt) {
    const auto tokens = [](const Json& input, bool chunks) {
        Json document = serving("/execution", Json{{"framework", "trtllm-2025"}});
        document["workload"]["requests"]["input_tokens"] = input;
        if (chunks) document["workload"]["engine"]["enable_chunked_prefill"] = true;
        return served(sound(document)).engine.settings.maxBatchedTokens;
    };
    EXPECT_EQ(tokens(1000, false), 8192);
    EXPECT_EQ(tokens(20000, false), 20000 + 2048);
    EXPECT_EQ(tokens(20000, true), 8192);
    const int drawn = tokens(Json{{"distribution", "uniform"}, {"min", 9000}, {"max", 12000}}, false);
    EXPECT_GT(drawn, 9000 + 2048);
    EXPECT_LE(drawn, 12000 + 2048);
}

TEST(Serving, LimitsThatNoEngineStartsWith) {
    expectRefused(serving("/workload/engine", Json{{"enable_chunked_prefill", false}, {"max_num_batched_tokens", 4096}}), "batched-tokens-below-length",
                  "/workload/engine/max_num_batched_tokens");
    expectRefused(serving("/workload/engine", Json{{"max_num_seqs", 512}, {"max_num_batched_tokens", 256}}), "batched-tokens-below-sequences", "/workload/engine/max_num_seqs");
    expectWarning(serving("/workload/engine", Json{{"router", "prefix_aware"}, {"enable_prefix_caching", false}}), "no-effect", "/workload/engine/router");
    expectRefused(serving("/workload/engine", Json{{"speculative", {{"method", "draft_model"}}}}), "missing-key", "/workload/engine/speculative/draft_model");
    expectRefused(serving("/workload/engine", Json{{"speculative", {{"method", "draft_model"}, {"draft_model", "llama-3.2-1"}}}}), "unknown-model",
                  "/workload/engine/speculative/draft_model");
}

TEST(Serving, RequestsOfAFile) {
    const std::string text = "{\"arrival_s\": 0, \"input_tokens\": 300, \"output_tokens\": 100}\n\n{\"arrival_s\": 0.5, \"input_tokens\": 8, \"output_tokens\": 1}\n";
    std::string asked;
    const auto files = [&](const std::string& content) {
        return [&asked, content](const std::string& path, std::string&) { asked = path; return std::optional<std::string>(content); };
    };
    const Json document = serving("/workload/requests", Json{{"file", "log.jsonl"}});
    const Scenario scenario = sound(document, files(text));
    EXPECT_EQ(asked, "log.jsonl");
    const auto& log = std::get<RequestLog>(served(scenario).requests);
    EXPECT_EQ(log.file, "log.jsonl");
    ASSERT_EQ(log.list->requests.size(), 2u);
    EXPECT_EQ(log.list->requests[1].arrival, 0.5);
    EXPECT_EQ(log.list->requests[1].input, 8);
    EXPECT_EQ(log.list->hashBlockSize, 512);
    // What is wrong names the file and the line.
    const ScenarioReading wrong = read(document, files(text + "{\"arrival_s\": 1, \"input_tokens\": 0, \"output_tokens\": 1}\n"));
    EXPECT_FALSE(wrong.scenario.has_value());
    ASSERT_FALSE(wrong.problems.empty());
    EXPECT_EQ(wrong.problems.front().file, "log.jsonl");
    EXPECT_EQ(wrong.problems.front().line, 4);
    const ScenarioReading missing = read(document);
    ASSERT_NE(find(missing.problems, "file-unreadable"), nullptr);
    EXPECT_EQ(find(missing.problems, "file-unreadable")->pointer, "/workload/requests/file");
    // Too long for the engine: warned of, for the engine rejects them.
    EXPECT_NE(find(read(with(document, "/workload/engine", Json{{"max_model_len", 64}}), files(text)).problems, "requests-too-long"), nullptr);
    EXPECT_NE(find(read(with(document, "/workload/requests/arrival", Json{{"process", "all_at_once"}})).problems, "conflicting-keys"), nullptr);
}

TEST(Serving, PoolsLieApart) {
    Json document = servingDocument();
    document["cluster"]["nodes"] = 3;
    const auto pools = [&](const char* prefill, const char* decode) {
        document["workload"]["engine"] = Json{{"disaggregation", {{"prefill", Json::parse(prefill)}, {"decode", Json::parse(decode)}}}};
        return document;
    };
    // Without hosts pools take accelerators one after another, and may share a host.
    const Scenario shared = sound(pools(R"({"instances": 3})", R"({"instances": 2, "parallelism": {"tensor": 4}})"));
    EXPECT_EQ(served(shared).disaggregation->prefill.places, (std::vector<AcceleratorRange>{{0, 6}}));
    EXPECT_EQ(served(shared).disaggregation->decode.places, (std::vector<AcceleratorRange>{{6, 8}}));
    EXPECT_EQ(shared.parallelism.data, 5);
    const std::string at = "/workload/engine/disaggregation/";
    expectRefused(pools(R"({"hosts": 2})", R"({"hosts": 2})"), "too-few-hosts", at + "decode/hosts");
    expectRefused(pools(R"({"instances": 5})", R"({"instances": 20})"), "too-few-accelerators", at + "decode/instances");
    expectRefused(pools(R"({"instances": 5, "hosts": 1})", R"({"instances": 1})"), "too-few-accelerators", at + "prefill/instances");
    expectRefused(pools("{}", R"({"instances": 1})"), "missing-key", at + "prefill/instances");
    expectRefused(pools(R"({"instances": 1, "parallelism": {"tensor": 3}})", R"({"instances": 1})"), "tensor-heads", at + "prefill/parallelism/tensor");
    const Scenario other = sound(pools(R"({"hosts": 1, "accelerator": "a100-sxm4-80gb"})", R"({"hosts": 1})"));
    ASSERT_NE(served(other).disaggregation->prefill.accelerator, nullptr);
    EXPECT_EQ(served(other).disaggregation->prefill.accelerator->id, "a100-sxm4-80gb");
    EXPECT_EQ(served(other).disaggregation->decode.accelerator, nullptr);
}

TEST(Serving, PoolsNameDrawnHosts) {
    Json document = servingDocument();
    document["cluster"] = Json::parse(R"({"accelerator": "h100-sxm5-80gb", "topology": {"nodes": [
        {"id": "a", "kind": "host", "count": 8}, {"id": "b", "kind": "host", "count": 8, "replicas": 2}, {"id": "leaf", "kind": "switch"}],
        "links": [{"from": "a", "to": "leaf", "bandwidth_gb_s": 50, "count": 8}, {"from": "b", "to": "leaf", "bandwidth_gb_s": 50, "count": 8}]}})");
    const auto pools = [&](Json prefill, Json decode) {
        document["workload"]["engine"] = Json{{"disaggregation", {{"prefill", {{"hosts", std::move(prefill)}}}, {"decode", {{"hosts", std::move(decode)}}}}}};
        return document;
    };
    // Named hosts go first: the counted pool takes what is left.
    const Scenario scenario = sound(pools(1, Json::array({"b"})));
    EXPECT_EQ(served(scenario).disaggregation->prefill.places, (std::vector<AcceleratorRange>{{0, 8}}));
    EXPECT_EQ(served(scenario).disaggregation->decode.places, (std::vector<AcceleratorRange>{{8, 16}}));
    EXPECT_EQ(served(scenario).disaggregation->decode.instances, 8);
    EXPECT_NE(find(read(pools(Json::array({"a"}), Json::array({"a", "b"}))).problems, "hosts-overlap"), nullptr);
    const ScenarioReading unknown = read(pools(Json::array({"a"}), Json::array({"bb"})));
    ASSERT_NE(find(unknown.problems, "unknown-host"), nullptr) << listed(unknown.problems);
    EXPECT_EQ(find(unknown.problems, "unknown-host")->pointer, "/workload/engine/disaggregation/decode/hosts/0");
}

} // namespace
} // namespace orrery::test
