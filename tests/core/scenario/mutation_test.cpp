// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"
#include "tests/core/scenario/schema_validator.hpp"

#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_table.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

// Properties that hold for any document, tried on thousands of damaged ones.

namespace orrery::test {
namespace {

class Damage {
public:
    explicit Damage(unsigned seed) : random_(seed) {}

    void apply(Json& document) {
        std::vector<std::string> places;
        collect(document, "", places);
        const Json::json_pointer place(places[pick(places.size())]);
        Json& target = document.at(place);
        switch (pick(4)) {
        case 0: target = value(); break;
        case 1:
            if (target.is_object()) target["k" + std::to_string(pick(5))] = value();
            else if (target.is_array()) target.push_back(value());
            else target = value();
            break;
        case 2:
            if (target.is_object() && !target.empty()) target.erase(std::next(target.begin(), static_cast<long>(pick(target.size()))));
            else target = value();
            break;
        default:
            if (target.is_number()) target = number(target.get<double>());
            else target = value();
        }
    }

private:
    std::size_t pick(std::size_t size) { return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_); }

    Json number(double present) {
        const double numbers[] = {-present, 0, present + 1, present * 2, present / 2, present * 3 + 1, 1e18, 1e300, -1e300,
                                  std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
        const double chosen = numbers[pick(std::size(numbers))];
        const bool whole = std::isfinite(chosen) && std::fabs(chosen) < 9e18 && chosen == std::trunc(chosen);
        return whole ? Json(static_cast<std::int64_t>(chosen)) : Json(chosen);
    }

    Json value() {
        const Json values[] = {nullptr, true, false, -1, 0, 1, 2, 3, 5, 7, 8, 12, 64, 1'000'000, std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::uint64_t>::max(), 0.5, "", "x", "bf16", "1f1b", "interleaved", "auto", "host", "switch",
                               Json::array(), Json::object(), Json::array({1, 2, 3}), Json{{"preset", "llama-3.1-8b"}}, Json{{"every", 2}}};
        return values[pick(std::size(values))];
    }

    static void collect(const Json& value, const std::string& pointer, std::vector<std::string>& places) {
        places.push_back(pointer);
        if (value.is_object())
            for (const auto& [key, child] : value.items()) collect(child, below(pointer, key), places);
        if (value.is_array())
            for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], pointer + "/" + std::to_string(i), places);
    }

    std::mt19937 random_;
};

Json shortSeed() {
    Json document = soundDocument();
    document["model"] = Json{{"config", catalog().model("llama-3.1-8b")->config}};
    document["cluster"]["scale_up"] = Json{{"bandwidth_gb_s", 450}, {"latency_us", 1}, {"domain_size", 8}};
    document["cluster"]["scale_out"] = Json{{"bandwidth_gb_s", 50}, {"latency_us", 2}, {"oversubscription", 2}};
    document["parallelism"].update(Json{{"virtual_pipeline", 4}, {"schedule", "interleaved"}, {"data", 4}, {"order", "tp-cp-ep-dp-pp"}});
    document["execution"] = Json{{"framework", "megatron-2022"}, {"recompute", "selective"}, {"overlap", {{"data", true}}}, {"calibration", {{"gemm_rate_of_peak", 0.5}}}, {"passes", {{"fusion", true}}}, {"collectives", {{"all_reduce", "tree"}, {"protocol", "Simple"}, {"timing", "measured"}}}, {"jitter", {{"sigma", 0.01}, {"operators", {{"compute", 0.02}}}, {"hosts", {{"sigma", 0.01}}}}}, {"offload", {{"optimizer", 0}}}, {"moe_dispatch", "dropless"}};
    document["economics"] = Json{{"tokens_total", 1e12}};
    return document;
}

Json drawnSeed() {
    Json document = soundDocument();
    document["cluster"] = Json::parse(R"({"topology": {
        "nodes": [{"id": "a", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "replicas": 7},
                  {"id": "b", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "domain": "d"}, {"id": "s", "kind": "switch"}],
        "links": [{"from": "a", "to": "s", "bandwidth_gb_s": 50, "latency_us": 1, "count": 8}, {"from": "b", "to": "s", "bandwidth_gb_s": 50}]}})");
    document["parallelism"]["pipeline_layout"] = Json::array({39, 41});
    return document;
}

Json fleetSeed() {
    return Json::parse(R"({"format": "orrery-scenario/1", "model": {"preset": "llama-3.1-8b"}, "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 4, "nodes": 1},
        "workload": {"kind": "serving", "precision": "bf16", "slo": {"ttft_s": 1},
          "requests": {"count": 10, "arrival": {"process": "poisson", "rate_per_s": 2, "curve": {"rates": [1, 4, 2], "period_s": 60}}, "input_tokens": 100, "output_tokens": 20, "seed": 3},
          "engine": {"max_num_seqs": 16},
          "fleet": {"router": "power_of_two", "autoscale": {"min": 1, "max": 4, "interval_s": 5, "start_s": 2, "target": 3}, "admission": {"max_per_replica": 8, "max_waiting": 20, "timeout_s": 9},
                    "failures": [{"replica": 1, "at_s": 3, "repair_s": 4}, {"replica": 3, "at_s": 5}]}},
        "parallelism": {"tensor": 1}, "execution": {"framework": "vllm-2026"}})");
}

