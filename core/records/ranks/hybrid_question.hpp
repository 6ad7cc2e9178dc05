// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/ranks/joint_replay.hpp"
#include "core/records/ranks/scaled_kernels.hpp"
#include "core/records/traces/communication_rules.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orrery {

/// The contract's `hybrid`: which ranks were recorded, who stands in for the others, and what if.
struct HybridQuestion {
    std::map<std::int64_t, std::string> recorded;                           ///< rank to trace file
    std::map<std::string, std::variant<std::string, std::int64_t>> classes; ///< class to trace file or recorded rank
    RankWhatIfs whatIfs;
    std::vector<ScaledKernels> scaled;
    CommunicationRules communication = shippedCommunicationRules(); ///< sorts the kernels of its traces
    std::optional<std::int64_t> vram;                               ///< bytes
    bool prune = true;                                              ///< leave out what reaches no recorded rank
    std::optional<std::int64_t> world;                              ///< accelerators of the scenario's cluster; nothing: it has none
};

/// Reads the `hybrid` of a scenario document; nothing, with problems, where it is missing or wrong.
std::optional<HybridQuestion> readHybrid(const Json& document, Problems& problems);

} // namespace orrery
