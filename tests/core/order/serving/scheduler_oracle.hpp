// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/request.hpp"
#include "core/order/serving/engine_settings.hpp"
#include "core/order/serving/step_batch.hpp"

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

/// Groups of layers as vLLM's hybrid allocator makes them: those of equally many layers have pages of one size from one pool, whatever they see.
struct OracleGroups {
    int whole = 1, windowed = 0;
    int span = 0;        ///< tokens, its own included, that a token sees in those with windows
    bool chunks = false; ///< llama 4's chunks of so many tokens instead
};

/// A second implementation of vLLM V1's rules, as plain as can be: tokens are written out, blocks are looked up by the tokens up to their end,
/// queues are vectors, every group of layers has pages of its own (kv_cache_coordinator.py, single_type_kv_cache_manager.py). It shares nothing with core/order/serving but its inputs.
std::vector<OracleStep> vllmByTheBook(const RequestList& requests, const EngineSettings& engine, const StepClock& clock, const OracleGroups& groups = {});

} // namespace orrery::test
