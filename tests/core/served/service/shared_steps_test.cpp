// SPDX-License-Identifier: GPL-3.0-or-later
// Engines that lie on several hosts: what their steps send meets what others send, and no link carries more than it can.
#include "core/order/serving/serving_run.hpp"
#include "core/served/service/engine_traffic.hpp"
#include "core/training/job_traffic/fabric_traffic.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace orrery::test {
namespace {

/// So many pairs of hosts with an accelerator each, one left, one right; a way up carries `up` GB/s, an interface 50.
Json pairsOver(int pairs, double up) {
    Json nodes = Json::array(), links = Json::array();
    for (int pair = 0; pair < pairs; ++pair)
        for (const char* leaf : {"left", "right"}) {
            const std::string id = std::string(leaf) + "-" + std::to_string(pair);
            nodes.push_back({{"id", id}, {"kind", "host"}, {"accelerator", h100Id}, {"count", 1}});
            links.push_back({{"from", id}, {"to", leaf}, {"bandwidth_gb_s", 50}, {"latency_us", 1}});
        }
    for (const char* leaf : {"left", "right"}) {
        nodes.push_back({{"id", leaf}, {"kind", "switch"}});
        links.push_back({{"from", leaf}, {"to", "spine"}, {"bandwidth_gb_s", up}, {"latency_us", 1}});
    }
    nodes.push_back({{"id", "spine"}, {"kind", "switch"}});
    return {{"topology", {{"nodes", nodes}, {"links", links}}}};
}

Json atOnce(int count) { return {{"count", count}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 3000}, {"output_tokens", 20}, {"seed", 1}}; }

/// Every pair of hosts is an engine of two tensor ranks.
Json engines(int pairs, double up, Json requests) {
    return {{"format", "orrery-scenario/1"},
            {"name", "engines"},
            {"model", {{"preset", "llama-3.1-8b"}}},
            {"cluster", pairsOver(pairs, up)},
            {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", std::move(requests)}, {"engine", Json::object()}}},
            {"parallelism", {{"tensor", 2}}}};
}

double numberAt(const ResultPtr& result, const char* pointer) { return toJson(*result).at(Json::json_pointer(pointer)).get<double>(); }

TEST(SharedSteps, TwoAlikeOnOneLinkTakeWhatOneTakesOverHalfOfIt) {
    for (const double up : {50.0, 20.0}) {
        const ResultPtr both = run(engines(2, up, atOnce(2))), half = run(engines(1, up / 2, atOnce(1))), whole = run(engines(1, up, atOnce(1)));
        for (const char* figure : {"/ttft_s/mean", "/tpot_s/mean", "/e2e_s/p99"}) {
            EXPECT_NEAR(numberAt(both, figure), numberAt(half, figure), 1e-9 * numberAt(half, figure)) << figure << " over " << up << " GB/s";
            EXPECT_GT(numberAt(both, figure), numberAt(whole, figure)) << figure;
        }
        EXPECT_GT(numberAt(both, "/ttft_s/mean"), 1.02 * numberAt(whole, "/ttft_s/mean")) << "prompts send much";
        const double slowed = numberAt(both, "/ttft_breakdown_s/prefill_shared_links");
        EXPECT_NEAR(slowed, numberAt(both, "/ttft_s/mean") - numberAt(whole, "/ttft_s/mean"), 1e-9) << "and the result says what the other costs";
        EXPECT_EQ(numberAt(half, "/ttft_breakdown_s/prefill_shared_links"), 0);
    }
}

TEST(SharedSteps, WhereThereIsRoomForAllNothingChanges) {
    const ResultPtr both = run(engines(2, 100, atOnce(2))), one = run(engines(1, 100, atOnce(1))), wide = run(engines(1, 1000, atOnce(1)));
    for (const char* figure : {"/ttft_s/mean", "/tpot_s/mean", "/e2e_s/mean"}) {
        EXPECT_EQ(numberAt(both, figure), numberAt(one, figure)) << figure;
        EXPECT_EQ(numberAt(one, figure), numberAt(wide, figure)) << figure << ": interfaces are the narrowest";
    }
}

/// Tells what is sent when.
class Watched : public StepTraffic {
public:
    explicit Watched(EngineTraffic& traffic) : traffic_(traffic) {}
    bool meetsOthers(int instance) const override { return traffic_.meetsOthers(instance); }
    double alone(int instance, const StepBatch& batch) const override { return traffic_.alone(instance, batch); }
    void start(int instance, double seconds, double now) override {
        sent += seconds;
        begun.emplace_back(instance, now);
        traffic_.start(instance, seconds, now);
    }
    double nextEvent() override { return traffic_.nextEvent(); }
    void takeEnded(double now, std::vector<int>& instances) override {
        traffic_.takeEnded(now, instances);
        for (const int instance : instances) {
            const auto at = std::find_if(begun.begin(), begun.end(), [&](const auto& one) { return one.first == instance; });
            ASSERT_NE(at, begun.end());
            spans.emplace_back(at->second, now);
            begun.erase(at);
        }
    }

    double sent = 0;                              ///< s alone
    std::vector<std::pair<int, double>> begun;    ///< by instance, s
    std::vector<std::pair<double, double>> spans; ///< from, to

private:
    EngineTraffic& traffic_;
};

/// One engine alone fills the link: as long as any sends it is full, and it carries what all send, no more and no less.
TEST(SharedSteps, TheLinkCarriesWhatIsSentNoMoreAndNoLess) {
    for (const int seed : {1, 2, 3}) {
        Json requests{{"count", 120}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 12}}}, {"input_tokens", {{"distribution", "lognormal"}, {"mean", 900}, {"std", 900}}}, {"output_tokens", {{"distribution", "exponential"}, {"mean", 30}}}, {"seed", seed}};
        const ScenarioReading reading = read(engines(4, 25, requests));
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        const Scenario& scenario = *reading.scenario;
        const auto& workload = std::get<ServingWorkload>(scenario.workload);
        const std::vector<EnginePool> pools = enginePools(scenario, workload);
        RoutedFabric fabric(scenario.cluster);
        SharedLinks links(fabric.capacities());
        EngineTraffic traffic(pools, fabric.router());
        ASSERT_TRUE(traffic.findMeetings(CrossedLinks(fabric.capacities().size(), false), fabric.capacities()));
        traffic.join(links.join());
        Watched watched(traffic);
        const RequestList list = generateRequests(std::get<RequestLaw>(workload.requests));
        ServingSettings settings;
        settings.keepSteps = true;
        for (const EnginePool& pool : pools) settings.instances.insert(settings.instances.end(), pool.ranks.size(), pool.settings());
        const auto outcome = serve(list, settings, nullptr, {}, &watched);
        ASSERT_TRUE(outcome);
        EXPECT_TRUE(watched.begun.empty());
        std::sort(watched.spans.begin(), watched.spans.end());
        double full = 0, until = 0;
        for (const auto& [from, to] : watched.spans) {
            full += std::max(0.0, to - std::max(from, until));
            until = std::max(until, to);
        }
        EXPECT_NEAR(full, watched.sent, 1e-9 * full);
        double slowed = 0;
        for (const auto& steps : outcome->steps)
            for (std::size_t i = 0; i < steps.size(); ++i) {
                EXPECT_GE(steps[i].slowed, 0);
                EXPECT_LE(steps[i].slowed, steps[i].seconds);
                const double before = i > 0 ? (steps[i - 1].start + steps[i - 1].seconds) * (1 - 1e-12) : 0;
                EXPECT_GE(steps[i].start, before);
                slowed += steps[i].slowed;
            }
        double sending = 0;
        for (const auto& [from, to] : watched.spans) sending += to - from;
        EXPECT_NEAR(slowed, sending - watched.sent, 1e-9 * sending) << "what meeting others costs is what sending takes longer";
        EXPECT_GT(slowed, 0.01 * sending);
        for (std::size_t i = 0; i < outcome->log.records.size(); ++i) EXPECT_TRUE(outcome->log.records[i].isCompleted());
    }
}

