// SPDX-License-Identifier: GPL-3.0-or-later
// Classes of ranks that can't differ, and which of them to record.
#include "core/records/ranks/rank_classes.hpp"
#include "tests/support/h100_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

Scenario jobOf(int nodes, Json parallelism, Json execution = Json::object()) { return test::h100Job("llama-3.1-70b", nodes, 4096, std::move(parallelism), std::move(execution)); }

std::size_t ranksIn(const std::vector<RankClass>& classes) {
    std::vector<int> all;
    for (const RankClass& one : classes) all.insert(all.end(), one.ranks.begin(), one.ranks.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "a rank in two classes";
    return all.size();
}

TEST(RankClasses, OfALargeJobAreFewerThanOneInAHundredRanks) {
    const auto classes = rankClasses(jobOf(1024, {{"tensor", 8}, {"pipeline", 16}}));
    EXPECT_EQ(ranksIn(classes), 8192U);
    EXPECT_EQ(classes.size(), 16U); // its stages
    EXPECT_LE(classes.size(), 81U);
    EXPECT_EQ(classes[1].ranks.front(), 512); // Megatron's order: stages are the slowest to change
}

TEST(RankClasses, FollowTheOrderOfRanks) {
    const auto classes = rankClasses(jobOf(8, {{"tensor", 8}, {"pipeline", 4}, {"order", "tp-cp-ep-pp-dp"}}));
    EXPECT_EQ(ranksIn(classes), 64U);
    ASSERT_EQ(classes.size(), 4U);
    EXPECT_EQ(classes[1].ranks.front(), 8);
    EXPECT_EQ(classes[1].ranks[8], 40); // the next replica's
}

TEST(RankClasses, ASlowRankIsRecordedByItself) {
    const auto classes = rankClasses(jobOf(8, {{"tensor", 8}, {"pipeline", 4}}, {{"stragglers", {{{"rank", 19}, {"slowdown", 1.3}}}}}));
    EXPECT_EQ(ranksIn(classes), 64U);
    EXPECT_EQ(classes.size(), 5U);
    const auto slow = std::find_if(classes.begin(), classes.end(), [](const RankClass& one) { return one.ranks == std::vector<int>{19}; });
    ASSERT_NE(slow, classes.end());
    EXPECT_NE(slow->name.find("1.3"), std::string::npos);
    EXPECT_NE(profilerSnippet(classes).find("{0, 16, 19, 32, 48}"), std::string::npos) << profilerSnippet(classes);
}

} // namespace
} // namespace orrery
