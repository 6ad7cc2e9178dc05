// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/traits.hpp"

#include <cstddef>
#include <vector>

namespace orrery {

/// What a run has that none of the runs at hand had: what its prediction extrapolates. Each is 0 where they had it.
struct Novelty {
    double framework = 0;    ///< frameworkDistance() of the nearest: 1 where none was of its line
    double accelerator = 0;  ///< 0.5: only ones like it, 1: only others
    double family = 0;       ///< 1: no model of its family
    double kind = 0;         ///< 1: none with experts, or only such
    double accelerators = 0; ///< octaves beyond the fewest or the most accelerators, at most 4
    double parameters = 0;   ///< octaves beyond the smallest or the largest model, at most 4
    double bits = 0;         ///< octaves that the products' operands are narrower than the narrowest
};

/// What each part adds to the half-width of a bar (of a logarithm) before evidence says otherwise: an assumption.
inline constexpr Novelty assumedWidths{.framework = 0.05, .accelerator = 0.06, .family = 0.03, .kind = 0.1, .accelerators = 0.02, .parameters = 0.025, .bits = 0.1};

/// All is asked of the runs with its framework, and of others of its line; what adds less (`assumedWidths`) holds. Where there are
/// neither, of those on a like accelerator, else of all. Sizes are compared with runs of its kind (dense or with experts) among these. `known` must not be empty.
Novelty noveltyOf(const RunTraits& run, const std::vector<const RunTraits*>& known);

/// Whether one of the runs had its stack (framework, accelerator or one like it, kind of model, requests or none) at about its size: within two octaves in
/// accelerators and parameters. Constants that were fitted to such a run know this one's kind; others have to extrapolate.
bool knowsStack(const RunTraits& run, const std::vector<const RunTraits*>& known);

/// In words, "another framework and 1.6 octaves fewer accelerators"; empty when nothing is new.
std::string noveltyText(const Novelty& novelty);

/// Runs as far away as each other, as the error of those around a scenario sees them.
struct Neighbour {
    double distance = 0;  ///< distance() from the scenario
    std::size_t pair = 0; ///< of model and accelerator; pairs count once each, by their nearest run
    double runs = 1;
    double error = 0; ///< mean of their |ln(measured/predicted)|
};

/// How far off the runs around a scenario were, in the logarithm: the mean over pairs, each by exp(−2 × distance), so that what is nearest decides, and
/// as if two pairs more had erred as the runs further around did, exp(−distance/2), so that one lucky run does not promise anything. `around` must not be empty.
double nearError(const std::vector<Neighbour>& around);

} // namespace orrery
