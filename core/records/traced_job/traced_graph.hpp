// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/records/traced_job/traced_operators.hpp"

#include <cstddef>
#include <string>

namespace orrery {

/// What a record's device did in one step as an operator list: the form that `model.graph` takes.
struct TracedGraph {
    BoxedJson nodes;           ///< kernels of one operator together, with their recorded time; collectives by kind and bytes
    std::string step;          ///< the profiler's step that was taken; empty: the whole record
    std::size_t kernels = 0;   ///< that are in it
    std::size_t shapeless = 0; ///< of these, in no operator that is known
    std::size_t unsized = 0;   ///< collectives whose bytes the record doesn't say: they keep their recorded time
};

/// A kernel that began late for no reason of its own stream waits for another stream's, as in core/records/ranks/device_graph.hpp. Idle time of the device, which is the host's, is not in the list.
TracedGraph tracedGraph(const KinetoTrace& trace, const TracedCalls& calls);

} // namespace orrery
