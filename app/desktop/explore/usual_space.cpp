// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/usual_space.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <algorithm>

namespace orrery {
namespace {

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
        if (ranks > 1) vary["/parallelism/pipeline"] = doublings(1, std::min(mostStages, ranks));
        vary["/workload/micro_batch_size"] = {1, 2, 4};
        vary["/execution/recompute"] = {"none", "selective", "full"};
        if (ranks > 1) vary["/parallelism/zero_stage"] = {0, 1, 3};
    } else if (*kind == "inference") {
        vary["/workload/batch_size"] = doublings(1, 256);
    } else {
        vary["/workload/engine/max_num_seqs"] = around(numberAt("/workload/engine/max_num_seqs", 256));
        vary["/workload/engine/max_num_batched_tokens"] = around(numberAt("/workload/engine/max_num_batched_tokens", 8192));
    }
    return {{"vary", std::move(vary)}};
}

} // namespace orrery
