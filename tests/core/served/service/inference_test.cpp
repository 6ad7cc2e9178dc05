// SPDX-License-Identifier: GPL-3.0-or-later
// One static batch: what the contract says of its figures, and what no machine can beat.
#include "core/results/derivation/explain.hpp"
#include "core/results/report/serving_report.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace orrery::test {
namespace {

Json batchOf(const char* model, const char* precision, int batch, int input, int output, int tensor) {
    return {{"format", "orrery-scenario/1"},
            {"name", "batch"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", tensor}, {"nodes", 1}}},
            {"workload", {{"kind", "inference"}, {"batch_size", batch}, {"input_length", input}, {"output_length", output}, {"precision", precision}}},
            {"parallelism", {{"tensor", tensor}}}};
}

TEST(StaticBatch, FiguresAreAsTheContractDefinesThem) {
    const Json document = toJson(*run(batchOf("llama-3.1-8b", "bf16", 16, 512, 200, 1)));
    EXPECT_EQ(document.at("kind"), "inference");
    const double ttft = document.at("ttft_s"), tpot = document.at("tpot_s"), latency = document.at("request_latency_s");
    EXPECT_GT(ttft, 0);
    EXPECT_NEAR(tpot, (latency - ttft) / 199, 1e-12 * latency);
    EXPECT_NEAR(document.at("output_tokens_per_s").get<double>(), 16 * 200 / latency, 1e-9 * 3200 / latency);
    EXPECT_EQ(document.at("output_tokens_per_s_per_accelerator"), document.at("output_tokens_per_s"));
    EXPECT_TRUE(document.at("fits").get<bool>());
    const Json& stage = document.at("memory").at("stages").at(0);
    EXPECT_NEAR(stage.at("kv_cache").get<double>(), 16.0 * (512 + 200) * 131072, 1.0) << "32 layers, 8 heads of 128, keys and values in 16 bit";
}

TEST(StaticBatch, NoDecodeBeatsTheBytesItReads) {
    constexpr double bandwidth = 3.35e12; // H100 SXM, data sheet
    struct Known {
        const char* model;
        double weights, cachePerToken;
    };
    // Bytes by config: products and logits in 16 bit, no input embedding; 2 × layers × key heads × head width × 2 bytes.
    for (const Known& known : {Known{"llama-3.1-8b", 2 * 7.505e9, 131072}, Known{"llama-3.1-70b", 2 * 69.5e9, 327680}}) {
        for (const int batch : {1, 8, 64}) {
            for (const int tensor : {4, 8}) {
                const double tpot = toJson(*run(batchOf(known.model, "bf16", batch, 1024, 64, tensor))).at("tpot_s");
                const double bytes = (known.weights + batch * 1024.0 * known.cachePerToken) / tensor;
                EXPECT_GT(tpot, bytes / bandwidth) << known.model << " batch " << batch << " tensor " << tensor;
            }
        }
    }
}

TEST(StaticBatch, LongerAndLargerTakeLonger) {
    const auto latency = [](int batch, int input, int output) { return toJson(*run(batchOf("llama-3.1-8b", "bf16", batch, input, output, 1))).at("request_latency_s").get<double>(); };
    const double usual = latency(8, 512, 64);
    EXPECT_GT(latency(16, 512, 64), usual);
    EXPECT_GT(latency(8, 1024, 64), usual);
    EXPECT_GT(latency(8, 512, 128), 1.9 * (usual - latency(8, 512, 1)));
}

TEST(StaticBatch, TheTimelineLastsAsLongAsTheRequest) {
    const ResultPtr result = run(batchOf("llama-3.1-8b", "bf16", 8, 512, 100, 2));
    const Timeline& timeline = result->timeline;
    EXPECT_NEAR(timeline.duration, result->inference()->requestLatency, 1e-9 * timeline.duration);
    ASSERT_EQ(timeline.stages.size(), 1u);
    const std::vector<Span>& spans = timeline.stages[0].streams[0].spans;
    ASSERT_EQ(spans.size(), 100u) << "a span a token";
    EXPECT_NEAR(spans[0].end, result->inference()->ttft, 1e-12);
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i].start, spans[i - 1].end - 1e-12);
}

