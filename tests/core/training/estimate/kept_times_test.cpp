// SPDX-License-Identifier: GPL-3.0-or-later
// What estimates spare is what the plain way gives, to the last bit: transfers that were played in another place or at another size, orders of
// work cut short, allocators that ran for another grid.
#include "core/scenario/reader/reader.hpp"
#include "core/training/estimate/estimated_plan.hpp"
#include "core/training/estimate/plan_memory.hpp"
#include "core/training/estimate/together_times.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/segments/slowed_segment.hpp"
#include "core/training/stage_memory/stage_memory.hpp"
#include "tests/core/training/estimate/random_plans.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace orrery::test {
namespace {

double playedPlainly(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) {
    FlowTransfers model(capacities, transfers, beside);
    for (TransferId i = 0; i < transfers.size(); ++i) model.start(i, i, 0);
    std::vector<TaskId> ended;
    double now = 0;
    while (ended.size() < transfers.size()) {
        now = model.nextEvent();
        if (now == std::numeric_limits<double>::infinity()) break;
        model.advance(now, ended);
    }
    return now;
}

/// Transfers over a few of many links, some with latencies, beside others.
struct Drawn {
    std::vector<TransferPattern> patterns;
    std::vector<double> bytes;
    std::vector<FlowDemand> beside;

    std::vector<Transfer> transfers(double scale = 1) const {
        std::vector<Transfer> list;
        for (std::size_t i = 0; i < patterns.size(); ++i) list.push_back({&patterns[i], scale * bytes[i]});
        return list;
    }
};

std::vector<FlowUse> drawnUses(RandomSource& random, std::size_t links) {
    std::set<FlowLink> crossed;
    for (std::size_t i = random.between(std::size_t{1}, std::size_t{6}); i > 0; --i) crossed.insert(static_cast<FlowLink>(random.below(links)));
    std::vector<FlowUse> uses;
    for (const FlowLink link : crossed) uses.push_back({link, random.chance(0.5) ? 1.0 : random.between(0.5, 4.0)});
    return uses;
}

Drawn drawnTransfers(RandomSource& random, std::size_t links) {
    Drawn drawn;
    const bool latencies = random.chance(0.4);
    for (std::size_t i = random.between(std::size_t{1}, std::size_t{5}); i > 0; --i) {
        TransferPattern pattern;
        pattern.start = latencies && random.chance(0.5) ? random.between(1e-6, 1e-5) : 0;
        for (std::size_t phase = random.between(std::size_t{1}, std::size_t{3}); phase > 0; --phase) {
            PatternPhase own;
            own.latency = latencies && random.chance(0.5) ? random.between(1e-6, 1e-5) : 0;
            for (std::size_t flows = random.between(std::size_t{1}, std::size_t{3}); flows > 0; --flows)
                own.flows.push_back({drawnUses(random, links), random.between(0.1, 2.0), random.chance(0.3) ? random.logBetween(1e9, 1e11) : unlimitedRate});
            pattern.phases.push_back(std::move(own));
        }
        drawn.patterns.push_back(std::move(pattern));
        drawn.bytes.push_back(random.logBetween(1e4, 1e9));
    }
    for (std::size_t i = random.below(4); i > 0; --i) drawn.beside.push_back({drawnUses(random, links), random.chance(0.5) ? random.logBetween(1e9, 1e11) : unlimitedRate});
    return drawn;
}

/// The same links in the same order among more, of another cluster.
struct Moved {
    std::vector<FlowLink> place; ///< by link
    std::vector<double> capacities;

