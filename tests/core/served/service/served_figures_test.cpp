// SPDX-License-Identifier: GPL-3.0-or-later
// What a search spares of served plans changes no figure: engines kept from scenario to scenario, steps that are known, runs that are
// another's too, runs that end where a limit can't hold. Each is held to the plain way over plans drawn at random.
#include "core/results/report/serving_report.hpp"
#include "core/served/inference/scenario_engine.hpp"
#include "core/served/service/engine_traffic.hpp"
#include "core/served/service/served_figures.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"
#include "tests/core/served/inference/engines.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery::test {
namespace {

TEST(KnownSteps, TakeWhatTheModelSays) {
    RandomSource random(5);
    for (const char* model : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gemma-3-27b"}) {
        const EngineModel engine = engineOn(model, "h100-sxm5-80gb", "vllm-2025", 1 << random.below(4));
        const KnownSteps known(engine, true);
        const StepModel plain(engine);
        std::vector<StepBatch> asked;
        for (int i = 0; i < 400; ++i) {
            StepBatch step;
            step.decodes = static_cast<int>(random.below(40));
            // Sums of contexts as schedulers make them, sums of two counts that are alike, and contexts that no whole sum gives.
            const double sum = random.chance(0.8) ? double(random.below(step.decodes > 0 ? 20000 : 1)) : random.between(0.0, 20000.0);
            if (step.decodes > 0) step.decodeContext = sum / step.decodes;
            if (random.chance(0.2)) step.draftTokens = 3 * step.decodes;
            if (random.chance(0.2)) step.prefills.push_back({static_cast<int>(random.between(std::size_t{1}, std::size_t{2000})), static_cast<int>(random.below(500))});
            asked.push_back(step);
            asked.push_back(random.pick(asked));
        }
        for (const StepBatch& step : asked) EXPECT_EQ(known.seconds(step), plain.seconds(step)) << model << ' ' << step.decodes << " over " << step.decodeContext;
    }
}

/// A served scenario drawn at random; one that no reader takes is refused there. Hosts of two accelerators make engines lie on several.
Json servedDocument(RandomSource& random) {
    static const std::vector<const char*> frameworks{"vllm-2024", "vllm-2025", "trtllm-2024", "trtllm-2025", "sglang-2025"};
    const int perNode = random.chance(0.5) ? 8 : 2;
    const int nodes = perNode == 8 ? 2 : 4;
    Json document{{"format", "orrery-scenario/1"},
                  {"name", "served"},
                  {"model", {{"preset", random.chance(0.8) ? "llama-3.1-8b" : "qwen3-30b-a3b"}}},
                  {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", perNode}, {"nodes", nodes}}},
                  {"workload", {{"kind", "serving"}, {"precision", random.chance(0.7) ? "bf16" : "fp8"}}},
                  {"parallelism", {{"tensor", 1 << random.below(3)}, {"pipeline", random.chance(0.2) ? 2 : 1}}},
                  {"execution", {{"framework", random.pick(frameworks)}}}};
    if (perNode == 2) document["cluster"]["scale_out"] = {{"bandwidth_gb_s", 10}, {"oversubscription", 2}};
    Json requests{{"count", 20 + random.below(30)}, {"output_tokens", {{"distribution", "uniform"}, {"min", 1}, {"max", 60}}}, {"seed", random.below(100)}};
    requests["input_tokens"] = random.chance(0.5) ? Json{{"distribution", "lognormal"}, {"mean", 700}, {"std", 600}, {"max", 3000}} : Json(800);
    if (random.chance(0.4)) requests["shared_prefix_tokens"] = 256;
    if (random.chance(0.4)) requests["arrival"] = {{"process", "closed_loop"}, {"concurrency", 2 + random.below(10)}};
    else if (random.chance(0.3)) requests["arrival"] = {{"process", "all_at_once"}};
    else requests["arrival"] = {{"process", "poisson"}, {"rate_per_s", random.logBetween(5, 200)}};
    Json engine = Json::object();
    if (random.chance(0.6)) engine["max_num_batched_tokens"] = 256 << random.below(4);
    if (random.chance(0.3)) engine["enable_chunked_prefill"] = false;
    if (random.chance(0.5)) engine["enable_prefix_caching"] = random.chance(0.5);
    if (random.chance(0.25)) engine["speculative"] = {{"method", "ngram"}, {"tokens", 1 + random.below(4)}, {"acceptance", 0.7}};
    if (random.chance(0.35)) {
        Json decode{{"instances", 1 + random.below(2)}};
        if (random.chance(0.5)) decode["parallelism"] = {{"tensor", 2}};
        if (random.chance(0.3)) decode["engine"] = {{"max_num_seqs", 4}};
        engine["disaggregation"] = {{"prefill", {{"instances", 1 + random.below(2)}}}, {"decode", std::move(decode)}};
        if (random.chance(0.2)) engine["disaggregation"]["decode"]["accelerator"] = "a100-sxm4-80gb";
    }
    document["workload"]["requests"] = std::move(requests);
    document["workload"]["engine"] = std::move(engine);
    if (random.chance(0.4)) document["workload"]["slo"] = {{"ttft_s", random.logBetween(0.02, 1)}, {"tpot_s", random.logBetween(0.004, 0.05)}};
    if (random.chance(0.3)) document["economics"] = {{"price_per_accelerator_hour", 2}};
    return document;
}

/// Numbers values as a search does; the first two keys tell hardware and other limits apart.
std::size_t numbered(std::map<std::string, std::size_t>& known, const Json& document) { return known.emplace(document.dump(), known.size()).first->second; }

Json withoutLimit(Json document) {
    document["workload"]["engine"].erase("max_num_seqs");
    return document;
}

Json hardwareOf(Json document) {
    document.erase("parallelism");
    Json& workload = document["workload"];
    workload.erase("slo");
    workload.erase("requests");
    for (const char* key : {"max_num_seqs", "max_num_batched_tokens", "disaggregation", "enable_prefix_caching", "enable_chunked_prefill"}) workload["engine"].erase(key);
    return document;
}

bool isWithin(const LatencyCap& cap, const Json& figures) {
    const char* const name = cap.latency == Latency::ttft ? "ttft_s" : cap.latency == Latency::tpot ? "tpot_s"
                                                                                                    : "e2e_s";
    const double seconds = figures.at(name).at(cap.share == 0.5 ? "p50" : cap.share == 0.9 ? "p90"
                                                                                           : "p99")
                               .get<double>();
    return cap.includes ? seconds <= cap.seconds : seconds < cap.seconds;
}

struct Seen {
    int whole = 0, broken = 0, split = 0, mixed = 0, meeting = 0, drafted = 0, limited = 0, left = 0;
};

void compare(ServedFigures& figures, const Json& document, const ServedPlace& place, const std::vector<LatencyCap>& caps, Seen& seen) {
    const ScenarioReading reading = readScenario(document, catalog());
    if (!reading.scenario) return;
    const auto& workload = std::get<ServingWorkload>(reading.scenario->workload);
    const std::optional<ServedFigures::Answer> answer = figures.of(*reading.scenario, workload, place, caps, true);
    const Outcome outcome = simulate(*reading.scenario);
    if (!answer) {
        EXPECT_TRUE(!outcome.result || !outcome.result->fits) << document.dump();
        ++seen.left;
        return;
    }
    ASSERT_TRUE(outcome.result) << document.dump();
    const Json whole = toJson(*outcome.result);
    if (!answer->report) {
        EXPECT_FALSE(std::all_of(caps.begin(), caps.end(), [&](const LatencyCap& cap) { return isWithin(cap, whole); })) << document.dump();
        ++seen.broken;
        return;
    }
    Json own = toJson(*answer->report);
    for (const char* ofSteps : {"ttft_breakdown_s", "tpot_breakdown_s"}) own.erase(ofSteps);
    for (const auto& [key, figure] : own.items()) EXPECT_EQ(figure.dump(), whole.at(key).dump()) << key << " of " << document.dump();
    for (const char* key : {"goodput_requests_per_s", "cost_per_million_output_tokens", "energy_j_per_output_token"}) EXPECT_EQ(own.contains(key), whole.contains(key)) << key;
    ++seen.whole;
    seen.drafted += workload.engine.settings.speculative.tokens > 0;
    if (workload.disaggregation) ++(workload.disaggregation->decode.accelerator ? seen.mixed : seen.split);
    seen.meeting += EngineTraffic::isNeeded(enginePools(*reading.scenario, workload));
    seen.limited += document["workload"]["engine"].contains("max_num_seqs");
}

TEST(ServedFigures, AreThoseOfAWholeSimulation) {
    RandomSource random(20260);
    Seen seen;
    for (int drawn = 0; drawn < 70; ++drawn) {
        const Json base = servedDocument(random);
        std::vector<LatencyCap> caps;
        if (random.chance(0.5)) caps.push_back({Latency::ttft, random.chance(0.5) ? 0.5 : 0.9, random.logBetween(0.02, 2), random.chance(0.5)});
        if (random.chance(0.5)) caps.push_back({Latency::tpot, random.chance(0.5) ? 0.9 : 0.99, random.logBetween(0.004, 0.04), random.chance(0.5)});
        if (random.chance(0.3)) caps.push_back({Latency::e2e, 0.5, random.logBetween(0.2, 3), true});
        std::vector<Json> asked;
        for (int tensor = 1; tensor <= 4; tensor *= 2)
            for (const int limit : {0, 1, 3, 7, 20, 64, 200}) {
                Json document = base;
                document["parallelism"]["tensor"] = tensor;
                if (limit > 0) document["workload"]["engine"]["max_num_seqs"] = limit;
                asked.push_back(std::move(document));
            }
        random.shuffle(asked);
        asked.resize(10);
        ServedFigures figures;
        std::map<std::string, std::size_t> hardware, limits;
        for (const Json& document : asked) compare(figures, document, {numbered(hardware, hardwareOf(document)), numbered(limits, withoutLimit(document))}, caps, seen);
    }
    std::cout << seen.whole << " compared, " << seen.broken << " broken off, " << seen.left << " left to whole simulations; " << seen.split << " of two roles, " << seen.mixed << " on two kinds of accelerator, "
              << seen.meeting << " over several hosts, " << seen.drafted << " with drafts, " << seen.limited << " with a limit of sequences\n";
    EXPECT_GT(seen.whole, 150);
    EXPECT_GT(seen.broken, 40);
    EXPECT_GT(seen.split, 20);
    EXPECT_GT(seen.mixed, 2);
    EXPECT_GT(seen.meeting, 20);
    EXPECT_GT(seen.drafted, 20);
}

/// Where nobody gave the tokens of a step, an engine that does not split prompts has as many more as it runs sequences: not the same run.
TEST(ServedFigures, ALimitFromWhichOthersFollowMakesAnotherRun) {
    Json document{{"format", "orrery-scenario/1"},
                  {"name", "served"},
                  {"model", {{"preset", "llama-3.1-8b"}}},
                  {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}},
                  {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", 20}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 3000}, {"output_tokens", 20}, {"seed", 1}}}, {"engine", {{"enable_chunked_prefill", false}}}}},
                  {"parallelism", {{"tensor", 1}}}};
    Seen seen;
    for (const char* framework : {"vllm-2025", "trtllm-2024", "trtllm-2025", "sglang-2025"}) {
        document["execution"] = {{"framework", framework}};
        ServedFigures figures;
        for (const int limit : {64, 4096, 512}) {
            document["workload"]["engine"]["max_num_seqs"] = limit;
            compare(figures, document, {0, 0}, {}, seen);
        }
    }
    EXPECT_GT(seen.whole, 4);
}

} // namespace
} // namespace orrery::test
