// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// Runs a command that must be refused and gives its first problem: status 2, one error document on standard output,
/// the message on standard error too.
Json refusal(const std::vector<std::string>& arguments, const ProcessOptions& options = {}) {
    const ProcessResult run = runCli(arguments, options);
    EXPECT_EQ(run.status, 2) << run.err;
    const Json document = Json::parse(run.out, nullptr, false);
    if (document.is_discarded() || document.value("format", "") != "orrery-error/1" || document["problems"].empty()) {
        ADD_FAILURE() << "no error document: " << run.out;
        return Json::object();
    }
    for (const Json& problem : document["problems"]) {
        EXPECT_TRUE(problem.contains("pointer") || problem.contains("file")) << problem;
        EXPECT_NE(run.err.find(problem["message"].get<std::string>()), std::string::npos) << run.err;
    }
    return document["problems"][0];
}

bool contains(const Json& problem, const char* key, const std::string& words) {
    return problem.contains(key) && problem[key].is_string() && problem[key].get<std::string>().find(words) != std::string::npos;
}

TEST(Errors, WithoutJsonStandardOutputStaysEmpty) {
    const ProcessResult run = runCli({"simulate", "/nowhere/at/all.json"});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find("/nowhere/at/all.json"), std::string::npos);
}

TEST(Errors, FilesThatCannotBeReadAreNamed) {
    const ScratchFolder folder;
    const std::string plain = folder.write("plain", "x");
    for (const std::string& path : {folder.root().string(), folder.path("missing.json"), plain + "/below"}) {
        for (const char* command : {"simulate", "memory", "validate"}) {
            const Json problem = refusal({command, path, "--json"});
            EXPECT_TRUE(contains(problem, "file", path)) << problem;
            EXPECT_TRUE(contains(problem, "message", path)) << problem;
        }
        EXPECT_TRUE(contains(refusal({"compare", path, path, "--json"}), "file", path));
    }
}

TEST(Errors, AConfigFileThatIsMissingIsNamedOnce) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["model"] = {{"config_file", "nowhere.json"}};
    const Json problem = refusal({"simulate", folder.write("s.json", scenario.dump()), "--json"});
    EXPECT_EQ(problem["pointer"], "/model/config_file");
    EXPECT_EQ(problem["message"], "Cannot read nowhere.json: No such file or directory.");
}

TEST(Errors, NoPermissionIsSaid) {
    const ScratchFolder folder;
    const std::string path = folder.write("secret.json", smallScenario().dump());
    fs::permissions(path, fs::perms::none);
    ProcessOptions options;
    options.obeyModes = true;
    const Json problem = refusal({"simulate", path, "--json"}, options);
    EXPECT_TRUE(contains(problem, "file", path)) << problem;
    EXPECT_TRUE(contains(problem, "message", "Permission denied")) << problem;
}

TEST(Errors, BrokenJsonHasLineAndColumn) {
    const ScratchFolder folder;
    const std::string path = folder.write("broken.json", "{\n  \"format\": \"orrery-scenario/1\",\n  \"name\": oops\n}\n");
    const Json problem = refusal({"simulate", path, "--json"});
    EXPECT_TRUE(contains(problem, "file", path)) << problem;
    EXPECT_EQ(problem.value("line", 0), 3) << problem;
    EXPECT_EQ(problem.value("column", 0), 11) << problem;
}

TEST(Errors, UnknownKeyNamesTheNearest) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["cluster"]["nodez"] = 2;
    const Json problem = refusal({"simulate", folder.write("s.json", scenario.dump()), "--json"});
    EXPECT_EQ(problem["pointer"], "/cluster/nodez");
    EXPECT_TRUE(contains(problem, "message", "nodes") || contains(problem, "mend", "nodes")) << problem;
}

TEST(Errors, ImpossiblePlanPointsAtTheField) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["parallelism"]["tensor"] = 5;
    const Json problem = refusal({"simulate", folder.write("s.json", scenario.dump()), "--json"});
    EXPECT_EQ(problem["pointer"], "/parallelism/tensor");
    EXPECT_FALSE(problem["mend"].get<std::string>().empty());
}

TEST(Errors, WrongCommandLineIsRefused) {
    const std::vector<std::vector<std::string>> wrong{{"--json"},
                                                      {"simulate", "--json"},
                                                      {"simulat", "x", "--json"},
                                                      {"simulate", mainExample(), "--json", "--threads", "0"},
                                                      {"simulate", mainExample(), "--json", "--no-such-option"},
                                                      {"list", "planets", "--json"}};
    for (const auto& arguments : wrong) EXPECT_EQ(refusal(arguments)["code"], "bad-command-line");
}

