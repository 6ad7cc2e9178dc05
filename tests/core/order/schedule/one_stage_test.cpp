// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule that folds its chunks over the stages has nothing to fold with one stage: it runs as 1F1B does, and says so.
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

ScenarioReading oneStage(const char* schedule) {
    const Json document = Json::parse(R"({
      "format": "orrery-scenario/1", "name": "one stage",
      "model": {"config": {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50304}},
      "cluster": {"accelerator": "a100-sxm4-80gb", "accelerators_per_node": 8, "nodes": 1},
      "workload": {"kind": "training", "sequence_length": 1024, "global_batch_size": 32, "micro_batch_size": 2, "precision": "bf16"},
      "parallelism": {"pipeline": 1, "virtual_pipeline": 1}
    })");
    Json with = document;
    with["parallelism"]["schedule"] = schedule;
    return readScenario(with, test::catalog());
}

TEST(OneStage, FoldedSchedulesRunAsOneForwardOneBackward) {
    const Outcome plain = simulate(*oneStage("1f1b").scenario);
    ASSERT_TRUE(plain.result);
    for (const char* schedule : {"zb-v", "v-half", "v-min"}) {
        const ScenarioReading reading = oneStage(schedule);
        ASSERT_TRUE(reading.scenario) << schedule;
        EXPECT_TRUE(std::any_of(reading.problems.begin(), reading.problems.end(), [](const Problem& problem) { return problem.code == "no-effect" && problem.pointer == "/parallelism/schedule"; })) << schedule;
        const Outcome folded = simulate(*reading.scenario);
        ASSERT_TRUE(folded.result) << schedule;
        Json wanted = toJson(*plain.result), given = toJson(*folded.result);
        for (const char* key : {"assumed", "warnings", "provenance"}) wanted.erase(key), given.erase(key);
        EXPECT_EQ(given, wanted) << schedule;
    }
}

} // namespace
} // namespace orrery
