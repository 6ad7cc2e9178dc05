// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/model/recorded/recorded_workload.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orrery::test {

/// A graph on some A100s, all keys that the contract asks for.
inline Json graphScenario(Json graph, int accelerators = 1) {
    return {{"format", "orrery-scenario/1"},
            {"name", "graph"},
            {"model", {{"graph", std::move(graph)}}},
            {"cluster", {{"accelerator", "a100-sxm4-80gb"}, {"accelerators_per_node", accelerators}, {"nodes", 1}}},
            {"workload",
             {{"kind", "training"},
              {"sequence_length", 1},
              {"global_batch_size", accelerators},
              {"micro_batch_size", 1},
              {"precision", "bf16"}}},
            {"parallelism", Json::object()},
            {"execution", {{"cuda_graphs", true}}}};
}

inline RecordedWorkload workloadOf(const Json& graph) {
    RecordingError error;
    const auto recording = readRecording(graph, error);
    EXPECT_TRUE(recording) << error.place << ": " << error.message;
    return recording ? makeRecordedWorkload(*recording) : RecordedWorkload{};
}

inline ResultPtr simulated(const Json& scenario) {
    const ScenarioReading reading = read(scenario);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    if (!reading.scenario) return nullptr;
    const Outcome outcome = simulate(*reading.scenario);
    EXPECT_TRUE(outcome.result) << listed(outcome.problems);
    return outcome.result;
}

inline Json tensor(std::initializer_list<int> shape, const char* dtype = "bfloat16") { return {{"shape", Json(shape)}, {"dtype", dtype}}; }

/// One operator on tensors that nothing else knows.
inline Json single(const std::string& target, Json inputs, Json outputs) {
    return Json::array({{{"name", "it"}, {"target", target}, {"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}}});
}

} // namespace orrery::test