TEST(Errors, ACommandOrOptionThereIsNoneOfIsNamedWithTheNearest) {
    Json problem = refusal({"foo", "--json"});
    EXPECT_TRUE(contains(problem, "message", "no command \"foo\"")) << problem;
    EXPECT_TRUE(contains(problem, "mend", "simulate")) << problem;
    problem = refusal({"simulat", "x.json", "--json"});
    EXPECT_TRUE(contains(problem, "message", "\"simulat\"")) << problem;
    EXPECT_TRUE(contains(problem, "mend", "Did you mean \"simulate\"?")) << problem;
    problem = refusal({"operators", "imprt", "x.csv", "--json"});
    EXPECT_TRUE(contains(problem, "message", "\"imprt\"")) << problem;
    EXPECT_TRUE(contains(problem, "mend", "Did you mean \"import\"?")) << problem;
    problem = refusal({"simulate", mainExample(), "--explian", "--json"});
    EXPECT_TRUE(contains(problem, "message", "no option \"--explian\"")) << problem;
    EXPECT_TRUE(contains(problem, "mend", "Did you mean \"--explain\"?")) << problem;
    problem = refusal({"--json"});
    EXPECT_TRUE(contains(problem, "message", "needs a command")) << problem;
    EXPECT_TRUE(contains(problem, "mend", "simulate")) << problem;
}

TEST(Errors, AnEmptyTextIsNoFile) {
    const ScratchFolder folder;
    const std::string scenario = folder.write("s.json", smallScenario().dump());
    const std::vector<std::vector<std::string>> empty{{"simulate", scenario, "--json", "--trace", ""}, {"simulate", scenario, "--json", "--trace="}, {"simulate", "", "--json"}, {"validate", "", "--json"}, {"accuracy", "--json", "--html", ""}, {"calibrate", scenario, "--out", "", "--json"}};
    for (const auto& arguments : empty) EXPECT_EQ(refusal(arguments)["code"], "bad-command-line") << arguments[0];
}

TEST(Errors, BytesBeyondAnyMachineAreRefusedAndAllOthersGiveNumbers) {
    for (const char* bytes : {"1e308", "1.1e18", "inf", "nan", "0", "-1"})
        EXPECT_EQ(refusal({"collective", mainExample(), "--op", "all_reduce", std::string("--bytes=") + bytes, "--json"})["code"], "bad-command-line") << bytes;
    for (const char* bytes : {"1e18", "1", "1e-300"}) {
        const ProcessResult run = runCli({"collective", mainExample(), "--op", "all_reduce", "--bytes", bytes, "--json"});
        ASSERT_EQ(run.status, 0) << run.err;
        const Json timing = Json::parse(run.out);
        for (const char* key : {"time_s", "algorithm_bandwidth_gb_s", "bus_bandwidth_gb_s", "latency_s", "transfer_s"}) EXPECT_TRUE(timing[key].is_number()) << bytes << " " << key;
    }
}

