// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

// What-ifs that name what is not there.

namespace orrery::test {
namespace {

Json drawn(const Json& execution) {
    Json document = soundDocument();
    document["cluster"] = Json::parse(R"({"topology": {
        "nodes": [{"id": "dgx", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "replicas": 4},
                  {"id": "old", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "replicas": 4},
                  {"id": "leaf", "kind": "switch"}, {"id": "spine", "kind": "switch"}],
        "links": [{"from": "dgx", "to": "leaf", "bandwidth_gb_s": 50, "count": 8}, {"from": "old", "to": "spine", "bandwidth_gb_s": 50, "count": 8},
                  {"from": "leaf", "to": "spine", "bandwidth_gb_s": 400}]}})");
    document["execution"] = execution;
    return document;
}

struct Bad {
    const char* execution;
    const char* code;
    const char* pointer;
    const char* message; ///< a part of it
    bool mendWorks;      ///< it comes with an edit, after which the scenario is sound
};

const std::vector<Bad> bad{
    {R"({"degraded_links": [{"from": "dgxx", "to": "leaf", "factor": 0.5}]})", "unknown-node", "/execution/degraded_links/0/from", "\"dgxx\"", true},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "factor": 0.5}, {"from": "dgx", "to": "laef"}]})", "unknown-node",
     "/execution/degraded_links/1/to", "\"laef\"", true},
    {R"({"degraded_links": [{"node": "something else", "down": true}]})", "unknown-node", "/execution/degraded_links/0/node", "\"something else\"", false},
    {R"({"degraded_links": [{"from": "dgx", "to": "spine"}]})", "unknown-link", "/execution/degraded_links/0", "\"dgx\" and \"spine\"", false},
    {R"({"degraded_links": [{"from": "dgx", "to": "old"}]})", "unknown-link", "/execution/degraded_links/0", "\"dgx\" and \"old\"", false},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "nic": 8}]})", "out-of-range", "/execution/degraded_links/0/nic", "8 parallel cables", true},
    {R"({"degraded_links": [{"from": "leaf", "to": "spine", "nic": 1}]})", "out-of-range", "/execution/degraded_links/0/nic", "1 parallel cable,", true},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "replica": 4}]})", "out-of-range", "/execution/degraded_links/0/replica", "4 nodes", true},
    {R"({"degraded_links": [{"from": "leaf", "to": "dgx", "replica": 4}]})", "out-of-range", "/execution/degraded_links/0/replica", "4 nodes", true},
    {R"({"degraded_links": [{"node": "leaf", "replica": 1}]})", "out-of-range", "/execution/degraded_links/0/replica", "1 node,", true},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "factor": 1.5}]})", "out-of-range", "/execution/degraded_links/0/factor", "factor", false},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "factor": 1e-300}]})", "out-of-range", "/execution/degraded_links/0/factor", "at least 1e-06", true},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "factor": -0.5}]})", "out-of-range", "/execution/degraded_links/0/factor", "factor", false},
    {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "added_latency_us": -1}]})", "out-of-range", "/execution/degraded_links/0/added_latency_us", "", false},
    {R"({"stragglers": [{"rank": 64, "slowdown": 1.5}]})", "out-of-range", "/execution/stragglers/0/rank", "64 accelerators", true},
    {R"({"stragglers": [{"rank": 63, "slowdown": 1.5}, {"rank": 70, "slowdown": 1.5}]})", "out-of-range", "/execution/stragglers/1/rank", "70", true},
    {R"({"stragglers": [{"rank": -1, "slowdown": 1.5}]})", "out-of-range", "/execution/stragglers/0/rank", "", false},
    {R"({"stragglers": [{"node": "leaf", "slowdown": 1.5}]})", "not-a-host", "/execution/stragglers/0/node", "\"leaf\" is a switch", false},
    {R"({"stragglers": [{"node": "odl", "slowdown": 1.5}]})", "unknown-node", "/execution/stragglers/0/node", "\"odl\"", true},
    {R"({"stragglers": [{"node": "old", "replica": 4, "slowdown": 1.5}]})", "out-of-range", "/execution/stragglers/0/replica", "4 nodes", true},
    {R"({"stragglers": [{"rank": 0, "slowdown": 0.5}]})", "out-of-range", "/execution/stragglers/0/slowdown", "slowdown", false},
    {R"({"stragglers": [{"rank": 0}]})", "missing-key", "/execution/stragglers/0/slowdown", "slowdown", false},
    {R"({"jitter": -0.1})", "out-of-range", "/execution/jitter", "", false},
    {R"({"jitter": {"sigma": 11}})", "out-of-range", "/execution/jitter/sigma", "", false},
    {R"({"jitter": {"seed": 3}})", "missing-key", "/execution/jitter/sigma", "sigma", false},
    {R"({"jitter": {"sigma": 0.1, "method": "guessed"}})", "unknown-value", "/execution/jitter/method", "", false},
    {R"({"jitter": {"sigma": 3, "method": "analytic"}})", "out-of-range", "/execution/jitter/sigma", "at most 2", true},
    {R"({"jitter": {"sigma": 0, "operators": {"compute": -0.1}}})", "out-of-range", "/execution/jitter/operators/compute", "", false},
    {R"({"jitter": {"sigma": 0, "hosts": {"slow_share": 1.5, "slowdown": 2}}})", "out-of-range", "/execution/jitter/hosts/slow_share", "", false},
    {R"({"jitter": {"sigma": 0, "hosts": {"slow_share": 0.1, "slowdown": 0.5}}})", "out-of-range", "/execution/jitter/hosts/slowdown", "", false},
    {R"({"jitter": {"sigma": 0, "hosts": {"slow_share": 0.1}}})", "missing-key", "/execution/jitter/hosts/slowdown", "how slow", true},
    {R"({"jitter": {"sigma": 0, "hosts": {"slowdown": 2}}})", "missing-key", "/execution/jitter/hosts/slow_share", "how many", true},
    {R"({"jitter": {"sigma": 0, "hosts": {"sigmma": 0.1}}})", "unknown-key", "/execution/jitter/hosts/sigmma", "", false},
    {R"({"collectives": {"foo": 1}})", "unknown-key", "/execution/collectives/foo", "nearest known key", true},
    {R"({"collectives": {"all_reduec": "ring"}})", "unknown-key", "/execution/collectives/all_reduec", "\"all_reduce\"", true},
    {R"({"collectives": {"all_reduce": "ringg"}})", "unknown-value", "/execution/collectives/all_reduce", "ringg", true},
    {R"({"collectives": {"protocol": 3}})", "wrong-type", "/execution/collectives/protocol", "", false},
};

