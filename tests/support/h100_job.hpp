// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace orrery::test {

/// A training of a model of the catalogue on hosts of eight H100, in sequences of 4,096 tokens.
inline Scenario h100Job(const std::string& model, int nodes, int globalBatch, Json parallelism, Json execution = Json::object()) {
    const Json document = {{"format", "orrery-scenario/1"},
                           {"model", {{"preset", model}}},
                           {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
                           {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", globalBatch}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
                           {"parallelism", std::move(parallelism)},
                           {"execution", std::move(execution)}};
    const ScenarioReading reading = readScenario(document, catalog(), {});
    for (const Problem& problem : reading.problems)
        if (problem.severity == Severity::error) ADD_FAILURE() << toText(problem);
    return reading.scenario.value();
}

} // namespace orrery::test
