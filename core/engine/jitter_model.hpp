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

} // namespace orrery