TEST(StaticBatch, AModelThatIsTooLargeSaysSo) {
    const ResultPtr result = run(batchOf("llama-3.1-70b", "bf16", 1, 128, 8, 1));
    EXPECT_FALSE(result->fits);
    ASSERT_TRUE(result->outOfMemory);
    EXPECT_GT(result->outOfMemory->neededBytes, 140e9);
}

Json served(const char* model, Json requests, int tensor = 1, const char* precision = "bf16") {
    Json document = batchOf(model, precision, 1, 1, 1, tensor);
    document["workload"] = {{"kind", "serving"}, {"precision", precision}, {"requests", std::move(requests)}};
    return document;
}

Json atOnce(int count, int input, int output) {
    return {{"count", count}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", input}, {"output_tokens", output}, {"seed", 1}};
}

/// Latencies as the engine sees them, which a static batch's are.
Json atTheEngine(const char* model, const Json& requests) {
    Json scenario = served(model, requests);
    scenario["workload"]["engine"]["front_end"] = false;
    return scenario;
}

TEST(ServedRequests, TheWayFromTheClientIsPartOfTheFirstTokenAlone) {
    const Json seen = toJson(*run(served("llama-3.1-8b", atOnce(1, 700, 90)))), own = toJson(*run(atTheEngine("llama-3.1-8b", atOnce(1, 700, 90))));
    const double way = seen.at("time_breakdown_s").at("front_end").get<double>();
    EXPECT_GT(way, 0.01);
    EXPECT_EQ(own.at("time_breakdown_s").at("front_end"), 0);
    EXPECT_NEAR(seen.at("ttft_s").at("mean").get<double>() - own.at("ttft_s").at("mean").get<double>(), way, 1e-9);
    EXPECT_NEAR(seen.at("ttft_breakdown_s").at("front_end").get<double>(), way, 1e-12);
    EXPECT_NEAR(seen.at("tpot_s").at("mean").get<double>(), own.at("tpot_s").at("mean").get<double>(), 1e-9);
}

TEST(ServedRequests, OneAloneTakesWhatABatchOfOneTakes) {
    const Json alone = toJson(*run(atTheEngine("llama-3.1-8b", atOnce(1, 700, 90)))), batch = toJson(*run(batchOf("llama-3.1-8b", "bf16", 1, 700, 90, 1)));
    EXPECT_EQ(alone.at("kind"), "serving");
    EXPECT_NEAR(alone.at("ttft_s").at("mean").get<double>(), batch.at("ttft_s").get<double>(), 1e-9);
    EXPECT_NEAR(alone.at("tpot_s").at("mean").get<double>() / batch.at("tpot_s").get<double>(), 1, 1e-3) << "the batch sums a grid of contexts";
}

TEST(ServedRequests, AllAtOnceInOneStepAreTheStaticBatch) {
    // 8 prompts of 512 tokens fill half a step's budget of 8192.
    const Json all = toJson(*run(atTheEngine("llama-3.1-8b", atOnce(8, 512, 100)))), batch = toJson(*run(batchOf("llama-3.1-8b", "bf16", 8, 512, 100, 1)));
    EXPECT_NEAR(all.at("ttft_s").at("p99").get<double>(), batch.at("ttft_s").get<double>(), 1e-9);
    EXPECT_NEAR(all.at("output_tokens_per_s").get<double>() / batch.at("output_tokens_per_s").get<double>(), 1, 1e-3);
}

TEST(ServedRequests, OperationsAreTheMeanOfAnAccelerator) {
    const Json one = served("llama-3.1-8b", atOnce(8, 512, 100));
    Json two = served("llama-3.1-8b", atOnce(16, 512, 100));
    two["cluster"]["accelerators_per_node"] = 2;
    const ResultPtr alone = run(one), both = run(two);
    ASSERT_EQ(both->timeline.stages.size(), 2u) << "two instances, each with half of the requests";
    ASSERT_EQ(both->operations.size(), alone->operations.size());
    double sum = 0;
    for (std::size_t i = 0; i < alone->operations.size(); ++i) {
        EXPECT_NEAR(both->operations[i].count, alone->operations[i].count, 1e-9 * alone->operations[i].count) << alone->operations[i].kind;
        EXPECT_NEAR(both->operations[i].time, alone->operations[i].time, 1e-9 * alone->operations[i].time) << alone->operations[i].kind;
        sum += both->operations[i].time;
    }
    EXPECT_LE(sum, both->timeline.duration);
}

TEST(ServedRequests, ATokensKeysAndValuesAreConfigArithmetic) {
    const auto bytes = [](const char* model, int tensor, const char* precision) {
        return toJson(*run(served(model, atOnce(1, 10, 2), tensor, precision))).at("kv_cache").at("bytes_per_token").get<double>();
    };
    EXPECT_EQ(bytes("llama-3.1-8b", 1, "bf16"), 131072);
    EXPECT_EQ(bytes("llama-3.1-70b", 4, "bf16"), 327680);
    EXPECT_EQ(bytes("llama-3.1-70b", 8, "bf16"), 327680);
}

TEST(ServedRequests, SlowArrivalsMeetNoQueue) {
    Json requests{{"count", 50}, {"arrival", {{"process", "uniform"}, {"rate_per_s", 0.1}}}, {"input_tokens", 300}, {"output_tokens", 20}, {"seed", 3}};
    const Json document = toJson(*run(served("llama-3.1-8b", requests)));
    EXPECT_EQ(document.at("queue_s").at("p99").get<double>(), 0);
    EXPECT_NEAR(document.at("e2e_s").at("p50").get<double>(), document.at("e2e_s").at("p99").get<double>(), 1e-9);
    double sum = 0;
    for (const auto& [part, seconds] : document.at("time_breakdown_s").items()) sum += seconds.get<double>();
    EXPECT_NEAR(sum, document.at("e2e_s").at("mean").get<double>(), 1e-9 * sum);
    EXPECT_EQ(document.at("requests").at("completed"), 50);
}

TEST(ServedRequests, AGoalNobodyMeetsGivesNoGoodput) {
    Json document = served("llama-3.1-8b", atOnce(20, 500, 50));
    document["workload"]["slo"] = {{"ttft_s", 1e-6}};
    EXPECT_EQ(toJson(*run(document)).at("goodput_requests_per_s").get<double>(), 0);
    document["workload"]["slo"] = {{"e2e_s", 1e6}};
    const Json loose = toJson(*run(document));
    EXPECT_NEAR(loose.at("goodput_requests_per_s").get<double>(), 20 / loose.at("duration_s").get<double>(), 1e-9);
}

TEST(ServedRequests, TheSameSeedGivesTheSameBytes) {
    Json requests{{"count", 300}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 20}}}, {"input_tokens", {{"distribution", "lognormal"}, {"mean", 400}, {"std", 300}}}, {"output_tokens", {{"distribution", "exponential"}, {"mean", 80}}}, {"seed", 7}};
    const Json document = served("llama-3.1-8b", requests);
    const std::string once = toJson(*run(document, 1)).dump();
    EXPECT_EQ(toJson(*run(document, 2)).dump(), once);
    Json other = document;
    other["workload"]["requests"]["seed"] = 8;
    EXPECT_NE(toJson(*run(other)).dump(), once);
}

