// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace orrery::test {

/// The scenario of a document that must be sound.
inline Scenario sound(const Json& document) {
    const ScenarioReading reading = read(document);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return reading.scenario ? *reading.scenario : Scenario{};
}

inline ResultPtr run(const Json& document, int threads = 1) {
    RunControl control;
    control.threads = threads;
    return simulate(sound(document), control).result;
}

/// A small model on A100s that leaves room for every plan of the tests.
inline Json smallScenario(int tensor, int pipeline, int data, int microBatches) {
    return {{"format", "orrery-scenario/1"},
            {"name", "small"},
            {"model",
             {{"config",
               {{"model_type", "gpt2"}, {"n_layer", 16}, {"n_embd", 1024}, {"n_head", 16}, {"n_positions", 1024}, {"vocab_size", 51200}}}}},
            {"cluster", {{"accelerator", "a100-sxm4-80gb"}, {"accelerators_per_node", 8}, {"nodes", (tensor * pipeline * data + 7) / 8}}},
            {"workload",
             {{"kind", "training"},
              {"sequence_length", 1024},
              {"global_batch_size", microBatches * data},
              {"micro_batch_size", 1},
              {"precision", "bf16"}}},
            {"parallelism", {{"tensor", tensor}, {"pipeline", pipeline}}},
            {"execution", {{"framework", "megatron-2022"}}}};
}

/// Random plans on one to four nodes of 8: every dimension of part 1 varied.
inline Json randomScenario(std::mt19937& random) {
    const auto pick = [&](std::initializer_list<int> choices) {
        return *(choices.begin() + std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random));
    };
    const int tensor = pick({1, 2, 4, 8});
    const int pipeline = pick({1, 2, 4});
    const int data = 8 * pick({1, 2, 4}) * 4 / (tensor * pipeline);
    const int microBatches = 4 * pick({1, 2, 5});
    Json scenario = smallScenario(tensor, pipeline, std::max(1, data), microBatches);
    const int nodes = scenario["cluster"]["nodes"].get<int>();
    const int actualData = nodes * 8 / (tensor * pipeline);
    scenario["workload"]["global_batch_size"] = actualData * microBatches;
    scenario["parallelism"]["zero_stage"] = pipeline == 1 ? pick({0, 1, 2, 3}) : pick({0, 1});
    scenario["parallelism"]["sequence"] = tensor > 1 && pick({0, 1}) == 1;
    if (pipeline > 1 && pick({0, 1}) == 1) {
        scenario["parallelism"]["virtual_pipeline"] = 2;
        scenario["parallelism"]["schedule"] = "interleaved";
    } else if (pipeline > 1 && pick({0, 1}) == 1) {
        scenario["parallelism"]["schedule"] = "gpipe";
    }
    const char* recompute[] = {"none", "selective", "full", "auto"};
    scenario["execution"]["recompute"] = recompute[pick({0, 1, 2, 3})];
    scenario["execution"]["attention"] = pick({0, 1}) ? "flash" : "unfused";
    scenario["execution"]["overlap"] = {{"data", pick({0, 1}) == 1}, {"tensor", pick({0, 1}) == 1}, {"pipeline", pick({0, 1}) == 1}};
    const char* frameworks[] = {"megatron-2021", "megatron-2022", "torchtitan-2025", "megatron-core-2025", "llm-foundry-2024"};
    scenario["execution"]["framework"] = frameworks[pick({0, 1, 2, 3, 4})];
    return scenario;
}

} // namespace orrery::test
