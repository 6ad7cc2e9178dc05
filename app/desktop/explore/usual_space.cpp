// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/usual_space.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Share of the memory that a proposed search leaves free (1, of 0 to 1; assumed: some two error bars of predicted peaks).
constexpr double memoryMargin = 0.08;
constexpr double tenthOfGibi = 1024.0 * 1024.0 * 1024.0 / 10; ///< bytes: limits are read in GiB

/// 1, 2, 4 … up to `most`.
Json doublings(int from, int most) {
    Json values = Json::array();
    for (int value = from; value <= most; value *= 2) values.push_back(value);
    return values;
}

/// Around what a scenario has: half to four times.
Json around(std::int64_t value) {
    Json values = Json::array();
    for (const std::int64_t factor : {1, 2, 4, 8}) {
        const std::int64_t next = std::max<std::int64_t>(1, value / 2) * factor;
        values.push_back(next);
    }
    return values;
}

} // namespace

Json usualSearch(const Json& document, const Scenario* scenario) {
    constexpr int usualHost = 8, mostStages = 16; // accelerators of a host, which tensor ranks rarely leave
    const int ranks = scenario ? scenario->parallelism.ranks() : usualHost;
    const Json* kind = valueAt(document, "/workload/kind");
    const bool training = !kind || *kind == "training";
    Json vary = Json::object();
    vary["/parallelism/tensor"] = doublings(1, std::min(usualHost, ranks));
    const auto numberAt = [&](const char* pointer, std::int64_t otherwise) {
        const Json* value = valueAt(document, pointer);
        return value && value->is_number() ? static_cast<std::int64_t>(value->get<double>()) : otherwise;
    };
    if (training) {
        if (ranks > 1) {
            vary["/parallelism/pipeline"] = doublings(1, std::min(mostStages, ranks));
            vary["/parallelism/virtual_pipeline"] = {1, 2, 4};
        }
        vary["/workload/micro_batch_size"] = {1, 2, 4};
        vary["/execution/recompute"] = {"none", "selective", "full"};
        if (ranks > 1) {
            vary["/parallelism/zero_stage"] = {0, 1, 3};
            for (const char* overlap : {"/execution/overlap/data", "/execution/overlap/tensor"}) vary[overlap] = {false, true};
        }
    } else if (*kind == "inference") {
        vary["/workload/batch_size"] = doublings(1, 256);
    } else {
        vary["/workload/engine/max_num_seqs"] = around(numberAt("/workload/engine/max_num_seqs", 256));
        vary["/workload/engine/max_num_batched_tokens"] = around(numberAt("/workload/engine/max_num_batched_tokens", 8192));
    }
    Json search{{"vary", std::move(vary)}};
    // An engine fills what it is given; a training that fits to the last byte runs out of memory by its own spread.
    if (training && scenario && scenario->cluster.accelerator.memoryBytes > 0)
        search["constraints"] = Json::array({{{"pointer", "/memory/peak_bytes"}, {"op", "<="}, {"value", std::floor((1 - memoryMargin) * scenario->cluster.accelerator.memoryBytes / tenthOfGibi) * tenthOfGibi}}});
    return search;
}

} // namespace orrery