TEST(ServedRequests, AModelWithNoRoomForACacheDoesNotFit) {
    Json document = served("llama-3.1-70b", atOnce(1, 10, 2), 2);
    document["workload"]["engine"] = {{"gpu_memory_utilization", 0.8}}; // 64 GiB for 66 of weights
    const ResultPtr result = run(document);
    EXPECT_FALSE(result->fits);
    EXPECT_TRUE(result->outOfMemory.has_value());
    // What is known without serving anybody is told.
    EXPECT_EQ(result->serving()->served.count, 1);
    EXPECT_EQ(result->serving()->cache.bytesPerToken, 327680);
    EXPECT_EQ(result->serving()->cache.blocks, 0);
}

TEST(ServedRequests, TheTableHasARowARequest) {
    const ResultPtr result = run(served("llama-3.1-8b", atOnce(5, 100, 10)));
    std::ostringstream table;
    writeRequestTable(*result->serving(), table);
    std::istringstream lines(table.str());
    std::string line;
    int count = -1; // the heading
    while (std::getline(lines, line)) ++count;
    EXPECT_EQ(count, 5);
}

/// Llama-3.3-70B in fp8 on two H100, 5,000 tokens in and 500 out: the cache holds some 90 requests, so that 100 users queue for it and 50 do not
/// (nim1.8 recordings in the reference data: 0.8 s and 8 s in the mean).
TEST(ServedRequests, TheKneeLiesWhereTheCacheIsFull) {
    const auto serve = [](int users) {
        Json requests{{"count", 5 * users}, {"arrival", {{"process", "closed_loop"}, {"concurrency", users}}}, {"input_tokens", 5000}, {"output_tokens", 500}, {"seed", 1}};
        Json document = served("llama-3.3-70b", requests, 2, "fp8");
        document["workload"]["engine"] = {{"enable_prefix_caching", false}, {"kv_cache_dtype", "fp8"}, {"gpu_memory_utilization", 0.9}};
        document["execution"] = {{"framework", "trtllm-2025"}};
        return run(document);
    };
    const auto firstToken = [](const Result& result) { return toJson(result).at("ttft_s").at("p50").get<double>(); };
    const auto waitsForCache = [](const Cause& cause) { return cause.figure == "Time to first token" && cause.text.find("cache is full") != std::string::npos; };
    const auto few = serve(50), many = serve(100);
    EXPECT_LT(firstToken(*few), 1);
    EXPECT_GT(firstToken(*many), 4);
    // And that is said to be why.
    ASSERT_FALSE(many->causes.empty());
    EXPECT_TRUE(waitsForCache(many->causes.front())) << many->causes.front().text;
    EXPECT_GT(many->causes.front().share, 0.5);
    // In figures: the blocks hold fewer than 100 requests of 5,500 tokens, and those that run and wait are the users.
    const Cause& full = many->causes.front();
    const auto input = [&](const char* name) {
        for (const Quantity& one : full.why.inputs)
            if (one.name == name) return one.value;
        ADD_FAILURE() << name;
        return 0.0;
    };
    const double held = input("such requests that fit"), tokens = input("tokens of a mean request");
    EXPECT_EQ(tokens, 5500);
    EXPECT_GT(held, 50);
    EXPECT_LT(held, 100);
    EXPECT_LE(held * tokens, input("blocks of an instance") * input("block size"));
    EXPECT_EQ(input("blocks of an instance"), double(many->serving()->cache.blocks));
    EXPECT_LE(input("requests that run while it is full"), held);
    EXPECT_GT(input("requests that wait while it is full"), 0);
    EXPECT_LE(input("requests that run while it is full") + input("requests that wait while it is full"), 100 + 1e-9);
    EXPECT_NE(full.text.find("it holds " + std::to_string(int(held)) + " requests of 5500 tokens"), std::string::npos) << full.text;
    EXPECT_TRUE(std::none_of(few->causes.begin(), few->causes.end(), waitsForCache));
}