TEST(SharedSteps, TheSameSeedGivesTheSameBytes) {
    Json requests{{"count", 60}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 12}}}, {"input_tokens", 900}, {"output_tokens", 30}, {"seed", 4}};
    const Json scenario = engines(3, 25, requests);
    EXPECT_EQ(toJson(*run(scenario)).dump(), toJson(*run(scenario, 2)).dump());
}

/// An engine on the first pair, two replicas of a training job on the second, whose gradients go up and down between the leaves.
ResultPtr besideTraining(double up, bool job) {
    Json training = jobOn(pairsOver(1, up), 1, 1, 2);
    training["execution"]["collectives"] = {{"timing", "stated"}};
    Json scenario = engines(2, up, {{"count", 30}, {"arrival", {{"process", "uniform"}, {"rate_per_s", 4}}}, {"input_tokens", 3000}, {"output_tokens", 20}, {"seed", 1}});
    scenario["parallelism"]["data"] = 1;
    if (job) scenario["beside"] = {{{"scenario", "job.orrery.json"}, {"hosts", {"left-1", "right-1"}}}};
    else scenario["cluster"] = pairsOver(1, up);
    const ScenarioReading reading = read(scenario, [&](const std::string& path, std::string&) -> std::optional<std::string> { return path == "job.orrery.json" ? std::optional(training.dump()) : std::nullopt; });
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return reading.scenario ? simulate(*reading.scenario).result : nullptr;
}

TEST(SharedSteps, AnEngineAndATrainingJobSlowEachOther) {
    const ResultPtr alone = besideTraining(50, false), beside = besideTraining(50, true);
    ASSERT_TRUE(alone && beside);
    ASSERT_EQ(beside->beside.size(), 1u);
    const BesideReport& job = beside->beside[0];
    EXPECT_GT(job.longestIterationTime, 1.01 * job.aloneIterationTime);
    EXPECT_GT(numberAt(beside, "/e2e_s/mean"), 1.01 * numberAt(alone, "/e2e_s/mean"));
    EXPECT_GT(numberAt(beside, "/ttft_breakdown_s/prefill_shared_links") + numberAt(beside, "/tpot_breakdown_s/decode_shared_links"), 0);
    std::vector<std::string> names;
    for (const SharedLink& link : job.shared) {
        names.push_back(link.from + " " + link.to);
        EXPECT_EQ(link.bandwidth, 50e9);
        EXPECT_EQ(link.count, 1);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"left spine", "right spine", "spine left", "spine right"}));
}

TEST(SharedSteps, AnEngineAndATrainingJobWithRoomForBothFeelNothing) {
    const ResultPtr alone = besideTraining(200, false), beside = besideTraining(200, true);
    const BesideReport& job = beside->beside[0];
    EXPECT_NEAR(job.longestIterationTime, job.aloneIterationTime, 1e-9 * job.aloneIterationTime);
    EXPECT_NEAR(numberAt(beside, "/e2e_s/mean"), numberAt(alone, "/e2e_s/mean"), 1e-9 * numberAt(alone, "/e2e_s/mean"));
}

} // namespace
} // namespace orrery::test
