// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/engine_settings.hpp"
#include "core/order/serving/step_batch.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace orrery {

/// Why an engine takes a request not at all.
enum class Rejection : std::uint8_t { none,
                                      longer_than_model, ///< prompt and answer beyond max_model_len
                                      longer_than_pool,  ///< more tokens than all blocks of the cache hold
                                      longer_than_step,  ///< without chunks: a prompt beyond max_num_batched_tokens
                                      fleet_full,        ///< as many as may wait in front of a fleet did
                                      waited_too_long }; ///< in front of a fleet
const char* nameOf(Rejection rejection);

/// What became of a request. Times in s, −1 where it never came to that.
struct RequestRecord {
    double arrival = 0;
    double frontEnd = 0;   ///< on the way from the client to the engine and back
    double encode = 0;     ///< behind other requests' images, of its own at an encoder, and of what came of them on its way to an engine
    double admitted = -1;  ///< when its first step was planned
    double prefilled = -1; ///< when the prompt's step ended; the first token leaves then, or with the next where decode instances send it
    double firstToken = -1;
    double finish = -1;                             ///< last token
    double queued = 0;                              ///< waiting for a place, before prefill and (apart) before decode; not after a preemption
    double preempted = 0, preemptedBeforeFirst = 0; ///< waiting for another place after a preemption; the latter: before the first token
    double transferred = 0;                         ///< its keys and values on their way from prefill to decode
    double loading = 0;                             ///< before its prompt was through: steps waited for cached blocks to come from a tier
    int preemptions = 0;
    int moves = 0;                                    ///< times that its replica failed under it, and another went on with it
    int cachedTokens = 0;                             ///< of the prompt, found in the cache or its tiers when it was admitted first
    std::array<int, cacheTierKindCount> tierTokens{}; ///< of these, found in a tier of each kind
    int prefillInstance = -1, instance = -1;
    Rejection rejection = Rejection::none;

    bool isCompleted() const { return finish >= 0; }
    double queuedBeforePrefill() const { return admitted - arrival - frontEnd - encode; }
    double prefillSeconds() const { return prefilled - admitted - preemptedBeforeFirst; }
    /// Everything after the prompt that is nothing else: the parts sum to finish − arrival.
    double decodeSeconds() const { return finish - prefilled - transferred - (preempted - preemptedBeforeFirst) - (queued - queuedBeforePrefill()); }
};

/// A gap between two tokens of a request, and how often it came about.
struct TokenGap {
    double seconds = 0;
    std::int64_t count = 0;
};

/// One step of an instance.
struct StepRecord {
    double start = 0, seconds = 0; ///< with what the host takes and can't hide
    int prefills = 0, prefillTokens = 0, decodes = 0, draftTokens = 0;
    int running = 0, waiting = 0, freeBlocks = 0; ///< when it was planned
    double slowed = 0;                            ///< s of `seconds` that others' traffic on shared links adds
};

/// What is written down as requests are served. Gaps are those between moments at which tokens come out: several that come out of one step
/// (speculative decoding) are one moment.
class RunLog {
public:
    RunLog(std::size_t requests, bool keepTokenTimes);

    RequestRecord& of(int request) { return records[static_cast<std::size_t>(request)]; }
    void addGaps(double seconds, std::int64_t count) {
        if (!keepsGaps) return;
        if (!gaps.empty() && gaps.back().seconds == seconds) gaps.back().count += count;
        else gaps.push_back({seconds, count});
    }
    void addTokens(int request, int count, double now) {
        if (keepsTokenTimes) tokenTimes[static_cast<std::size_t>(request)].insert(tokenTimes[static_cast<std::size_t>(request)].end(), static_cast<std::size_t>(count), now);
    }

    std::vector<RequestRecord> records;
    std::vector<TokenGap> gaps;                  ///< in the order in which they came about
    std::vector<std::vector<double>> tokenTimes; ///< s, by request; empty unless asked for
    bool keepsTokenTimes = false;
    bool keepsGaps = true; ///< false: nobody asks for the gaps, of which long runs have hundreds of millions
};

} // namespace orrery
