// SPDX-License-Identifier: GPL-3.0-or-later
// Each derivation, computed again from the inputs it shows, gives the number it shows, down to what is given, measured or read off a simulation.
#include "core/answers/mends/mends.hpp"
#include "core/answers/simulation/estimated_result.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/results/derivation/explain_estimated.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"
#include "tests/core/training/estimate/random_plans.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/formula.hpp"

#include <cmath>
#include <fstream>
#include <set>
#include <string>

namespace orrery::test {
namespace {

/// What the walks saw: computed numbers, and the sentences and sums of all.
struct Walk {
    int computed = 0;
    std::set<std::string> formulas;
};

void expectRecomputed(const Quantity& quantity, const std::string& where, Walk& walk) {
    for (const Quantity& input : quantity.inputs) expectRecomputed(input, where + " > " + quantity.name, walk);
    if (!isComputed(quantity)) return;
    if (quantity.formula.find("∫") != std::string::npos) return; // jitter's order statistics have tests of their own
    ++walk.computed;
    walk.formulas.insert(quantity.formula);
    const std::optional<double> again = recomputed(quantity);
    ASSERT_TRUE(again) << where << " > " << quantity.name << " = " << quantity.formula;
    EXPECT_NEAR(*again, quantity.value, 1e-9 * std::abs(quantity.value)) << where << " > " << quantity.name << " = " << quantity.formula;
}

void walkResult(const Result& result, Walk& walk) {
    const Json figures = toJson(result).flatten();
    for (const auto& [pointer, value] : figures.items())
        if (value.is_number())
            if (const auto why = explain(result, pointer)) expectRecomputed(*why, pointer, walk);
    for (const Cause& cause : result.causes) expectRecomputed(cause.why, "why this long: " + cause.text, walk);
}

Json exampleWithAll(const std::string& name) {
    Json document = Json::parse(std::ifstream(sourcePath("resources/examples/" + name + ".orrery.json")));
    document["economics"]["price_per_accelerator_hour"] = 2.5;
    if (document["workload"]["kind"] != "training") return document;
    document["economics"]["tokens_total"] = 1e12;
    document["reliability"] = {{"mtbf_hours_per_accelerator", 50000}, {"checkpoint_s", 60}, {"restart_s", 300}, {"spares", 2}};
    return document;
}

class RecomputedExample : public ::testing::TestWithParam<const char*> {};

TEST_P(RecomputedExample, EachDerivationGivesItsNumberFromItsInputs) {
    const ResultPtr result = run(exampleWithAll(GetParam()));
    ASSERT_TRUE(result);
    Walk walk;
    walkResult(*result, walk);
    EXPECT_GT(walk.computed, 30);
    EXPECT_GT(walk.formulas.size(), 5u);
    RecordProperty("computed", walk.computed);
    RecordProperty("formulas", static_cast<int>(walk.formulas.size()));
}

INSTANTIATE_TEST_SUITE_P(Examples, RecomputedExample,
                         ::testing::Values("gpt3-175b-1024xa100", "gpt3-175b-10240xa100-jitter", "llama-3.1-70b-8xdgx-h100", "megatron-22b-korthikanti", "llama-3.1-8b-h100-chat", "llama-3.1-8b-8xh100-fleet", "llama-3.1-8b-3xdgx-h100-rl",
                                           "llama-3.3-70b-2xh100-long-prompts", "llama-3.1-70b-2xdgx-h100-disaggregated", "llama-3.1-70b-h100-batch", "deepseek-v3-6xdgx-h200-wide-experts"));

/// Plans that nobody chose: every schedule, ZeRO stage, recomputation, framework and model that the generator draws.
TEST(Recomputed, DerivationsOfRandomPlansToo) {
    constexpr int plans = 80;
    RandomSource random(4711);
    Walk walk;
    for (int count = 0; count < plans;) {
        const ScenarioReading reading = readScenario(randomPlan(random), catalog());
        if (!reading.scenario) continue;
        const Outcome outcome = simulate(*reading.scenario);
        if (!outcome.result) continue;
        ++count;
        walkResult(*outcome.result, walk);
    }
    EXPECT_GT(walk.computed, 100 * plans);
    RecordProperty("computed", walk.computed);
}

/// Other models, precisions and frameworks than the examples'.
TEST(Recomputed, DerivationsOfOtherServersToo) {
    Walk walk;
    int ran = 0;
    for (const char* model : {"mixtral-8x7b", "qwen3-32b", "gpt-oss-120b", "deepseek-v3", "llama-2-13b"})
        for (const char* framework : {"vllm-2024", "vllm-2025", "trtllm-2025", "sglang-2025"})
            for (const char* kind : {"serving", "inference"}) {
                Json workload{{"kind", kind}, {"precision", "bf16"}};
                if (std::string(kind) == "serving") workload["requests"] = {{"count", 40}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 5}}}, {"input_tokens", 700}, {"output_tokens", 60}, {"seed", 3}};
                else workload.update({{"batch_size", 4}, {"input_length", 300}, {"output_length", 20}});
                const Json document{{"format", "orrery-scenario/1"}, {"name", "other"}, {"model", {{"preset", model}}}, {"cluster", {{"accelerator", "h200-sxm-141gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}}, {"workload", std::move(workload)}, {"parallelism", {{"tensor", 8}}}, {"execution", {{"framework", framework}}}, {"economics", {{"price_per_accelerator_hour", 3}}}};
                const ScenarioReading reading = readScenario(document, catalog());
                if (!reading.scenario) continue;
                const Outcome outcome = simulate(*reading.scenario);
                ASSERT_TRUE(outcome.result) << document.dump();
                ++ran;
                walkResult(*outcome.result, walk);
            }
    EXPECT_GE(ran, 30);
    RecordProperty("computed", walk.computed);
}

TEST(Recomputed, WhatDoesNotFitToo) {
    Json document = exampleWithAll("gpt3-175b-1024xa100");
    document["parallelism"]["tensor"] = 4;
    const ResultPtr result = withTriedMends(run(document), document, catalog(), {});
    ASSERT_TRUE(result->outOfMemory);
    Walk walk;
    walkResult(*result, walk);
    document = exampleWithAll("llama-3.1-8b-h100-chat");
    document["model"] = {{"preset", "llama-3.1-70b"}};
    document["workload"]["engine"].erase("max_model_len");
    const ResultPtr served = run(document);
    ASSERT_TRUE(served && served->outOfMemory);
    walkResult(*served, walk);
}

TEST(Recomputed, EstimatesToo) {
    const Json document = exampleWithAll("gpt3-175b-1024xa100");
    const ResultPtr estimate = estimatedResult(sound(document));
    ASSERT_TRUE(estimate);
    Walk walk;
    for (const char* pointer : {"/iteration_time_s", "/memory/peak_bytes", "/tokens_per_s_per_accelerator", "/mfu"}) {
        const auto why = explainEstimated(*estimate, pointer);
        ASSERT_TRUE(why) << pointer;
        expectRecomputed(*why, pointer, walk);
    }
    EXPECT_GT(walk.computed, 3);
}

/// The evaluator finds a wrong number, a missing input and a wrong unit.
TEST(Recomputed, AWrongDerivationIsSeen) {
    const auto leaf = [](std::string name, double value, std::string unit) { return Quantity{std::move(name), value, std::move(unit), Source::given, "", "", {}}; };
    Quantity rate{"tokens_per_s", 2, "1/s", Source::derived, "tokens/iteration time", "", {leaf("tokens", 6, "1"), leaf("iteration_time_s", 3, "s")}};
    EXPECT_EQ(recomputed(rate), 2);
    rate.inputs.back().unit = "h";
    EXPECT_NEAR(recomputed(rate).value(), 2 / 3600.0, 1e-12);
    rate.inputs.pop_back();
    EXPECT_FALSE(recomputed(rate));
    Quantity best{"interval τ", 1, "s", Source::derived, "2 × τ/M = 1", "", {leaf("MTBF of the job M", 2, "s")}};
    EXPECT_EQ(recomputed(best), 1);
    best.value = 1.1;
    EXPECT_FALSE(recomputed(best));
    EXPECT_FALSE(isComputed({"bubble", 1, "s", Source::derived, "idle: nothing to compute", "", {}}));
}

} // namespace
} // namespace orrery::test
