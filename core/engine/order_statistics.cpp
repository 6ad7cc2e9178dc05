// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/order_statistics.hpp"

#include "core/base/expect.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Where densities of maxima are summed up. Standard normals beyond carry nothing that a double sees, even weighted by exp(4 x).
constexpr double firstNode = -9, lastNode = 19, nodeStep = 0.05;
constexpr std::size_t nodeCount = static_cast<std::size_t>((lastNode - firstNode) / nodeStep) + 1;

struct Node {
    double x = 0;
    double density = 0; ///< φ(x) × step
    double logCdf = 0;
};

const std::array<Node, nodeCount>& nodes() {
    static const std::array<Node, nodeCount> table = [] {
        std::array<Node, nodeCount> made;
        for (std::size_t i = 0; i < nodeCount; ++i) {
            const double x = firstNode + nodeStep * static_cast<double>(i);
            made[i] = {x, nodeStep * std::exp(-x * x / 2) / std::sqrt(2 * pi), std::log(normalCdf(x))};
        }
        return made;
    }();
    return table;
}

/// Rational start of the quantile (Acklam 2003), good to 1.15e-9.
double roughQuantile(double p) {
    static constexpr std::array<double, 6> a{-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
                                             1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
    static constexpr std::array<double, 5> b{-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                                             -1.328068155288572e+01};
    static constexpr std::array<double, 6> c{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                             -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
    static constexpr std::array<double, 4> d{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    const auto tail = [&](double q) {
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    };
    constexpr double low = 0.02425;
    if (p < low) return tail(std::sqrt(-2 * std::log(p)));
    if (p > 1 - low) return -tail(std::sqrt(-2 * std::log1p(-p)));
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

} // namespace

double normalCdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

double normalQuantile(double p) {
    ORRERY_EXPECT(p > 0 && p < 1, p);
    const double x = roughQuantile(p);
    if (p > 0.5) { // by the tail, where p itself has lost its digits
        const double step = (std::erfc(x / std::sqrt(2.0)) / 2 - (1 - p)) * std::sqrt(2 * pi) * std::exp(x * x / 2);
        return x + step / (1 - x * step / 2);
    }
    const double step = (normalCdf(x) - p) * std::sqrt(2 * pi) * std::exp(x * x / 2);
    return x - step / (1 + x * step / 2);
}

double levelOfMaximum(double u, double n) { return std::pow(u, 1 / n); }

Moments largestNormal(double n) {
    ORRERY_EXPECT(n >= 1, n);
    double first = 0, second = 0;
    for (const Node& node : nodes()) {
        const double weight = n * node.density * std::exp((n - 1) * node.logCdf);
        first += weight * node.x;
        second += weight * node.x * node.x;
    }
    return {first, second - first * first};
}

double blomLargestNormal(double n) {
    constexpr double alpha = 0.375;
    return normalQuantile((n - alpha) / (n - 2 * alpha + 1));
}

double LogNormal::quantile(double p) const { return std::exp(mu + sigma * normalQuantile(p)); }

double LogNormal::cdf(double x) const {
    if (x <= 0) return 0;
    if (sigma <= 0) return std::log(x) >= mu ? 1 : 0;
    return normalCdf((std::log(x) - mu) / sigma);
}

double LogNormal::mean() const { return std::exp(mu + sigma * sigma / 2); }

LogNormal logNormalOf(const Moments& sum) {
    if (sum.mean <= 0) return {};
    const double square = std::log1p(sum.variance / (sum.mean * sum.mean));
    return {std::log(sum.mean) - square / 2, std::sqrt(square)};
}

Moments largestOf(const Moments& one, double n) {
    ORRERY_EXPECT(n >= 1 && one.variance >= 0, n, one.variance);
    if (n <= 1 || one.variance <= 0 || one.mean <= 0) return one;
    const double sigma = logNormalOf(one).sigma;
    double first = 0, second = 0;
    for (const Node& node : nodes()) {
        const double weight = n * node.density * std::exp((n - 1) * node.logCdf);
        const double value = std::exp(sigma * node.x - sigma * sigma / 2);
        first += weight * value;
        second += weight * value * value;
    }
    return {one.mean * first, one.mean * one.mean * std::max(0.0, second - first * first)};
}

double expectedLargest(const std::function<double(double)>& cdf, double n, double least, double most) {
    ORRERY_EXPECT(n >= 1 && least <= most, n, least, most);
    constexpr int steps = 4000;
    const double step = (most - least) / steps;
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += 1 - std::pow(cdf(least + (i + 0.5) * step), n);
    return least + sum * step;
}

} // namespace orrery