/// The causes of a figure are shares of its mean; those too small to be shown are at most the rest.
void expectCausesOf(const Result& result, const std::string& figure, double mean) {
    double sum = 0;
    int shown = 0;
    for (const Cause& cause : result.causes) {
        if (cause.figure != figure) continue;
        sum += cause.share;
        ++shown;
        EXPECT_GT(cause.share, 0);
        const auto whole = std::find_if(cause.why.inputs.begin(), cause.why.inputs.end(), [&figure](const Quantity& input) { return input.name == figure; });
        ASSERT_NE(whole, cause.why.inputs.end());
        EXPECT_NEAR(whole->value, mean, 1e-9 * mean) << figure;
        EXPECT_NEAR(cause.why.value, cause.share * mean, 1e-9 * mean) << cause.text;
    }
    EXPECT_GT(shown, 0) << figure;
    EXPECT_LE(sum, 1 + 1e-9) << figure;
    EXPECT_GT(sum, 1 - 0.005 * 15) << figure;
}

TEST(EngineCauses, AddUpToTheFigureTheyExplain) {
    const auto batch = run(batchOf("llama-3.1-70b", "bf16", 16, 512, 100, 4));
    expectCausesOf(*batch, "Time to first token", batch->inference()->ttft);
    expectCausesOf(*batch, "Time per output token", batch->inference()->tpot);
    for (const double rate : {1.0, 20.0, 60.0}) {
        Json requests{{"count", 300}, {"arrival", {{"process", "poisson"}, {"rate_per_s", rate}}}, {"input_tokens", 1000}, {"output_tokens", 200}, {"seed", 1}};
        const auto result = run(served("llama-3.1-8b", requests, 1, "bf16"));
        expectCausesOf(*result, "Time to first token", result->serving()->served.ttft.mean);
        expectCausesOf(*result, "Time per output token", result->serving()->served.tpot.mean);
    }
}

