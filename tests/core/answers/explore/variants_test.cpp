// SPDX-License-Identifier: GPL-3.0-or-later
// Named changes that a scenario document holds.
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/variants.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

Json withVariants() {
    Json document = test::smallTraining();
    document["variants"] = Json::parse(R"([
      {"name": "t 4", "edits": {"/parallelism/tensor": 4}},
      {"name": "no pipeline", "edits": {"/parallelism/pipeline": null, "/workload/micro_batch_size": 2}}
    ])");
    return document;
}

TEST(Variants, AVariantIsTheScenarioWithItsEdits) {
    Problems problems;
    const auto wide = documentOfVariant(withVariants(), "t 4", problems);
    ASSERT_TRUE(wide);
    EXPECT_EQ((**wide)["parallelism"]["tensor"], 4);
    EXPECT_EQ((**wide)["parallelism"]["pipeline"], 2);
    const auto flat = documentOfVariant(withVariants(), "no pipeline", problems);
    ASSERT_TRUE(flat);
    EXPECT_FALSE((**flat)["parallelism"].contains("pipeline"));
    EXPECT_EQ((**flat)["workload"]["micro_batch_size"], 2);
    EXPECT_TRUE(problems.empty());
    EXPECT_TRUE(readScenario(**flat, test::catalog()).scenario);
}

TEST(Variants, AMissingOneIsToldWithTheNearest) {
    Problems problems;
    EXPECT_FALSE(documentOfVariant(withVariants(), "t 5", problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE((problems.front().message + problems.front().mend).find("t 4"), std::string::npos);
}

TEST(Variants, NamesThatStandTwiceAndEditsThatLeadNowhereAreRefused) {
    Json twice = withVariants();
    twice["variants"][1]["name"] = "t 4";
    EXPECT_TRUE(hasErrors(readScenario(twice, test::catalog()).problems));
    Json nowhere = withVariants();
    nowhere["variants"][0]["edits"] = {{"parallelism/tensor", 4}};
    EXPECT_TRUE(hasErrors(readScenario(nowhere, test::catalog()).problems));
    EXPECT_FALSE(hasErrors(readScenario(withVariants(), test::catalog()).problems));
}

TEST(Variants, TheyChangeNothingOfTheScenarioThatHoldsThem) {
    const ScenarioReading with = readScenario(withVariants(), test::catalog()), without = readScenario(test::smallTraining(), test::catalog());
    ASSERT_TRUE(with.scenario && without.scenario);
    EXPECT_EQ(with.scenario->parallelism.tensor, without.scenario->parallelism.tensor);
    EXPECT_EQ(with.scenario->training().microBatch, without.scenario->training().microBatch);
}

Json changedBy(const Json& base, const std::vector<ScenarioEdit>& edits) { return *applyEdits(base, edits).document; }

TEST(VariantEdits, WhatDiffersIsTheFewestPlaces) {
    const Json base = Json::parse(R"({"a": {"b": 1, "c": [1, 2, 3], "gone": true}, "list": [{"n": 1}, {"n": 2}], "same": {"x": 1}})");
    const Json changed = Json::parse(R"({"same": {"x": 1}, "a": {"c": [1, 2, 3, 4], "b": 2}, "list": [{"n": 1}, {"n": 5}], "new": {"y": 1}})");
    std::vector<std::string> places;
    for (const ScenarioEdit& edit : differences(base, changed)) places.push_back(edit.pointer);
    std::sort(places.begin(), places.end());
    EXPECT_EQ(places, (std::vector<std::string>{"/a/b", "/a/c", "/a/gone", "/list/1/n", "/new"}));
    EXPECT_TRUE(differences(base, base).empty());
    // What is made of them is the changed one: nothing differs any more.
    EXPECT_TRUE(differences(changedBy(base, differences(base, changed)), changed).empty());
}

TEST(VariantEdits, NullIsKeptWhereItIsAValue) {
    const Json base = Json::parse(R"({"config": {"scaling": 2, "list": [1, 2]}})");
    const Json changed = Json::parse(R"({"config": {"scaling": null, "list": [null, 2]}})");
    EXPECT_EQ(changedBy(base, differences(base, changed)), changed);
}

TEST(VariantEdits, NamesAreFree) {
    EXPECT_EQ(freeVariantName(withVariants(), "t 8"), "t 8");
    EXPECT_EQ(freeVariantName(withVariants(), "t 4"), "t 4 (2)");
}

} // namespace
} // namespace orrery
