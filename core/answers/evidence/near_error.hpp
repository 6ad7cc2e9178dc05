// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace orrery {

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
