// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/fit.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace orrery::test {

/// The shipped catalogue without constants of its own: each fit here begins with what data sheets and tables say.
inline const Catalog& plainCatalog() {
    static const Catalog catalog = [] {
        const Catalog shipped = shippedCatalog();
        Calibration empty = shipped.calibration();
        for (CalibrationEntry& entry : empty.generations) entry.constants.clear();
        for (CalibrationEntry& entry : empty.profiles) entry.constants.clear();
        empty.pooledGeneration.clear();
        empty.pooledProfile.clear();
        return shipped.withCalibration(empty);
    }();
    return catalog;
}

/// A calibration with the ids of the shipped one and these constants.
inline Calibration withConstants(const std::string& generation, const ConstantValues& machine, const std::string& profile,
                                 const ConstantValues& software, Calibration base = plainCatalog().calibration()) {
    for (CalibrationEntry& entry : base.generations)
        if (entry.id == generation) entry.constants = machine;
    for (CalibrationEntry& entry : base.profiles)
        if (entry.id == profile) entry.constants = software;
    return base;
}

struct RunShape {
    int nodes = 1, tensor = 1, pipeline = 1, microBatch = 1, batch = 16, sequence = 2048;
    const char* recompute = "none";
    const char* model = "llama-2-7b";
};

inline Json document(const RunShape& shape, const std::string& accelerator, const std::string& framework) {
    return {{"format", "orrery-scenario/1"},
            {"name", ""},
            {"model", {{"preset", shape.model}}},
            {"cluster", {{"accelerator", accelerator}, {"accelerators_per_node", 8}, {"nodes", shape.nodes}}},
            {"workload",
             {{"kind", "training"},
              {"sequence_length", shape.sequence},
              {"global_batch_size", shape.batch},
              {"micro_batch_size", shape.microBatch},
              {"precision", "bf16"}}},
            {"parallelism", {{"tensor", shape.tensor}, {"pipeline", shape.pipeline}}},
            {"execution", {{"framework", framework}, {"recompute", shape.recompute}}}};
}

/// Runs that differ in what they are bound by: long and short kernels, traffic inside and between nodes.
inline std::vector<RunShape> variedShapes() {
    return {{1, 1, 1, 1, 16, 2048, "none"}, {1, 8, 1, 4, 16, 2048, "none"}, {1, 8, 1, 1, 16, 512, "none"}, {2, 1, 1, 1, 32, 2048, "full"}, {2, 8, 1, 2, 32, 4096, "selective"}, {4, 2, 1, 1, 32, 1024, "none"}, {4, 4, 2, 1, 64, 2048, "none"}, {1, 4, 1, 1, 8, 8192, "none"}, {2, 2, 1, 2, 64, 512, "full"}, {1, 2, 4, 1, 32, 1024, "none"}, {4, 1, 1, 1, 32, 4096, "none"}, {1, 8, 1, 1, 8, 256, "none"}};
}

/// What the event simulation makes of each run under `truth`, as measured cases of one group.
inline std::vector<MeasuredCase> simulatedRuns(const std::string& group, const std::string& accelerator, const std::string& framework,
                                               const Calibration& truth) {
    const Catalog catalog = plainCatalog().withCalibration(truth);
    std::vector<MeasuredCase> runs;
    for (const RunShape& shape : variedShapes()) {
        MeasuredCase run;
        run.id = group + std::to_string(runs.size());
        run.group = group;
        run.scenario = document(shape, accelerator, framework);
        const ScenarioReading reading = readScenario(run.scenario, catalog);
        if (!reading.scenario) throw std::runtime_error(reading.problems.front().message);
        run.measured = {{"iteration_time_s", simulate(*reading.scenario).result->training()->iterationTime}};
        runs.push_back(std::move(run));
    }
    return runs;
}

} // namespace orrery::test
