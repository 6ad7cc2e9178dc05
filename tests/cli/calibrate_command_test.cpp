// SPDX-License-Identifier: GPL-3.0-or-later
// A benchmark's result and a launch line in, a profile file out, and a scenario that runs with it.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orrery {
namespace {

const char* const launchLine = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192 --no-enable-prefix-caching";

Json measured(int users, double ttft, double tpot) {
    return {{"backend", "vllm"}, {"completed", 4 * users}, {"request_rate", "inf"}, {"max_concurrency", users}, {"total_input_tokens", 4000 * users}, {"total_output_tokens", 400 * users}, {"mean_ttft_ms", ttft}, {"mean_tpot_ms", tpot}, {"output_throughput", 100.0 * users}};
}

TEST(CalibrateCommand, MakesAProfileOfAServerThatAScenarioUses) {
    const ScratchFolder folder;
    std::ofstream(folder.path("runs.jsonl")) << measured(4, 200, 12).dump() << '\n'
                                             << measured(16, 500, 15).dump() << '\n';
    const std::string profile = folder.path("mine.orrery-profile.json");
    const ProcessResult fit = runCli({"calibrate", folder.path("runs.jsonl"), "--launch", launchLine, "--accelerator", "h100-sxm5-80gb", "--out", profile, "--json"});
    ASSERT_EQ(fit.status, 0) << fit.err;
    const Json document = printedBy(fit);
    EXPECT_EQ(document["format"], "orrery-profile/1");
    EXPECT_EQ(document["machine"]["accelerator"], "h100-sxm5-80gb");
    EXPECT_LT(document["errors"]["fitted"]["mean_abs_error_percent_after"].get<double>(), document["errors"]["fitted"]["mean_abs_error_percent_before"].get<double>());
    EXPECT_EQ(document["errors"]["not_fitted"]["count"], 4);

    std::ofstream(folder.path("line.sh")) << launchLine << '\n';
    const ProcessResult import = runCli({"import", folder.path("line.sh"), "--accelerator", "h100-sxm5-80gb"});
    Json scenario = printedBy(import);
    scenario["workload"]["requests"] = document["fitted_to"][1]["requests"];
    scenario["execution"]["profile"] = "mine.orrery-profile.json";
    std::ofstream(folder.path("mine.orrery.json")) << scenario.dump();
    const ProcessResult run = runCli({"simulate", folder.path("mine.orrery.json"), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json result = printedBy(run);
    int checked = 0;
    for (const Json& figure : document["figures"]) {
        if (figure["run"] != 2 || figure["use"] != "fitted") continue;
        const std::string metric = figure["metric"];
        EXPECT_DOUBLE_EQ(result[metric.substr(0, metric.find('.'))]["mean"].get<double>(), figure["after"].get<double>()) << metric;
        ++checked;
    }
    EXPECT_EQ(checked, 2);

    std::ofstream(profile) << "{\"format\": \"orrery-profile/1\"}";
    const ProcessResult refused = runCli({"simulate", folder.path("mine.orrery.json"), "--json"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(printedBy(refused)["problems"][0]["pointer"], "/execution/profile");
}

TEST(CalibrateCommand, AsksForTheServerOfABenchmark) {
    const ScratchFolder folder;
    std::ofstream(folder.path("run.json")) << measured(4, 200, 12).dump();
    const ProcessResult run = runCli({"calibrate", folder.path("run.json"), "--json"});
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(printedBy(run)["problems"][0]["mend"].get<std::string>().find("--launch"), std::string::npos);
    std::ofstream(folder.path("other.json")) << "{\"a\": 1}";
    for (const char* file : {"other.json", "missing.json"}) {
        const ProcessResult refused = runCli({"calibrate", folder.path("run.json"), folder.path(file), "--launch", launchLine, "--json"});
        EXPECT_EQ(refused.status, 2);
        const Json problem = printedBy(refused)["problems"][0];
        EXPECT_NE(problem["file"].get<std::string>().find(file), std::string::npos) << problem;
        EXPECT_FALSE(problem["mend"].get<std::string>().empty());
    }
}

} // namespace
} // namespace orrery
