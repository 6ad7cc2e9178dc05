#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

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
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0) {
        fs::permissions(folder.root(), fs::perms::all);
        options.user = nobody;
    }
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

TEST(Errors, WhatIsNotThereYetSaysSo) {
    const std::vector<std::vector<std::string>> later{{"search", "x.json", "--json"},
                                                      {"trace", "info", "a.json", "b.json", "--json"}};
    for (const auto& arguments : later) {
        const Json problem = refusal(arguments);
        EXPECT_EQ(problem["code"], "not-supported-yet");
        EXPECT_TRUE(contains(problem, "message", arguments[0]));
    }
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

} // namespace
} // namespace orrery
