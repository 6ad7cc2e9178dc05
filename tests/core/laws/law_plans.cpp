// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/laws/law_plans.hpp"

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/listed_entries.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/core/training/estimate/random_plans.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace orrery::test {
namespace {

std::vector<std::string> trainingProfiles() {
    std::vector<std::string> ids;
    for (const FrameworkProfile& profile : catalog().frameworks())
        if (std::find(profile.use.begin(), profile.use.end(), "training") != profile.use.end()) ids.push_back(profile.id);
    return ids;
}

template <typename Entries> std::vector<std::string> idsOf(const Entries& entries) {
    std::vector<std::string> ids;
    for (const auto& entry : entries) ids.push_back(entry.id);
    return ids;
}

double fromEnvironment(const char* name, double otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtod(text, nullptr) : otherwise;
}

} // namespace

RandomSource lawSource(std::uint64_t seed) {
    static const auto sample = static_cast<std::uint64_t>(fromEnvironment("ORRERY_LAW_SAMPLE", 0));
    return RandomSource(seed + 1000003 * sample);
}

std::size_t wide(std::size_t plans) {
    static const double factor = fromEnvironment("ORRERY_LAW_WIDTH", 1);
    return static_cast<std::size_t>(double(plans) * factor);
}

Json anyPlan(RandomSource& random) {
    static const std::vector<std::string> models = idsOf(catalog().models()), chips = idsOf(catalog().accelerators()), profiles = trainingProfiles();
    Json document = randomPlan(random);
    document["model"]["preset"] = random.pick(models);
    document["cluster"]["accelerator"] = random.pick(chips);
    document["execution"]["framework"] = random.pick(profiles);
    static const std::vector<const char*> precisions{"bf16", "bf16", "bf16", "fp16", "fp8"};
    document["workload"]["precision"] = random.pick(precisions);
    static const std::vector<const char*> tasks{"pretrain", "pretrain", "pretrain", "sft", "lora"};
    document["workload"]["task"] = random.pick(tasks);
    static const std::vector<const char*> attention{"flash", "flash", "unfused"};
    document["execution"]["attention"] = random.pick(attention);
    static const std::vector<const char*> contextMethods{"ring", "all_gather", "all_to_all"};
    if (document["parallelism"]["context"] != 1) document["parallelism"]["context_method"] = random.pick(contextMethods);
    if (random.chance(0.1)) document["execution"]["passes"] = {{"chunked_loss", true}};
    return document;
}

Json withAcceleratorWrittenOut(Json plan) {
    Json& accelerator = plan["cluster"]["accelerator"];
    accelerator = listedEntry(catalog(), *catalog().accelerator(accelerator.get<std::string>()));
    return plan;
}

Json oneAfterTheOther(Json plan) {
    plan["execution"]["overlap"] = {{"data", false}, {"tensor", false}, {"pipeline", false}, {"expert", false}};
    return plan;
}

void scaleFigure(Json& entry, const char* pointer, double factor) {
    const Json::json_pointer at(pointer);
    if (!entry.contains(at)) return;
    Json& figure = entry[at];
    if (figure.is_number()) figure = figure.get<double>() * factor;
    if (figure.is_object())
        for (Json& one : figure) one = one.get<double>() * factor;
}

Json engineOnOneHost(RandomSource& random) {
    static const std::vector<const char*> models{"llama-3.1-8b", "llama-3.1-70b", "qwen2.5-14b", "mixtral-8x7b", "qwen3-30b-a3b", "llama-3.2-1b"};
    static const std::vector<const char*> precisions{"bf16", "fp8", "fp8", "nvfp4", "int8"};
    static const std::vector<std::string> chips = idsOf(catalog().accelerators());
    std::vector<std::string> profiles;
    for (const FrameworkProfile& profile : catalog().frameworks())
        // One profile is of two releases: the earlier ran static batches, the later serves requests.
        if (std::find(profile.use.begin(), profile.use.end(), "inference") != profile.use.end() && !profile.serving.servesAnyHeads) profiles.push_back(profile.id);
    const int ranks = 1 << random.below(4);
    return {{"format", "orrery-scenario/1"},
            {"model", {{"preset", random.pick(models)}}},
            {"cluster", {{"accelerator", random.pick(chips)}, {"accelerators_per_node", ranks}, {"nodes", 1}}},
            {"workload", {{"precision", random.pick(precisions)}}},
            {"parallelism", {{"tensor", ranks}}},
            {"execution", {{"framework", random.pick(profiles)}}}};
}

ResultPtr simulatedPlan(const Json& document) {
    const std::optional<Scenario> scenario = readPlan(document);
    return scenario ? simulate(*scenario).result : nullptr;
}

std::string described(const Json& plan) { return nameOf(plan) + '\n' + plan.dump() + '\n'; }

std::optional<Scenario> readPlan(const Json& document) {
    ScenarioReading reading = readScenario(document, catalog());
    return std::move(reading.scenario);
}

std::vector<Json> soundPlans(std::uint64_t seed, std::size_t count) {
    RandomSource random = lawSource(seed);
    std::vector<Json> plans;
    while (plans.size() < count) {
        Json document = anyPlan(random);
        if (readPlan(document)) plans.push_back(std::move(document));
    }
    return plans;
}

std::optional<Estimate> estimated(const Json& document) {
    const std::optional<Scenario> scenario = readPlan(document);
    if (!scenario) return std::nullopt;
    Estimate estimate = Estimator(*scenario).estimate(choiceOf(*scenario));
    if (!estimate.problems.empty()) return std::nullopt;
    return estimate;
}

std::optional<double> estimatedTime(const Json& document) {
    const std::optional<Scenario> scenario = readPlan(document);
    if (!scenario) return std::nullopt;
    Estimator estimator(*scenario);
    const double time = estimator.iterationTime(choiceOf(*scenario));
    if (!estimator.problems(choiceOf(*scenario)).empty()) return std::nullopt;
    return time;
}

double estimatedPeak(const Scenario& scenario) { return Estimator(scenario).allocatedPeak(choiceOf(scenario)); }

std::optional<double> estimatedPeak(const Json& document) {
    const std::optional<Scenario> scenario = readPlan(document);
    if (!scenario) return std::nullopt;
    return estimatedPeak(*scenario);
}

void Law::atLeast(double larger, double smaller, double slack, const std::function<std::string()>& what) {
    ++tried_;
    if (larger >= smaller - slack * std::abs(smaller)) return;
    breaches_.push_back({std::abs(smaller) > 0 ? (smaller - larger) / std::abs(smaller) : INFINITY, what()});
}

void Law::settle(std::size_t least) const {
    constexpr std::size_t shown = 12;
    std::printf("%s: %zu tried, %zu judged, %zu broke it\n", says_, tried_, judged_, breaches_.size());
    EXPECT_LE(200 * judged_, tried_) << says_;
    EXPECT_GE(tried_, least) << says_;
    std::vector<Breach> worst = breaches_;
    std::stable_sort(worst.begin(), worst.end(), [](const Breach& a, const Breach& b) { return a.excess > b.excess; });
    for (std::size_t i = 0; i < std::min(shown, worst.size()); ++i) ADD_FAILURE() << says_ << ", off by " << 100 * worst[i].excess << " %: " << worst[i].what;
}

} // namespace orrery::test
