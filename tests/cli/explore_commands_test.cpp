// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that try many scenarios, as a user's script runs them.
#include "core/base/json.hpp"
#include "core/scenario/document/share_text.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/workbook_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace orrery {
namespace {

std::string written(const ScratchFolder& folder, const char* name, const Json& document) {
    const std::string path = folder.path(name);
    std::ofstream(path) << document.dump(1);
    return path;
}

std::string fileBytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Json exploring() {
    Json document = smallScenario();
    document["variants"] = Json::parse(R"([{"name": "tensor 4", "edits": {"/parallelism/tensor": 4}}])");
    document["measures"] = {{"peak", "/memory/peak_bytes"}};
    document["search"] = Json::parse(R"({"vary": {"/parallelism/tensor": [1, 2, 3, 4], "/parallelism/pipeline": [1, 2]}, "objective": {"maximize": "/mfu"}})");
    return document;
}

TEST(ScenarioText, StandsForAFileWhereverACommandTakesOne) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring()), text = shareTextOf(exploring());
    EXPECT_EQ(printedBy(runCli({"simulate", text, "--json"})), printedBy(runCli({"simulate", file, "--json"})));
    EXPECT_EQ(printedBy(runCli({"simulate", text + "#tensor 4", "--json"})), printedBy(runCli({"simulate", file + "#tensor 4", "--json"})));
    const Json cut = printedBy(runCli({"simulate", text.substr(0, text.size() / 2), "--json"}));
    EXPECT_EQ(cut["format"], "orrery-error/1");
    EXPECT_EQ(cut["problems"][0]["code"], "bad-scenario-text");
}

