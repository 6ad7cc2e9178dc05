// SPDX-License-Identifier: GPL-3.0-or-later
// What a server does beside its kernels, found again from benchmarks of one that is known: the profile file, and what it predicts.
#include "core/answers/calibration/served_calibration.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace orrery {
namespace {

const Catalog& catalog() {
    static const Catalog shipped = shippedCatalog();
    return shipped;
}

Json server() {
    return Json::parse(R"({"format": "orrery-scenario/1", "model": {"preset": "llama-3.1-8b"},
      "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 1, "nodes": 1},
      "workload": {"kind": "serving", "precision": "bf16", "requests": {"count": 8, "arrival": {"process": "all_at_once"}, "input_tokens": 100, "output_tokens": 10}},
      "execution": {"framework": "vllm-2026"}})");
}

Json loadOf(int users) {
    return {{"count", 6 * users + 10}, {"arrival", {{"process", "closed_loop"}, {"concurrency", users}}}, {"input_tokens", 800}, {"output_tokens", 100}};
}

Json answerOf(Json document, const FileReader& readFile = {}) {
    const ScenarioReading reading = readScenario(document, catalog(), readFile);
    EXPECT_TRUE(reading.scenario) << (reading.problems.empty() ? "" : reading.problems.front().message);
    return toJson(*simulate(*reading.scenario).result->serving());
}

/// What vLLM's benchmark would have written of the known server.
BenchmarkRun measuredWith(const Json& constants, int users) {
    Json document = server();
    document["workload"]["requests"] = loadOf(users);
    document["execution"]["calibration"] = constants;
    const Json answer = answerOf(document);
    const double count = loadOf(users)["count"].get<double>();
    const Json written{{"max_concurrency", users}, {"request_rate", "inf"}, {"completed", count}, {"total_input_tokens", 800 * count}, {"total_output_tokens", 100 * count}, {"output_throughput", answer["output_tokens_per_s"]}, {"mean_ttft_ms", 1e3 * answer["ttft_s"]["mean"].get<double>()}, {"mean_tpot_ms", 1e3 * answer["tpot_s"]["mean"].get<double>()}, {"p99_ttft_ms", 1e3 * answer["ttft_s"]["p99"].get<double>()}};
    return {*readServerBenchmark(written), "run.json"};
}

const Json& truth() {
    static const Json constants{{"front_end_ms", 45.0}, {"prompt_stretch", 1.9}, {"decode_stretch", 1.3}};
    return constants;
}

ProfileFit fitted(const std::vector<int>& users, const Json& scenario = server()) {
    std::vector<BenchmarkRun> runs;
    for (const int count : users) runs.push_back(measuredWith(truth(), count));
    return calibrateServing(runs, scenario, catalog(), {}, {});
}

TEST(ProfileFit, FindsTheServerAgainAndPredictsRunsThatItWasNotFittedTo) {
    const ProfileFit fit = fitted({1, 4, 16, 48});
    ASSERT_TRUE(fit.problems.empty()) << fit.problems.front().message;
    for (const auto& [name, value] : truth().items()) {
        const auto found = std::find_if(fit.constants.begin(), fit.constants.end(), [key = name](const AdjustedConstant& one) { return one.name == key; });
        ASSERT_NE(found, fit.constants.end()) << name;
        EXPECT_LT(std::abs(std::log(found->after / value.get<double>())), 0.1) << name;
        EXPECT_GE(found->after, found->low);
        EXPECT_LE(found->after, found->high);
    }
    EXPECT_EQ(fit.notFitted, FigureUse::left_out);
    const CalibrationErrors own = errorsOf(fit.figures, FigureUse::fitted), leftOut = errorsOf(fit.figures, FigureUse::left_out);
    EXPECT_EQ(own.count, 8);
    EXPECT_EQ(leftOut.count, 8) << "every run once by the constants of the others";
    EXPECT_GT(own.before, 20);
    EXPECT_LT(own.after, 4);
    EXPECT_LT(leftOut.after, 6);
}

TEST(ProfileFit, TheProfileFileGivesWhatTheFitGave) {
    const ProfileFit fit = fitted({2, 24});
    ASSERT_TRUE(fit.problems.empty()) << fit.problems.front().message;
    const Json& profile = *fit.profile;
    EXPECT_EQ(profile["machine"]["accelerator"], "h100-sxm5-80gb");
    EXPECT_EQ(profile["software"]["framework"], "vllm-2026");
    Problems problems;
    EXPECT_TRUE(readMeasuredProfile(profile.dump(), "p", "/execution/profile", problems)) << problems.front().message;
    Json document = server();
    document["workload"]["requests"] = loadOf(24);
    document["execution"]["profile"] = "mine.orrery-profile.json";
    const FileReader files = [&](const std::string& path, std::string&) -> std::optional<std::string> { return path == "mine.orrery-profile.json" ? std::optional(profile.dump()) : std::nullopt; };
    const Json answer = answerOf(document, files);
    int checked = 0;
    for (const Json& figure : profile["figures"]) {
        if (figure["run"] != 2 || figure["use"] != "fitted" || figure["metric"] != "ttft_s.mean") continue;
        EXPECT_EQ(answer["ttft_s"]["mean"], figure["after"]);
        ++checked;
    }
    EXPECT_EQ(checked, 1);
    // A profile is so many constants written out.
    Json written = document;
    written["execution"].erase("profile");
    written["execution"]["calibration"] = profile["constants"];
    EXPECT_EQ(answerOf(written), answer);
}

