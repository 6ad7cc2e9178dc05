// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/host_factors.hpp"
#include "core/engine/replica_time.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// How a job's pipelines lie on hosts. A team is what waits for each other in every layer: the cells of one pipeline, or several
/// pipelines where experts or sharded weights join them.
struct TeamPlaces {
    int teams = 1;          ///< that meet only at the end of the iteration
    int hostsPerStage = 1;  ///< of one team, in each stage
    int sharing = 1;        ///< teams on the same hosts
    int stagesTogether = 1; ///< stages of one team on the same hosts, one after the other
};

/// The time of an iteration's computation over that without jitter.
struct FactorSpread {
    double mean = 1;
    double p5 = 1, p50 = 1, p95 = 1;
};

/// A replica's span where its stages lie on hosts that differ.
ReplicaSpread spreadOf(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places);

/// Closed form: kernels' noise of a replica is log-normal with the replica's moments, hosts multiply it, and the iteration lasts as
/// long as the slowest of all teams. With F the distribution function of a team's time, that of the iteration is Fⁿ; quantiles and the mean
/// are read off it.
FactorSpread analyticSpread(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places);

/// One iteration: what its slowest team drew.
struct IterationDraw {
    double factor = 1;
    std::vector<double> ofStage; ///< of the slowest team's hosts, the slowest in each stage
    double noise = 1;            ///< its kernels' time over their mean
};

/// Every host draws for itself; so does every team's kernel noise, or where all hosts are alike the largest of them at once
/// (levelOfMaximum).
IterationDraw drawIteration(const ReplicaShape& shape, const ReplicaSpread& spread, const HostFactors& hosts, const TeamPlaces& places,
                            std::uint64_t seed, std::uint64_t draw);

FactorSpread sampledSpread(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places, std::uint64_t seed, int draws);

} // namespace orrery
