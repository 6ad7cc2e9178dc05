// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace orrery {

/// One latency of all completed requests.
struct LatencyValues {
    QString name;                ///< "TTFT"
    QString meaning;             ///< "time to first token"
    Distribution figures;        ///< as the result has them
    std::vector<double> sorted;  ///< s
    std::optional<double> limit; ///< s, of the service level

    double shareWithin(double seconds) const; ///< 0 to 1; 0 where there are none
};

/// TTFT, TPOT (of requests of more than one token) and E2E; none where the result is not of served requests.
std::vector<LatencyValues> latenciesOf(const Result& result);

/// What the instances hold together, from `time` to the next sample.
struct CounterSample {
    double time = 0; ///< s
    int running = 0, waiting = 0;
    std::int64_t usedBlocks = 0;
};

/// Counters over the run, in order of time. An instance that stands still has nothing running.
struct ServingCounters {
    std::vector<CounterSample> samples;
    std::int64_t blocks = 0; ///< of all instances' caches where all are alike, else of those that decode
    double duration = 0;     ///< s
    int mostRunning = 0, mostWaiting = 0;
    std::int64_t mostUsed = 0;

    const CounterSample* at(double seconds) const; ///< null: before the first
};
ServingCounters countersOf(const ServingReport& report);

/// What a request's time was spent in.
enum class LifePart { front_end, ///< between client and engine
                      queued,
                      prefill,
                      transfer,
                      decode,
                      preempted };
inline constexpr std::size_t lifePartCount = 6;
QString lifePartName(LifePart part);
/// s, by part; of a completed request they sum to the time from its arrival to its last token. All 0 of one that never ended.
std::array<double, lifePartCount> lifeOf(const RequestRecord& record);

} // namespace orrery
