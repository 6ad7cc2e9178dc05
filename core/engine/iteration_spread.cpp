// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/iteration_spread.hpp"

#include "core/base/expect.hpp"
#include "core/engine/jitter_model.hpp"

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

namespace {

constexpr std::uint64_t noiseStream = 0x4e4f49ULL << 32;

/// Distribution function of the slowest stage's host factor in a team, weighted by how near the stage is to holding the pipeline up:
/// max over stages of H x/max x.
class TeamFactors {
public:
    TeamFactors(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places) : least_(hosts.least()), most_(hosts.most()) {
        std::vector<double> seconds; // of the slowest stage on each set of hosts
        for (std::size_t stage = 0; stage < shape.alone.size(); ++stage) {
            if (stage % static_cast<std::size_t>(places.stagesTogether) == 0) seconds.push_back(0);
            seconds.back() = std::max(seconds.back(), shape.alone[stage]);
        }
        std::sort(seconds.begin(), seconds.end());
        const double slowest = seconds.back();
        const double logStep = std::log(most_ / least_) / (points - 1);
        table_.assign(points, 1);
        for (std::size_t i = 0; i < seconds.size();) {
            std::size_t same = i;
            while (same < seconds.size() && seconds[same] == seconds[i]) ++same;
            const double ratio = slowest / seconds[i];
            for (std::size_t point = 0; ratio < 1e6 && point < points; ++point) {
                // A hair further: a slow host's factor may lie on a point, and the distribution jumps there.
                const double factor = least_ * std::exp(logStep * static_cast<double>(point)) * (1 + 1e-12);
                table_[point] *= std::pow(hosts.cdf(factor * ratio), static_cast<double>((same - i) * static_cast<std::size_t>(places.hostsPerStage)));
            }
            i = same;
        }
        perLog_ = 1 / logStep;
    }

    double least() const { return least_; }
    double most() const { return most_; }
    double cdf(double factor) const {
        if (factor >= most_) return 1;
        if (factor < least_) return 0;
        const double place = std::log(factor / least_) * perLog_;
        const auto below = std::min(static_cast<std::size_t>(place), points - 2);
        return table_[below] + (place - static_cast<double>(below)) * (table_[below + 1] - table_[below]);
    }

private:
    static constexpr std::size_t points = 2000; ///< of the table, in equal ratios: 0.1 % apart where hosts range over a factor of 8
    double least_, most_, perLog_ = 1;
    std::vector<double> table_;
};

/// Mean and quantiles of a factor from its distribution function between two bounds.
template <typename Cdf>
FactorSpread readOff(double least, double most, const Cdf& cdf) {
    constexpr int steps = 1500;
    FactorSpread spread;
    const double step = (most - least) / steps;
    std::vector<double> table(steps + 1);
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
        table[static_cast<std::size_t>(i)] = cdf(least + i * step);
        sum += (i == 0 || i == steps ? 0.5 : 1.0) * (1 - table[static_cast<std::size_t>(i)]);
    }
    spread.mean = least + sum * step;
    const auto quantile = [&](double level) {
        const auto above = std::lower_bound(table.begin(), table.end(), level);
        if (above == table.begin()) return least;
        if (above == table.end()) return most;
        const double before = *(above - 1), share = (level - before) / (*above - before);
        return least + (static_cast<double>(above - table.begin()) - 1 + share) * step;
    };
    spread.p5 = quantile(0.05);
    spread.p50 = quantile(0.5);
    spread.p95 = quantile(0.95);
    return spread;
}

} // namespace

ReplicaSpread spreadOf(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places) {
    const bool stagesDiffer = static_cast<std::size_t>(places.stagesTogether) < shape.alone.size();
    return spreadOf(shape, stagesDiffer ? hosts.variance() : 0);
}

