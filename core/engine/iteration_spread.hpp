// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/jitter_model.hpp"
#include "core/engine/order_statistics.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// What one pipeline does in an iteration, as far as jitter asks: a round is a micro-batch's forward and backward through all chunks
/// of a stage.
struct ReplicaShape {
    std::vector<double> alone;   ///< s a round takes on each stage without jitter
    std::vector<Moments> rounds; ///< the same with jitter, waits for each other within layers included
    int microBatches = 1;
    /// What filling and draining the pipeline adds of the rounds of all stages but the slowest: 1 for 1F1B (then the span of a flow
    /// shop, m max x + Σ x − max x), 1/v with v chunks a stage, less where weight gradients fill the bubble.
    double fill = 1;

    /// s of the pipeline's span when each stage's rounds take `seconds`, every time.
    double span(const std::vector<double>& seconds) const;
    /// Those micro-batches for which the slowest stage holds up all others. Once the first stage has done its last forward the rest of
    /// a 1F1B runs down at its own pace, so a slow stage s counts m − (p − 1 − s) times: here the mean over where it may be.
    double heldUp() const;
};

/// How many stages wait for each other as closely as if they met after every micro-batch. Two do; of more only neighbours do, and a
/// delay takes rounds to spread. Played 1F1B schedules with independent rounds (equal stages, 2 to 16 of them, m = 128) lose
/// 0.55, 0.90, 1.09 and 1.18 standard deviations of a round each micro-batch: the largest of 2 + 1.2 log₂(p/2).
double coupledStages(double stages);

/// A replica's span over its span without jitter, from kernels alone (no host slower than another).
struct ReplicaSpread {
    double inLayers = 1; ///< mean, waits within layers only
    Moments span{1, 0};  ///< with the stages' waits for each other
};

/// Each micro-batch lasts as long as the slowest of the stages that wait for each other; rounds are taken as normal (a sum of many
/// kernels), the largest of several with unequal moments by its distribution function Π Φ((x − μ)/σ). At either end of the iteration
/// stages are not yet, or no longer, held up: 1 + ¾ log₂ p rounds together, by the same played schedules.
/// Where stages differ anyway, by `hostVariance` of the factor of each, kernels' noise makes them wait for each other less: the largest with
/// both, less the largest with the hosts' alone.
ReplicaSpread spreadOf(const ReplicaShape& shape, double hostVariance = 0);

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
