// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

namespace orrery {

/// How far off one measured run was, and how much it counts.
struct WeightedScore {
    double score = 0;  ///< not negative
    double weight = 1; ///< positive
};

/// The smallest score that, with all smaller ones, weighs at least `level` of everything, the new run's own weight of 1 counted as
/// the largest score of all; nothing where the scores weigh too little for that.
///
/// With equal weights of 1 this is split conformal prediction: of exchangeable runs at least `level` lie within it (Vovk, Gammerman,
/// Shafer 2005; Lei et al. 2018, Theorem 2). With the weights of each group summing to 1 it holds for a run of a new group when
/// groups are exchangeable (Lee, Barber, Willett 2023, arXiv 2306.06342). Choosing the nearest runs as calibration costs at most
/// what those differ from exchangeable ones (Barber, Candès, Ramdas, Tibshirani 2023, Theorem 2).
std::optional<double> conformalQuantile(std::vector<WeightedScore> scores, double level);

} // namespace orrery
