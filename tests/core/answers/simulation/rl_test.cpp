// SPDX-License-Identifier: GPL-3.0-or-later
// Reinforcement learning: its halves are today's runs, and a step is what the two of them and the new weights' way add up to.
#include "core/answers/mends/mends.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/edits.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <numeric>

namespace orrery::test {
namespace {

Json loopRollout() {
    return {{"kind", "serving"},
            {"precision", "bf16"},
            {"requests", {{"count", 64}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 256}, {"output_tokens", {{"distribution", "lognormal"}, {"mean", 400}, {"std", 200}, {"max", 1000}}}, {"seed", 3}}},
            {"engine", {{"gpu_memory_utilization", 0.4}}}};
}

Json loopTraining() { return {{"kind", "training"}, {"sequence_length", 1280}, {"global_batch_size", 64}, {"micro_batch_size", 1}, {"precision", "bf16"}}; }

Json loopCluster(int nodes) { return {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}; }

Json rlLoop(int nodes) {
    return {{"format", "orrery-scenario/1"},
            {"name", "loop"},
            {"model", {{"preset", "llama-3.1-8b"}}},
            {"cluster", loopCluster(nodes)},
            {"workload", {{"kind", "rl"}, {"rollout", loopRollout()}, {"training", loopTraining()}, {"reward_s", 1.5}}},
            {"parallelism", {{"zero_stage", 3}}},
            {"execution", {{"recompute", "full"}}}};
}

Json splitLoop(int staleness) {
    Json document = rlLoop(3);
    document["workload"]["rollout"]["hosts"] = 1;
    document["workload"]["training"]["hosts"] = 2;
    document["workload"]["staleness"] = staleness;
    return document;
}

Json withValue(Json document, const char* pointer, const Json& value) {
    document[Json::json_pointer(pointer)] = value;
    return document;
}

/// A half as somebody would write it alone.
Json halfAlone(const Json& whole, const char* half, int nodes) {
    Json document = whole;
    document["cluster"]["nodes"] = nodes;
    document["workload"] = whole["workload"][half];
    document["workload"].erase("hosts");
    if (std::string(half) == "rollout") {
        document.erase("parallelism");
        document.erase("execution");
    }
    return document;
}

double halfAnsweringTime(const Json& document) { return run(document)->serving()->served.duration; }
double halfIterationTime(const Json& document) { return run(document)->training()->iterationTime; }

const RlReport& loopReport(const ResultPtr& result) { return *result->rl(); }

double partsTotal(const std::array<double, rlPartCount>& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

TEST(Rl, AStepIsTheTwoRunsAloneTheRewardAndTheSync) {
    const Json document = splitLoop(0);
    const ResultPtr result = run(document);
    ASSERT_TRUE(result);
    const double rolloutAlone = halfAnsweringTime(halfAlone(document, "rollout", 1)), trainingAlone = halfIterationTime(halfAlone(document, "training", 2));
    // New weights: gathered over the trainer's 16 ranks, then sent from one of them to the 8 of the engines.
    Json whole = halfAlone(document, "training", 3);
    whole["workload"]["global_batch_size"] = 24; // any that 24 ranks divide
    const Scenario cluster = sound(whole);
    std::vector<int> trainers(16), reached{8};
    std::iota(trainers.begin(), trainers.end(), 8);
    for (int rank = 0; rank < 8; ++rank) reached.push_back(rank);
    const double bytes = 2 * result->parameters;
    const double sync = runLoneCollective(cluster, trainers, CollectiveKind::all_gather, bytes).time + runLoneCollective(cluster, reached, CollectiveKind::broadcast, bytes).time;
    EXPECT_GT(sync, bytes / 450e9); // no network carries it faster
    EXPECT_NEAR(loopReport(result).stepTime, rolloutAlone + 1.5 + trainingAlone + sync, 1e-9 * loopReport(result).stepTime);
    EXPECT_EQ(toJson(*loopReport(result).rollout)["ttft_s"], toJson(*run(halfAlone(document, "rollout", 1)))["ttft_s"]);
    EXPECT_EQ(toJson(*loopReport(result).training)["time_breakdown_s"], toJson(*run(halfAlone(document, "training", 2)))["time_breakdown_s"]);
}

/// Stages lie on hosts of their own here: what gathers one copy crosses the network, though two accelerators of a host would not.
TEST(Rl, WeightsAreGatheredFromWhereTheStagesLie) {
    Json document = splitLoop(0);
    document["parallelism"] = {{"pipeline", 2}};
    document["workload"]["training"]["micro_batch_size"] = 1;
    const ResultPtr result = run(document);
    ASSERT_TRUE(result);
    EXPECT_EQ(loopReport(result).sync.gatherRanks, 2);
    Json whole = halfAlone(document, "training", 3);
    whole["workload"]["global_batch_size"] = 24;
    const double between = runLoneCollective(sound(whole), {8, 16}, CollectiveKind::all_gather, 2 * result->parameters).time;
    EXPECT_NEAR(loopReport(result).sync.gatherTime, between, 1e-9 * between);
    EXPECT_GT(between, result->parameters / 60e9) << "half of the weights come over one interface of 50 GB/s";
}

TEST(Rl, StalenessHidesTheShorterSide) {
    const ResultPtr turns = run(splitLoop(0)), one = run(splitLoop(1)), two = run(splitLoop(2)), many = run(splitLoop(9));
    const auto part = [&](RlPart which) { return loopReport(turns).of(which); };
    const double rolloutTime = part(RlPart::rollout), trainingTime = part(RlPart::training), reward = part(RlPart::reward), sync = part(RlPart::sync);
    EXPECT_NEAR(loopReport(one).stepTime, std::max(rolloutTime, reward + trainingTime) + sync, 1e-12);
    EXPECT_NEAR(loopReport(two).stepTime, std::max({rolloutTime, reward, trainingTime}) + sync, 1e-12);
    EXPECT_EQ(loopReport(many).stepTime, loopReport(two).stepTime); // every step lasts the same: there is nothing more to hide
    EXPECT_LT(loopReport(one).stepTime, loopReport(turns).stepTime);
}

TEST(Rl, WhatACauseOffersShortensTheStep) {
    const ResultPtr turns = run(splitLoop(0));
    ASSERT_FALSE(turns->causes.empty());
    EXPECT_GE(turns->causes.front().share, turns->causes.back().share);
    const auto offers = std::find_if(turns->causes.begin(), turns->causes.end(), [](const Cause& cause) { return !cause.tryEdits.empty(); });
    ASSERT_NE(offers, turns->causes.end());
    EXPECT_LT(loopReport(run(edited(splitLoop(0), offers->tryEdits))).stepTime, loopReport(turns).stepTime);
}

TEST(Rl, PartsSumToTheStepAndSharesToOne) {
    for (const int staleness : {0, 1, 2}) {
        const ResultPtr result = run(splitLoop(staleness));
        const RlReport& loop = loopReport(result);
        EXPECT_NEAR(partsTotal(loop.waited), loop.stepTime, 1e-12 * loop.stepTime);
        for (std::size_t i = 0; i < rlPartCount; ++i) EXPECT_LE(loop.waited[i], loop.whole[i]);
        EXPECT_NEAR(loop.rolloutIdle + (loop.of(RlPart::rollout) + loop.of(RlPart::sync)) / loop.stepTime, 1, 1e-12);
        EXPECT_NEAR(loop.trainingIdle + (loop.of(RlPart::training) + loop.of(RlPart::sync)) / loop.stepTime, 1, 1e-12);
        EXPECT_NEAR(loop.answersPerSecond * loop.stepTime, 64, 1e-9);
        EXPECT_NEAR(loop.trainedTokensPerSecond * loop.stepTime, 64 * 1280, 1e-6);
    }
}

TEST(Rl, SeveralIterationsTrainOnOneStepsAnswers) {
    Json document = splitLoop(0);
    document["workload"]["training"]["global_batch_size"] = 16;
    const ResultPtr result = run(document);
    EXPECT_EQ(loopReport(result).iterations, 4);
    EXPECT_NEAR(loopReport(result).of(RlPart::training), 4 * halfIterationTime(halfAlone(document, "training", 2)), 1e-9);
}

TEST(Rl, ColocatedHalvesShareTheMemory) {
    const Json document = rlLoop(1);
    const ResultPtr result = run(document);
    const RlReport& kept = loopReport(result);
    const double answering = run(halfAlone(document, "rollout", 1))->memory.peakBytes, learning = run(halfAlone(document, "training", 1))->memory.peakBytes;
    EXPECT_TRUE(kept.colocated);
    EXPECT_EQ(kept.sync.broadcastTime, 0);
    EXPECT_GT(kept.keptBytes, 16 * result->parameters / 8); // mixed-precision Adam: 16 bytes a parameter, shared out by ZeRO-3
    EXPECT_NEAR(result->memory.peakBytes, std::max(answering + kept.keptBytes, learning + kept.asleepBytes), 1);
    for (const StageMemory& stage : result->memory.stages) EXPECT_NEAR(std::accumulate(stage.bytes.begin(), stage.bytes.end(), 0.0), stage.peakBytes, 1e-6 * stage.peakBytes);

    Json parked = document;
    parked["workload"]["offload_training"] = true;
    const ResultPtr lighter = run(parked);
    EXPECT_NEAR(loopReport(lighter).keptBytes + loopReport(lighter).parkedBytes, kept.keptBytes, 1);
    EXPECT_NEAR(loopReport(lighter).of(RlPart::offload), 2 * loopReport(lighter).parkedBytes / lighter->scenario.cluster.accelerator.hostLinkBandwidth, 1e-12);
    EXPECT_NEAR(loopReport(lighter).stepTime, kept.stepTime + loopReport(lighter).of(RlPart::offload), 1e-9);
}

TEST(Rl, WhatDoesNotFitTogetherSaysSo) {
    Json document = rlLoop(1);
    document["workload"]["rollout"]["engine"]["gpu_memory_utilization"] = 0.9;
    const ResultPtr result = run(document);
    EXPECT_TRUE(loopReport(result).rollout->fits);
    EXPECT_TRUE(loopReport(result).training->fits);
    EXPECT_FALSE(result->fits);
    ASSERT_TRUE(result->outOfMemory);
    EXPECT_GT(result->outOfMemory->neededBytes, result->outOfMemory->capacityBytes);
}

TEST(Rl, MendsOfALoopFitAndTheQuickestComesFirst) {
    Json document = rlLoop(1);
    document["workload"]["rollout"]["engine"]["gpu_memory_utilization"] = 0.9;
    const std::vector<TriedMend> mends = tryMends(document, *run(document), catalog(), {}, {});
    ASSERT_GE(mends.size(), 2u);
    EXPECT_TRUE(std::is_sorted(mends.begin(), mends.end(), [](const TriedMend& a, const TriedMend& b) { return a.iterationTime < b.iterationTime; }));
    for (const TriedMend& mend : mends) {
        const ResultPtr mended = run(edited(document, mend.edits));
        ASSERT_TRUE(mended) << mend.text;
        EXPECT_TRUE(mended->fits) << mend.text;
        EXPECT_EQ(loopReport(mended).stepTime, mend.iterationTime) << mend.text;
    }
}

TEST(Rl, AStepThatNeverEndsHasNoFigure) {
    Json document = splitLoop(0);
    document["workload"]["rollout"]["engine"]["max_model_len"] = 300; // most answers are longer: their requests are refused
    const ResultPtr result = run(document);
    ASSERT_TRUE(result);
    const Json written = toJson(*result);
    for (const char* key : {"iteration_time_s", "answers_per_s", "output_tokens_per_s", "tokens_per_s"}) EXPECT_TRUE(written[key].is_null()) << key;
    EXPECT_TRUE(written["time_breakdown_s"]["rollout"].is_null());
    EXPECT_FALSE(explain(*result, "/iteration_time_s"));
}

TEST(Rl, ADrawnClusterGivesTheNumbersOfTheShortForm) {
    Json drawn = splitLoop(1);
    drawn["cluster"] = {{"topology", {{"nodes", {{{"id", "leaf"}, {"kind", "switch"}}, {{"id", "a"}, {"kind", "host"}, {"accelerator", "h100-sxm5-80gb"}, {"count", 8}, {"replicas", 2}}, {{"id", "b"}, {"kind", "host"}, {"accelerator", "h100-sxm5-80gb"}, {"count", 8}}}}, {"links", {{{"from", "a"}, {"to", "leaf"}, {"bandwidth_gb_s", 50}, {"latency_us", 1}, {"count", 8}}, {{"from", "b"}, {"to", "leaf"}, {"bandwidth_gb_s", 50}, {"latency_us", 1}, {"count", 8}}}}}}};
    const ResultPtr counted = run(drawn);
    drawn["workload"]["rollout"]["hosts"] = {"b"};
    drawn["workload"]["training"]["hosts"] = {"a"};
    const ResultPtr named = run(drawn);
    ASSERT_TRUE(counted && named);
    EXPECT_EQ(loopReport(counted).of(RlPart::rollout), loopReport(named).of(RlPart::rollout)); // hosts are alike, whichever they are
    EXPECT_NEAR(loopReport(counted).stepTime, loopReport(named).stepTime, 1e-9);
    const auto& job = std::get<RlWorkload>(named->scenario.workload);
    EXPECT_EQ(job.rollout.placement.front(), 16);
    EXPECT_EQ(job.training.placement.size(), 16u);
}

TEST(Rl, EveryFigureSaysWhereItComesFrom) {
    const ResultPtr result = run(withValue(splitLoop(1), "/economics", {{"price_per_accelerator_hour", 2}}));
    for (const char* pointer : {"/iteration_time_s", "/time_breakdown_s/rollout", "/parts_s/training", "/parts_s/sync", "/answers_per_s", "/output_tokens_per_s", "/tokens_per_s", "/cost_per_billion_tokens", "/idle/training", "/sync/bytes", "/sync/gather_s",
                                "/sync/broadcast_s", "/sync/time_s", "/rollout/ttft_s/p50", "/training/mfu", "/training/memory/peak_bytes"}) {
        const auto why = explain(*result, pointer);
        ASSERT_TRUE(why) << pointer;
        EXPECT_NEAR(why->value, toJson(*result).at(Json::json_pointer(pointer)).get<double>(), 1e-9 * std::abs(why->value)) << pointer;
    }
}

/// The problem that a change to a sound loop makes, and its mend, which must be sound again.
void expectRefused(const std::string& code, const std::string& pointer, Json document) {
    const ScenarioReading reading = read(document);
    EXPECT_FALSE(reading.scenario) << code;
    const auto found = std::find_if(reading.problems.begin(), reading.problems.end(), [&](const Problem& one) { return one.code == code && one.pointer == pointer; });
    ASSERT_NE(found, reading.problems.end()) << code << " at " << pointer << "\n"
                                             << listed(reading.problems);
    EXPECT_FALSE(found->mend.empty());
    if (found->edits.empty()) return;
    EXPECT_TRUE(read(edited(document, found->edits)).scenario) << listed(read(edited(document, found->edits)).problems);
}

TEST(Rl, WrongLoopsAreRefusedWhereTheyStand) {
    expectRefused("too-few-hosts", "/workload/training/hosts", withValue(splitLoop(0), "/workload/training/hosts", 5));
    expectRefused("too-few-hosts", "/workload/rollout/hosts", withValue(withValue(splitLoop(0), "/workload/rollout/hosts", 3), "/workload/training", loopTraining()));
    expectRefused("unknown-host", "/workload/rollout/hosts", withValue(splitLoop(0), "/workload/rollout/hosts", {"h1"}));
    expectRefused("batch-not-divisible", "/workload/training/global_batch_size", withValue(splitLoop(0), "/workload/training/global_batch_size", 48));
    expectRefused("conflicting-keys", "/workload/staleness", withValue(rlLoop(1), "/workload/staleness", 1));
    expectRefused("conflicting-keys", "/workload/offload_training", withValue(splitLoop(0), "/workload/offload_training", true));
    expectRefused("unknown-key", "/workload/rollout/engin", withValue(splitLoop(0), "/workload/rollout/engin", 1));
    expectRefused("not-supported-yet", "/reliability", withValue(splitLoop(0), "/reliability", {{"mtbf_hours_per_accelerator", 1000}}));
    const ScenarioReading own = read(withValue(splitLoop(0), "/workload/rollout/parallelism", {{"tensor", 3}}));
    EXPECT_TRUE(std::any_of(own.problems.begin(), own.problems.end(), [](const Problem& one) { return one.pointer.starts_with("/workload/rollout/parallelism/tensor"); })) << listed(own.problems);
}

TEST(Rl, AHalfThatSaysNothingGetsTheOthersHosts) {
    Json document = splitLoop(0);
    document["workload"]["training"].erase("hosts");
    EXPECT_EQ(loopReport(run(document)).stepTime, loopReport(run(splitLoop(0))).stepTime);
}

} // namespace
} // namespace orrery::test
