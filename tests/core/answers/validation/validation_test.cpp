// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/validate.hpp"
#include "core/base/json.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace orrery {
namespace {

Json caseDocument(const std::string& id, const std::string& group, Json measured, Json scenario) {
    return Json{{"id", id}, {"group", group}, {"scenario", std::move(scenario)}, {"measured", std::move(measured)}};
}

Json casesDocument(Json list) { return Json{{"format", "orrery-cases/1"}, {"cases", std::move(list)}}; }

/// A predictor that answers with the result its scenario holds; "reject" and "throw" do what they say.
Prediction echo(const Json& scenario) {
    Prediction prediction;
    if (scenario == "throw") throw std::runtime_error("broken");
    if (scenario == "reject") {
        prediction.status = CaseStatus::rejected;
        prediction.code = "unsupported";
        prediction.message = "Not this.";
        return prediction;
    }
    prediction.result = scenario;
    return prediction;
}

Validation run(const Json& document, int threads = 1) {
    const CasesReading reading = readCases(document);
    EXPECT_TRUE(reading.problems.empty());
    RunControl control;
    control.threads = threads;
    return validate(reading.cases, echo, control);
}

TEST(ErrorPercent, PlusIsTooSlowOrTooBig) {
    EXPECT_DOUBLE_EQ(errorPercent("iteration_time_s", 10, 12), 20);
    EXPECT_DOUBLE_EQ(errorPercent("peak_memory_bytes", 10, 5), -50);
    EXPECT_DOUBLE_EQ(errorPercent("ttft_s.p99", 2, 3), 50);
    // Half the measured rate means twice as slow.
    EXPECT_DOUBLE_EQ(errorPercent("tokens_per_s_per_accelerator", 100, 50), 100);
    EXPECT_DOUBLE_EQ(errorPercent("output_tokens_per_s", 100, 200), -50);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.9), 10);
    EXPECT_DOUBLE_EQ(quantile({1, 2}, 0.9), 1.9);
    EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(ErrorSummary, StrictCountsWhatWasNotPredictedAsHundred) {
    const ErrorSummary summary = summarise({10.0, -30.0, std::nullopt, 20.0});
    EXPECT_EQ(summary.count, 4u);
    EXPECT_EQ(summary.scored, 3u);
    EXPECT_DOUBLE_EQ(*summary.meanAbs, 20);
    EXPECT_DOUBLE_EQ(*summary.meanAbsStrict, 40);
    EXPECT_DOUBLE_EQ(*summary.medianAbs, 20);
    EXPECT_DOUBLE_EQ(*summary.p90Abs, 28);
    EXPECT_DOUBLE_EQ(*summary.maxAbs, 30);
    EXPECT_DOUBLE_EQ(*summary.mean, 0);
}

TEST(ErrorSummary, NothingScoredHasNoMeanButAStrictOne) {
    const ErrorSummary summary = summarise({std::nullopt});
    EXPECT_FALSE(summary.meanAbs);
    EXPECT_DOUBLE_EQ(*summary.meanAbsStrict, 100);
}

TEST(Validation, HoldsEachMemoryKindAgainstItsOwnFigure) {
    const Json result{{"fits", true},
                      {"memory", {{"peak_bytes", 300}, {"allocated_peak_bytes", 100}, {"reserved_peak_bytes", 200}}}};
    Json list = Json::array();
    for (const char* kind : {"device", "allocated", "reserved"}) {
        list.push_back(caseDocument(kind, "g", {{"peak_memory_bytes", 100}}, result));
        list.back()["memory_kind"] = kind;
    }
    const Validation validation = run(casesDocument(list));
    ASSERT_EQ(validation.rows.size(), 3u);
    EXPECT_DOUBLE_EQ(*validation.rows[0].errorPercent, 200);
    EXPECT_DOUBLE_EQ(*validation.rows[1].errorPercent, 0);
    EXPECT_DOUBLE_EQ(*validation.rows[2].errorPercent, 100);
}

TEST(Validation, ReadsDottedPaths) {
    const Json result{{"ttft_s", {{"mean", 2.0}}}};
    const Validation validation = run(casesDocument({caseDocument("a", "g", {{"ttft_s.mean", 1.0}, {"ttft_s.p50", 1.0}}, result)}));
    ASSERT_EQ(validation.rows.size(), 2u);
    EXPECT_DOUBLE_EQ(*validation.rows[0].errorPercent, 100);
    EXPECT_EQ(validation.rows[1].status, CaseStatus::failed);
    EXPECT_NE(validation.rows[1].message.find("ttft_s.p50"), std::string::npos);
}

