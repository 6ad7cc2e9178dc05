// SPDX-License-Identifier: GPL-3.0-or-later
// Prefill apart from decode on a drawn network: keys and values take what their way gives them, share it where ways meet, and so do jobs beside.
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace orrery::test {
namespace {

constexpr double tokenBytes = 131072; // Llama-3.1-8B: 32 layers, keys and values of 8 heads of 128 in 16 bit
constexpr double microsecond = 1e-6;

/// Two leaves with as many hosts each, `count` accelerators a host, interfaces of 50 GB/s; a leaf's way up carries `up` GB/s.
Json leavesOf(int hosts, int count, double up) {
    Json nodes = Json::array(), links = Json::array();
    for (const char* leaf : {"left", "right"}) {
        nodes.push_back({{"id", leaf}, {"kind", "switch"}});
        for (int host = 0; host < hosts; ++host) {
            const std::string id = std::string(leaf) + "-" + std::to_string(host);
            nodes.push_back({{"id", id}, {"kind", "host"}, {"accelerator", h100Id}, {"count", count}});
            links.push_back({{"from", id}, {"to", leaf}, {"bandwidth_gb_s", 50}, {"latency_us", 1}, {"count", count}});
        }
        links.push_back({{"from", leaf}, {"to", "spine"}, {"bandwidth_gb_s", up}, {"latency_us", 1}});
    }
    nodes.push_back({{"id", "spine"}, {"kind", "switch"}});
    return {{"topology", {{"nodes", nodes}, {"links", links}}}};
}

Json requestsAtOnce(int count, int input, int output) {
    return {{"count", count}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", input}, {"output_tokens", output}, {"seed", 1}};
}

/// So far apart that each finds the instances idle.
Json requestsOneByOne(int count) {
    return {{"count", count}, {"arrival", {{"process", "uniform"}, {"rate_per_s", 4}}}, {"input_tokens", 4096}, {"output_tokens", 8}, {"seed", 1}};
}

Json apart(Json cluster, Json prefill, Json decode, Json requests) {
    return {{"format", "orrery-scenario/1"},
            {"name", "apart"},
            {"model", {{"preset", "llama-3.1-8b"}}},
            {"cluster", std::move(cluster)},
            {"workload",
             {{"kind", "serving"},
              {"precision", "bf16"},
              {"requests", std::move(requests)},
              {"engine", {{"disaggregation", {{"prefill", std::move(prefill)}, {"decode", std::move(decode)}}}}}}}};
}

Json on(std::vector<std::string> hosts) { return {{"hosts", hosts}}; }

double transferOf(const Json& scenario) { return toJson(*run(scenario)).at("time_breakdown_s").at("kv_transfer").get<double>(); }

TEST(ServedNetwork, OneTransferAloneTakesBytesOverItsNarrowestLinkAndTheWaysLatency) {
    constexpr double bytes = 4096 * tokenBytes;
    const auto alone = [&](double up) { return transferOf(apart(leavesOf(1, 1, up), on({"left-0"}), on({"right-0"}), requestsAtOnce(1, 4096, 8))); };
    EXPECT_NEAR(alone(100), bytes / 50e9 + 4 * microsecond, 1e-9 * alone(100)); // interfaces
    EXPECT_NEAR(alone(20), bytes / 20e9 + 4 * microsecond, 1e-9 * alone(20));   // the way up
}

TEST(ServedNetwork, RanksSendTheirSharesSideBySide) {
    constexpr double bytes = 4096 * tokenBytes;
    const Json four{{"hosts", {"left-0"}}, {"parallelism", {{"tensor", 4}}}}, same{{"hosts", {"right-0"}}, {"parallelism", {{"tensor", 4}}}},
        stages{{"hosts", {"right-0"}}, {"parallelism", {{"pipeline", 2}}}}, one{{"hosts", {"right-0"}}, {"instances", 1}};
    const auto transfer = [&](const Json& decode) { return transferOf(apart(leavesOf(1, 4, 1000), four, decode, requestsAtOnce(1, 4096, 8))); };
    EXPECT_NEAR(transfer(same), bytes / 4 / 50e9 + 4 * microsecond, 1e-9 * transfer(same));
    EXPECT_NEAR(transfer(stages), bytes / 2 / 50e9 + 4 * microsecond, 1e-9 * transfer(stages)); // half of the layers enter each interface
    EXPECT_NEAR(transfer(one), bytes / 50e9 + 4 * microsecond, 1e-9 * transfer(one));
}

TEST(ServedNetwork, TwoOverOneLinkTakeTwiceAsLong) {
    constexpr double bytes = 4096 * tokenBytes;
    const Json scenario = apart(leavesOf(2, 1, 50), on({"left-0", "left-1"}), on({"right-0", "right-1"}), requestsAtOnce(2, 4096, 8));
    EXPECT_NEAR(transferOf(scenario), 2 * bytes / 50e9 + 4 * microsecond, 1e-9);
    const Json wide = apart(leavesOf(2, 1, 100), on({"left-0", "left-1"}), on({"right-0", "right-1"}), requestsAtOnce(2, 4096, 8));
    EXPECT_NEAR(transferOf(wide), bytes / 50e9 + 4 * microsecond, 1e-9);
}

TEST(ServedNetwork, ThoseWhoseWaysDoNotMeetFeelNothing) {
    const Json scenario = apart(leavesOf(2, 1, 10), on({"left-0", "right-0"}), on({"left-1", "right-1"}), requestsAtOnce(2, 4096, 8));
    EXPECT_NEAR(transferOf(scenario), 4096 * tokenBytes / 50e9 + 2 * microsecond, 1e-9);
}

TEST(ServedNetwork, StatedTrafficTakesItsShare) {
    Json cluster = leavesOf(2, 1, 50);
    cluster["topology"]["traffic"] = {{{"name", "other"}, {"from", "left-1"}, {"to", "right-1"}, {"bandwidth_gb_s", 20}}};
    EXPECT_NEAR(transferOf(apart(cluster, on({"left-0"}), on({"right-0"}), requestsAtOnce(1, 4096, 8))), 4096 * tokenBytes / 30e9 + 4 * microsecond, 1e-9);
}

TEST(ServedNetwork, PoolsThatNoWayJoinsAreRefused) {
    Json cluster = leavesOf(1, 1, 50);
    Json& links = cluster["topology"]["links"];
    Json scenario = apart(cluster, on({"left-0"}), on({"right-0"}), requestsAtOnce(1, 100, 8));
    scenario["execution"]["degraded_links"] = {{{"from", "left"}, {"to", "spine"}, {"down", true}}};
    ASSERT_FALSE(links.empty());
    const ScenarioReading reading = read(scenario);
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    const Outcome outcome = simulate(*reading.scenario);
    ASSERT_EQ(outcome.problems.size(), 1u);
    EXPECT_EQ(outcome.problems[0].code, "unreachable");
    EXPECT_EQ(outcome.problems[0].pointer, "/execution/degraded_links");
}

/// What each request keeps of the laws when eight instances and eight share uplinks that are too narrow for all.
TEST(ServedNetwork, ManyInstancesKeepTheLawsOfTheirLinks) {
    Json cluster{{"accelerator", h100Id}, {"accelerators_per_node", 1}, {"nodes", 16}, {"scale_out", {{"bandwidth_gb_s", 12.5}, {"latency_us", 2}, {"oversubscription", 4}}}};
    Json requests{{"count", 400}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 60}}}, {"input_tokens", {{"distribution", "lognormal"}, {"mean", 1500}, {"std", 1500}}}, {"output_tokens", {{"distribution", "exponential"}, {"mean", 60}}}, {"seed", 5}};
    const Json scenario = apart(cluster, {{"instances", 8}}, {{"instances", 8}}, requests);
    const ResultPtr result = run(scenario);
    const ServingReport& report = *result->serving();
    int transfers = 0, waited = 0;
    for (std::size_t i = 0; i < report.records.size(); ++i) {
        const RequestRecord& record = report.records[i];
        const Request& request = report.requests->requests[i];
        EXPECT_TRUE(record.isCompleted());
        if (request.output == 1) continue;
        ++transfers;
        const double alone = request.input * tokenBytes / (12.5e9 / 4) + 8 * microsecond; // a leaf's way up is the narrowest
        EXPECT_GE(record.transferred, alone * (1 - 1e-9));
        if (record.transferred > 1.01 * alone) ++waited;
        EXPECT_NEAR(record.frontEnd + record.queued + record.preempted + record.prefillSeconds() + record.decodeSeconds() + record.transferred, record.finish - record.arrival, 1e-9);
    }
    EXPECT_GT(transfers, 300);
    EXPECT_GT(waited, 20) << "narrow links are where transfers meet";
    EXPECT_EQ(toJson(*run(scenario, 2)).dump(), toJson(*result).dump());
}

