// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace orrery {

/// Mean and variance of a time, s and s², or of a factor.
struct Moments {
    double mean = 0;
    double variance = 0;
};

double normalCdf(double x);
/// Inverse of the above for 0 < p < 1, to double precision (Acklam's start, one step of Halley).
double normalQuantile(double p);

/// The level at which the maximum of `n` independent draws of one distribution lies: the maximum's distribution function is Fⁿ, so
/// F⁻¹(u^(1/n)) with u uniform in (0, 1) draws it at once (David, Nagaraja: Order Statistics, 3rd ed., 2003, section 2.1).
double levelOfMaximum(double u, double n);

/// Mean and variance of the largest of `n` standard normals, n ≥ 1 and not necessarily whole: ∫ x n φ(x) Φ(x)ⁿ⁻¹ dx by the trapezoidal rule.
Moments largestNormal(double n);
/// Blom's (1958) approximation of the above mean: Φ⁻¹((n − α)/(n − 2α + 1)), α = 0.375.
double blomLargestNormal(double n);

/// A log-normal: the logarithm is normal with mean mu and standard deviation sigma.
struct LogNormal {
    double mu = 0;
    double sigma = 0;

    double quantile(double p) const;
    double cdf(double x) const;
    double mean() const;
};
/// The log-normal that stands for a sum of independent log-normals with these moments (Fenton, IRE Trans. Comm. Syst. 8, 1960; Wilkinson).
LogNormal logNormalOf(const Moments& sum);

/// Mean and variance of the largest of `n` independent times, each log-normal with these moments.
Moments largestOf(const Moments& one, double n);

/// Mean of the largest of `n` independent draws from `cdf`, all of which lies between `least` and `most`:
/// least + ∫ (1 − F(x)ⁿ) dx.
double expectedLargest(const std::function<double(double)>& cdf, double n, double least, double most);

} // namespace orrery