void expectSoundFleet(const Scenario& scenario, const std::string& document) {
    const auto* const served = std::get_if<ServingWorkload>(&scenario.workload);
    if (served == nullptr || !served->fleet) return;
    const FleetSettings& fleet = *served->fleet;
    if (fleet.autoscale) {
        ASSERT_LE(fleet.autoscale->least, fleet.autoscale->most) << document;
        ASSERT_LE(fleet.autoscale->most, scenario.parallelism.data) << document;
        ASSERT_GT(fleet.autoscale->interval, 0) << document;
        ASSERT_GT(fleet.autoscale->target, 0) << document;
    }
    for (const ReplicaFailure& failure : fleet.failures) ASSERT_LT(failure.replica, scenario.parallelism.data) << document;
}

void expectSoundScenario(const Scenario& scenario, const std::string& document) {
    if (!scenario.isTraining()) return expectSoundFleet(scenario, document);
    const Parallelism& plan = scenario.parallelism;
    ASSERT_EQ(plan.tensor * plan.pipeline * plan.data, scenario.cluster.accelerators()) << document;
    ASSERT_GE(scenario.microBatches(), 1) << document;
    ASSERT_EQ(static_cast<std::int64_t>(scenario.microBatches()) * scenario.training().microBatch * plan.data, scenario.training().globalBatch) << document;
    ASSERT_EQ(static_cast<int>(plan.layout.size()), plan.pipeline * plan.virtualPipeline) << document;
    ASSERT_EQ(std::accumulate(plan.layout.begin(), plan.layout.end(), std::int64_t{0}), scenario.model.layers) << document;
    ASSERT_EQ(scenario.model.heads % plan.tensor, 0) << document;
}

class Mutation : public testing::TestWithParam<Json (*)()> {};

TEST_P(Mutation, GivesAScenarioOrAnErrorThatSpeaks) {
    const Json seed = GetParam()();
    ASSERT_TRUE(read(seed).scenario.has_value()) << listed(read(seed).problems);
    Damage damage(77);
    int accepted = 0;
    for (int round = 0; round < 6'000; ++round) {
        Json document = seed;
        for (int i = 0; i <= round % 3; ++i) damage.apply(document);
        const ScenarioReading reading = read(document);
        const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
        ASSERT_EQ(reading.scenario.has_value(), !hasErrors(reading.problems)) << text << "\n"
                                                                              << listed(reading.problems);
        for (const Problem& problem : reading.problems) {
            ASSERT_FALSE(problem.code.empty()) << text;
            ASSERT_FALSE(problem.message.empty()) << text;
            ASSERT_FALSE(problem.mend.empty()) << toText(problem) << "\n"
                                               << text;
            ASSERT_TRUE(problem.pointer.empty() || problem.pointer.front() == '/') << problem.pointer;
        }
        if (reading.scenario) {
            ++accepted;
            expectSoundScenario(*reading.scenario, text);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(accepted, 100); // or the damage tests nothing but refusals
}

/// A key that nobody knows, anywhere and with any value, is an error of its own and keeps nothing else from being read.
TEST_P(Mutation, AnUnknownKeyIsNamedWhereverItStandsAndWhateverItHolds) {
    const Json seed = GetParam()();
    std::vector<std::string> objects{""};
    const auto collect = [&](const auto& self, const Json& value, const std::string& pointer) -> void {
        if (pointer == "/model/config") return; // a model's own keys are free
        if (value.is_object() && !pointer.empty()) objects.push_back(pointer);
        for (const auto& [key, child] : value.items())
            if (child.is_structured()) self(self, child, below(pointer, key));
    };
    collect(collect, seed, "");
    ASSERT_GT(objects.size(), 8u);
    const Json values[] = {nullptr, true, 1, -1, 0.5, 1e300, "x", Json::array(), Json::array({1}), Json::object(), Json{{"a", {{"b", 1}}}}};
    for (const std::string& pointer : objects)
        for (const Json& value : values) {
            Json document = seed;
            document[Json::json_pointer(pointer)]["quux"] = value;
            ScenarioReading reading;
            ASSERT_NO_THROW(reading = read(document)) << pointer << " " << value;
            const Problem* problem = find(reading.problems, "unknown-key");
            ASSERT_NE(problem, nullptr) << pointer << " " << value << "\n"
                                        << listed(reading.problems);
            EXPECT_EQ(problem->pointer, pointer + "/quux");
        }
}

TEST_P(Mutation, TableAndPublishedSchemaJudgeAlike) {
    const SchemaValidator validator;
    const Json seed = GetParam()();
    Damage damage(78);
    for (int round = 0; round < 1'000; ++round) {
        Json document = seed;
        for (int i = 0; i <= round % 3; ++i) damage.apply(document);
        if (document.dump().find("null") != std::string::npos) continue; // JSON text has no NaN, the library writes null for it
        Problems problems;
        checkShape(document, scenarioShape(), "", problems);
        const std::string mistakes = validator.mistakes(document);
        ASSERT_EQ(mistakes.empty(), problems.empty()) << document.dump(1) << "\nvalidator: " << mistakes << "\ntable: " << listed(problems);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mutation, testing::Values(&shortSeed, &drawnSeed, &fleetSeed),
                         [](const auto& tested) { return tested.index == 0 ? "shortForm" : tested.index == 1 ? "drawnForm"
                                                                                                             : "fleet"; });

} // namespace
} // namespace orrery::test
