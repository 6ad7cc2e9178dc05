// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/live/live_program.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace orrery::test {
namespace {

const char* const cluster = R"({"format": "orrery-scenario/1", "name": "1,024 DGX H100", "model": {"preset": "llama-3.1-8b"},
 "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 1024},
 "workload": {"kind": "training", "sequence_length": 4096, "global_batch_size": 8192, "micro_batch_size": 1, "precision": "bf16"}})";

} // namespace

TEST(LiveWorlds, oneRankInThreeWorldsChangesOnlyWhatMustChange) {
    const ScratchFolder folder;
    const LiveAnswerOf answer = runLiveProgram({"--world", "8,64,8192", "--real", "0,1", "--scenario", folder.write("h100.orrery.json", cluster)}, smallGpt({"--steps", "3"}));
    ASSERT_EQ(answer.process.status, 0) << answer.process.err;
    const Json& worlds = answer.document.at("worlds");
    ASSERT_EQ(worlds.size(), 3u);
    for (const Json& world : worlds) {
        EXPECT_EQ(world.at("network"), "1,024 DGX H100");
        // Nothing is sharded over data ranks; when the other real rank takes an activation is a matter of the moment.
        EXPECT_NEAR(world.at("ranks")[0].at("peak_bytes").get<double>(), worlds[0].at("ranks")[0].at("peak_bytes").get<double>(), bytesOfTheMoment);
        EXPECT_EQ(world.at("ranks")[0].at("calls"), worlds[0].at("ranks")[0].at("calls"));
        EXPECT_GT(world.at("ranks")[0].at("waiting_s").get<double>(), 0);
    }
    // More ranks, more steps of every ring over them.
    EXPECT_GT(worlds[2].at("ranks")[0].at("waiting_s").get<double>(), worlds[0].at("ranks")[0].at("waiting_s").get<double>());
    // The groups of all and of data ranks grow, of each real rank.
    std::size_t groups = 0;
    for (const Json& change : answer.document.at("changes")) {
        const auto says = [&](const char* words) { return change.get<std::string>().find(words) != std::string::npos; };
        groups += says("ranks instead of") ? 1 : 0;
        EXPECT_TRUE(says("ranks instead of") || says("peak memory is")) << change;
    }
    EXPECT_EQ(groups, 4u) << answer.document.at("changes");
}

// Adam keeps two numbers for each weight that a rank owns. With its states shared out over more data ranks than there are parameters, rank 0 owns one.
TEST(LiveWorlds, shardedStatesAreAsLargeAsTheyMustBe) {
    const auto peakOf = [](const std::vector<std::string>& further) {
        const LiveAnswerOf answer = runLiveProgram({"--world", "8192", "--real", "0"}, smallGpt(further));
        EXPECT_EQ(answer.process.status, 0) << answer.process.err;
        return answer.rank(0).at("peak_bytes").get<std::int64_t>();
    };
    // Stage 0 with tensor 2 holds 100 and 64 rows of embeddings, a layer of 48 · (72 + 24 + 96 + 96) weights and its vectors.
    const std::int64_t parameters = 100 * 48 + 64 * 48 + 48 * (72 + 24 + 96 + 96) + 72 + 96 + 4 * 48, owned = 100 * 48;
    const std::int64_t tensors = 12; // each with a counter of its steps, a float32 as well
    // Both peak in a backward of a later step, when the states are there.
    EXPECT_EQ(peakOf({"--steps", "3"}) - peakOf({"--steps", "3", "--shard-optimizer"}), 2 * 4 * (parameters - owned) + 4 * (tensors - 1));
}

TEST(LiveWorlds, recordsOfSomeRanksStandForOthers) {
    const ScratchFolder folder;
    const std::string records = folder.path("records");
    const LiveAnswerOf recorded = runLiveProgram({"--world", "8", "--real", "0,1,4,5", "--record", records}, smallGpt({"--steps", "4"}));
    ASSERT_EQ(recorded.process.status, 0) << recorded.process.err;
    const LiveAnswerOf alone = runLiveProgram({"--world", "8", "--real", "0"}, smallGpt({"--steps", "4"}));
    const LiveAnswerOf hybrid = runLiveProgram({"--world", "8", "--real", "0", "--records", records}, smallGpt({"--steps", "4"}));
    ASSERT_EQ(hybrid.process.status, 0) << hybrid.process.err;
    EXPECT_FALSE(alone.document.at("remarks").empty()); // nobody stands for the second stage
    EXPECT_TRUE(hybrid.document.at("remarks").empty()) << hybrid.document.at("remarks");
    // A pipeline's first stage waits for its second.
    EXPECT_GT(hybrid.rank(0).at("waiting_s").get<double>(), alone.rank(0).at("waiting_s").get<double>());
}

TEST(LiveWorlds, twoRunsAtOnceDoNotMeet) {
    LiveAnswerOf other;
    std::thread beside([&] { other = runLiveProgram({"--world", "8", "--real", "0"}, smallGpt({"--steps", "2"})); });
    const LiveAnswerOf own = runLiveProgram({"--world", "64", "--real", "0"}, smallGpt({"--steps", "2"}));
    beside.join();
    EXPECT_EQ(own.process.status, 0) << own.process.err;
    EXPECT_EQ(other.process.status, 0) << other.process.err;
    EXPECT_EQ(own.document.at("world_size"), 64);
    EXPECT_EQ(other.document.at("world_size"), 8);
}

} // namespace orrery::test
