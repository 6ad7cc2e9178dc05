// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/live/live_program.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace orrery::test {
namespace {

/// The small GPT, ranks 0, 1 and 4 real of 8, with a fault put in.
LiveAnswerOf faulty(const std::string& fault, const std::vector<std::string>& options = {}) {
    std::vector<std::string> all{"--world", "8", "--real", "0,1,4"};
    all.insert(all.end(), options.begin(), options.end());
    return runLiveProgram(all, smallGpt({"--steps", "2", "--fault", fault}));
}

void expectNamed(const LiveAnswerOf& answer, const std::string& code, const std::vector<std::string>& parts) {
    EXPECT_EQ(answer.faultCode(), code) << answer.faultMessage();
    EXPECT_NE(answer.process.status, 0);
    for (const std::string& part : parts) EXPECT_NE(answer.faultMessage().find(part), std::string::npos) << part << " is not in: " << answer.faultMessage();
}

} // namespace

TEST(LiveFaults, aSkippedCollectiveIsAHangWithWhoIsMissing) {
    const LiveAnswerOf answer = faulty("skip:1");
    expectNamed(answer, "hang", {"all_reduce of 1 float32", "in synchronize", "all 8 ranks", "Missing: 1"});
    // Where each real rank stands, by its own stack.
    for (const char* rank : {"0", "1", "4"}) EXPECT_NE(answer.document.at("stacks").at(rank).get<std::string>().find("gpt.py"), std::string::npos);
}

TEST(LiveFaults, swappedCollectivesAreAHangWithBothSides) {
    const LiveAnswerOf answer = runLiveProgram({"--world", "8", "--real", "0,2"}, smallGpt({"--steps", "2", "--fault", "swap:2"}));
    expectNamed(answer, "hang", {"all_reduce of 22056 float32", "in synchronize", "Missing: 2", "all_reduce of 1 float32", "in spoil", "Missing: 0"});
}

TEST(LiveFaults, anotherSizeIsAMismatchWithBothLines) {
    const LiveAnswerOf answer = runLiveProgram({"--world", "8", "--real", "0,2"}, smallGpt({"--steps", "2", "--fault", "size:2"}));
    expectNamed(answer, "collective-mismatch", {"different sizes", "22056", "22049", "gpt.py:"});
}

TEST(LiveFaults, sendsInBlockingOrderDeadlockAsTheyDoWithoutBuffers) {
    expectNamed(faulty("order:0"), "hang", {"send to rank 4", "send to rank 0", "in exchange", "rank 4 never receives it"});
}

TEST(LiveFaults, anObjectFromAVirtualRankIsRefusedByName) {
    expectNamed(faulty("object:1"), "object-from-virtual-rank", {"Rank 1", "broadcast_object_list", "virtual rank 7"});
    EXPECT_EQ(faulty("object:1", {"--objects", "own"}).faultCode(), "");
}

TEST(LiveFaults, aStoppedRankIsNamedWhileOthersWait) {
    expectNamed(faulty("stop:1", {"--patience", "2"}), "rank-stopped", {"Rank 1 was stopped", "Because of it", "Missing: 1"});
}

TEST(LiveFaults, aKilledRankEndsTheRunAtOnce) {
    expectNamed(faulty("crash:1"), "rank-failed", {"rank 1 ended by signal 9", "its last call was all_reduce"});
}

TEST(LiveFaults, aRankThatLeavesEarlyIsMissed) {
    expectNamed(faulty("exit:1"), "hang", {"Missing: 1", "the program of rank 1 has ended"});
}

TEST(LiveFaults, aForkThatLivesOnIsNotTheRank) {
    EXPECT_EQ(faulty("fork:1").faultCode(), "");
}

TEST(LiveFaults, rubbishOnTheSocketIsNamed) {
    expectNamed(faulty("rubbish:1"), "bad-message", {"Rank 1"});
}

TEST(LiveFaults, memoryThatIsTooMuchAtEightThousandRanksAlone) {
    const auto at = [](const std::string& world) { return runLiveProgram({"--world", world, "--real", "0", "--memory", "1000000000"}, smallGpt({"--steps", "1", "--fault", "memory:0"})); };
    EXPECT_EQ(at("64").process.status, 0);
    const LiveAnswerOf answer = at("8192");
    EXPECT_EQ(answer.process.status, 3);
    expectNamed(answer, "out-of-memory", {"2147483648 more", "gpt.py:", "in spoil"}); // 8192 × 65536 × 4
}

TEST(LiveFaults, aProgramThatCantBeStartedIsRefused) {
    const ProcessResult result = runProcess({ORRERY_CLI, "trace", "live", "--world", "2", "--", "/nonexistent/python3", "train.py"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("can't be run"), std::string::npos) << result.err;
}

TEST(LiveFaults, withoutItsPartsTheCommandSaysWhatToInstall) {
    const ScratchFolder folder;
    std::filesystem::copy_file(ORRERY_CLI, folder.path("orrery-cli"));
    const ProcessResult result = runProcess({folder.path("orrery-cli"), "trace", "live", "--world", "2", "--", "true"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("python3-torch"), std::string::npos) << result.err;
}

} // namespace orrery::test
