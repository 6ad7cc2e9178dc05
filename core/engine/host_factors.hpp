// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/jitter_model.hpp"

#include <cstdint>

namespace orrery {

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
