// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace orrery {

/// How often accelerators fail, and what a long run does about it.
struct Reliability {
    double meanTimeBetweenFailures = 0;       ///< s, of one accelerator with all that serves it
    std::optional<double> checkpointInterval; ///< s of work between two checkpoints; nothing: the best one
    double checkpointTime = 0;                ///< s that writing one holds the job up for
    double restartTime = 0;                   ///< s from a failure until the job works again
    int spares = 0;                           ///< accelerators that stand by
};

} // namespace orrery