TEST(PlanCommand, AnswersInTheContractsDocument) {
    const ProcessResult run = runCli({"plan", "llama-3.2-1b", "--on", "8xh100-sxm5-80gb", "--train", "--sequence", "2048", "--batch", "16", "--margin", "5%", "--network", "800Gb/s", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = printedBy(run);
    EXPECT_EQ(document["format"], "orrery-plan/1");
    EXPECT_EQ(document["others"].size(), 2U);
    EXPECT_FALSE(document["reasons"].empty());
    EXPECT_EQ(document["launch"]["for"], "megatron-lm");
    EXPECT_EQ(document["best"]["scenario"]["cluster"]["scale_out"]["bandwidth_gb_s"], 100);
    const ScratchFolder folder;
    const Json result = printedBy(runCli({"simulate", written(folder, "best.orrery.json", document["best"]["scenario"]), "--json"}));
    EXPECT_EQ(result["iteration_time_s"], document["best"]["figures"]["iteration_time_s"]);
    EXPECT_EQ(result["fits_probability"], document["best"]["fits_probability"]);
    EXPECT_EQ(printedBy(runCli({"search", written(folder, "space.orrery.json", document["space"]), "--json"}))["best"][0]["metrics"]["/iteration_time_s"], result["iteration_time_s"]);
}

TEST(PlanCommand, TakesAConfigItsFolderAndHuggingFacesCache) {
    const ScratchFolder folder;
    const std::filesystem::path snapshot = std::filesystem::path(folder.path("models--org--tiny")) / "snapshots" / "0123";
    std::filesystem::create_directories(snapshot);
    const Json config{{"model_type", "llama"}, {"hidden_size", 512}, {"intermediate_size", 1024}, {"num_hidden_layers", 4}, {"num_attention_heads", 8}, {"num_key_value_heads", 8}, {"vocab_size", 32000}};
    std::ofstream(snapshot / "config.json") << config;
    for (const std::string& model : {folder.path("models--org--tiny"), snapshot.string(), (snapshot / "config.json").string()}) {
        const ProcessResult run = runCli({"plan", model, "--on", "2xh100-sxm5-80gb", "--sequence", "512", "--json"});
        ASSERT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(printedBy(run)["best"]["scenario"]["model"]["config"], config);
    }
}

TEST(PlanCommand, RefusesWhatItDoesNotKnowWithTheNearestNames) {
    const auto mendOf = [](std::vector<std::string> arguments) {
        arguments.push_back("--json");
        const ProcessResult run = runCli(arguments);
        EXPECT_EQ(run.status, 2);
        return printedBy(run)["problems"][0]["mend"].get<std::string>();
    };
    EXPECT_NE(mendOf({"plan", "llama-3.1-7b", "--on", "1xdgx-h100"}).find("llama-3.1-8b"), std::string::npos);
    EXPECT_NE(mendOf({"plan", "llama-3.1-8b", "--on", "1xdgxh100"}).find("dgx-h100"), std::string::npos);
    EXPECT_NE(mendOf({"plan", "llama-3.1-8b", "--on", "1xdgx-h100", "--network", "fast"}).find("Gb/s"), std::string::npos);
    EXPECT_NE(mendOf({"plan", "llama-3.1-405b", "--on", "1xh100-sxm5-80gb"}).find("least that would do"), std::string::npos);
}

TEST(SweepCommand, PrintsTheContractsDocument) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring());
    const ProcessResult run = runCli({"sweep", file, "--vary", "/parallelism/tensor=1,2,3", "--vary", "/workload/micro_batch_size=1..4:3", "--metric", "/mfu", "--metric", "peak", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = printedBy(run);
    EXPECT_EQ(document["format"], "orrery-sweep/1");
    EXPECT_EQ(document["axes"], Json::parse(R"([{"pointer": "/parallelism/tensor", "values": [1, 2, 3]}, {"pointer": "/workload/micro_batch_size", "values": [1, 4]}])"));
    ASSERT_EQ(document["points"].size(), 6U);
    for (const Json& point : document["points"]) {
        EXPECT_EQ(point["changes"].size(), 2U);
        EXPECT_EQ(point["metrics"].size(), 2U);
        const bool sound = point["changes"]["/parallelism/tensor"] != 3;
        EXPECT_EQ(point["problem"].is_null(), sound);
        EXPECT_EQ(point["metrics"]["peak"].is_number(), sound);
        EXPECT_EQ(point["fits"].is_boolean(), sound);
    }
}

TEST(SweepCommand, RefusesWhatCanNotBe) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring());
    const struct {
        std::vector<std::string> arguments;
        const char* code;
        const char* says;
    } cases[] = {
        {{"--vary", "/parallelism/tensr=1,2"}, "unknown-key", "tensor"},
        {{"--vary", "parallelism/tensor=1,2"}, "not-an-assignment", "POINTER=VALUES"},
        {{"--vary", "/parallelism/tensor=1..1e12"}, "not-values", "20000 are the most"},
        {{"--vary", "/cluster/nodes=1..9000", "--vary", "/parallelism/tensor=1..9000"}, "too-many-points", "combinations, which would take"},
        {{"--vary", "/parallelism/tensor=1,2", "--metric", "/mfuu"}, "no-such-figure", "/mfu"},
        {{"--vary", "/parallelism/tensor=1,2", "--vary", "/parallelism/tensor=4"}, "varied-twice", "twice"},
    };
    for (const auto& one : cases) {
        std::vector<std::string> arguments{"sweep", file, "--json"};
        arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
        const ProcessResult run = runCli(arguments);
        EXPECT_EQ(run.status, 2) << one.code;
        const Json document = printedBy(run);
        ASSERT_FALSE(document["problems"].empty()) << one.code;
        EXPECT_EQ(document["problems"][0]["code"], one.code);
        EXPECT_NE(document["problems"].dump().find(one.says), std::string::npos) << document["problems"].dump();
    }
}