TEST(Validation, CaseThatCannotRunIsNamedNeverDropped) {
    const Validation validation = run(casesDocument({
        caseDocument("fine", "one", {{"iteration_time_s", 2.0}}, {{"iteration_time_s", 3.0}}),
        caseDocument("no", "one", {{"iteration_time_s", 2.0}, {"out_of_memory", false}}, "reject"),
        caseDocument("bang", "two", {{"iteration_time_s", 2.0}}, "throw"),
    }));
    ASSERT_EQ(validation.rows.size(), 4u);
    EXPECT_EQ(validation.rows[1].status, CaseStatus::rejected);
    EXPECT_EQ(validation.rows[1].message, "Not this.");
    EXPECT_EQ(validation.rows[2].metric, "out_of_memory");
    EXPECT_EQ(validation.rows[3].status, CaseStatus::failed);
    EXPECT_EQ(validation.rows[3].message, "broken");
    ASSERT_EQ(validation.groups.size(), 2u);
    const ErrorSummary& first = validation.groups[0].second.metrics[0].second;
    EXPECT_EQ(first.count, 2u);
    EXPECT_EQ(first.scored, 1u);
    EXPECT_DOUBLE_EQ(*first.meanAbsStrict, 75);
}

TEST(Validation, OutOfMemoryTableCountsRunsThatMeasuredSomethingAsFitting) {
    const Json fits{{"fits", true}, {"iteration_time_s", 1.0}};
    const Json tooBig{{"fits", false},
                      {"iteration_time_s", 1.0},
                      {"out_of_memory", {{"stage", 1}, {"needed_bytes", 9e9}, {"capacity_bytes", 8e9}}}};
    const Validation validation = run(casesDocument({
        caseDocument("tp", "g", {{"out_of_memory", true}}, tooBig),
        caseDocument("fn", "g", {{"out_of_memory", true}}, fits),
        caseDocument("fp", "g", {{"iteration_time_s", 1.0}}, tooBig),
        caseDocument("tn", "g", {{"iteration_time_s", 1.0}}, fits),
        caseDocument("tn2", "g", {{"iteration_time_s", 1.0}, {"out_of_memory", false}}, fits),
        caseDocument("none", "g", {{"iteration_time_s", 1.0}}, "reject"),
    }));
    const OutOfMemorySummary& table = validation.summary.outOfMemory;
    EXPECT_EQ(table.count, 6u);
    EXPECT_EQ(table.truePositive, 1u);
    EXPECT_EQ(table.falseNegative, 1u);
    EXPECT_EQ(table.falsePositive, 1u);
    EXPECT_EQ(table.trueNegative, 2u);
    // Predicted not to fit: scored on time all the same, and it says so.
    EXPECT_EQ(validation.rows[2].status, CaseStatus::ok);
    EXPECT_DOUBLE_EQ(*validation.rows[2].errorPercent, 0);
    EXPECT_NE(validation.rows[2].message.find("not to fit"), std::string::npos);
    EXPECT_EQ(validation.rows[0].predicted, Json(true));
}

TEST(Validation, DoesNotDependOnTheNumberOfThreads) {
    Json list = Json::array();
    for (int i = 1; i <= 200; ++i) {
        const Json scenario = i % 7 == 0 ? Json("reject") : Json{{"iteration_time_s", i * 0.37}};
        list.push_back(caseDocument("c" + std::to_string(i), "g" + std::to_string(i % 3), {{"iteration_time_s", 10.0}}, scenario));
    }
    const Json document = casesDocument(list);
    EXPECT_EQ(toJson(run(document, 1)).dump(), toJson(run(document, 8)).dump());
}

