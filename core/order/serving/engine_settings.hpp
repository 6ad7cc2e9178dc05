// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace orrery {

/// Where blocks of keys and values lie beside the accelerators' memory, the nearest first.
enum class CacheTierKind : std::uint8_t { host,     ///< DRAM of an instance's hosts
                                          disk,     ///< their drives
                                          shared }; ///< a store that all instances use
inline constexpr std::size_t cacheTierKindCount = 3;

/// When a tier gets a block.
enum class TierWrites : std::uint8_t { write_through, ///< when it is computed
                                       on_eviction }; ///< when the level above lets go of it

struct CacheTierSettings {
    CacheTierKind kind = CacheTierKind::host;
    double capacity = 0;  ///< bytes: of one instance, of a shared tier of all
    double bandwidth = 0; ///< bytes/s to accelerators: likewise; loads take turns. Writes go the other way and slow nothing
    TierWrites writes = TierWrites::write_through;
    bool prefetch = false; ///< loads begin when a request arrives, not when it is admitted

    bool operator==(const CacheTierSettings&) const = default;
};

/// Who runs in the next step: the rules of an engine. See scheduling_strategy.hpp.
enum class SchedulerPolicy { vllm,
                             vllm_v0,
                             trtllm_guaranteed_no_evict,
                             trtllm_max_utilization,
                             sglang };
inline constexpr std::size_t schedulerPolicyCount = 5;

/// Who sends a request's first token: the instance that ran its prompt, or with the second token the one that decodes.
enum class FirstToken { prefill,
                        decode };

enum class QueueOrder { fcfs,
                        priority };

/// Speculative decoding: a step verifies draft tokens behind each request's newest one, and gives those accepted and one more.
struct SpeculativeSettings {
    int tokens = 0;        ///< drafts of a request and step; 0: none
    double acceptance = 0; ///< chance that the next draft is accepted where all before it are
    bool sampled = false;  ///< accepted drafts are drawn, by `seed`, request and position; otherwise every request gets the expected number, whole tokens as they fill up
    std::uint64_t seed = 0;
    int lookahead = 0; ///< slots in the cache beyond the drafts, for a drafting model that writes there (vLLM: as many as drafts)

    bool operator==(const SpeculativeSettings&) const = default;
};

/// One engine instance. The names are vLLM's, the defaults those of its 0.11 server.
struct EngineSettings {
    SchedulerPolicy policy = SchedulerPolicy::vllm;
    QueueOrder order = QueueOrder::fcfs;
    int maxSeqs = 256;
    int maxBatchedTokens = 8192; ///< of a step; of sglang: of a prefill batch, and of a chunk
    int maxModelLength = std::numeric_limits<int>::max();
    bool chunkedPrefill = true;
    bool prefixCaching = true;
    bool asyncScheduling = false; ///< a step is planned while the one before it runs, which hides `hostSeconds`
    int blockSize = 16;           ///< tokens
    int blocks = 1;               ///< of the pool that requests can have; vLLM's null block is not among them
    int receiveInterval = 1;      ///< requests are taken in before every n-th step that decodes alone, after a step with prompts, and when idle (SGLang's scheduler_recv_interval)
    int streamInterval = 1;       ///< after a request's first token, tokens leave n at a time
    double hostSeconds = 0;       ///< of planning a step and of reading its results, s
    SpeculativeSettings speculative;
    std::vector<CacheTierSettings> tiers; ///< below the accelerators' memory, the nearest first, at most one of a kind
    double blockBytes = 0;                ///< of keys and values over all accelerators of the instance; what a tier holds and loads

    bool operator==(const EngineSettings&) const = default;
};

} // namespace orrery
