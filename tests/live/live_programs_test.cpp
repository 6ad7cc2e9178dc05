// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/live/live_program.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

namespace orrery::test {
namespace {

std::vector<std::string> logged(const std::string& log, const std::vector<std::string>& program) {
    std::vector<std::string> command{programPath("logged.py"), log, ORRERY_LIVE_EXTENSION};
    command.insert(command.end(), program.begin(), program.end());
    return command;
}

/// Eight processes that find each other over the loopback, as torchrun starts them.
ProcessResult runGloo(const std::vector<std::string>& command, int port) {
    std::string words, script = "status=0; pids=''; ";
    for (const std::string& word : command) words += " '" + word + "'";
    for (int rank = 0; rank < 8; ++rank)
        script += "RANK=" + std::to_string(rank) + " WORLD_SIZE=8 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + std::to_string(port) + " OMP_NUM_THREADS=1 " + ORRERY_PYTHON + words + " & pids=\"$pids $!\"; ";
    script += "for pid in $pids; do wait $pid || status=1; done; exit $status";
    ProcessOptions limits;
    limits.secondsAtMost = 250;
    return runProcess({"/bin/sh", "-c", script}, limits);
}

const std::regex peakLine("peak ([0-9]+)\n");

std::string withoutPeak(const std::string& log) { return std::regex_replace(log, peakLine, ""); }

/// Bytes; NaN, which is near to nothing, where the log has none.
double peakIn(const std::string& log) {
    std::smatch found;
    return std::regex_search(log, found, peakLine) ? std::stod(found[1]) : std::nan("");
}

std::string withoutSums(const std::string& log) { return std::regex_replace(log, std::regex(" [0-9a-f]{8}\n"), "\n"); }

} // namespace

// The backend of PyTorch that stands beside ours is the measure: every collective in its order, the data that came of it bit by bit where sums have two
// addends, losses, and the bytes that tensors held.
TEST(LivePrograms, aGptUnderOrreryDoesWhatItDoesUnderGloo) {
    const ScratchFolder folder;
    const auto gpt = [&](const std::string& losses) { return smallGpt({"--steps", "2", "--log", folder.path(losses)}); };
    const ProcessResult gloo = runGloo(logged(folder.path("gloo-sums"), gpt("gloo-losses")), 20000 + static_cast<int>(std::hash<std::string>{}(folder.root().string()) % 20000));
    ASSERT_EQ(gloo.status, 0) << gloo.err;
    const LiveAnswerOf all = runLiveProgram({"--world", "8"}, logged(folder.path("all-sums"), gpt("all-losses")));
    ASSERT_EQ(all.process.status, 0) << all.process.err;
    const LiveAnswerOf two = runLiveProgram({"--world", "8", "--real", "0,4"}, logged(folder.path("two"), gpt("two-losses")));
    ASSERT_EQ(two.process.status, 0) << two.process.err;

    for (int rank = 0; rank < 8; ++rank) {
        const std::string end = "." + std::to_string(rank), expected = contentOf(folder.path("gloo-sums" + end));
        EXPECT_GT(expected.size(), 1000u);
        EXPECT_EQ(withoutPeak(contentOf(folder.path("all-sums" + end))), withoutPeak(expected)) << "rank " << rank;
        EXPECT_EQ(contentOf(folder.path("all-losses" + end)), contentOf(folder.path("gloo-losses" + end)));
        EXPECT_NEAR(all.rank(rank).at("peak_bytes").get<double>(), peakIn(expected), bytesOfTheMoment) << "rank " << rank;
    }
    for (const int rank : {0, 4}) {
        const std::string end = "." + std::to_string(rank);
        EXPECT_EQ(withoutPeak(contentOf(folder.path("two" + end))), withoutPeak(withoutSums(contentOf(folder.path("gloo-sums" + end))))) << "rank " << rank;
        EXPECT_NEAR(two.rank(rank).at("peak_bytes").get<double>(), all.rank(rank).at("peak_bytes").get<double>(), bytesOfTheMoment);
        EXPECT_EQ(two.rank(rank).at("calls"), all.rank(rank).at("calls"));
    }
}

TEST(LivePrograms, lossesStayFiniteAndAreTheSameAgainUnderEachContent) {
    const ScratchFolder folder;
    for (const std::string content : {"share", "zeros"}) {
        std::string first;
        for (const std::string run : {"a", "b"}) {
            const std::string log = folder.path(content + run);
            const LiveAnswerOf answer = runLiveProgram({"--world", "64", "--real", "63", "--content", content}, smallGpt({"--steps", "20", "--log", log}));
            ASSERT_EQ(answer.process.status, 0) << answer.process.err;
            const std::string losses = contentOf(log + ".63");
            std::istringstream lines(losses);
            int count = 0;
            for (double loss = 0; lines >> loss; ++count) EXPECT_TRUE(std::isfinite(loss) && loss > 0 && loss < 50) << loss;
            EXPECT_EQ(count, 20);
            if (first.empty()) first = losses;
            EXPECT_EQ(losses, first);
        }
    }
}

TEST(LivePrograms, dataParallelWrappersRunUnchanged) {
    const LiveAnswerOf answer = runLiveProgram({"--world", "64", "--real", "3"}, {programPath("ddp_linear.py")});
    ASSERT_EQ(answer.process.status, 0) << answer.process.err;
    EXPECT_GT(answer.rank(3).at("calls").get<int>(), 10);
    EXPECT_EQ(answer.rank(3).at("steps"), 5);
    // With real neighbours: what the wrapper's own reducer makes of gradients is the same everywhere.
    const LiveAnswerOf both = runLiveProgram({"--world", "2"}, {programPath("ddp_linear.py")});
    ASSERT_EQ(both.process.status, 0) << both.process.err;
}

// PyTorch 1.13's FSDP can't be imported by Python 3.11 and refuses a CPU; the program says itself that its losses are those of one process.
TEST(LivePrograms, fullyShardedDataParallelIsOneProcessInParts) {
    const LiveAnswerOf answer = runLiveProgram({"--world", "2", "--cuda-on-cpu"}, {programPath("fsdp_small.py")});
    ASSERT_EQ(answer.process.status, 0) << answer.process.err;
    EXPECT_EQ(answer.rank(1).at("steps"), 10); // five sharded ones, five of the one process
}

} // namespace orrery::test