    Moved(RandomSource& random, const std::vector<double>& from) : capacities(random.below(5), 1e9) {
        for (const double capacity : from) {
            place.push_back(static_cast<FlowLink>(capacities.size()));
            capacities.push_back(capacity);
            capacities.insert(capacities.end(), random.below(3), 7e9);
        }
    }
    Drawn of(Drawn drawn) const {
        for (TransferPattern& pattern : drawn.patterns)
            for (PatternPhase& phase : pattern.phases)
                for (PatternFlows& flows : phase.flows) move(flows.uses);
        for (FlowDemand& demand : drawn.beside) move(demand.uses);
        return drawn;
    }

private:
    void move(std::vector<FlowUse>& uses) const {
        for (FlowUse& use : uses) use.link = place[use.link];
    }
};

std::vector<double> drawnCapacities(RandomSource& random) {
    std::vector<double> capacities(random.between(std::size_t{4}, std::size_t{30}));
    for (double& capacity : capacities) capacity = random.chance(0.5) ? 5e10 : random.logBetween(1e9, 5e11);
    return capacities;
}

TEST(TogetherTimes, AreThoseOfAllLinksPlayed) {
    RandomSource random(8112);
    TogetherTimes times;
    for (int drawn = 0; drawn < 2000; ++drawn) {
        const std::vector<double> capacities = drawnCapacities(random);
        const Drawn asked = drawnTransfers(random, capacities.size());
        const double plainly = playedPlainly(asked.transfers(), capacities, asked.beside);
        EXPECT_EQ(times.seconds(asked.transfers(), capacities, asked.beside), plainly);
        EXPECT_EQ(times.seconds(asked.transfers(), capacities, asked.beside), plainly);
        for (const double scale : {4.0, 0.5, 3.0}) EXPECT_EQ(times.seconds(asked.transfers(scale), capacities, asked.beside), playedPlainly(asked.transfers(scale), capacities, asked.beside)) << scale;
        const Moved elsewhere(random, capacities);
        const Drawn moved = elsewhere.of(asked);
        EXPECT_EQ(times.seconds(moved.transfers(), elsewhere.capacities, moved.beside), plainly);
        EXPECT_EQ(playedPlainly(moved.transfers(), elsewhere.capacities, moved.beside), plainly);
    }
}

/// The flows of one phase of all transfers, without latencies.
Drawn phaseOf(const Drawn& drawn, std::size_t phase) {
    Drawn only;
    for (std::size_t i = 0; i < drawn.patterns.size(); ++i) {
        if (drawn.patterns[i].phases.size() <= phase) continue;
        only.patterns.emplace_back().phases.push_back({0, drawn.patterns[i].phases[phase].flows});
        only.bytes.push_back(drawn.bytes[i]);
        for (const PatternFlows& flows : drawn.patterns[i].phases[phase].flows) only.beside.push_back({flows.uses, flows.cap});
    }
    return only;
}

/// What MeetingTimes gives, played with nothing kept.
void expectMeeting(const PhaseTimes& times, const Drawn& own, const Drawn& other, const std::vector<double>& capacities) {
    const auto phases = [](const Drawn& drawn) {
        std::size_t most = 0;
        for (const TransferPattern& pattern : drawn.patterns) most = std::max(most, pattern.phases.size());
        return most;
    };
    double latency = 0;
    for (const TransferPattern& pattern : own.patterns) {
        double sum = pattern.start;
        for (const PatternPhase& phase : pattern.phases) sum += phase.latency;
        latency = std::max(latency, sum);
    }
    EXPECT_EQ(times.latency, latency);
    ASSERT_EQ(times.seconds.size(), phases(own));
    ASSERT_EQ(times.beside.size(), phases(own) * phases(other));
    for (std::size_t i = 0; i < phases(own); ++i) {
        const Drawn alone = phaseOf(own, i);
        EXPECT_EQ(times.seconds[i], playedPlainly(alone.transfers(), capacities, {}));
        for (std::size_t j = 0; j < phases(other); ++j) EXPECT_EQ(times.beside[j * phases(own) + i], playedPlainly(alone.transfers(), capacities, phaseOf(other, j).beside));
    }
}

TEST(MeetingTimes, AreThoseOfEachPhasePlayedBesideEach) {
    RandomSource random(530);
    TogetherTimes together;
    MeetingTimes times(together);
    int met = 0;
    for (int drawn = 0; drawn < 500; ++drawn) {
        const std::vector<double> capacities = drawnCapacities(random);
        const Drawn own = drawnTransfers(random, capacities.size()), other = drawnTransfers(random, capacities.size());
        const Meeting meeting = times.between(own.transfers(), other.transfers(), capacities);
        if (!meeting.meet) continue;
        ++met;
        expectMeeting(meeting.own, own, other, capacities);
        expectMeeting(meeting.other, other, own, capacities);
        const Moved elsewhere(random, capacities);
        const Drawn movedOwn = elsewhere.of(own), movedOther = elsewhere.of(other);
        const Meeting moved = times.between(movedOwn.transfers(), movedOther.transfers(), elsewhere.capacities);
        EXPECT_EQ(moved.own.beside, meeting.own.beside);
        EXPECT_EQ(moved.other.seconds, meeting.other.seconds);
        std::vector<double> narrow = capacities; // on links of other widths it is another question
        for (double& capacity : narrow) capacity /= 3;
        expectMeeting(times.between(own.transfers(), other.transfers(), narrow).own, own, other, narrow);
    }
    EXPECT_GT(met, 200);
    EXPECT_LT(met, 500);
}

/// The most bytes of a stage's work at one moment.
double peakOf(const Scenario& scenario, RankWork& work, const ModelChunks& chunks, int stage, const std::vector<PipelineStep>& steps) {
    const std::vector<PlacedWork> order = stageOrder(steps, chunks);
    PairedSegments pairs;
    for (const PlacedWork& placed : order) {
        if (placed.count == 1) continue;
        const auto [known, fresh] = pairs.emplace(std::make_pair(segmentOf(placed.passes[0]), segmentOf(placed.passes[1])), 0);
        if (!fresh) continue;
        const auto [one, other] = known->first;
        known->second = work.add(buildPairSegment(work.segments[one], work.segments[other], segmentOptions(scenario), work.operators));
    }
    double peak = 0;
    for (const WorkMemory& memory : stageMemory(scenario, work, pairs, order, UnitBuffers(scenario, work, chunks, stage, order))) peak = std::max(peak, memory.peak());
    return peak;
}

TEST(SettledOrder, HasThePeaksOfTheWholeOrder) {
    RandomSource random(530);
    int shortened = 0, stages = 0;
    std::set<ScheduleKind> kinds;
    for (int drawn = 0; drawn < 250;) {
        const Json document = randomPlan(random);
        ScenarioReading reading = readScenario(document, catalog());
        if (!reading.scenario) continue;
        ++drawn;
        const Scenario& scenario = *reading.scenario;
        RankWorks works;
        TogetherTimes together;
        MeetingTimes meetings(together);
        GridTimes grid(scenario, std::make_shared<RoutedFabric>(scenario.cluster), works, together, meetings);
        RankWork work = grid.rankWork()->rank();
        const PipelineSchedule schedule = scheduleOf(scenario);
        const ModelChunks chunks(scenario, work, schedule.placement);
        for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
            const std::vector<PipelineStep>& steps = schedule.stages[static_cast<std::size_t>(stage)];
            const std::vector<PipelineStep> settled = settledOrder(steps);
            ++stages;
            if (settled.size() == steps.size()) continue;
            ++shortened;
            kinds.insert(scenario.parallelism.schedule);
            EXPECT_EQ(peakOf(scenario, work, chunks, stage, settled), peakOf(scenario, work, chunks, stage, steps)) << nameOf(document) << " stage " << stage;
        }
    }
    std::cout << shortened << " of " << stages << " orders shortened, of " << kinds.size() << " schedules\n";
    EXPECT_GT(shortened, 150);
    EXPECT_GT(kinds.size(), 3U);
}

