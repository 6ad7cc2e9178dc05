// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/possible.hpp"

#include <algorithm>
#include <limits>

namespace orrery {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double byPeakRate(const Result& result) {
    const TrainingMetrics* training = result.training();
    if (training == nullptr) return unlimited;
    const double utilisation = std::max(training->mfu, training->hfu);
    return utilisation > 0 ? std::max(1.0, 1 / utilisation) : unlimited;
}

/// Weights and states are there however an iteration runs.
double byStates(const MemoryReport& memory) {
    double held = 0;
    for (const StageMemory& stage : memory.stages) {
        double states = 0;
        for (const MemoryKind kind : {MemoryKind::weights, MemoryKind::optimizer_states}) states += stage.bytes[static_cast<std::size_t>(kind)];
        held = std::max(held, states);
    }
    return held > 0 ? std::max(1.0, memory.peakBytes / held) : unlimited;
}

/// Requests that arrive at their own times are not answered before the last of them has come.
double byOffer(const Result& result) {
    const ServingReport* serving = result.serving();
    if (serving == nullptr || !serving->requests || serving->requests->requests.empty() || serving->requests->concurrency > 0) return unlimited;
    const std::vector<Request>& requests = serving->requests->requests;
    const double span = requests.back().arrival - requests.front().arrival;
    return span > 0 && serving->served.duration > 0 ? std::max(1.0, serving->served.duration / span) : unlimited;
}

/// Weights, cache and links bound each step.
double byLeast(const Result& result, double LeastTimes::*least, double ofBatch, double ofServed) {
    if (const ServingReport* serving = result.serving()) return serving->least.*least > 0 ? std::max(1.0, ofServed / (serving->least.*least)) : unlimited;
    if (const InferenceMetrics* batch = result.inference()) return batch->least.*least > 0 ? std::max(1.0, ofBatch / (batch->least.*least)) : unlimited;
    return unlimited;
}

} // namespace

double fastestPossible(const Result& result, ErrorOf what) {
    const ServingReport* served = result.serving();
    const InferenceMetrics* batch = result.inference();
    switch (what) {
    case ErrorOf::time: return byPeakRate(result);
    case ErrorOf::memory: return byStates(result.memory);
    case ErrorOf::output_rate: return byOffer(result);
    case ErrorOf::first_token: return byLeast(result, &LeastTimes::firstToken, batch ? batch->ttft : 0, served ? served->served.ttft.mean : 0);
    case ErrorOf::per_token: return byLeast(result, &LeastTimes::perToken, batch ? batch->tpot : 0, served ? served->served.tpot.mean : 0);
    }
    return unlimited;
}

} // namespace orrery
