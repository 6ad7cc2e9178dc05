// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/request.hpp"
#include "core/order/serving/serving_run.hpp"
#include "tests/support/random_source.hpp"

#include <algorithm>
#include <vector>

namespace orrery::test {

/// A step's time by its numbers, so that no two kinds of step take the same.
class MadeUpClock : public StepClock {
public:
    double launch = 0.004, perToken = 2e-5, perContext = 3e-8;
    double seconds(const StepBatch& batch) const override {
        double sum = launch + perToken * (batch.decodes + batch.draftTokens) + perContext * batch.decodeContext * batch.decodes;
        for (const StepBatch::Chunk& chunk : batch.prefills) sum += chunk.tokens * (perToken + perContext * (chunk.context + 0.5 * chunk.tokens));
        return sum;
    }
};

/// Layers with windows, or with chunks beside others.
inline CacheWindow randomWindow(RandomSource& random) {
    const bool chunks = random.chance(0.3);
    return {!chunks && random.chance(0.2) ? 1 : random.unit(), 2 + static_cast<std::int64_t>(random.below(60)), chunks};
}

/// A workload and an engine small enough that all its limits are met now and then.
struct RandomCase {
    RequestList requests;
    EngineSettings engine;
};

inline int wholeBetween(RandomSource& random, int low, int high) { return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low + 1))); }

/// Prompts of a few families: those of a family begin alike, the longer the rarer.
inline void giveHashes(RandomSource& random, Request& request, int hashBlockSize) {
    std::uint64_t path = 1;
    for (int block = 0; block < (request.input + hashBlockSize - 1) / hashBlockSize; ++block) {
        path = path * 3 + random.below(random.chance(0.7) ? 1 : 3);
        request.hashes.push_back(path);
    }
    if (random.chance(0.3)) request.hashes.resize(static_cast<std::size_t>(request.input / hashBlockSize));
}

inline RandomCase randomCase(RandomSource& random) {
    RandomCase made;
    EngineSettings& engine = made.engine;
    engine.blockSize = random.pick<int>({1, 4, 16});
    engine.maxSeqs = wholeBetween(random, 1, 8);
    engine.maxBatchedTokens = wholeBetween(random, 8, 80);
    engine.maxModelLength = random.chance(0.3) ? wholeBetween(random, 60, 120) : 1000;
    engine.chunkedPrefill = random.chance(0.7);
    engine.prefixCaching = random.chance(0.6);
    engine.order = random.chance(0.4) ? QueueOrder::priority : QueueOrder::fcfs;
    engine.blocks = std::max(2, wholeBetween(random, 60, 260) / engine.blockSize);
    engine.hostSeconds = random.chance(0.5) ? 0.001 : 0;
    made.requests.hashBlockSize = random.pick<int>({4, 8, 12});
    const bool hasHashes = random.chance(0.7), atOnce = random.chance(0.2);
    const double gap = random.logBetween(0.005, 0.5);
    double now = 0;
    for (std::size_t count = 1 + random.below(30); count > 0; --count) {
        Request request;
        request.arrival = now;
        request.input = wholeBetween(random, 1, 70);
        request.output = random.chance(0.1) ? 1 : wholeBetween(random, 1, 60);
        request.priority = wholeBetween(random, 0, 2);
        if (hasHashes) giveHashes(random, request, made.requests.hashBlockSize);
        made.requests.requests.push_back(std::move(request));
        if (!atOnce) now += random.between(0.0, 2 * gap);
    }
    return made;
}

inline ServingSettings oneEngine(const EngineSettings& engine, const StepClock& clock) {
    ServingSettings settings;
    settings.instances.push_back({engine, &clock, InstanceRole::both});
    return settings;
}

} // namespace orrery::test
