// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace orrery {
namespace {

/// Standard output as one document; fails when anything else is there.
Json documentOf(const ProcessResult& result) {
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << "standard output is not one JSON document:\n"
                                          << result.out.substr(0, 400);
    return document;
}

double sumOf(const Json& object) {
    double sum = 0;
    for (const auto& [key, value] : object.items()) sum += value.get<double>();
    return sum;
}

TEST(Simulate, ResultOfTheExampleHoldsWhatTheContractNames) {
    const ProcessResult run = runCli({"simulate", mainExample(), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json result = documentOf(run);
    EXPECT_EQ(result["format"], "orrery-result/1");
    EXPECT_EQ(result["kind"], "training");
    EXPECT_EQ(result["fits"], true);
    for (const char* key : {"name", "assumed", "warnings", "memory", "operations", "parameters", "active_parameters",
                            "iteration_time_s", "tokens_per_s", "tokens_per_s_per_accelerator", "model_tflops_per_accelerator",
                            "mfu", "hfu", "mfu_causal", "flop_rule", "bubble_fraction", "bubble_over_ideal", "time_breakdown_s",
                            "stages"}) {
        EXPECT_TRUE(result.contains(key)) << key;
    }
    const double time = result["iteration_time_s"];
    EXPECT_NEAR(sumOf(result["time_breakdown_s"]), time, 1e-9 * time);
    EXPECT_NEAR(result["tokens_per_s"].get<double>(), 128 * 8192 / time, 1e-6 * 128 * 8192 / time);
    EXPECT_NEAR(result["tokens_per_s_per_accelerator"].get<double>() * 64, result["tokens_per_s"].get<double>(),
                1e-6 * result["tokens_per_s"].get<double>());
    for (const Json& stage : result["memory"]["stages"]) {
        double sum = 0;
        for (const char* kind : {"weights", "gradients", "optimizer_states", "activations", "kv_cache", "temporary",
                                 "communication_buffers", "fragmentation", "framework"}) {
            sum += stage[kind].get<double>();
        }
        EXPECT_NEAR(sum, stage["peak_bytes"].get<double>(), 1e-9 * sum);
    }
}

TEST(Simulate, TextNamesTheHeadlineFigures) {
    const ProcessResult run = runCli({"simulate", mainExample()});
    ASSERT_EQ(run.status, 0) << run.err;
    for (const char* words : {"Iteration time", "Tokens/s per accelerator", "MFU", "Peak memory", "bubble", "Exposed communication",
                              "Where the iteration goes", "Memory by stage", "Assumed"}) {
        EXPECT_NE(run.out.find(words), std::string::npos) << words;
    }
}

TEST(Simulate, ReadsStandardInput) {
    ProcessOptions options;
    options.input = smallScenario().dump();
    const ProcessResult run = runCli({"simulate", "-", "--json"}, options);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(documentOf(run)["name"], "small");
}

TEST(Simulate, ReadsAConfigFileRelativeToTheScenario) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    folder.write("config.json", scenario["model"]["config"].dump());
    const ProcessResult inside = runCli({"simulate", folder.write("inside.json", scenario.dump()), "--json"});
    scenario["model"] = {{"config_file", "config.json"}};
    const ProcessResult beside = runCli({"simulate", folder.write("beside.json", scenario.dump()), "--json"});
    ASSERT_EQ(inside.status, 0) << inside.err;
    ASSERT_EQ(beside.status, 0) << beside.err;
    EXPECT_EQ(documentOf(inside)["iteration_time_s"], documentOf(beside)["iteration_time_s"]);
    EXPECT_EQ(documentOf(inside)["parameters"], documentOf(beside)["parameters"]);
}

TEST(Simulate, SameBytesTwiceAndFromOneAndTwoThreads) {
    for (const std::string& example : {mainExample()}) {
        const std::string first = runCli({"simulate", example, "--json"}).out;
        ASSERT_FALSE(first.empty());
        EXPECT_EQ(runCli({"simulate", example, "--json"}).out, first);
        EXPECT_EQ(runCli({"simulate", example, "--json", "--threads", "1"}).out, first);
        EXPECT_EQ(runCli({"simulate", example, "--json", "--threads", "2"}).out, first);
    }
}

TEST(Simulate, WhatDoesNotFitEndsWith3AndItsWholeResult) {
    const ScratchFolder folder;
    Json scenario = Json::parse(std::ifstream(mainExample()));
    scenario["parallelism"] = {{"tensor", 1}, {"pipeline", 1}};
    const ProcessResult run = runCli({"simulate", folder.write("big.json", scenario.dump()), "--json"});
    ASSERT_EQ(run.status, 3) << run.err;
    const Json result = documentOf(run);
    EXPECT_EQ(result["fits"], false);
    EXPECT_GT(result["out_of_memory"]["needed_bytes"].get<double>(), result["out_of_memory"]["capacity_bytes"].get<double>());
    EXPECT_TRUE(result["out_of_memory"].contains("stage"));
    EXPECT_GT(result["iteration_time_s"].get<double>(), 0);
    EXPECT_EQ(runCli({"memory", folder.path("big.json")}).status, 3);
}

TEST(Simulate, WhatDoesNotFitComesWithChangesThatDo) {
    const ScratchFolder folder;
    Json scenario = Json::parse(std::ifstream(mainExample()));
    scenario["parallelism"]["zero_stage"] = 0;
    scenario["workload"]["micro_batch_size"] = 2;
    scenario["execution"]["recompute"] = "none";
    const std::string path = folder.write("big.json", scenario.dump());
    const ProcessResult run = runCli({"simulate", path, "--json"});
    ASSERT_EQ(run.status, 3) << run.err;
    const Json mends = documentOf(run)["out_of_memory"]["mends"];
    ASSERT_EQ(mends.size(), 3u);
    const std::string words = runCli({"simulate", path}).out;
    EXPECT_NE(words.find("too much"), std::string::npos);
    for (const Json& mend : mends) {
        Json mended = scenario;
        for (const Json& edit : mend["edits"]) {
            const Json::json_pointer place(edit["pointer"].get<std::string>());
            if (!edit["value"].is_null()) mended[place] = edit["value"];
            else if (mended.contains(place)) mended.at(place.parent_pointer()).erase(place.back());
        }
        const ProcessResult again = runCli({"simulate", folder.write("mended.json", mended.dump()), "--json"});
        ASSERT_EQ(again.status, 0) << mend << again.err;
        EXPECT_EQ(documentOf(again)["iteration_time_s"], mend["iteration_time_s"]) << mend;
        EXPECT_NE(words.find(mend["text"].get<std::string>()), std::string::npos) << mend;
    }
}

TEST(Simulate, ExplainsWhatEveryPassAdds) {
    const ProcessResult run = runCli({"simulate", mainExample(), "--json", "--explain"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json passes = documentOf(run)["passes"];
    std::string order;
    for (const Json& pass : passes) {
        order += pass["pass"].get<std::string>() + " ";
        EXPECT_EQ(pass.contains("idle"), pass["pieces"].empty() && pass["pass"] != "overlap") << pass;
        for (const char* kind : {"added", "removed", "changed"}) {
            std::size_t listed = 0;
            for (const Json& piece : pass["pieces"]) listed += piece[kind].size();
            EXPECT_EQ(pass[kind], listed) << pass["pass"];
        }
    }
    EXPECT_EQ(order, "precision fusion tensor sequence context expert expert_tensor lora recompute chunked_loss offload pipeline data zero hsdp overlap ");
    const std::string words = runCli({"simulate", mainExample(), "--explain"}).out;
    EXPECT_NE(words.find("added: attention.core"), std::string::npos);
}

TEST(Simulate, APassSwitchedOffIsThePlanWithoutIt) {
    const ScratchFolder folder;
    Json off = smallScenario(), without = smallScenario();
    off["execution"]["passes"] = {{"tensor", false}};
    without["parallelism"]["tensor"] = 1;
    EXPECT_EQ(runCli({"simulate", folder.write("off.json", off.dump()), "--json"}).out,
              runCli({"simulate", folder.write("without.json", without.dump()), "--json"}).out);
}

TEST(Simulate, ExplainsItsFigures) {
    const ProcessResult run = runCli({"simulate", mainExample(), "--json", "--explain"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json result = documentOf(run);
    ASSERT_TRUE(result["explanations"].contains("/mfu"));
    const Json& mfu = result["explanations"]["/mfu"];
    EXPECT_EQ(mfu["value"], result["mfu"]);
    EXPECT_FALSE(mfu["formula"].get<std::string>().empty());
    EXPECT_GE(mfu["inputs"].size(), 2u);
    for (const auto& [key, value] : result.items()) {
        if (!value.is_number()) continue;
        EXPECT_EQ(result["explanations"]["/" + key]["value"], value) << key;
    }
    for (const auto& [part, seconds] : result["time_breakdown_s"].items()) EXPECT_EQ(result["explanations"]["/time_breakdown_s/" + part]["value"], seconds) << part;
}

TEST(Simulate, WritesATraceWhoseEventsLieInTheIteration) {
    const ScratchFolder folder;
    const std::string path = folder.path("trace.json");
    const ProcessResult run = runCli({"simulate", folder.write("s.json", smallScenario().dump()), "--json", "--trace", path});
    ASSERT_EQ(run.status, 0) << run.err;
    const double microseconds = documentOf(run)["iteration_time_s"].get<double>() * 1e6;
    const Json trace = Json::parse(std::ifstream(path));
    std::size_t bars = 0;
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        ++bars;
        EXPECT_GE(event["ts"].get<double>(), 0);
        EXPECT_LE(event["ts"].get<double>() + event["dur"].get<double>(), microseconds * (1 + 1e-6));
    }
    EXPECT_GT(bars, 100u);
}

TEST(Memory, AccountEqualsTheSimulations) {
    const Json whole = documentOf(runCli({"simulate", mainExample(), "--json"}));
    const ProcessResult run = runCli({"memory", mainExample(), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json account = documentOf(run);
    const Json& memory = account.contains("memory") ? account["memory"] : account;
    EXPECT_EQ(memory["peak_bytes"], whole["memory"]["peak_bytes"]);
    EXPECT_EQ(memory["stages"], whole["memory"]["stages"]);
}

/// The example with closed forms asked for: data-sheet bandwidths, no library's share of them.
std::string statedExample(const ScratchFolder& folder) {
    Json scenario = Json::parse(std::ifstream(mainExample()));
    scenario["execution"]["collectives"]["timing"] = "stated";
    return folder.write("stated.json", scenario.dump());
}

/// Ring over n ranks: 2 (n - 1)/n S/W; one host of DGX H100 moves 450 GB/s an accelerator.
TEST(Collective, AllReduceInOneHostRunsAtTheScaleUpLinkWhereTimingIsStated) {
    const ScratchFolder folder;
    const ProcessResult run = runCli({"collective", statedExample(folder), "--op", "all_reduce", "--bytes", "8e9", "--ranks", "0-7", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json timing = documentOf(run);
    const double transfer = 2 * 7.0 / 8 * 8e9 / 450e9;
    EXPECT_NEAR(timing["time_s"].get<double>(), transfer, 0.01 * transfer);
    EXPECT_GT(timing["time_s"].get<double>(), transfer);
    EXPECT_NEAR(timing["algorithm_bandwidth_gb_s"].get<double>(), 8 / timing["time_s"].get<double>(), 1e-6);
    EXPECT_NEAR(timing["bus_bandwidth_gb_s"].get<double>(), 450, 4.5);
    EXPECT_EQ(timing["algorithm"], "ring");
}

/// NVLS moves 478 to 482 GB/s of bus bandwidth on 8 H100 (nccl-tests on DGX and Azure ND H100 v5, 8 GB): more than the link.
TEST(Collective, AllReduceInOneHostIsDoneByTheSwitchAsMeasured) {
    const ProcessResult run = runCli({"collective", mainExample(), "--op", "all_reduce", "--bytes", "8589934592", "--ranks", "0-7", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(documentOf(run)["algorithm"], "nvls");
    EXPECT_NEAR(documentOf(run)["bus_bandwidth_gb_s"].get<double>(), 480, 0.05 * 480);
}

/// One rank of each host drives one 400 Gb/s interface.
TEST(Collective, OneRankAHostRunsAtOneInterface) {
    const ScratchFolder folder;
    const ProcessResult run =
        runCli({"collective", statedExample(folder), "--op", "all_gather", "--bytes", "8e9", "--ranks", "0,8,16,24", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const double transfer = 3.0 / 4 * 8e9 / 50e9;
    EXPECT_NEAR(documentOf(run)["time_s"].get<double>(), transfer, 0.01 * transfer);
}

TEST(Collective, RanksThatAreNoneAreRefused) {
    for (const char* ranks : {"0-64", "7-0", "0,0", "a", "-1", ","}) {
        const ProcessResult run = runCli({"collective", mainExample(), "--op", "broadcast", "--bytes", "1", "--json", std::string("--ranks=") + ranks});
        EXPECT_EQ(run.status, 2) << ranks;
        EXPECT_EQ(documentOf(run)["problems"][0]["code"], "bad-command-line");
    }
    EXPECT_EQ(runCli({"collective", mainExample(), "--op", "gather", "--bytes", "1"}).status, 2);
    EXPECT_EQ(runCli({"collective", mainExample(), "--op", "broadcast", "--bytes", "-1"}).status, 2);
}

TEST(Compare, PartsSumToTheDifference) {
    const ScratchFolder folder;
    Json other = smallScenario();
    other["parallelism"]["tensor"] = 1;
    const std::string a = folder.write("a.json", smallScenario().dump());
    const std::string b = folder.write("b.json", other.dump());
    const ProcessResult run = runCli({"compare", a, b, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json comparison = documentOf(run);
    EXPECT_EQ(comparison["format"], "orrery-comparison/1");
    const double timeA = documentOf(runCli({"simulate", a, "--json"}))["iteration_time_s"];
    const double timeB = documentOf(runCli({"simulate", b, "--json"}))["iteration_time_s"];
    EXPECT_EQ(comparison["a"], timeA);
    EXPECT_EQ(comparison["b"], timeB);
    double sum = 0;
    for (const Json& part : comparison["parts"]) sum += part["delta"].get<double>();
    EXPECT_NEAR(sum, timeB - timeA, 1e-9 * std::abs(timeB - timeA));
    // How sure it is: of the better one, and between what.
    EXPECT_EQ(comparison["probability_a_better"].get<double>() > 0.5, timeA < timeB);
    EXPECT_LT(comparison["difference_interval_90"]["low"].get<double>(), timeB - timeA);
    EXPECT_GT(comparison["difference_interval_90"]["high"].get<double>(), timeB - timeA);
    EXPECT_NE(runCli({"compare", a, b}).out.find("is better in"), std::string::npos);
}

TEST(Compare, TakesSavedResultsToo) {
    const ScratchFolder folder;
    const std::string scenario = folder.write("a.json", smallScenario().dump());
    const std::string saved = folder.write("result.json", runCli({"simulate", scenario, "--json"}).out);
    const ProcessResult run = runCli({"compare", scenario, saved, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(documentOf(run)["difference"], 0.0);
    EXPECT_TRUE(documentOf(run)["probability_a_better"].is_null());
}

TEST(Compare, ABenchmarkOfAServerLiesBesideTheSimulation) {
    const ScratchFolder folder;
    const std::string chat = test::sourcePath("resources/examples/llama-3.1-8b-h100-chat.orrery.json");
    const double ttft = documentOf(runCli({"simulate", chat, "--json"}))["ttft_s"]["mean"];
    const Json measured{{"backend", "vllm"}, {"completed", 1000}, {"mean_ttft_ms", 500 * ttft}, {"median_tpot_ms", 10.0}};
    const std::string file = folder.write("vllm.json", measured.dump());
    const ProcessResult run = runCli({"compare", chat, file, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json rows = documentOf(run)["rows"];
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["metric"], "ttft_s.mean");
    EXPECT_NEAR(rows[0]["error_percent"].get<double>(), 100, 1e-6) << "half as long was measured";
    const ProcessResult training = runCli({"compare", folder.write("a.json", smallScenario().dump()), file, "--json"});
    EXPECT_EQ(training.status, 2);
    EXPECT_EQ(documentOf(training)["problems"][0]["code"], "not-comparable");
}

TEST(List, EveryCatalogueSaysWhereItsValuesAreFrom) {
    for (const std::string what : {"models", "accelerators", "platforms", "frameworks"}) {
        const ProcessResult run = runCli({"list", what, "--json"});
        ASSERT_EQ(run.status, 0) << run.err;
        const Json list = documentOf(run)[what];
        EXPECT_GE(list.size(), 4u) << what;
        for (const Json& entry : list) {
            const bool sourced = !entry["source"].get<std::string>().empty() || !entry["from_memory"].empty();
            EXPECT_TRUE(sourced) << what << " " << entry["id"];
        }
        EXPECT_EQ(runCli({"list", what}).status, 0);
    }
}

/// An entry as `list` prints it, in place of its id: the same bytes.
TEST(List, EntriesGivenWholeGiveTheSameBytes) {
    const ScratchFolder folder;
    const auto listed = [](const char* what) { return Json(documentOf(runCli({"list", what, "--json"})).at(what)); };
    const auto run = [&](const Json& scenario) { return runCli({"simulate", folder.write("a.json", scenario.dump()), "--json"}); };
    const auto expectSame = [&](const Json& byId, const Json& whole, const Json& id) {
        const ProcessResult first = run(byId), second = run(whole);
        EXPECT_EQ(second.status, first.status) << id << second.err;
        if (first.status == 2) return 0; // a plan that this one can't run; its problems point elsewhere
        EXPECT_TRUE(second.out == first.out) << id;
        return 1;
    };
    int accelerators = 0, frameworks = 0, models = 0, at = 0;
    for (const Json& entry : listed("accelerators")) {
        Json byId = smallScenario();
        if (!entry.at("peak_dense_tflops").contains("bf16")) byId["workload"]["precision"] = "fp16";
        Json whole = byId;
        byId["cluster"]["accelerator"] = entry.at("id");
        whole["cluster"]["accelerator"] = entry;
        accelerators += expectSame(byId, whole, entry.at("id"));
    }
    for (const Json& entry : listed("frameworks")) {
        Json byId = smallScenario(), whole = byId;
        byId["execution"] = {{"framework", entry.at("id")}};
        whole["execution"] = {{"framework", entry}};
        frameworks += expectSame(byId, whole, entry.at("id"));
    }
    for (const Json& entry : listed("models")) {
        if (at++ % 8 != 0) continue; // one reader reads their configs
        Json byId = smallScenario(), whole = byId;
        byId["model"] = {{"preset", entry.at("id")}};
        whole["model"] = {{"config", entry.at("config")}};
        models += expectSame(byId, whole, entry.at("id"));
    }
    EXPECT_GT(accelerators, 30);
    EXPECT_GT(frameworks, 10);
    EXPECT_GT(models, 5);
}

TEST(List, AnAcceleratorPrintedCanBePastedIntoAScenario) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    const Json byId = documentOf(runCli({"simulate", folder.write("id.json", scenario.dump()), "--json"}));
    const Json listed = documentOf(runCli({"list", "accelerators", "--json"}));
    for (const Json& entry : listed["accelerators"])
        if (entry["id"] == "a100-sxm4-80gb") scenario["cluster"]["accelerator"] = entry;
    ASSERT_TRUE(scenario["cluster"]["accelerator"].is_object());
    const ProcessResult run = runCli({"simulate", folder.write("object.json", scenario.dump()), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(documentOf(run)["memory"]["capacity_bytes"], byId["memory"]["capacity_bytes"]);
}

TEST(Simulate, ARunBeyondTheMemoryCeilingIsRefusedWithAMendThatRuns) {
    const ScratchFolder folder;
    Json scenario = Json::parse(std::ifstream(test::sourcePath("resources/examples/llama-3-8b-dgx-h100.orrery.json")));
    scenario["workload"]["global_batch_size"] = 8'000'000;
    ProcessOptions bounded;
    bounded.secondsAtMost = 30;
    bounded.memoryLimit = std::size_t{2} << 30;
    for (const char* command : {"simulate", "memory"}) {
        const ProcessResult run = runCli({command, folder.write("vast.json", scenario.dump()), "--json"}, bounded);
        ASSERT_EQ(run.status, 2) << run.err;
        const Json problem = documentOf(run)["problems"][0];
        EXPECT_EQ(problem["code"], "run-too-large");
        EXPECT_EQ(problem["pointer"], "/workload/global_batch_size");
    }
    scenario["workload"]["global_batch_size"] = 8'000;
    const std::string path = folder.write("large.json", scenario.dump());
    EXPECT_EQ(runCli({"simulate", path, "--json", "--memory-ceiling", "0.01"}).status, 2);
    EXPECT_EQ(runCli({"simulate", path, "--json", "--memory-ceiling", "1"}).status, 0);
    EXPECT_EQ(runCli({"simulate", path, "--json", "--memory-ceiling", "0"}).status, 2);
}

/// Under 2 GB, with more mends to try than fit there side by side: the result is printed whatever becomes of them.
TEST(Simulate, TryingMendsWithoutMemoryDoesNotEndTheProgram) {
    const ScratchFolder folder;
    Json scenario = Json::parse(std::ifstream(test::sourcePath("resources/examples/llama-3-8b-dgx-h100.orrery.json")));
    scenario["workload"]["global_batch_size"] = 240'000;
    scenario["workload"]["sequence_length"] = 128;
    scenario["parallelism"]["zero_stage"] = 0;
    scenario["execution"]["recompute"] = "none";
    ProcessOptions bounded;
    bounded.secondsAtMost = 100;
    bounded.memoryLimit = std::size_t{2} << 30;
    const ProcessResult run = runCli({"simulate", folder.write("s.json", scenario.dump()), "--json"}, bounded);
    ASSERT_EQ(run.status, 3) << run.err;
    EXPECT_FALSE(documentOf(run)["out_of_memory"]["mends"].empty());
}

} // namespace
} // namespace orrery