TEST(SweepCommand, AKilledRunGoesOnFromItsCheckpoint) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring()), checkpoint = folder.path("points.jsonl");
    const std::vector<std::string> plain{"sweep", file, "--vary", "/parallelism/tensor=1,2,4,8", "--json"};
    std::vector<std::string> kept = plain;
    kept.insert(kept.end(), {"--checkpoint", checkpoint});
    const std::string whole = runCli(plain).out;
    EXPECT_EQ(runCli(kept).out, whole);
    // A kill leaves it so: the last line torn, one whole line lost.
    std::ifstream in(checkpoint);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 5U);
    std::ofstream(checkpoint) << lines[0] << '\n'
                              << lines[1] << '\n'
                              << lines[2] << '\n'
                              << lines[3].substr(0, lines[3].size() / 2);
    const ProcessResult resumed = runCli(kept);
    EXPECT_EQ(resumed.out, whole);
    EXPECT_NE(resumed.err.find("2 of them are in"), std::string::npos) << resumed.err;
    // Another question does not touch it.
    const ProcessResult other = runCli({"sweep", file, "--vary", "/parallelism/tensor=1,2", "--json", "--checkpoint", checkpoint});
    EXPECT_EQ(other.status, 2);
    EXPECT_EQ(printedBy(other)["problems"][0]["code"], "checkpoint-of-another");
    EXPECT_EQ(runCli(kept).out, whole);
}

TEST(SweepCommand, WritesItsPointsAsATable) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring()), book = folder.path("points.xlsx"), csv = folder.path("points.csv");
    const std::vector<std::string> plain{"sweep", file, "--vary", "/parallelism/tensor=1,2,3", "--metric", "/mfu", "--json"};
    const auto saved = [&](const std::string& path) {
        std::vector<std::string> arguments = plain;
        arguments.insert(arguments.end(), {"--table", path});
        return runCli(arguments);
    };
    const Json document = printedBy(saved(book));
    auto cells = test::readWorkbook(fileBytes(book)).at(0).cells;
    EXPECT_EQ(cells["A1"], "\"/parallelism/tensor\"");
    EXPECT_EQ(cells["B1"], "\"/mfu\"");
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string row = std::to_string(i + 2);
        EXPECT_EQ(cells["A" + row], document["points"][i]["changes"]["/parallelism/tensor"].dump());
        EXPECT_NEAR(std::stod(cells["B" + row]), document["points"][i]["metrics"]["/mfu"].get<double>(), 1e-14);
        EXPECT_EQ(std::stod(cells["C" + row]), document["points"][i]["metrics"]["peak"].get<double>());
        EXPECT_EQ(cells["D" + row], "TRUE");
    }
    EXPECT_FALSE(cells.contains("B4"));
    EXPECT_EQ(cells["D4"], '"' + document["points"][2]["problem"].get<std::string>() + '"');
    EXPECT_EQ(saved(csv).status, 0);
    EXPECT_TRUE(fileBytes(csv).starts_with("/parallelism/tensor,/mfu,peak,fits\n1,"));
    // What no format's name is, is refused before anything is computed; what can't be written is told.
    EXPECT_EQ(printedBy(saved(folder.path("points.ods")))["problems"][0]["code"], "unknown-table-format");
    EXPECT_EQ(printedBy(saved(folder.path("none/points.xlsx")))["problems"][0]["code"], "cannot-write-file");
}

TEST(SearchCommand, WritesItsPlansAndWhatFellAsATable) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring()), book = folder.path("plans.xlsx");
    const Json document = printedBy(runCli({"search", file, "--json", "--table", book}));
    const std::vector<test::ReadSheet> sheets = test::readWorkbook(fileBytes(book));
    ASSERT_EQ(sheets.size(), 2U);
    const auto& plans = sheets[0].cells;
    EXPECT_EQ(plans.at("A2"), "\"front\"");
    EXPECT_EQ(plans.at("B1"), "\"/parallelism/tensor\"");
    EXPECT_EQ(plans.at("D1"), "\"/mfu\"");
    EXPECT_NEAR(std::stod(plans.at("D2")), document["pareto"][0]["metrics"]["/mfu"].get<double>(), 1e-14);
    for (std::size_t i = 0; i < document["pruned"].size(); ++i) {
        EXPECT_EQ(sheets[1].cells.at("A" + std::to_string(i + 2)), '"' + document["pruned"][i]["rule"].get<std::string>() + '"');
        EXPECT_EQ(sheets[1].cells.at("B" + std::to_string(i + 2)), document["pruned"][i]["count"].dump());
    }
}

