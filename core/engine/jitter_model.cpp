// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/jitter_model.hpp"

#include "core/base/expect.hpp"
#include "core/base/mixed_bits.hpp"
#include "core/engine/order_statistics.hpp"

#include <cmath>

namespace orrery {

/// splitmix64 (Steele et al. 2014).
double uniformDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    const std::uint64_t bits = mixedBits(seed * 0x9e3779b97f4a7c15ULL + stream * 0xd1342543de82ef95ULL + index * 0xda942042e4dd58b5ULL + 0x632be59bd9b4e019ULL);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

/// Box, Muller 1958.
double normalDraw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    const double u = uniformDraw(seed, stream, index), v = uniformDraw(seed, stream, index + 1);
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
}

namespace {

constexpr double reach = 8; ///< standard deviations

/// Draws of hosts and of kernels must not meet.
constexpr std::uint64_t hostStream = 0x4f5354ULL << 32;

} // namespace

double HostFactors::mean() const { return 1 + hosts_.slowShare * (hosts_.slowdown - 1); }

double HostFactors::variance() const {
    const double square = 1 + hosts_.slowShare * (hosts_.slowdown * hosts_.slowdown - 1);
    return std::exp(hosts_.sigma * hosts_.sigma) * square - mean() * mean();
}

double HostFactors::cdf(double factor) const {
    const LogNormal usual{-hosts_.sigma * hosts_.sigma / 2, hosts_.sigma};
    double sum = (1 - hosts_.slowShare) * usual.cdf(factor);
    if (hosts_.slowShare > 0) sum += hosts_.slowShare * usual.cdf(factor / hosts_.slowdown);
    return sum;
}

double HostFactors::least() const { return std::exp(-hosts_.sigma * (reach + hosts_.sigma / 2)); }

double HostFactors::most() const {
    return (hosts_.slowShare > 0 ? hosts_.slowdown : 1) * std::exp(hosts_.sigma * (reach - hosts_.sigma / 2));
}

double HostFactors::expectedSlowest(double hosts) const {
    ORRERY_EXPECT(hosts >= 1, hosts);
    if (!any()) return 1;
    if (hosts_.sigma <= 0) return 1 + (1 - std::pow(1 - hosts_.slowShare, hosts)) * (hosts_.slowdown - 1);
    return expectedLargest([this](double factor) { return cdf(factor); }, hosts, least(), most());
}

double HostFactors::draw(std::uint64_t seed, std::uint64_t cluster, std::uint64_t host) const {
    double factor = 1;
    const std::uint64_t stream = hostStream + cluster;
    if (hosts_.sigma > 0) factor = std::exp(hosts_.sigma * normalDraw(seed, stream, 4 * host) - hosts_.sigma * hosts_.sigma / 2);
    if (hosts_.slowShare > 0 && uniformDraw(seed, stream, 4 * host + 2) < hosts_.slowShare) factor *= hosts_.slowdown;
    return factor;
}

} // namespace orrery
