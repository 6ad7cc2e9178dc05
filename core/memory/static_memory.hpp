#pragma once

#include "core/scenario/scenario.hpp"

namespace orrery {

/// Bytes that stay for the whole iteration on a rank that trains `elements` parameters and holds `frozen` more.
struct StaticMemory {
    double weights = 0;
    double gradients = 0;
    double optimizerStates = 0;
    double communicationBuffers = 0; ///< communicators of the process groups
    double framework = 0;
};

/// Mixed-precision states, divided by ZeRO over the data-parallel ranks (Rajbhandari et al. 2020, section 5; the bytes a
/// parameter are the framework profile's).
/// `experts` are parameters of routed experts, which other ranks share out.
StaticMemory staticMemory(const Scenario& scenario, double elements, double frozen = 0, double experts = 0);

} // namespace orrery