TEST(SearchCommand, CountsEveryCombinationOnceAndGoesOnFromItsCheckpoint) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring()), checkpoint = folder.path("plans.jsonl");
    const ProcessResult run = runCli({"search", file, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = printedBy(run);
    EXPECT_EQ(document["format"], "orrery-search/1");
    double counted = document["evaluated"].get<double>();
    for (const Json& rule : document["pruned"]) counted += rule["count"].get<double>();
    EXPECT_EQ(counted, 8);
    ASSERT_FALSE(document["best"].empty());
    for (std::size_t i = 1; i < document["best"].size(); ++i) EXPECT_GE(document["best"][i - 1]["metrics"]["/mfu"].get<double>(), document["best"][i]["metrics"]["/mfu"].get<double>());
    EXPECT_TRUE(document["best"][0]["metrics"].contains("peak"));
    EXPECT_FALSE(document["pareto"].empty());
    for (int round = 0; round < 2; ++round) EXPECT_EQ(runCli({"search", file, "--json", "--checkpoint", checkpoint}).out, run.out);
    EXPECT_EQ(runCli({"search", file, "--json", "--threads", "3"}).out, run.out);
}

TEST(SearchCommand, RefusesWhatCanNotBe) {
    const ScratchFolder folder;
    Json astronomic = Json::object();
    for (const char* key : {"/parallelism/tensor", "/parallelism/pipeline", "/workload/micro_batch_size", "/workload/global_batch_size", "/cluster/nodes", "/workload/sequence_length"}) {
        astronomic[key] = Json::array();
        for (int value = 1; value <= 100; ++value) astronomic[key].push_back(value);
    }
    const Json limits = Json::parse(R"([{"pointer": "/mfu", "op": ">=", "value": 0.5}, {"pointer": "peak", "op": "<=", "value": 1e9}, {"pointer": "/mfu", "op": "<", "value": 0.4}])");
    const struct {
        const char* code;
        Json search;
        std::vector<const char*> says;
    } cases[] = {
        // Counted and timed before the start; the count is the consent that --most asks for.
        {"too-many-combinations", {{"vary", astronomic}}, {"1.000 T combinations", "would take about", "years", "--most"}},
        {"contradictory-constraints", {{"vary", {{"/parallelism/tensor", {1, 2}}}}, {"constraints", limits}}, {"/mfu >= 0.5 and /mfu < 0.4"}},
        {"unknown-key", {{"vary", {{"/parallelism/tensr", {1, 2}}}}}, {"tensor"}},
        {"no-such-figure", {{"vary", {{"/parallelism/tensor", {1, 2}}}}, {"objective", {{"minimize", "/iteration_tim_s"}}}}, {"/iteration_time_s"}},
        {"empty-space", {{"vary", {{"/parallelism/tensor", Json::array()}}}}, {"no plan at all"}},
    };
    for (const auto& one : cases) {
        Json document = exploring();
        document["search"] = one.search;
        ProcessOptions soon;
        soon.secondsAtMost = 20;
        const ProcessResult run = runCli({"search", written(folder, "space.orrery.json", document), "--json"}, soon);
        EXPECT_EQ(run.status, 2) << one.code;
        const Json printed = printedBy(run);
        ASSERT_FALSE(printed["problems"].empty()) << one.code;
        EXPECT_EQ(printed["problems"][0]["code"], one.code) << printed.dump();
        for (const char* text : one.says) EXPECT_NE(printed["problems"].dump().find(text), std::string::npos) << text << " in " << printed["problems"].dump();
    }
}

TEST(SearchCommand, AKilledSearchGoesOnFromItsCheckpoint) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring()), checkpoint = folder.path("plans.jsonl");
    const std::string whole = runCli({"search", file, "--json", "--exhaustive"}).out;
    EXPECT_EQ(runCli({"search", file, "--json", "--exhaustive", "--checkpoint", checkpoint}).out, whole);
    const std::string kept = fileBytes(checkpoint);
    // Killed at any byte of what it had written: nothing is lost but the line under way, and the answer is the same bytes.
    const std::size_t head = kept.find('\n') + 1;
    for (const std::size_t end : {head, head + (kept.size() - head) / 3, head + (kept.size() - head) / 2, kept.size() - 1}) {
        std::ofstream(checkpoint, std::ios::binary) << kept.substr(0, end);
        EXPECT_EQ(runCli({"search", file, "--json", "--exhaustive", "--checkpoint", checkpoint}).out, whole) << "cut at " << end;
        EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), [&] {
            const std::string again = fileBytes(checkpoint);
            return std::count(again.begin(), again.end(), '\n');
        }()) << "cut at "
             << end;
    }
}

