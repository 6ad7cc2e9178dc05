// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"
#include "tests/core/scenario/schema_validator.hpp"
#include "tests/support/shared_data.hpp"

#include <iostream>
#include <map>
#include <set>

// Measured cases, written by others to the contract: the table must know every key of them.

namespace orrery::test {
namespace {

Json loadCases(const std::string& file) {
    Problems problems;
    const auto document = parseJson(readWholeFile(sharedPath("reference/" + file)), file, problems);
    EXPECT_TRUE(document.has_value()) << listed(problems);
    return document ? document->at("cases") : Json::array();
}

/// Codes of the shape check: a case that has one is not written to the contract, or the table is wrong.
const std::set<std::string> shapeCodes{"unknown-key", "missing-key", "conflicting-keys", "wrong-type", "not-a-whole-number", "not-a-number",
                                       "out-of-range", "unknown-value"};

void expectReadable(const std::string& file, std::size_t count) {
    const SchemaValidator validator;
    const Json cases = loadCases(file);
    EXPECT_EQ(cases.size(), count);
    std::map<std::string, int> rejectedBy;
    int accepted = 0;
    for (const Json& entry : cases) {
        const std::string id = entry.at("id").get<std::string>();
        const Json& document = entry.at("scenario");
        EXPECT_EQ(validator.mistakes(document), "") << id;
        const ScenarioReading reading = read(document);
        EXPECT_EQ(reading.scenario.has_value(), !hasErrors(reading.problems)) << id;
        if (reading.scenario) ++accepted;
        std::set<std::string> reasons;
        for (const Problem& problem : reading.problems) {
            EXPECT_FALSE(shapeCodes.contains(problem.code)) << id << "\n"
                                                            << toText(problem);
            EXPECT_FALSE(problem.mend.empty()) << id << "\n"
                                               << toText(problem);
            if (problem.severity == Severity::error) reasons.insert(problem.code + " " + problem.pointer.substr(0, problem.pointer.find("/", 8)) + " " + problem.message);
        }
        for (const std::string& reason : reasons) ++rejectedBy[reason];
    }
    std::cout << file << ": " << accepted << " of " << cases.size() << " accepted\n";
    for (const auto& [reason, times] : rejectedBy) std::cout << "  " << times << " × " << reason << "\n";
}

TEST(ReferenceCases, TrainingIsReadWhole) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    expectReadable("training.json", 430);
}

TEST(ReferenceCases, MoreTrainingIsReadWhole) {
    ORRERY_REQUIRE_SHARED("reference/training_vtrain_simumax.json");
    expectReadable("training_vtrain_simumax.json", 202);
}

TEST(ReferenceCases, InferenceAndServingAreWrittenToTheSchema) {
    ORRERY_REQUIRE_SHARED("reference/inference.json");
    expectReadable("inference.json", 308);
    expectReadable("serving.json", 7);
}

/// Dense models in 16 bit without context parallelism are what this version runs: none of them may be turned away.
TEST(ReferenceCases, NoDenseSixteenBitCaseIsRejected) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    const std::set<std::string> denseTypes{"gpt2", "llama", "mistral", "qwen2", "opt", "mpt", "bloom", "falcon", "gpt_neo"};
    int dense = 0;
    for (const char* file : {"training.json", "training_vtrain_simumax.json"}) {
        for (const Json& entry : loadCases(file)) {
            const Json& document = entry.at("scenario");
            const std::string precision = document.at("workload").at("precision").get<std::string>();
            const Json& plan = document.at("parallelism");
            if (precision != "bf16" && precision != "fp16") continue;
            if (plan.value("context", 1) > 1 || plan.value("expert", 1) > 1) continue;
            if (document.at("workload").value("task", "pretrain") != "pretrain") continue;
            if (!denseTypes.contains(document.at("model").at("config").value("model_type", ""))) continue;
            ++dense;
            const ScenarioReading reading = read(document);
            EXPECT_TRUE(reading.scenario.has_value()) << entry.at("id") << "\n"
                                                      << listed(reading.problems);
        }
    }
    EXPECT_GT(dense, 300);
}

} // namespace
} // namespace orrery::test