/// What engines do besides waiting and stepping (pools apart, drafts, blocks taken back, micro-batches) leaves nothing unexplained.
TEST(EngineCauses, AddUpWhateverAnEngineDoes) {
    Json requests{{"count", 200}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 8}}}, {"input_tokens", {{"distribution", "lognormal"}, {"mean", 900}, {"std", 700}}}, {"output_tokens", {{"distribution", "exponential"}, {"mean", 150}}}, {"seed", 5}};
    const auto expectAll = [](const Json& document) {
        const auto result = run(document);
        expectCausesOf(*result, "Time to first token", result->serving()->served.ttft.mean);
        expectCausesOf(*result, "Time per output token", result->serving()->served.tpot.mean);
        return result;
    };
    Json apart = served("llama-3.1-8b", requests, 1, "bf16");
    apart["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 2}, {"nodes", 2}};
    apart["workload"]["engine"] = {{"disaggregation", {{"prefill", {{"hosts", 1}, {"parallelism", {{"tensor", 2}}}}}, {"decode", {{"hosts", 1}, {"parallelism", {{"tensor", 1}}}}}}}};
    apart.erase("parallelism");
    expectAll(apart);

    Json drafts = served("llama-3.1-8b", requests, 1, "bf16");
    drafts["workload"]["engine"] = {{"speculative", {{"method", "ngram"}, {"tokens", 3}, {"acceptance", 0.6}}}};
    expectAll(drafts);

    Json stages = served("llama-3.1-8b", requests, 1, "bf16");
    stages["cluster"]["accelerators_per_node"] = 2;
    stages["parallelism"] = {{"tensor", 1}, {"pipeline", 2}};
    expectAll(stages);

    // 80 GB for 70 billion weights of a byte: few blocks, which are taken back.
    Json scarce = served("llama-3.1-70b", requests, 2, "fp8");
    scarce["workload"]["engine"] = {{"gpu_memory_utilization", 0.48}};
    const auto full = expectAll(scarce);
    EXPECT_GT(full->serving()->served.preemptions, 0);
    // Prompts of all lengths wait for blocks: places and tokens of a step are left.
    EXPECT_NE(full->causes.front().text.find("cache is full"), std::string::npos) << full->causes.front().text;
    EXPECT_GT(full->causes.front().share, 0.8);
}

/// Requests that come at once wait for what there is least of, and for nothing else.
TEST(EngineCauses, NameTheLimitThatRequestsWaitFor) {
    const std::vector<std::string> limits{"as many requests run as may", "its tokens are used up", "the cache is full"};
    const auto expectLimit = [&](const Json& engine, const std::string& expected) {
        Json document = served("llama-3.1-8b", atOnce(100, 1000, 20));
        document["workload"]["engine"] = engine;
        const auto result = run(document);
        for (const std::string& limit : limits) {
            const bool named = std::any_of(result->causes.begin(), result->causes.end(), [&](const Cause& cause) { return cause.figure == "Time to first token" && cause.text.find(limit) != std::string::npos; });
            EXPECT_EQ(named, limit == expected) << engine << ": " << limit;
        }
    };
    for (const char* policy : {"vllm", "vllm_v0", "trtllm_guaranteed_no_evict", "sglang"}) {
        expectLimit({{"scheduler_policy", policy}, {"max_num_seqs", 4}, {"max_num_batched_tokens", 8192}, {"max_model_len", 1500}}, limits[0]);
        expectLimit({{"scheduler_policy", policy}, {"max_num_seqs", 200}, {"max_num_batched_tokens", 2000}, {"max_model_len", 1500}}, limits[1]);
    }
}

/// Prompts that have steps of their own keep those who decode waiting; their tokens don't get slower products by that.
TEST(EngineCauses, PromptsBeforeDecodesAreOthersWork) {
    for (const char* policy : {"vllm_v0", "sglang"}) {
        Json document = served("llama-3.1-8b", atOnce(100, 1000, 20));
        document["workload"]["engine"] = {{"scheduler_policy", policy}, {"max_num_seqs", 200}, {"max_num_batched_tokens", 2000}, {"max_model_len", 1500}};
        const auto result = run(document);
        const auto first = std::find_if(result->causes.begin(), result->causes.end(), [](const Cause& cause) { return cause.figure == "Time per output token"; });
        ASSERT_NE(first, result->causes.end());
        EXPECT_EQ(first->text, "work on other requests in the same steps or between them") << policy;
        EXPECT_GT(first->share, 0.5) << policy;
        expectCausesOf(*result, "Time per output token", result->serving()->served.tpot.mean);
    }
}

