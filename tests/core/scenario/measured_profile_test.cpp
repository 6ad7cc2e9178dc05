// SPDX-License-Identifier: GPL-3.0-or-later
// Profile files that a scenario names: constants where they belong, and a refusal with a mend for every file that is none.
#include "core/base/json.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

const Catalog& catalog() {
    static const Catalog shipped = shippedCatalog();
    return shipped;
}

Json scenarioWithProfile() {
    return Json::parse(R"({"format": "orrery-scenario/1", "model": {"preset": "llama-3.1-8b"},
      "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 1, "nodes": 1},
      "workload": {"kind": "serving", "precision": "bf16", "requests": {"count": 8, "arrival": {"process": "all_at_once"}, "input_tokens": 100, "output_tokens": 10}},
      "execution": {"framework": "vllm-2026", "profile": "my.orrery-profile.json"}})");
}

Json profile() {
    return Json::parse(R"({"format": "orrery-profile/1", "name": "mine", "machine": {"accelerator": "h100-sxm5-80gb", "accelerators": 1},
      "software": {"framework": "vllm-2026", "framework_version": "vllm 0.19.0"},
      "constants": {"front_end_ms": 33, "decode_stretch": 1.25, "memory_rate_of_peak": 0.7}, "errors": {}, "figures": []})");
}

ScenarioReading readWith(const std::string& text, const Json& document = scenarioWithProfile()) {
    return readScenario(document, catalog(), [&](const std::string&, std::string&) { return std::optional(text); });
}

TEST(MeasuredProfile, LiesOverTheCatalogueAndUnderTheScenario) {
    const ScenarioReading reading = readWith(profile().dump());
    ASSERT_TRUE(reading.scenario);
    EXPECT_DOUBLE_EQ(reading.scenario->execution.profile.serving.frontEnd, 0.033);
    EXPECT_DOUBLE_EQ(reading.scenario->execution.profile.serving.decodeStretch, 1.25);
    EXPECT_DOUBLE_EQ(reading.scenario->kernels.memoryRateOfPeak, 0.7);
    const auto& assumed = reading.scenario->assumed;
    EXPECT_EQ(std::count_if(assumed.begin(), assumed.end(), [](const Assumption& one) { return one.why == "measured: my.orrery-profile.json"; }), 3);
    Json own = scenarioWithProfile();
    own["execution"]["calibration"] = {{"front_end_ms", 7}};
    EXPECT_DOUBLE_EQ(readWith(profile().dump(), own).scenario->execution.profile.serving.frontEnd, 0.007);
}

TEST(MeasuredProfile, OfAnotherMachineOrProgramGivesWhatItCan) {
    const auto warned = [](const ScenarioReading& reading) { return std::count_if(reading.problems.begin(), reading.problems.end(), [](const Problem& one) { return one.code == "profile-of-another-machine" && one.severity == Severity::warning; }); };
    Json document = scenarioWithProfile();
    document["cluster"]["accelerator"] = "h200-sxm-141gb";
    const ScenarioReading elsewhere = readWith(profile().dump(), document);
    ASSERT_TRUE(elsewhere.scenario);
    EXPECT_EQ(warned(elsewhere), 1);
    EXPECT_NE(elsewhere.scenario->kernels.memoryRateOfPeak, 0.7);
    EXPECT_DOUBLE_EQ(elsewhere.scenario->execution.profile.serving.frontEnd, 0.033);
    document = scenarioWithProfile();
    document["execution"]["framework"] = "vllm-2025";
    const ScenarioReading other = readWith(profile().dump(), document);
    ASSERT_TRUE(other.scenario);
    EXPECT_EQ(warned(other), 1);
    EXPECT_DOUBLE_EQ(other.scenario->kernels.memoryRateOfPeak, 0.7);
    EXPECT_DOUBLE_EQ(other.scenario->execution.profile.serving.decodeStretch, 1);
    EXPECT_EQ(warned(readWith(profile().dump())), 0);
}

void expectRefused(const std::string& text) {
    const ScenarioReading reading = readWith(text);
    EXPECT_FALSE(reading.scenario) << text.substr(0, 200);
    bool told = false;
    for (const Problem& problem : reading.problems) {
        if (problem.severity != Severity::error) continue;
        told = true;
        EXPECT_EQ(problem.pointer, "/execution/profile") << text.substr(0, 200);
        EXPECT_FALSE(problem.mend.empty()) << problem.message;
        EXPECT_NE(problem.message.find("my.orrery-profile.json"), std::string::npos) << problem.message;
    }
    EXPECT_TRUE(told) << text.substr(0, 200);
}

TEST(MeasuredProfile, WhatIsNoneIsRefusedWithAMend) {
    for (const char* text : {"", "null", "[]", "{", "{}", "3", "\"x\"", R"({"format": "orrery-profile/2"})", R"({"format": "orrery-profile/1"})", R"({"format": 1})", R"({"format": "orrery-scenario/1"})"}) expectRefused(text);
    const std::pair<const char*, Json> wrong[] = {{"/constants/front_end_ms", -1}, {"/constants/front_end_ms", "a"}, {"/constants/decode_stretch", 1e9}, {"/constants/no_such_constant", 1}, {"/constants", Json::array()}, {"/machine", 3}, {"/machine/accelerator", nullptr}, {"/software/framework", 7}, {"/software", Json::object()}, {"/other", 1}, {"/machine/accelerators", 0.5}};
    for (const auto& [pointer, value] : wrong) {
        Json document = profile();
        document[Json::json_pointer(pointer)] = value;
        expectRefused(document.dump());
    }
    const ScenarioReading missing = readScenario(scenarioWithProfile(), catalog(), [](const std::string&, std::string& reason) {
        reason = "No such file or directory";
        return std::optional<std::string>();
    });
    ASSERT_FALSE(missing.scenario);
    EXPECT_EQ(missing.problems.front().pointer, "/execution/profile");
}

/// Texts with bytes changed, cut off, doubled: read, or refused with a mend; never anything else.
TEST(MeasuredProfile, MutatedFilesAreReadOrRefused) {
    test::RandomSource random(41);
    const std::string whole = profile().dump();
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string text = whole;
        for (std::size_t more = 1 + random.below(3); more > 0; --more) {
            const std::size_t at = random.below(text.size());
            switch (random.below(4)) {
            case 0: text[at] = static_cast<char>(random.below(256)); break;
            case 1: text.erase(at, 1 + random.below(8)); break;
            case 2: text.insert(at, text.substr(at, random.below(12))); break;
            default: text.resize(std::max<std::size_t>(1, at)); break;
            }
            if (text.empty()) text = " ";
        }
        Problems problems;
        if (readMeasuredProfile(text, "p.json", "/execution/profile", problems)) continue;
        ++refused;
        ASSERT_FALSE(problems.empty()) << text;
        for (const Problem& problem : problems) {
            ASSERT_EQ(problem.pointer, "/execution/profile") << text;
            ASSERT_FALSE(problem.mend.empty()) << text;
        }
    }
    EXPECT_GT(refused, 500);
}

} // namespace
} // namespace orrery
