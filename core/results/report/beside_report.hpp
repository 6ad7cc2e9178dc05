// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace orrery {

/// A link that a job beside and the scenario's own traffic both cross.
struct SharedLink {
    std::string from, to; ///< nodes, in the direction of the traffic
    double bandwidth = 0; ///< bytes/s in that direction
    int count = 1;        ///< such links
};

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
    std::vector<SharedLink> shared; ///< none: what it sends meets nothing of the scenario's own
};

} // namespace orrery