/// Each number of the document outside lists that have rows of their own can be asked where it comes from, and gives itself.
void expectExplained(const Result& result) {
    const std::set<std::string> others{"memory", "operations", "assumed", "warnings", "parameters", "active_parameters"};
    const Json places = toJson(result).flatten();
    for (const auto& [pointer, value] : places.items()) {
        if (!value.is_number() || others.count(pointer.substr(1, pointer.find('/', 1) - 1))) continue;
        const auto why = explain(result, pointer);
        ASSERT_TRUE(why) << pointer;
        EXPECT_EQ(why->value, value.get<double>()) << pointer;
        EXPECT_FALSE(why->unit.empty()) << pointer;
        EXPECT_FALSE(why->formula.empty() && why->reference.empty()) << pointer;
    }
}

TEST(EngineFigures, CanEachBeAskedWhereTheyComeFrom) {
    expectExplained(*run(batchOf("llama-3.1-70b", "bf16", 16, 512, 100, 4)));
    Json requests{{"count", 100}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 10}}}, {"input_tokens", 1000}, {"output_tokens", 200}, {"seed", 1}};
    Json document = served("llama-3.1-8b", requests, 1, "bf16");
    document["workload"]["slo"] = {{"ttft_s", 1}};
    document["economics"] = {{"price_per_accelerator_hour", 2.5}};
    expectExplained(*run(document));
    EXPECT_FALSE(explain(*run(document), "/ttft_s/p42"));
}

/// An engine has no stage that stands out, no ZeRO and no optimizer: its memory speaks of none, and its parts sum to it.
TEST(EngineFigures, MemoryIsExplainedInTheEnginesOwnWords) {
    for (const ResultPtr& result : {run(batchOf("llama-3.1-70b", "bf16", 16, 512, 100, 4)), run(served("llama-3.1-8b", atOnce(4, 100, 10)))}) {
        const auto why = explain(*result, "/memory/peak_bytes");
        ASSERT_TRUE(why);
        EXPECT_EQ(why->name.find("stage 0"), std::string::npos) << why->name;
        double sum = 0;
        for (const Quantity& part : why->inputs) {
            sum += part.value;
            EXPECT_EQ(part.unit, "bytes");
            EXPECT_FALSE(part.formula.empty()) << part.name;
            EXPECT_EQ(part.formula.find("ZeRO"), std::string::npos) << part.formula;
        }
        EXPECT_NEAR(sum, result->memory.peakBytes, 1e-9 * sum);
    }
}

/// A batch that decodes alone is paced by its weights; launches without graphs are offered graphs.
TEST(EngineCauses, SayWhatPacesAStep) {
    Json document = batchOf("llama-3.1-8b", "bf16", 1, 128, 100, 1);
    const auto graphs = run(document);
    const auto first = [](const Result& result) {
        return *std::find_if(result.causes.begin(), result.causes.end(), [](const Cause& cause) { return cause.figure == "Time per output token"; });
    };
    EXPECT_EQ(first(*graphs).text.substr(0, 16), "weights' traffic");
    // It is no less than the weights take by the data sheet: 7.5 billion of 2 bytes at 3.35 TB/s.
    EXPECT_GT(first(*graphs).why.value, 0.9 * 2 * 7.505e9 / 3.35e12);
    // Thousands of prompt tokens at once are arithmetic instead.
    const auto prompts = run(batchOf("llama-3.1-8b", "bf16", 16, 1024, 2, 1));
    EXPECT_EQ(prompts->causes.front().figure, "Time to first token");
    EXPECT_EQ(prompts->causes.front().text, "products with weights");
    // A small model has less to compute than there is to launch for a stack that launches from Python.
    document = batchOf("qwen2.5-0.5b", "bf16", 1, 128, 100, 1);
    document["execution"] = {{"framework", "vllm-2025"}, {"cuda_graphs", false}};
    const auto eager = run(document);
    const auto offered = std::find_if(eager->causes.begin(), eager->causes.end(), [](const Cause& cause) { return cause.tryLabel == "CUDA graphs"; });
    ASSERT_NE(offered, eager->causes.end());
    EXPECT_EQ(offered->tryEdits.front().pointer, "/execution/cuda_graphs");
}

} // namespace
} // namespace orrery::test
