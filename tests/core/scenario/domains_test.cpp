// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rank_groups.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

// Where ranks lie over scale-up domains, and what is said of groups that cross them.

namespace orrery::test {
namespace {

/// 256 GB200 with experts over 32 ranks.
Json experts(Json cluster) {
    Json document = soundDocument();
    document["model"] = {{"preset", "deepseek-v3"}};
    document["cluster"] = std::move(cluster);
    document["workload"] = {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 2048}, {"micro_batch_size", 1}, {"precision", "bf16"}};
    document["parallelism"] = {{"expert", 32}, {"zero_stage", 1}};
    return document;
}

Json racksOf72() {
    Json cluster{{"accelerator", "gb200"}, {"topology", {{"nodes", Json::array()}, {"links", Json::array()}}}};
    for (const auto& [rack, trays] : {std::pair{"rack-0", 18}, std::pair{"rack-1", 18}, std::pair{"rack-2", 18}, std::pair{"rack-3", 10}}) {
        const std::string id = std::string("trays-of-") + rack;
        cluster["topology"]["nodes"].push_back({{"id", id}, {"kind", "host"}, {"count", 4}, {"replicas", trays}, {"domain", rack}});
        cluster["topology"]["links"].push_back({{"from", id}, {"to", "leaf"}, {"bandwidth_gb_s", 50}, {"count", 4}});
    }
    cluster["topology"]["nodes"].push_back({{"id", "leaf"}, {"kind", "switch"}});
    return cluster;
}

TEST(Domains, AGroupThatCrossesThemIsNamed) {
    const ScenarioReading reading = read(experts(racksOf72()));
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    const Problem* found = find(reading.problems, "expert-across-domains");
    ASSERT_NE(found, nullptr) << listed(reading.problems);
    EXPECT_EQ(found->severity, Severity::warning);
    EXPECT_EQ(found->pointer, "/parallelism/expert");
    EXPECT_EQ(found->message, "3 of 8 expert groups reach over scale-up domains, the first with ranks 64-95 over rack-0 and rack-1: "
                              "the exchange of tokens waits for the slower network.");
    EXPECT_FALSE(found->mend.empty());
}

TEST(Domains, TheShortFormFillsThemEvenlySoThatNoneCrosses) {
    const ScenarioReading reading = read(experts({{"accelerator", "gb200"}, {"accelerators_per_node", 4}, {"nodes", 64}, {"scale_up", {{"domain_size", 72}}}}));
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    EXPECT_EQ(find(reading.problems, "expert-across-domains"), nullptr) << listed(reading.problems);
    const RankDomains domains = rankDomains(reading.scenario->cluster);
    EXPECT_EQ(domains.sizes, std::vector<int>(4, 64));
    EXPECT_TRUE(domains.wide);
}

/// An exchange between hosts is an everyday plan where a fabric is one host's.
TEST(Domains, GroupsWiderThanAHostAreEverydayPlans) {
    const ScenarioReading reading = read(experts({{"accelerator", "h100-sxm5-80gb"}, {"nodes", 32}}));
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    EXPECT_EQ(find(reading.problems, "expert-across-domains"), nullptr);
}

/// Five in each host: tensor groups of 2 lie in one host or two.
TEST(Domains, ATensorGroupNeverCrossesSilently) {
    Json document = changed("/cluster", Json{{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 5}, {"nodes", 8}});
    document["parallelism"] = {{"tensor", 2}};
    document["workload"]["global_batch_size"] = 20;
    const ScenarioReading reading = read(document);
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    const Problem* found = find(reading.problems, "tensor-across-domains");
    ASSERT_NE(found, nullptr) << listed(reading.problems);
    EXPECT_EQ(found->message.substr(0, found->message.find(':')),
              "4 of 20 tensor groups reach over scale-up domains, the first with ranks 4-5 over node[0] and node[1]");
}

/// The exchange is hidden between domains by default, where the profile does that and any group crosses.
TEST(Domains, ExpertOverlapFollowsWhereGroupsReallyLie) {
    for (const bool crossing : {false, true}) {
        Json document = experts(crossing ? racksOf72() : Json{{"accelerator", "gb200"}, {"accelerators_per_node", 4}, {"nodes", 64}, {"scale_up", {{"domain_size", 72}}}});
        bool tried = false;
        for (const FrameworkProfile& profile : catalog().frameworks()) {
            if (!profile.experts.overlapsBetweenDomains) continue;
            document["model"] = {{"preset", "deepseek-v2"}}; // nobody publishes a recipe for
            document["execution"] = {{"framework", profile.id}};
            const ScenarioReading reading = read(document);
            ASSERT_TRUE(reading.scenario) << listed(reading.problems);
            EXPECT_EQ(reading.scenario->execution.overlap.expert, crossing) << profile.id;
            tried = true;
        }
        EXPECT_TRUE(tried);
    }
}

} // namespace
} // namespace orrery::test
