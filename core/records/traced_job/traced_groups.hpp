// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traced_job/traced_operators.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace orrery {

/// How a record's job is cut, as far as it says.
struct TracedGroups {
    struct Degree {
        std::int64_t ranks = 0; ///< 0: not said
        std::string why;
    };
    Degree tensor, pipeline, context, expert;
    bool forwardCommunicates = false; ///< some collective was launched from a forward
    bool sends = false;               ///< point to point
    bool scatters = false;            ///< gradients are scattered, not summed up whole
    bool gathersInForward = false;
};

/// Reads the names that the job gave its groups of ranks (Megatron's, PyTorch's mesh), and what the communication itself rules out: where nothing is sent and no forward communicates
/// there are neither tensor, context nor expert groups nor a pipeline.
TracedGroups tracedGroups(const KinetoTrace& trace, const TracedCalls& calls);

} // namespace orrery