FactorSpread analyticSpread(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places) {
    const ReplicaSpread replica = spreadOf(shape, hosts, places);
    const LogNormal noise = logNormalOf(replica.span);
    if (!hosts.any()) {
        const double n = places.teams;
        if (noise.sigma <= 0) return {replica.span.mean, replica.span.mean, replica.span.mean, replica.span.mean};
        const auto quantile = [&](double level) { return noise.quantile(levelOfMaximum(level, n)); };
        return {largestOf(replica.span, n).mean, quantile(0.05), quantile(0.5), quantile(0.95)};
    }
    // Teams on the same hosts differ in their kernels' noise alone.
    constexpr int nodes = 48;
    constexpr double widest = 6;                   // standard deviations
    std::vector<std::pair<double, double>> levels; // of the slowest team's noise, with its weight
    double weights = 0;
    for (int i = 0; i < nodes && noise.sigma > 0; ++i) {
        const double half = widest / nodes, z = (2 * i + 1) * half - widest;
        const double sharing = std::min(places.sharing, places.teams);
        levels.emplace_back(std::exp(noise.mu + noise.sigma * z), std::pow(normalCdf(z + half), sharing) - std::pow(normalCdf(z - half), sharing));
        weights += levels.back().second;
    }
    if (levels.empty()) levels.emplace_back(replica.span.mean, weights = 1);
    const TeamFactors team(shape, hosts, places);
    // A slow stage slows the whole pipeline in the steady state, but its own part alone while that fills and drains.
    const double alone = shape.span(shape.alone);
    const double slowest = *std::max_element(shape.alone.begin(), shape.alone.end());
    const double steady = shape.heldUp() * slowest / alone, rest = (1 - steady) * hosts.mean();
    const double groups = std::ceil(double(places.teams) / places.sharing);
    const auto cdf = [&](double factor) {
        double sum = 0;
        for (const auto& [level, weight] : levels) sum += weight * team.cdf((factor / level - rest) / steady);
        return std::pow(sum / weights, groups);
    };
    return readOff(levels.front().first * (steady * team.least() + rest), levels.back().first * (steady * team.most() + rest), cdf);
}

IterationDraw drawIteration(const ReplicaShape& shape, const ReplicaSpread& spread, const HostFactors& hosts, const TeamPlaces& places,
                            std::uint64_t seed, std::uint64_t draw) {
    const LogNormal noise = logNormalOf(spread.span);
    const std::uint64_t stream = noiseStream + draw;
    const std::size_t stages = shape.alone.size();
    IterationDraw slowest;
    slowest.ofStage.assign(stages, 1);
    const auto noiseAt = [&](double normal) { return noise.sigma > 0 ? std::exp(noise.mu + noise.sigma * normal) : spread.span.mean; };
    if (!hosts.any()) {
        slowest.factor = noiseAt(normalQuantile(levelOfMaximum(uniformDraw(seed, stream, 0), places.teams)));
        slowest.noise = slowest.factor / spread.span.mean;
        return slowest;
    }
    const double alone = shape.span(shape.alone);
    slowest.factor = 0;
    std::vector<double> factors(stages), seconds(stages);
    const auto together = static_cast<std::size_t>(places.stagesTogether);
    const int groups = (places.teams + places.sharing - 1) / places.sharing;
    std::uint64_t host = 0;
    for (int group = 0; group < groups; ++group) {
        for (std::size_t stage = 0; stage < stages; ++stage) {
            factors[stage] = stage % together == 0 ? 0 : factors[stage - 1];
            for (int i = 0; i < places.hostsPerStage && stage % together == 0; ++i) factors[stage] = std::max(factors[stage], hosts.draw(seed, draw, host++));
            seconds[stage] = factors[stage] * shape.alone[stage];
        }
        const int sharing = std::min(places.sharing, places.teams - group * places.sharing);
        const double own = noiseAt(normalQuantile(levelOfMaximum(uniformDraw(seed, stream, static_cast<std::uint64_t>(group)), sharing)));
        const double factor = own * shape.span(seconds) / alone;
        if (factor <= slowest.factor) continue;
        slowest = {factor, factors, own / spread.span.mean};
    }
    return slowest;
}

FactorSpread sampledSpread(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places, std::uint64_t seed, int draws) {
    ORRERY_EXPECT(draws >= 1, draws);
    const ReplicaSpread replica = spreadOf(shape, hosts, places);
    std::vector<double> factors;
    double sum = 0;
    for (int draw = 0; draw < draws; ++draw) {
        factors.push_back(drawIteration(shape, replica, hosts, places, seed, static_cast<std::uint64_t>(draw)).factor);
        sum += factors.back();
    }
    std::sort(factors.begin(), factors.end());
    const auto quantile = [&](double level) {
        const double place = level * (draws - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, factors.size() - 1);
        return factors[below] + (place - static_cast<double>(below)) * (factors[above] - factors[below]);
    };
    return {sum / draws, quantile(0.05), quantile(0.5), quantile(0.95)};
}

} // namespace orrery