// --- jobs beside ---------------------------------------------------------------------------------------------------------

/// Two replicas on the second host of each leaf; their gradients go up and down between the leaves.
ResultPtr besideTraining(double up, const Json& requests) {
    Json job = jobOn(leavesOf(1, 1, up), 1, 1, 2);
    job["execution"]["collectives"] = {{"timing", "stated"}};
    Json scenario = apart(leavesOf(2, 1, up), on({"left-0"}), on({"right-0"}), requests);
    scenario["beside"] = {{{"scenario", "job.orrery.json"}, {"hosts", {"left-1", "right-1"}}}};
    const FileReader files = [&](const std::string& path, std::string&) -> std::optional<std::string> { return path == "job.orrery.json" ? std::optional(job.dump()) : std::nullopt; };
    const ScenarioReading reading = read(scenario, files);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return reading.scenario ? simulate(*reading.scenario).result : nullptr;
}

TEST(ServedNetwork, ATrainingJobBesideFeelsNothingWhereThereIsRoomForBoth) {
    const ResultPtr result = besideTraining(200, requestsOneByOne(20));
    ASSERT_EQ(result->beside.size(), 1u);
    const BesideReport& job = result->beside[0];
    EXPECT_NEAR(job.iterationTime, job.aloneIterationTime, 1e-9 * job.aloneIterationTime);
    for (const RequestRecord& record : result->serving()->records) EXPECT_NEAR(record.transferred, 4096 * tokenBytes / 50e9 + 4 * microsecond, 1e-9);
    EXPECT_GE(job.iterations * job.iterationTime, result->serving()->served.duration * (1 - 1e-9)) << "it runs on as long as requests do";
}

