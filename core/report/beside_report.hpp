// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace orrery {

/// How a training job fared that ran beside, on links that it shared.
struct BesideReport {
    std::string scenario; ///< file, as the scenario names it
    std::string name;
    std::vector<std::string> hosts; ///< ids
    int accelerators = 0;
    int iterations = 0;              ///< that began while the others ran; each was run to its end
    double iterationTime = 0;        ///< s, mean over them
    double longestIterationTime = 0; ///< s
    double aloneIterationTime = 0;   ///< s, with all links to itself
    double tokensPerIteration = 0;
};

} // namespace orrery