/// One estimator asked for plans of many grids in any order, and one made for each plan.
TEST(KeptEstimates, AreThoseOfAnEstimatorOfEachPlan) {
    RandomSource random(1024);
    for (const char* framework : {"megatron-2022", "megatron-bridge-2025", "torchtitan-2025", "nanotron-2024"}) {
        Json document{{"format", "orrery-scenario/1"},
                      {"name", "kept"},
                      {"model", {{"preset", "gpt3-175b"}}},
                      {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 16}}},
                      {"workload", {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", 256}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
                      {"execution", {{"framework", framework}}}};
        std::vector<Scenario> plans;
        while (plans.size() < 60) {
            document["parallelism"] = {{"tensor", 1 << random.below(4)}, {"pipeline", 1 << random.below(4)}, {"virtual_pipeline", 1 << random.below(2)}, {"zero_stage", random.below(4)}, {"sequence", random.chance(0.5)}};
            document["workload"]["micro_batch_size"] = 1 << random.below(3);
            document["execution"]["recompute"] = random.pick(std::vector<const char*>{"none", "selective", "full"});
            document["execution"]["overlap"] = {{"data", random.chance(0.5)}, {"tensor", random.chance(0.3)}};
            if (ScenarioReading reading = readScenario(document, catalog()); reading.scenario) plans.push_back(std::move(*reading.scenario));
        }
        Estimator used(plans.front());
        for (const Scenario& plan : plans) {
            const PlanChoice choice = choiceOf(plan);
            const Estimate own = Estimator(plan).estimate(choice), kept = used.estimate(choice);
            EXPECT_EQ(own.iterationTime, kept.iterationTime) << framework;
            EXPECT_EQ(own.allocatedPeak, kept.allocatedPeak) << framework;
            EXPECT_EQ(own.devicePeak, kept.devicePeak) << framework;
        }
    }
}

