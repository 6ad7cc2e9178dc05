// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery {

/// How much longer a host takes for all that it computes, as long as the job runs.
struct HostJitter {
    double sigma = 0;     ///< of the log-normal factor of mean 1 that every host has
    double slowShare = 0; ///< of the hosts
    double slowdown = 1;  ///< of these, on top

    bool any() const { return sigma > 0 || (slowShare > 0 && slowdown > 1); }
};

enum class JitterMethod {
    sampled,  ///< drawn by the seed: hosts one by one, of kernels the slowest of those that wait for each other
    analytic, ///< the expected slowest
};

enum class JitterClass { compute,
                         memory,
                         communication };
inline constexpr std::size_t jitterClassCount = 3;

/// What-if: kernels' times vary at random by a log-normal factor of mean 1, and hosts differ. The slowest of those that wait for each other
/// is looked at instead of every rank (core/engine), so that a job costs the same on 8 ranks and on 10,000.
struct JitterModel {
    JitterMethod method = JitterMethod::sampled;
    std::uint64_t seed = 0;
    std::array<double, jitterClassCount> sigma{}; ///< standard deviation of the factor's logarithm, by class of operator
    HostJitter hosts;

    bool any() const { return hosts.any() || sigma[0] > 0 || sigma[1] > 0 || sigma[2] > 0; }
};

/// Uniform in (0, 1), a function of its arguments alone: what is drawn never depends on who else draws, nor in what order.
double uniformDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
/// Standard normal, of the draws `index` and `index + 1`.
double normalDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

/// How much longer all that a host computes takes, for as long as the job runs: a log-normal of mean 1, and for a share of the hosts
/// the slowdown on top.
class HostFactors {
public:
    explicit HostFactors(const HostJitter& hosts) : hosts_(hosts) {}

    bool any() const { return hosts_.any(); }
    double mean() const;
    double variance() const;
    double cdf(double factor) const;
    /// Beyond these lies less than one host in 10¹⁵.
    double least() const;
    double most() const;
    /// Mean of the slowest of `hosts`.
    double expectedSlowest(double hosts) const;
    /// The factor of one host: a function of the seed, which draw of the cluster it is, and the host's number.
    double draw(std::uint64_t seed, std::uint64_t cluster, std::uint64_t host) const;

private:
    HostJitter hosts_;
};

} // namespace orrery