TEST(Validation, DocumentHasTheContractsKeys) {
    const Json document = toJson(run(casesDocument({caseDocument("a", "g", {{"iteration_time_s", 4.0}}, {{"iteration_time_s", 5.0}})})));
    EXPECT_EQ(document["format"], "orrery-validation/1");
    const Json& row = document["cases"][0];
    EXPECT_EQ(row["id"], "a");
    EXPECT_EQ(row["group"], "g");
    EXPECT_EQ(row["metric"], "iteration_time_s");
    EXPECT_EQ(row["measured"], 4.0);
    EXPECT_EQ(row["predicted"], 5.0);
    EXPECT_EQ(row["error_percent"], 25.0);
    EXPECT_EQ(row["status"], "ok");
    EXPECT_EQ(row["message"], "");
    for (const Json& summary : {document["groups"]["g"]["iteration_time_s"], document["summary"]["iteration_time_s"]}) {
        for (const char* key : {"count", "scored", "mean_abs_error_percent", "mean_abs_error_percent_strict", "median_abs_error_percent",
                                "p90_abs_error_percent", "max_abs_error_percent", "mean_error_percent"}) {
            EXPECT_TRUE(summary.contains(key)) << key;
        }
    }
    EXPECT_TRUE(document["constants"].contains("fitted"));
    EXPECT_TRUE(document["constants"].contains("by_profile"));
}

TEST(Cases, MalformedFilesAreRefusedWithAPointer) {
    const auto pointerOf = [](const Json& document) {
        const CasesReading reading = readCases(document);
        return reading.problems.empty() ? "none" : reading.problems.front().pointer;
    };
    EXPECT_EQ(pointerOf(Json{{"format", "orrery-scenario/1"}}), "/format");
    EXPECT_EQ(pointerOf(Json{{"format", "orrery-cases/1"}}), "/cases");
    EXPECT_EQ(pointerOf(casesDocument({1})), "/cases/0");
    const Json good = caseDocument("a", "g", {{"iteration_time_s", 1.0}}, Json::object());
    EXPECT_EQ(pointerOf(casesDocument({good, good})), "/cases/1/id");
    Json nothingMeasured = good;
    nothingMeasured["measured"] = Json::object();
    EXPECT_EQ(pointerOf(casesDocument({nothingMeasured})), "/cases/0/measured");
    Json text = good;
    text["measured"]["iteration_time_s"] = "1 s";
    EXPECT_EQ(pointerOf(casesDocument({text})), "/cases/0/measured/iteration_time_s");
}

TEST(Cases, EveryReferenceFileIsReadWhole) {
    for (const auto& [file, count] : {std::pair{"training.json", 430}, std::pair{"training_vtrain_simumax.json", 202}, std::pair{"inference.json", 308}}) {
        const std::string path = std::string("reference/") + file;
        ORRERY_REQUIRE_SHARED(path);
        const CasesReading reading = readCases(Json::parse(test::readWholeFile(test::sharedPath(path))));
        EXPECT_EQ(reading.problems.size(), 0u) << file << " " << (reading.problems.empty() ? "" : toText(reading.problems.front()));
        EXPECT_EQ(reading.cases.size(), static_cast<std::size_t>(count)) << file;
    }
}

TEST(EngineSettings, AreLaidOverTheCasesTheyName) {
    const Json cases{{"format", "orrery-cases/1"},
                     {"cases",
                      {{{"id", "a"}, {"group", "g"}, {"scenario", {{"workload", {{"engine", {{"disaggregation", {{"decode", {{"instances", 2}}}}}}}}}}}, {"measured", {{"ttft_s.mean", 1}}}},
                       {{"id", "b"}, {"group", "g"}, {"scenario", {{"workload", {{"engine", Json::object()}}}}}, {"measured", {{"ttft_s.mean", 1}}}}}}};
    CasesReading reading = readCases(cases);
    ASSERT_FALSE(hasErrors(reading.problems));
    const Json before = *reading.cases[1].scenario;
    EXPECT_TRUE(layOverEngines(reading.cases, {{"settings", {{"a", {{"stream_interval", 10}, {"disaggregation.first_token", "decode"}}}, {"of another file", {{"x", 1}}}}}}).empty());
    const Json& engine = reading.cases[0].scenario->at("workload").at("engine");
    EXPECT_EQ(engine, (Json{{"disaggregation", {{"decode", {{"instances", 2}}}, {"first_token", "decode"}}}, {"stream_interval", 10}}));
    EXPECT_EQ(*reading.cases[1].scenario, before);
    EXPECT_TRUE(hasErrors(layOverEngines(reading.cases, {{"settings", 3}})));
    EXPECT_TRUE(hasErrors(layOverEngines(reading.cases, {{"settings", {{"a", 3}}}})));
}

} // namespace
} // namespace orrery