TEST(BadWhatIf, IsAProblemWithItsPlaceAndMend) {
    for (const Bad& wrong : bad) {
        SCOPED_TRACE(wrong.execution);
        const Json document = drawn(Json::parse(wrong.execution));
        const ScenarioReading reading = read(document);
        EXPECT_FALSE(reading.scenario.has_value());
        const Problem* problem = find(reading.problems, wrong.code);
        ASSERT_NE(problem, nullptr) << listed(reading.problems);
        EXPECT_EQ(problem->severity, Severity::error);
        EXPECT_EQ(problem->pointer, wrong.pointer);
        EXPECT_NE(problem->message.find(wrong.message), std::string::npos) << problem->message;
        EXPECT_FALSE(problem->mend.empty());
        if (wrong.mendWorks) expectMendWorks(document, wrong.code);
    }
}

TEST(BadWhatIf, NamesALinkOrANodeButNotBoth) {
    for (const char* both : {R"({"degraded_links": [{"from": "dgx", "to": "leaf", "node": "leaf"}]})", R"({"degraded_links": [{"from": "dgx"}]})",
                             R"({"degraded_links": [{"factor": 0.5}]})", R"({"stragglers": [{"rank": 0, "node": "dgx", "slowdown": 2}]})",
                             R"({"stragglers": [{"rank": 0, "replica": 1, "slowdown": 2}]})"}) {
        const ScenarioReading reading = read(drawn(Json::parse(both)));
        EXPECT_FALSE(reading.scenario.has_value()) << both;
        ASSERT_FALSE(reading.problems.empty());
        EXPECT_TRUE(reading.problems.front().pointer.starts_with("/execution/")) << listed(reading.problems);
        EXPECT_FALSE(reading.problems.front().mend.empty());
    }
}

TEST(WhatIf, IsReadAsWritten) {
    const ScenarioReading reading = read(drawn(Json::parse(R"({
        "degraded_links": [{"from": "dgx", "to": "leaf", "nic": 7, "replica": 3, "factor": 0.25, "added_latency_us": 2}, {"node": "spine", "factor": 0}],
        "stragglers": [{"node": "old", "replica": 2, "slowdown": 1.25}, {"rank": 5, "slowdown": 2}],
        "jitter": {"sigma": 0.1, "seed": 9}})")));
    ASSERT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    const std::vector<LinkChange>& changes = reading.scenario->cluster.changes;
    ASSERT_EQ(changes.size(), 2u);
    EXPECT_EQ(changes[0].from, "dgx");
    EXPECT_EQ(changes[0].to, "leaf");
    EXPECT_EQ(changes[0].nic, 7);
    EXPECT_EQ(changes[0].replica, 3);
    EXPECT_DOUBLE_EQ(changes[0].factor, 0.25);
    EXPECT_FALSE(changes[0].down);
    EXPECT_DOUBLE_EQ(changes[0].addedLatency, 2e-6);
    EXPECT_EQ(changes[1].from, "spine");
    EXPECT_TRUE(changes[1].to.empty());
    EXPECT_TRUE(changes[1].down);
    const std::vector<Straggler>& stragglers = reading.scenario->execution.stragglers;
    ASSERT_EQ(stragglers.size(), 9u);
    for (int slot = 0; slot < 8; ++slot) { // after the 32 of "dgx" and 16 of the first two of "old"
        EXPECT_EQ(stragglers[static_cast<std::size_t>(slot)].rank, 48 + slot);
        EXPECT_DOUBLE_EQ(stragglers[static_cast<std::size_t>(slot)].slowdown, 1.25);
    }
    EXPECT_EQ(stragglers[8].rank, 5);
    EXPECT_DOUBLE_EQ(reading.scenario->execution.jitter.sigma, 0.1);
    EXPECT_EQ(reading.scenario->execution.jitter.seed, 9u);
}

/// The short form's nodes have names as well.
TEST(WhatIf, OfTheShortForm) {
    Json document = soundDocument();
    document["execution"] = Json::parse(R"({"degraded_links": [{"from": "node", "to": "leaf", "nic": 0, "replica": 7, "factor": 0.5}]})");
    EXPECT_TRUE(read(document).scenario.has_value());
    document["execution"]["degraded_links"][0]["replica"] = 8;
    expectMendWorks(document, "out-of-range");
}

} // namespace
} // namespace orrery::test
