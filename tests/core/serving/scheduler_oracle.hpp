// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/requests/request.hpp"
#include "core/serving/engine_settings.hpp"
#include "core/serving/step_batch.hpp"

#include <utility>
#include <vector>

namespace orrery::test {

/// What vLLM's V1 scheduler does in one step.
struct OracleStep {
    double start = 0;
    std::vector<std::pair<int, int>> scheduled; ///< request, tokens
    std::vector<int> preempted;
    std::vector<int> finished; ///< at the end of the step
    int freeBlocks = 0;
};

/// A second implementation of vLLM V1's rules, as plain as can be: tokens are written out, blocks are looked up by the tokens up to their end,
/// queues are vectors. It shares nothing with core/serving but its inputs.
std::vector<OracleStep> vllmByTheBook(const RequestList& requests, const EngineSettings& engine, const StepClock& clock);

} // namespace orrery::test
