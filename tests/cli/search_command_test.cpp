// SPDX-License-Identifier: GPL-3.0-or-later
// Searches and sweeps as scripts run them: over a space whose stated plan is impossible, and spread over processes by mpirun.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace orrery {
namespace {

std::string written(const ScratchFolder& folder, const Json& document) {
    const std::string path = folder.path("space.orrery.json");
    std::ofstream(path) << document.dump(1);
    return path;
}

Json searched(const char* vary, int batch = 64) {
    Json document = smallScenario();
    document["workload"]["global_batch_size"] = batch;
    document["search"] = {{"vary", Json::parse(vary)}, {"objective", {{"minimize", "/iteration_time_s"}}}};
    return document;
}

TEST(SearchCommand, GoesThroughASpaceWhoseStatedPlanIsImpossible) {
    const ScratchFolder folder;
    Json document = searched(R"({"/parallelism/tensor": [1, 2, 4], "/parallelism/pipeline": [1, 2]})");
    const Json possible = printedBy(runCli({"search", written(folder, document), "--json"}));
    document["parallelism"]["tensor"] = 5;
    const ProcessResult run = runCli({"search", written(folder, document), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(printedBy(run), possible);
    // What the search does not vary stays wrong in every plan.
    document["search"]["vary"] = {{"/workload/micro_batch_size", {1, 2}}};
    EXPECT_EQ(runCli({"search", written(folder, document), "--json"}).status, 2);
}

TEST(SearchCommand, SaysWhatToInstallWhereProcessesCannotShareTheWork) {
    const ScratchFolder folder;
    const std::string program = folder.path("orrery-cli"), file = written(folder, searched(R"({"/parallelism/tensor": [1, 2]})"));
    std::filesystem::copy_file(ORRERY_CLI, program);
    for (const char* rank : {"0", "1"}) {
        const ProcessResult run = runProcess({"/usr/bin/env", "OMPI_COMM_WORLD_SIZE=2", std::string("OMPI_COMM_WORLD_RANK=") + rank, program, "search", file, "--json"});
        EXPECT_EQ(run.status, 2);
        EXPECT_EQ(run.err.find("libopenmpi-dev") != std::string::npos, rank == std::string("0")) << "one process says it: " << run.err;
    }
}

#ifdef ORRERY_MPIRUN

const char* const largeSpace = R"({"/parallelism/tensor": [1, 2, 4], "/parallelism/pipeline": [1, 2, 4], "/workload/micro_batch_size": [1, 2, 4], "/execution/recompute": ["none", "full"]})";

std::vector<std::string> spread(int processes, std::vector<std::string> arguments) {
    std::vector<std::string> all{ORRERY_MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(processes), ORRERY_CLI};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

TEST(SpreadSearch, PrintsTheBytesOfOneProcessAtAnyNumberOfThem) {
    const ScratchFolder folder;
    const std::string file = written(folder, searched(largeSpace));
    const std::vector<std::string> search{"search", file, "--json"}, exhaustive{"search", file, "--json", "--exhaustive"}, sweep{"sweep", file, "--vary", "/parallelism/tensor=1,2,4", "--vary", "/workload/micro_batch_size=1,2,3", "--metric", "/iteration_time_s", "--json"};
    for (const auto& command : {search, exhaustive, sweep}) {
        const ProcessResult alone = runCli(command);
        ASSERT_EQ(alone.status, 0) << alone.err;
        for (const int processes : {1, 2, 4}) {
            const ProcessResult run = runProcess(spread(processes, command));
            EXPECT_EQ(run.status, 0) << run.err;
            EXPECT_EQ(run.out, alone.out) << processes << " processes: " << run.err;
        }
    }
}

/// Kills a process of a run in the middle, then starts the same again.
TEST(SpreadSearch, GoesOnFromItsCheckpointAfterAProcessWasKilled) {
    const ScratchFolder space;
    const std::string file = written(space, searched(largeSpace, 1024));
    const std::string alone = runCli({"search", file, "--json", "--exhaustive"}).out;
    for (const char* killed : {"0", "1"}) {
        const ScratchFolder folder;
        const std::string at = folder.path("");
        const std::string script = "cd " + at + "\n" ORRERY_MPIRUN " --allow-run-as-root --oversubscribe -n 2 sh -c 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec " ORRERY_CLI " search " + file + " --json --exhaustive --checkpoint plans' > out 2> err &\n"
                                                                                                                                                                                                "run=$!\n"
                                                                                                                                                                                                "until [ -s plans ] && [ $(wc -l < plans) -ge 6 ]; do kill -0 $run || exit 1; sleep 0.01; done\n"
                                                                                                                                                                                                "kill -9 $(cat pid." +
                                   killed + ")\nwait $run\nexit 0\n";
        ASSERT_EQ(runProcess({"/bin/sh", "-c", script}).status, 0) << "the run ended before anything could be killed";
        std::ifstream kept(folder.path("plans"));
        const auto before = std::count(std::istreambuf_iterator<char>(kept), {}, '\n');
        const ProcessResult resumed = runProcess(spread(2, {"search", file, "--json", "--exhaustive", "--checkpoint", folder.path("plans")}));
        EXPECT_EQ(resumed.out, alone) << resumed.err;
        std::ifstream lines(folder.path("plans"));
        std::set<std::size_t> found;
        std::string line;
        std::getline(lines, line); // what was asked
        while (std::getline(lines, line)) EXPECT_TRUE(found.insert(Json::parse(line)["index"].get<std::size_t>()).second) << "simulated twice";
        EXPECT_GE(before, 6);
        EXPECT_NE(resumed.err.find(" of them are in "), std::string::npos) << resumed.err;
    }
}

TEST(SpreadSearch, AProcessOfAnotherVersionTakesNoPart) {
    const ScratchFolder folder;
    const std::string file = written(folder, searched(largeSpace)), other = folder.path("orrery-cli");
    std::filesystem::copy_file(ORRERY_CLI, other);
    std::filesystem::copy_file(std::filesystem::path(ORRERY_CLI).parent_path() / "orrery-mpi.so", folder.path("orrery-mpi.so"));
    std::ofstream(other, std::ios::app) << "another";
    const ProcessResult run = runProcess({ORRERY_MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "1", ORRERY_CLI, "search", file, "--json", "--exhaustive", ":", "-n", "1", other, "search", file, "--json", "--exhaustive"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out, runCli({"search", file, "--json", "--exhaustive"}).out);
    EXPECT_NE(run.err.find("process 1 takes no part"), std::string::npos) << run.err;
}

#endif

} // namespace
} // namespace orrery
