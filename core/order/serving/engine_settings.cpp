// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/engine_settings.hpp"

namespace orrery {

void checkEngineSettings(const EngineSettings& settings, const std::string& pointer, Problems& problems) {
    const auto require = [&](bool isMet, const char* key, std::string message, std::string mend) {
        if (isMet) return;
        Problem problem;
        problem.code = "bad-engine-setting";
        problem.pointer = pointer + "/" + key;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        problems.push_back(std::move(problem));
    };
    require(settings.maxSeqs >= 1, "max_num_seqs", "an engine that runs no sequence serves nobody", "give at least 1");
    require(settings.maxBatchedTokens >= 1, "max_num_batched_tokens", "an engine whose steps have no token serves nobody", "give at least 1");
    require(settings.maxModelLength >= 2, "max_model_len", "no request is as short as one token", "give at least 2");
    require(settings.blockSize >= 1, "block_size", "a block holds at least one token", "give at least 1");
    require(settings.blocks >= 1, "gpu_memory_utilization", "no block of the cache fits beside the weights", "raise it, or spread the model over more accelerators");
    require(settings.speculative.tokens >= 0, "speculative/tokens", "fewer than no draft tokens", "give at least 0");
    require(settings.speculative.acceptance >= 0 && settings.speculative.acceptance <= 1, "speculative/acceptance", "a chance lies between 0 and 1", "give the chance that the next draft token is accepted");
}

} // namespace orrery
