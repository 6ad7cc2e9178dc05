// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/random_stream.hpp"

#include "core/base/expect.hpp"
#include "core/base/mixed_bits.hpp"

#include <cmath>

namespace orrery {
namespace {

constexpr double ln2High = 0x1.62e42fee00000p-1, ln2Low = 0x1.a39ef35793c76p-33; // together ln 2

/// Inverse of the standard normal distribution function (P. J. Acklam).
double normalInverse(double p) {
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    constexpr double tail = 0.02425;
    if (p < tail || p > 1 - tail) {
        const double q = std::sqrt(-2 * portableLog(p < tail ? p : 1 - p));
        const double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
        return p < tail ? x : -x;
    }
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

} // namespace

double portableLog(double x) {
    ORRERY_EXPECT(x > 0, x);
    int exponent = 0;
    double fraction = std::frexp(x, &exponent); // [0.5, 1), exact
    if (fraction < 0.70710678118654752) {
        fraction *= 2;
        --exponent;
    }
    const double s = (fraction - 1) / (fraction + 1), square = s * s; // log f = 2 artanh s, |s| < 0.172
    double sum = 0;
    for (int n = 21; n >= 3; n -= 2) sum = (sum + 1.0 / n) * square;
    return exponent * ln2High + (exponent * ln2Low + (2 * s + 2 * s * sum));
}

double portableExp(double x) {
    const double whole = std::floor(x * 1.4426950408889634 + 0.5);
    const double rest = (x - whole * ln2High) - whole * ln2Low; // |rest| < 0.35
    double sum = 0;
    for (int n = 14; n >= 1; --n) sum = (sum + 1) * rest / n;
    return std::ldexp(1 + sum, static_cast<int>(whole)); // exact
}

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0x9e3779b97f4a7c15ULL ^ (stream + 1) * 0xd1342543de82ef95ULL) { bits(); }

std::uint64_t RandomStream::bits() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mixedBits(state_);
}

double RandomStream::uniform() { return (static_cast<double>(bits() >> 12U) + 0.5) * 0x1p-52; }

double RandomStream::normal() { return normalInverse(uniform()); }

double RandomStream::exponential() { return -portableLog(uniform()); }

double RandomStream::gamma(double shape) {
    ORRERY_EXPECT(shape > 0, shape);
    if (shape < 1) { // Γ(k) is Γ(k + 1) · U^(1/k)
        const double larger = gamma(shape + 1);
        const double power = portableLog(uniform()) / shape;
        return power < -690 ? 0 : larger * portableExp(power);
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    while (true) {
        const double x = normal(), root = 1 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root;
        if (portableLog(uniform()) < 0.5 * x * x + d - d * v + d * portableLog(v)) return d * v;
    }
}

} // namespace orrery