TEST(Errors, AHugeWordIsNotEchoedWhole) {
    const ScratchFolder folder;
    const std::string huge(10'000'000, 'x');
    std::vector<Json> documents(5, smallScenario());
    documents[0]["model"] = {{"preset", huge}};
    documents[1][huge] = 1;
    documents[2]["cluster"]["accelerator"] = huge;
    documents[3]["model"] = {{"config_file", huge}};
    documents[4]["execution"] = {{"framework", huge}};
    for (const Json& document : documents) {
        const ProcessResult run = runCli({"simulate", folder.write("s.json", document.dump()), "--json"});
        EXPECT_EQ(run.status, 2);
        EXPECT_LT(run.err.size() + run.out.size(), 30'000u);
        EXPECT_NE(run.err.find("xxx"), std::string::npos);
    }
    const ProcessResult word = runCli({std::string(100'000, 'x'), "--json"});
    EXPECT_EQ(word.status, 2);
    EXPECT_LT(word.err.size() + word.out.size(), 3'000u);
    const ProcessResult script = runCli({"import", folder.write("run.sh", "torchrun pretrain_gpt.py --" + huge + " " + huge), "--json"});
    EXPECT_LT(script.err.size(), 30'000u);
}

TEST(Errors, PipesAndDevicesThatAScenarioNamesAreRefusedAtOnce) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
    ProcessOptions bounded;
    bounded.secondsAtMost = 30;
    bounded.memoryLimit = std::size_t{2} << 30;
    for (const char* key : {"config_file", "graph_file"})
        for (const char* file : {"pipe", "/dev/zero", "."}) {
            Json scenario = smallScenario();
            scenario["model"] = {{key, file}};
            const Json problem = refusal({"simulate", folder.write("s.json", scenario.dump()), "--json"}, bounded);
            EXPECT_EQ(problem["pointer"], std::string("/model/") + key);
            EXPECT_TRUE(contains(problem, "message", file)) << problem;
        }
    EXPECT_EQ(refusal({"simulate", "/dev/zero", "--json"}, bounded)["code"], "cannot-read-file");
    EXPECT_EQ(refusal({"import", "/dev/zero", "--json"}, bounded)["code"], "cannot-read-file");
}

TEST(Errors, ScriptsThatReadThemselvesOrWhatNeverEndsAreReadToTheirEnd) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
    ProcessOptions bounded;
    bounded.secondsAtMost = 30;
    bounded.memoryLimit = std::size_t{2} << 30;
    const std::string launch = "deepspeed pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --micro-batch-size 1 "
                               "--deepspeed --deepspeed_config ";
    for (const char* file : {"pipe", "/dev/zero"}) {
        const ProcessResult run = runCli({"import", folder.write("run.sh", launch + file + "\nsource " + file + "\n")}, bounded);
        EXPECT_EQ(run.status, 0) << file << run.err;
        EXPECT_NE(run.err.find(std::string("configuration ") + file + " was not read"), std::string::npos) << run.err;
    }
    // Twice in each of its runs: as many runs as two to the power of how deep they may be.
    const std::string comment = "# " + std::string(400'000, 'x') + "\n", twice = "source ./b.sh\nsource ./b.sh\nsource ./c.sh\nsource ./c.sh\n";
    folder.write("b.sh", comment + twice);
    folder.write("c.sh", comment + twice);
    const ProcessResult run = runCli({"import", folder.write("a.sh", twice + launch + "none.json\n")}, bounded);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.err.find("it reads itself"), std::string::npos) << run.err.substr(0, 2000);
}

TEST(Errors, AFileAsAWholeHasNoLine) {
    const Json problem = refusal({"simulate", "/nowhere/at/all.json", "--json"});
    EXPECT_EQ(problem["file"], "/nowhere/at/all.json");
    EXPECT_FALSE(problem.contains("line")) << problem;
}

TEST(Errors, CasesThatAreNone) {
    const Json problem = refusal({"validate", mainExample(), "--json"});
    EXPECT_EQ(problem["pointer"], "/format");
}

TEST(Errors, TraceThatCannotBeWrittenLeavesTheOldOneWhole) {
    const ScratchFolder folder;
    const std::string scenario = folder.write("s.json", smallScenario().dump());
    const std::string trace = folder.write("trace.json", "old");
    ProcessOptions full;
    full.fileSizeLimit = 4096;
    const Json problem = refusal({"simulate", scenario, "--json", "--trace", trace}, full);
    EXPECT_TRUE(contains(problem, "file", trace)) << problem;
    std::ifstream in(trace);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.root()), fs::directory_iterator()), 2);
    EXPECT_TRUE(contains(refusal({"simulate", scenario, "--json", "--trace", folder.root().string()}), "file", folder.root().string()));
}

TEST(Errors, FullStandardOutputIsNoSuccess) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    ProcessOptions options;
    options.outputFile = "/dev/full";
    const ProcessResult run = runCli({"schema"}, options);
    EXPECT_NE(run.status, 0);
    EXPECT_NE(run.err.find("standard output"), std::string::npos) << run.err;
}

TEST(Help, NamesEveryCommand) {
    const ProcessResult run = runCli({"--help"});
    EXPECT_EQ(run.status, 0);
    for (const char* command : {"simulate", "memory", "validate", "compare", "collective", "list", "schema", "search", "operators", "trace", "import"}) {
        EXPECT_NE(run.out.find(command), std::string::npos) << command;
    }
}

TEST(Errors, ASilentStandardInputSaysThatItWaits) {
    const ProcessResult silent = runProcess({"/bin/sh", "-c", "sleep 3 | \"$0\" simulate -", ORRERY_CLI});
    EXPECT_EQ(silent.status, 2);
    EXPECT_NE(silent.err.find("Waiting for standard input"), std::string::npos) << silent.err;
    ProcessOptions options;
    options.input = "{}";
    const ProcessResult quick = runCli({"simulate", "-"}, options);
    EXPECT_EQ(quick.err.find("Waiting"), std::string::npos) << quick.err;
}

} // namespace
} // namespace orrery