/// Servers that others measured at several loads (InferenceX): loads that constants were not fitted to are off by a third less than before, at least.
TEST(ProfileFit, TakesAThirdOfTheErrorOnLoadsOfMeasuredServersThatItDidNotSee) {
    ORRERY_REQUIRE_SHARED("reference/serving_silicon.json");
    const Json cases = Json::parse(test::readWholeFile(test::sharedPath("reference/serving_silicon.json")))["cases"];
    std::map<std::string, std::vector<Json>> cells; // alike but for their load
    for (const Json& one : cases) {
        Json rest = one["scenario"];
        if (rest["workload"]["engine"].contains("disaggregation") || rest["workload"]["requests"]["count"] > 700 || one["measured"].size() < 2) continue;
        rest["workload"].erase("requests");
        cells[rest.dump()].push_back(one);
    }
    double before = 0, after = 0;
    int servers = 0;
    for (const auto& [key, measured] : cells) {
        if (measured.size() < 4 || servers == 3) continue;
        std::vector<BenchmarkRun> runs;
        for (const Json& one : measured) {
            ServerBenchmark benchmark{"InferenceX", {}, one["scenario"]["workload"]["requests"]};
            for (const auto& [metric, value] : one["measured"].items()) benchmark.figures.push_back({metric, value.get<double>(), false});
            runs.push_back({std::move(benchmark), one["id"]});
        }
        const ProfileFit fit = calibrateServing(runs, measured.front()["scenario"], catalog(), {}, {});
        ASSERT_FALSE(hasErrors(fit.problems)) << fit.problems.front().message;
        const CalibrationErrors leftOut = errorsOf(fit.figures, FigureUse::left_out);
        before += leftOut.before;
        after += leftOut.after;
        ++servers;
    }
    ASSERT_EQ(servers, 3);
    EXPECT_LT(after, before * 2 / 3) << "mean over servers, percent: " << before / servers << " before, " << after / servers << " after";
}

TEST(ProfileFit, OneRunShowsWhatElseItSaysAsNotFitted) {
    const ProfileFit fit = fitted({16});
    ASSERT_TRUE(fit.problems.empty()) << fit.problems.front().message;
    EXPECT_EQ(fit.notFitted, FigureUse::beside);
    EXPECT_EQ(errorsOf(fit.figures, FigureUse::fitted).count, 2);
    EXPECT_EQ(errorsOf(fit.figures, FigureUse::beside).count, 2) << "the rate and the percentile";
    EXPECT_EQ(errorsOf(fit.figures, FigureUse::left_out).count, 0);
    EXPECT_LT(errorsOf(fit.figures, FigureUse::beside).after, 0.5 * errorsOf(fit.figures, FigureUse::beside).before);
}

TEST(ProfileFit, RefusesWhatItCanNotFit) {
    Json training = server();
    training["workload"] = Json::parse(R"({"kind": "training", "sequence_length": 1024, "global_batch_size": 8, "micro_batch_size": 1, "precision": "bf16"})");
    training["execution"].erase("framework");
    EXPECT_EQ(calibrateServing({{*readServerBenchmark(Json{{"mean_ttft_ms", 5.0}}), "a"}}, training, catalog(), {}, {}).problems.front().pointer, "/workload/kind");
    EXPECT_EQ(calibrateServing({{*readServerBenchmark(Json{{"output_throughput", 5.0}, {"duration", 3.0}}), "a"}}, Json::object(), catalog(), {}, {}).problems.empty(), false);
    const BenchmarkRun offline{*readServerBenchmark(Json{{"avg_latency", 5.0}}), "a"};
    EXPECT_EQ(calibrateServing({offline}, server(), catalog(), {}, {}).problems.front().code, "no-measured-latency");
    Json tooSmall = server();
    tooSmall["cluster"]["accelerator"] = "l4";
    tooSmall["model"]["preset"] = "llama-3.1-70b";
    const ProfileFit none = calibrateServing({measuredWith(truth(), 2)}, tooSmall, catalog(), {}, {});
    ASSERT_FALSE(none.problems.empty());
    EXPECT_FALSE(none.problems.front().mend.empty());
}

} // namespace
} // namespace orrery
