// SPDX-License-Identifier: GPL-3.0-or-later
// What is too large to be run is refused before it runs, with the largest that would do.
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <chrono>
#include <string>

namespace orrery::test {
namespace {

Json requestsOf(std::int64_t count, const Json& arrival, int input, int output) {
    return {{"format", "orrery-scenario/1"},
            {"model", {{"preset", "llama-3.1-8b"}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}},
            {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", count}, {"arrival", arrival}, {"input_tokens", input}, {"output_tokens", output}}}}},
            {"parallelism", {{"tensor", 1}}}};
}

Json batchOf(std::int64_t batch, std::int64_t input, std::int64_t output) {
    Json document = requestsOf(1, {{"process", "all_at_once"}}, 1, 1);
    document["workload"] = Json{{"kind", "inference"}, {"precision", "bf16"}, {"batch_size", batch}, {"input_length", input}, {"output_length", output}};
    return document;
}

Problems problemsOf(const Json& document, double ceiling = usualMemoryCeiling) {
    RunControl control;
    control.memoryCeiling = ceiling;
    return simulate(sound(document), control).problems;
}

TEST(RunBounds, ManyRequestsAreRefusedBeforeTheyAreDrawn) {
    const Json rate{{"process", "poisson"}, {"rate_per_s", 150}};
    for (const Json& document : {requestsOf(100'000'000, rate, 400, 200), requestsOf(20'000'000, rate, 400, 200), requestsOf(100'000'000, {{"process", "all_at_once"}}, 400, 200),
                                 requestsOf(50'000'000, {{"process", "closed_loop"}, {"concurrency", 64}}, 100, 100)}) {
        const auto begin = std::chrono::steady_clock::now();
        const Problems problems = problemsOf(document);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
        ASSERT_EQ(problems.size(), 1u);
        EXPECT_EQ(problems[0].code, "run-too-large");
        EXPECT_EQ(problems[0].pointer, "/workload/requests/count");
        ASSERT_EQ(problems[0].edits.size(), 1u);
        const auto most = problems[0].edits[0].value->get<std::int64_t>();
        EXPECT_NE(problems[0].mend.find(std::to_string(most)), std::string::npos) << problems[0].mend;
        EXPECT_GT(most, 100'000);
        // What it names would do, a little more would not for long.
        Json fewer = mended(document, problems[0]);
        EXPECT_LT(fewer.at(Json::json_pointer("/workload/requests/count")).get<std::int64_t>(), document.at(Json::json_pointer("/workload/requests/count")).get<std::int64_t>());
        fewer["workload"]["requests"]["count"] = most + most / 4;
        EXPECT_EQ(problemsOf(fewer).size(), 1u);
    }
}

TEST(RunBounds, TheCeilingIsTheCallers) {
    const Json document = requestsOf(20000, {{"process", "all_at_once"}}, 100, 20);
    EXPECT_TRUE(problemsOf(document).empty());
    const Problems problems = problemsOf(document, 1e6);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].code, "run-too-large");
    EXPECT_TRUE(problemsOf(mended(document, problems[0]), 1e6).empty());
}

TEST(RunBounds, LongAnswersCountAsManySteps) {
    Json document = requestsOf(1, {{"process", "all_at_once"}}, 1, 90'000'000);
    document["workload"]["engine"] = {{"max_model_len", 100'000'000}, {"scheduler_policy", "sglang"}};
    document["execution"] = {{"framework", "sglang-2025"}};
    const Problems problems = problemsOf(document);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].pointer, "/workload/requests/output_tokens");
}

TEST(RunBounds, StaticBatchesAreSizedToo) {
    for (const auto& [batch, input, output] : {std::array<std::int64_t, 3>{100'000'000, 100'000'000, 100'000'000}, {100'000'000, 100, 8}, {65536, 65536, 8}}) {
        const Json document = batchOf(batch, input, output);
        const Problems problems = problemsOf(document);
        ASSERT_EQ(problems.size(), 1u) << batch;
        EXPECT_EQ(problems[0].code, "too-many-tokens");
        const auto most = problems[0].edits[0].value->get<std::int64_t>();
        EXPECT_LE(most * input, 2147483647);
        EXPECT_GT((most + 1) * input, 2147483647);
    }
    EXPECT_EQ(problemsOf(batchOf(1, 1, 100'000'000)).at(0).pointer, "/workload/output_length");
    EXPECT_EQ(problemsOf(batchOf(100'000'000, 1, 1)).at(0).pointer, "/workload/batch_size");
    EXPECT_TRUE(problemsOf(batchOf(1024, 1024, 4096)).empty());
}

/// Every number below a key that says how something went; counts of requests and what memory holds are known without a run.
void expectNull(const Json& value, const std::string& at) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) expectNull(member, at + "/" + key);
        return;
    }
    EXPECT_TRUE(value.is_null()) << at << " is " << value.dump();
}

TEST(NeverRan, HasNoFigureAnywhere) {
    // No room for the weights; and every request longer than the engine takes.
    Json large = requestsOf(6, {{"process", "all_at_once"}}, 100, 20), rejected = large;
    large["model"] = {{"preset", "llama-3.1-405b"}};
    for (Json* document : {&large, &rejected}) {
        (*document)["workload"]["slo"] = {{"ttft_s", 1}};
        (*document)["economics"] = {{"price_per_accelerator_hour", 2}};
    }
    rejected["workload"]["engine"] = {{"max_model_len", 64}};
    for (const Json& document : {large, rejected}) {
        const Json result = toJson(*run(document));
        EXPECT_EQ(result.at("requests").at("completed"), 0);
        for (const char* key : {"duration_s", "output_tokens_per_s", "output_tokens_per_s_per_accelerator", "total_tokens_per_s", "ttft_s", "tpot_s", "itl_s", "e2e_s", "queue_s", "kv_cache_utilisation", "prefix_hit_rate",
                                "output_tokens_per_s_per_user", "cost_per_million_output_tokens", "energy_j_per_output_token", "goodput_requests_per_s", "time_breakdown_s", "ttft_breakdown_s", "tpot_breakdown_s"}) {
            ASSERT_TRUE(result.contains(key)) << key;
            expectNull(result.at(key), key);
        }
    }
    EXPECT_TRUE(toJson(*run(large)).at("preemptions").is_null());
    // One token has no time per further token.
    EXPECT_TRUE(toJson(*run(batchOf(1, 16, 1))).at("tpot_s").is_null());
    expectNull(toJson(*run(requestsOf(3, {{"process", "all_at_once"}}, 16, 1))).at("tpot_s"), "tpot_s");
}

} // namespace
} // namespace orrery::test
