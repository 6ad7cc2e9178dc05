// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/replica_time.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace orrery {
namespace {

/// Moments of the slowest of several normals, each counted `power` times: their largest has the distribution function Π Φ((x − μ)/σ)^power.
Moments slowestOf(const std::vector<Moments>& rounds, double power) {
    std::map<std::pair<double, double>, int> alike;
    double least = rounds.front().mean - 8 * std::sqrt(rounds.front().variance), most = rounds.front().mean;
    for (const Moments& round : rounds) {
        const double sigma = std::sqrt(round.variance);
        ++alike[{round.mean, sigma}];
        least = std::max(least, round.mean - 8 * sigma);
        most = std::max(most, round.mean + 8 * sigma);
    }
    if (most <= least) return {most, 0};
    constexpr int steps = 400;
    const double step = (most - least) / steps;
    double first = 0, second = 0; // ∫ (1 − F), ∫ 2 (x − least)(1 − F)
    for (int i = 0; i < steps; ++i) {
        const double x = (i + 0.5) * step;
        double below = 1;
        for (const auto& [normal, count] : alike) {
            const double above = least + x - normal.first;
            const double cdf = normal.second > 0 ? normalCdf(above / normal.second) : above >= 0 ? 1.0
                                                                                                 : 0.0;
            below *= std::pow(cdf, power * count);
        }
        first += (1 - below) * step;
        second += 2 * x * (1 - below) * step;
    }
    return {least + first, std::max(0.0, second - first * first)};
}

} // namespace

double ReplicaShape::heldUp() const {
    return std::max(1.0, microBatches - fill * (static_cast<double>(alone.size()) - 1) / 2);
}

double ReplicaShape::span(const std::vector<double>& seconds) const {
    double sum = 0, most = 0;
    for (const double stage : seconds) {
        sum += stage;
        most = std::max(most, stage);
    }
    return heldUp() * most + (microBatches - heldUp()) * sum / static_cast<double>(seconds.size()) + fill * (sum - most);
}

double coupledStages(double stages) { return stages <= 2 ? stages : 2 + 1.2 * std::log2(stages / 2); }

ReplicaSpread spreadOf(const ReplicaShape& shape, double hostVariance) {
    ReplicaSpread spread;
    const double alone = shape.span(shape.alone);
    if (alone <= 0) return spread;
    std::vector<double> means;
    double slowest = 0;
    for (const Moments& round : shape.rounds) {
        means.push_back(round.mean);
        slowest = std::max(slowest, round.mean);
    }
    const double inLayers = shape.span(means), stages = static_cast<double>(means.size());
    spread.inLayers = inLayers / alone;
    const double power = coupledStages(stages) / stages;
    Moments round = slowestOf(shape.rounds, power);
    double beforehand = slowest;
    if (hostVariance > 0 && stages > 1) {
        std::vector<Moments> hosts, both;
        for (const Moments& stage : shape.rounds) {
            const double variance = stage.mean * stage.mean * hostVariance;
            hosts.push_back({stage.mean, variance});
            both.push_back({stage.mean, stage.variance + variance});
        }
        beforehand = slowestOf(hosts, power).mean;
        // Who differs anyway is waited for alone: the noise is that of one stage's rounds, not of the largest of several.
        const Moments& own = *std::max_element(shape.rounds.begin(), shape.rounds.end(), [](const Moments& a, const Moments& b) {
            return std::pair(a.mean, a.variance) < std::pair(b.mean, b.variance);
        });
        round = {slowestOf(both, power).mean, own.variance};
    }
    const double settling = stages > 1 ? 1 + 0.75 * std::log2(stages) : 0;
    const double waits = std::max(0.0, shape.microBatches - settling) * std::max(0.0, round.mean - beforehand);
    const double rounds = shape.microBatches + shape.fill * (stages - 1);
    spread.span = {(inLayers + waits) / alone, rounds * round.variance / (alone * alone)};
    return spread;
}

} // namespace orrery