TEST(ServedNetwork, ATrainingJobBesideSharesTheLinksWhereWaysMeet) {
    const ResultPtr result = besideTraining(50, requestsOneByOne(20));
    const BesideReport& job = result->beside[0];
    const double alone = 4096 * tokenBytes / 50e9 + 4 * microsecond;
    double longest = 0;
    for (const RequestRecord& record : result->serving()->records) {
        EXPECT_GE(record.transferred, alone * (1 - 1e-9));
        longest = std::max(longest, record.transferred);
    }
    EXPECT_GT(longest, 1.05 * alone);
    EXPECT_LE(longest, 2 * alone * (1 + 1e-9)) << "half of a link is what either is left";
    EXPECT_GT(job.longestIterationTime, 1.01 * job.aloneIterationTime);
    const Json document = toJson(*result);
    EXPECT_EQ(document.at("beside").at(0).at("iterations"), job.iterations);
    EXPECT_EQ(document.dump(), toJson(*besideTraining(50, requestsOneByOne(20))).dump());
}

TEST(ServedNetwork, JobsBesideThatCannotBeAreRefused) {
    const Json job = jobOn(leavesOf(1, 1, 50), 1, 1, 2);
    const auto problems = [&](Json beside, const Json& file) {
        Json scenario = apart(leavesOf(2, 1, 50), on({"left-0"}), on({"right-0"}), requestsAtOnce(1, 100, 8));
        scenario["beside"] = Json::array({std::move(beside)});
        const ScenarioReading reading = read(scenario, [&](const std::string& path, std::string& why) -> std::optional<std::string> {
            if (path == "job.json") return file.dump();
            why = "there is none";
            return std::nullopt;
        });
        EXPECT_FALSE(reading.scenario);
        return reading.problems;
    };
    const auto has = [](const Problems& found, const char* code, const char* pointer) {
        return std::any_of(found.begin(), found.end(), [&](const Problem& problem) { return problem.code == code && problem.pointer == pointer; });
    };
    EXPECT_TRUE(has(problems({{"scenario", "job.json"}, {"hosts", {"left-9", "right-1"}}}, job), "unknown-host", "/beside/0/hosts/0"));
    EXPECT_TRUE(has(problems({{"scenario", "job.json"}, {"hosts", {"left-1"}}}, job), "too-few-accelerators", "/beside/0/hosts"));
    EXPECT_TRUE(has(problems({{"scenario", "none.json"}, {"hosts", {"left-1"}}}, job), "file-unreadable", "/beside/0/scenario"));
    EXPECT_TRUE(has(problems({{"scenario", "job.json"}, {"hosts", {"left-0", "right-1"}}}, job), "hosts-overlap", "/workload/engine/disaggregation/prefill/hosts/0"));
    Json nested = job;
    nested["beside"] = {{{"scenario", "job.json"}, {"hosts", {"left-0"}}}};
    EXPECT_TRUE(has(problems({{"scenario", "job.json"}, {"hosts", {"left-1", "right-1"}}}, nested), "not-supported-yet", "/beside/0/scenario"));
}

