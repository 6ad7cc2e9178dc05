// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "core/network/generators/direct_fabrics.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"
#include "tests/support/random_source.hpp"

#include <string>
#include <vector>

// Jobs on drawn networks: small models, so that their communication weighs as much as their computation.

namespace orrery::test {

inline constexpr const char* h100Id = "h100-sxm5-80gb";

inline HostSpec h100Host(int hostsPerDomain = 1) {
    HostSpec host;
    host.accelerator = h100Id;
    host.hostsPerDomain = hostsPerDomain;
    return host;
}

inline Json drawnCluster(const GeneratedTopology& generated) {
    EXPECT_TRUE(generated.ok()) << listed(generated.problems);
    return {{"topology", generated.topology}};
}

/// A GPT of 8 layers, `microBatches` a pipeline, on a cluster that the caller gives.
inline Json jobOn(Json cluster, int tensor, int pipeline, int data, int microBatches = 2) {
    return {{"format", "orrery-scenario/1"},
            {"name", "job"},
            {"model",
             {{"config",
               {{"model_type", "gpt2"}, {"n_layer", 8}, {"n_embd", 1024}, {"n_head", 16}, {"n_positions", 1024}, {"vocab_size", 51200}}}}},
            {"cluster", std::move(cluster)},
            {"workload",
             {{"kind", "training"},
              {"sequence_length", 1024},
              {"global_batch_size", microBatches * data},
              {"micro_batch_size", 1},
              {"precision", "bf16"}}},
            {"parallelism", {{"tensor", tensor}, {"pipeline", pipeline}}},
            {"execution",
             {{"framework", "megatron-core-2024"}, {"calibration", {{"scale_up_share_of_library", 1}, {"scale_out_share_of_library", 1}, {"overlap_slowdown", 1}}}}}};
}

inline Json shortH100(int hosts) { return {{"accelerator", h100Id}, {"accelerators_per_node", 8}, {"nodes", hosts}}; }

/// Bytes that say how long everything took: the result document without name and assumptions.
inline Json numbersOf(const Result& result) {
    Json document = toJson(result);
    document.erase("name");
    document.erase("assumed");
    for (Json& warning : document["warnings"]) warning.erase("message"); // it names hosts
    return document;
}

inline double iterationTime(const Json& document) {
    const ResultPtr result = run(document);
    if (!result) {
        ADD_FAILURE() << "the scenario does not run";
        return 0;
    }
    return result->training()->iterationTime;
}

inline double part(const TimeBreakdown& breakdown, TimePart which) { return breakdown[static_cast<std::size_t>(which)]; }

} // namespace orrery::test
