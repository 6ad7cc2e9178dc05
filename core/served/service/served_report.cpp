// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/served_report.hpp"

#include "core/base/units.hpp"
#include "core/served/inference/static_batch.hpp"
#include "core/served/service/engine_timeline.hpp"
#include "core/served/service/fleet_report.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

CacheReport cacheOf(const std::vector<EnginePool>& pools) {
    const EnginePool& decoding = pools.back();
    return {decoding.cacheBytesPerToken(), std::max<std::int64_t>(0, decoding.blocks), decoding.options.settings.blockSize};
}

namespace {

LeastTimes leastTimes(const std::vector<EnginePool>& pools, const RequestList& requests) {
    double input = 0, output = 0;
    for (const Request& request : requests.requests) {
        input += request.input;
        output += request.output;
    }
    const double count = std::max<double>(1, static_cast<double>(requests.requests.size()));
    const double tokensOfStep = 1 + pools.back().options.settings.speculative.tokens;
    return {decodeFloor(pools.front().model(), 1, 1), decodeFloor(pools.back().model(), 1, (input + output / 2) / count) / tokensOfStep};
}

} // namespace

void fillServedFigures(ServingReport& report, const Economics& economics, const std::vector<EnginePool>& pools, const ServingOutcome& outcome) {
    double accelerators = 0, energy = 0;
    bool powerKnown = true;
    std::size_t instance = 0;
    for (const EnginePool& pool : pools) {
        accelerators += pool.accelerators();
        double busy = 0;
        for (int i = 0; i < pool.instances(); ++i) busy += outcome.totals[instance++].busySeconds * pool.plan().ranks();
        const double watts = economics.powerWatts.value_or(pool.watts);
        powerKnown = powerKnown && watts > 0;
        energy += watts * busy;
    }
    const ServingMetrics& served = report.served;
    if (outcome.fleet) accelerators *= paidShare(outcome, served);
    report.outputTokensPerSecondPerAccelerator = served.outputTokensPerSecond / accelerators;
    report.cache = cacheOf(pools);
    report.tiers.clear();
    for (const CacheTierSettings& tier : pools.front().options.settings.tiers) report.tiers.push_back(tier.kind);
    if (report.requests) report.least = leastTimes(pools, *report.requests); // a search keeps figures alone
    if (served.outputTokensPerSecond <= 0) return;
    if (const auto price = economics.pricePerAcceleratorHour)
        report.costPerMillionOutputTokens = *price / 3600 / report.outputTokensPerSecondPerAccelerator * 1e6;
    if (powerKnown && served.duration > 0) report.energyPerOutputToken = energy / (served.outputTokensPerSecond * served.duration);
    if (!report.fleet) return;
    if (const auto price = economics.pricePerAcceleratorHour) report.fleet->cost = *price * report.fleet->replicaHours * pools.front().plan().ranks();
    if (powerKnown) report.fleet->energyKwh = energy / (1000 * units::hour);
}

void addServedOperations(Result& result, const std::vector<EnginePool>& pools, const ServingReport& report) {
    double accelerators = 0, prefillTokens = 0, prefills = 0, decodes = 0, decodeSteps = 0;
    for (const EnginePool& pool : pools) accelerators += pool.accelerators();
    // Rows are the mean over all accelerators: an instance counts by how many it has.
    std::size_t instance = 0;
    for (const EnginePool& pool : pools) {
        const double share = pool.plan().ranks() / accelerators;
        for (int i = 0; i < pool.instances(); ++i)
            for (const StepRecord& step : report.steps[instance++]) {
                prefillTokens += share * step.prefillTokens;
                prefills += share * step.prefills;
                decodes += share * step.decodes;
                decodeSteps += step.decodes > 0 ? share : 0;
            }
    }
    const StepModel& model = pools.back().model();
    if (prefills > 0) {
        StepBatch batch;
        batch.prefills = {{std::max(1, static_cast<int>(std::lround(prefillTokens / prefills))), 0}};
        addOperations(result, model, batch, prefills);
    }
    if (decodeSteps > 0) {
        double context = 0;
        for (const Request& request : report.requests->requests) context += request.input + request.output / 2.0;
        StepBatch batch;
        batch.decodes = std::max(1, static_cast<int>(std::lround(decodes / decodeSteps)));
        batch.decodeContext = context / static_cast<double>(report.requests->requests.size());
        addOperations(result, model, batch, decodeSteps);
    }
}

Timeline servedTimelineOf(const std::vector<EnginePool>& pools, const ServingReport& report) {
    std::vector<ServedInstance> instances;
    for (const EnginePool& pool : pools) {
        ServedInstance instance;
        instance.ranks = pool.plan().ranks();
        instance.role = pool.role;
        instance.fixedBytes = pool.memory.needed() - pool.memory.cache;
        instance.blocks = pool.blocks;
        // Attention groups share the blocks out; each of their accelerators has its part of all.
        instance.blockBytes = pool.blocks > 0 ? pool.memory.cache / static_cast<double>(pool.blocks) : 0;
        for (const std::vector<int>& ranks : pool.ranks) {
            instance.firstRank = ranks.front();
            instance.steps = &report.steps[instances.size()];
            instances.push_back(instance);
        }
    }
    return servedTimeline(instances);
}

} // namespace orrery