// --- pools on other accelerators -----------------------------------------------------------------------------------------

Json mixedShort(const char* prefill, const char* decode) {
    return apart({{"accelerator", h100Id}, {"accelerators_per_node", 8}, {"nodes", 2}}, {{"hosts", 1}, {"accelerator", prefill}}, {{"hosts", 1}, {"accelerator", decode}}, requestsAtOnce(1, 1000, 40));
}

TEST(ServedPools, TheClustersOwnAcceleratorIsNoOther) {
    EXPECT_EQ(numbersOf(*run(mixedShort(h100Id, h100Id))), numbersOf(*run(apart({{"accelerator", h100Id}, {"accelerators_per_node", 8}, {"nodes", 2}}, {{"hosts", 1}}, {{"hosts", 1}}, requestsAtOnce(1, 1000, 40)))));
}

TEST(ServedPools, EachRoleIsTimedOnItsOwnAccelerator) {
    constexpr const char* a100 = "a100-sxm4-80gb";
    // A router stands before the two and not before the one.
    const auto withoutWay = [](Json scenario) {
        scenario["workload"]["engine"]["front_end"] = false;
        return toJson(*run(scenario));
    };
    const auto plain = [&](const char* accelerator) {
        Json scenario = apart({{"accelerator", accelerator}, {"accelerators_per_node", 8}, {"nodes", 1}}, {}, {}, requestsAtOnce(1, 1000, 40));
        scenario["workload"]["engine"] = Json::object();
        return withoutWay(scenario);
    };
    const Json mixed = withoutWay(mixedShort(a100, h100Id)), ofA100 = plain(a100), ofH100 = plain(h100Id);
    const auto number = [](const Json& document, const char* pointer) { return document.at(Json::json_pointer(pointer)).get<double>(); };
    EXPECT_NEAR(number(mixed, "/ttft_s/mean"), number(ofA100, "/ttft_s/mean"), 1e-9);
    const double transfer = number(mixed, "/time_breakdown_s/kv_transfer");
    EXPECT_NEAR(39 * number(mixed, "/tpot_s/mean") - transfer, 39 * number(ofH100, "/tpot_s/mean"), 1e-9);
    const double narrower = std::min(catalog().accelerator(a100)->nicBandwidth, catalog().accelerator(h100Id)->nicBandwidth);
    EXPECT_LT(narrower, catalog().accelerator(h100Id)->nicBandwidth);
    EXPECT_NEAR(transfer, 1000 * tokenBytes / narrower, 2e-5);
    EXPECT_GT(number(ofA100, "/ttft_s/mean"), 1.3 * number(ofH100, "/ttft_s/mean"));
}

TEST(ServedPools, ADrawingSaysTheSameAsTheShortForm) {
    constexpr const char* a100 = "a100-sxm4-80gb";
    Json given = mixedShort(h100Id, a100);
    given["cluster"]["scale_out"] = {{"bandwidth_gb_s", 25}, {"latency_us", 2}};
    Json drawn = apart({{"topology",
                         {{"nodes", {{{"id", "new"}, {"kind", "host"}, {"accelerator", h100Id}, {"count", 8}}, {{"id", "old"}, {"kind", "host"}, {"accelerator", a100}, {"count", 8}}, {{"id", "leaf"}, {"kind", "switch"}}}},
                          {"links", {{{"from", "new"}, {"to", "leaf"}, {"bandwidth_gb_s", 25}, {"latency_us", 2}, {"count", 8}}, {{"from", "old"}, {"to", "leaf"}, {"bandwidth_gb_s", 25}, {"latency_us", 2}, {"count", 8}}}}}}},
                       on({"new"}), on({"old"}), requestsAtOnce(1, 1000, 40));
    EXPECT_EQ(numbersOf(*run(given)), numbersOf(*run(drawn)));
    drawn["workload"]["engine"]["disaggregation"] = {{"prefill", {{"hosts", {"new", "old"}}, {"instances", 1}}}, {"decode", {{"instances", 1}}}};
    const ScenarioReading reading = read(drawn);
    EXPECT_FALSE(reading.scenario) << "instances of a pool are alike";
}

} // namespace
} // namespace orrery::test