/// Estimates of other global batches, by an estimator that had others before.
TEST(KeptEstimates, AreThoseOfTheNewBatchAfterAnEdit) {
    RandomSource random(530);
    int prolonged = 0;
    for (int drawn = 0; drawn < 150;) {
        Json document = randomPlan(random);
        if (!readScenario(document, catalog()).scenario) continue;
        ++drawn;
        const bool varies = random.chance(0.2);
        const int batch = document["workload"]["global_batch_size"].get<int>();
        PlanEstimates kept;
        for (const int times : {1, 4, 2, 16, 1}) {
            document["workload"]["global_batch_size"] = times * batch;
            ScenarioReading reading = readScenario(document, catalog());
            if (!reading.scenario) continue; // more micro-batches than can be simulated
            if (varies) reading.scenario->jitter = {JitterMethod::analytic, 0, {0.05, 0.05, 0.1}, {0.02, 0.01, 1.2}};
            const auto fresh = PlanEstimates().estimate(*reading.scenario), own = kept.estimate(*reading.scenario);
            ASSERT_EQ(fresh.has_value(), own.has_value()) << nameOf(document);
            if (!fresh) continue;
            EXPECT_EQ(fresh->iterationTime, own->iterationTime) << nameOf(document);
            EXPECT_EQ(fresh->devicePeak, own->devicePeak) << nameOf(document);
            prolonged += reading.scenario->microBatches() > 4 * reading.scenario->parallelism.pipeline;
        }
    }
    EXPECT_GT(prolonged, 200);
}

/// Estimates after an edit of a link's bandwidth or latency, by an estimator that had others before.
TEST(KeptEstimates, AreThoseOfTheNewLinksAfterAnEdit) {
    RandomSource random(175);
    for (int drawn = 0; drawn < 150;) {
        Json document = randomPlan(random);
        if (!readScenario(document, catalog()).scenario) continue;
        ++drawn;
        PlanEstimates kept;
        for (int edit = 0; edit < 4; ++edit) {
            if (edit > 0) {
                Json& links = document["cluster"][random.chance(0.5) ? "scale_out" : "scale_up"];
                if (random.chance(0.7)) links["bandwidth_gb_s"] = random.logBetween(5, 900);
                else links["latency_us"] = random.between(0.5, 8.0);
                kept.rewire();
            }
            const ScenarioReading reading = readScenario(document, catalog());
            ASSERT_TRUE(reading.scenario);
            if (random.chance(0.5)) {
                const auto floor = PlanEstimates().floor(*reading.scenario), again = kept.floor(*reading.scenario);
                ASSERT_EQ(floor.has_value(), again.has_value());
                if (!floor) continue;
                EXPECT_EQ(floor->iterationTime, again->iterationTime) << nameOf(document) << ' ' << document["cluster"].dump();
                EXPECT_EQ(floor->devicePeak, again->devicePeak) << nameOf(document);
            }
            const auto fresh = PlanEstimates().estimate(*reading.scenario), own = kept.estimate(*reading.scenario);
            ASSERT_EQ(fresh.has_value(), own.has_value()) << nameOf(document);
            if (!fresh) continue;
            EXPECT_EQ(fresh->iterationTime, own->iterationTime) << nameOf(document) << ' ' << document["cluster"].dump();
            EXPECT_EQ(fresh->devicePeak, own->devicePeak) << nameOf(document);
        }
    }
}

} // namespace
} // namespace orrery::test
