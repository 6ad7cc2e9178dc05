// SPDX-License-Identifier: GPL-3.0-or-later
// Every number of a result document can be asked where it comes from, and the answer is that number with formula or source, and unit.
#include "core/answers/mends/mends.hpp"
#include "core/results/derivation/explain.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <set>
#include <string>

namespace orrery::test {
namespace {

void expectFormulas(const Quantity& quantity, const std::string& pointer) {
    EXPECT_FALSE(quantity.name.empty()) << pointer;
    EXPECT_FALSE(quantity.unit.empty()) << pointer << ", " << quantity.name;
    EXPECT_FALSE(quantity.formula.empty() && quantity.reference.empty()) << pointer << ", " << quantity.name;
    for (const Quantity& input : quantity.inputs) expectFormulas(input, pointer + " > " + quantity.name);
}

/// What the scenario states, or a person reads, has no origin of its own.
void expectEachIsExplained(const Result& result) {
    const std::set<std::string> words{"assumed", "warnings"};
    int asked = 0;
    const Json figures = toJson(result).flatten();
    for (const auto& [pointer, value] : figures.items()) {
        if (!value.is_number() || words.contains(pointer.substr(1, pointer.find('/', 1) - 1))) continue;
        if (pointer.find("/edits/") != std::string::npos) continue; // of the scenario that a mend makes
        const auto why = explain(result, pointer);
        ASSERT_TRUE(why) << pointer;
        EXPECT_EQ(why->value, value.get<double>()) << pointer;
        expectFormulas(*why, pointer);
        ++asked;
    }
    EXPECT_GT(asked, 60);
}

Json training() {
    Json document = smallScenario(2, 2, 4, 8);
    document["economics"] = {{"price_per_accelerator_hour", 2.5}, {"tokens_total", 1e12}};
    document["reliability"] = {{"mtbf_hours_per_accelerator", 50000}, {"checkpoint_s", 60}, {"restart_s", 300}, {"spares", 2}};
    return document;
}

TEST(ExplainedFigures, EachNumberOfATrainingResultSaysWhereItComesFrom) { expectEachIsExplained(*run(training())); }

TEST(ExplainedFigures, WithJitterToo) {
    Json document = training();
    document["execution"]["jitter"] = Json::parse(R"({"method": "sampled", "sigma": 0.1, "seed": 3, "hosts": {"sigma": 0.02}})");
    const ResultPtr result = run(document);
    ASSERT_TRUE(result->jitter);
    expectEachIsExplained(*result);
}

TEST(ExplainedFigures, ExpertsThatATokenDoesNotGoToAreNotActive) {
    Json document = training();
    document["model"] = {{"preset", "mixtral-8x7b"}};
    document["cluster"]["nodes"] = 4;
    document["parallelism"] = {{"tensor", 2}, {"pipeline", 2}, {"expert", 4}, {"zero_stage", 1}};
    document["execution"] = {{"recompute", "full"}};
    const ResultPtr result = run(document);
    EXPECT_LT(result->activeParameters, result->parameters);
    expectEachIsExplained(*result);
}

TEST(ExplainedFigures, WhatDoesNotFitSaysWhyAndWithWhichMends) {
    Json document = training();
    document["model"] = {{"preset", "llama-3-8b"}};
    document["parallelism"] = {{"tensor", 1}, {"zero_stage", 0}};
    document["execution"] = {{"recompute", "none"}};
    const ResultPtr result = run(document);
    ASSERT_TRUE(result->outOfMemory);
    expectEachIsExplained(*withTriedMends(result, document, catalog(), {}));
}

} // namespace
} // namespace orrery::test
