// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evidence/traits.hpp"

#include <vector>

namespace orrery {

/// What a run has that none of the runs at hand had: what its prediction extrapolates. Each is 0 where they had it.
struct Novelty {
    double framework = 0;    ///< 1: none had its framework
    double accelerator = 0;  ///< 0.5: only ones like it, 1: only others
    double family = 0;       ///< 1: no model of its family
    double accelerators = 0; ///< octaves beyond the fewest or the most accelerators, at most 4
    double parameters = 0;   ///< octaves beyond the smallest or the largest model, at most 4
};

/// All but the framework are asked of the runs with its framework; where there are none, of those on a like accelerator, else of all.
/// Sizes are compared with runs of its kind (dense or with experts) among these. `known` must not be empty.
Novelty noveltyOf(const RunTraits& run, const std::vector<const RunTraits*>& known);

/// In words, "another framework and 1.6 octaves fewer accelerators"; empty when nothing is new.
std::string noveltyText(const Novelty& novelty);

} // namespace orrery
