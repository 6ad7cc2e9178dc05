// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/case_model.hpp"
#include "core/answers/calibration/least_squares.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// One constant of one generation or profile that a fit may move.
struct FitPlace {
    bool ofGeneration = true;
    std::size_t entry = 0;    ///< in Calibration::generations or profiles
    std::size_t constant = 0; ///< row of generationConstants() or profileConstants()
};

/// Slopes of every case, kept for fits that begin where they were taken.
struct FitSlopes {
    std::vector<FitPlace> places;
    std::vector<std::vector<std::pair<std::size_t, double>>> ofCase; ///< by place
};

struct FitOptions {
    LeastSquaresOptions squares;
    int pooling = 2;                   ///< how many times the middle of the entries is found and fitted around
    std::string leftOut;               ///< group that is not fitted to; empty: none
    ConstantValues held;               ///< constants that are this everywhere (see CaseModel::scenario) and are not fitted
    std::vector<std::string> unfitted; ///< constants that stay as the catalogue says
    double leastDetermined = 0.05;     ///< a constant that the cases say less of takes the pooled value
    const FitSlopes* slopes = nullptr; ///< use these instead of taking new ones: cheaper, ends in the same place a little later
};

struct ConstantFit {
    Calibration calibration;
    FitSlopes slopes; ///< at the end; empty where `slopes` were given
    int iterations = 0;
    int evaluations = 0; ///< of all cases together
};

/// Fits the constants of `start`'s generations and profiles to the cases: mean squares of the logarithm of estimated over measured
/// time, each group with the same weight, large residuals linearly, with weak priors around the pooled values (the catalogue's to
/// begin with). Changes nothing of the cases but what they keep for themselves. The same bytes at any number of threads.
ConstantFit fitConstants(std::vector<CaseModel>& cases, const Calibration& start, const FitOptions& options, const RunControl& control);

/// A fit that depends on nothing fitted before, to cases as makeCaseModels() gives them: it begins with what the catalogue says, makes
/// the estimates agree with simulations under what it found, and fits once more. `entries` says which generations and profiles there are.
ConstantFit fitFromScratch(std::vector<CaseModel>& cases, const Calibration& entries, const FitOptions& options, const RunControl& control);

/// The same generations and profiles, nothing fitted.
Calibration withoutConstants(Calibration calibration);

/// The middle of what was fitted, weighed by how much the cases say of each: mean logarithm, the catalogue counting as one more
/// entry. For what the catalogue knows by machine or profile, the middle of the ratios to that.
struct PooledInput {
    FitPlace place;
    double logRatio = 0; ///< of the fitted to the catalogue's value
    double weight = 0;   ///< 0 to 1
};
std::vector<double> pooledLogRatios(const std::vector<PooledInput>& fitted, bool ofGeneration);

/// The nearest number of four digits, exactly what its text reads as: fitted values are no more certain than that.
double fewDigits(double value);

/// How far off the estimates are, by group in order of first appearance: mean |time/measured − 1|, percent, of each case.
std::vector<std::pair<std::string, std::vector<double>>> errorsByGroup(std::vector<CaseModel>& cases, const Calibration& calibration,
                                                                       const ConstantValues& held, const RunControl& control);

} // namespace orrery