TEST(SolveCommand, FindsAValueAndSaysWhatCanBeReached) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring());
    const Json at = printedBy(runCli({"sweep", file, "--vary", "/cluster/scale_up/bandwidth_gb_s=60", "--metric", "/iteration_time_s", "--json"}));
    const double target = at["points"][0]["metrics"]["/iteration_time_s"];
    const ProcessResult run = runCli({"solve", file, "--vary", "/cluster/scale_up/bandwidth_gb_s=20..300", "--reach", "/iteration_time_s=" + Json(target).dump(), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = printedBy(run);
    EXPECT_EQ(document["format"], "orrery-solution/1");
    EXPECT_EQ(document["pointer"], "/cluster/scale_up/bandwidth_gb_s");
    EXPECT_NEAR(document["value"].get<double>(), 60, 0.1);
    EXPECT_NEAR(document["reached"].get<double>(), target, 1e-4 * target);
    EXPECT_EQ(document["bracket"].size(), 2U);
    const ProcessResult beyond = runCli({"solve", file, "--vary", "/cluster/scale_up/bandwidth_gb_s=20..300", "--reach", "/mfu=0.99", "--json"});
    EXPECT_EQ(beyond.status, 2);
    EXPECT_EQ(printedBy(beyond)["problems"][0]["code"], "out-of-reach");
}

TEST(SensitivityCommand, ListsTheLargestFirst) {
    const ScratchFolder folder;
    const ProcessResult run = runCli({"sensitivity", written(folder, "small.orrery.json", exploring()), "--metric", "/iteration_time_s", "--by", "5", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = printedBy(run);
    EXPECT_EQ(document["format"], "orrery-sensitivity/1");
    const double base = document["value"];
    double last = HUGE_VAL;
    for (const Json& row : document["rows"]) {
        if (!row["low"].is_number() || !row["high"].is_number()) continue;
        const double swing = std::max(std::abs(row["low"].get<double>() - base), std::abs(row["high"].get<double>() - base));
        EXPECT_LE(swing, last) << row.dump();
        last = swing;
    }
}

TEST(CompareCommand, TakesVariantsMeasuresAndAnyFigure) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring());
    const ProcessResult run = runCli({"compare", file, file + "#tensor 4", "--metric", "peak", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = printedBy(run);
    EXPECT_EQ(document["format"], "orrery-comparison/1");
    EXPECT_EQ(document["metric"], "peak");
    EXPECT_LT(document["b"].get<double>(), document["a"].get<double>()) << "more tensor ranks hold less each";
    double sum = 0;
    for (const Json& part : document["parts"]) sum += part["delta"].get<double>();
    EXPECT_NEAR(sum, document["difference"].get<double>(), 1e-9 * std::abs(document["difference"].get<double>()));
    const ProcessResult missing = runCli({"compare", file, file + "#tensor 5", "--json"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_NE(missing.err.find("tensor 4"), std::string::npos) << missing.err;
    EXPECT_EQ(runCli({"simulate", file + "#tensor 4", "--json"}).status, 0);
}

TEST(LaunchCommand, ItsTextIsImportedAgain) {
    const ScratchFolder folder;
    const std::string file = written(folder, "small.orrery.json", exploring());
    const ProcessResult run = runCli({"launch", file, "--for", "megatron-lm"});
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string script = folder.path("launch.sh");
    std::ofstream(script) << run.out;
    const Json imported = printedBy(runCli({"import", script}));
    EXPECT_EQ(imported["model"], smallScenario()["model"]);
    EXPECT_EQ(imported["parallelism"]["tensor"], 2);
    EXPECT_EQ(runCli({"launch", file, "--for", "vllm"}).status, 2);
    EXPECT_EQ(runCli({"launch", file, "--for", "nothing"}).status, 2);
}

} // namespace
} // namespace orrery
