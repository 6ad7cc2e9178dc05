// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/joint_replay.hpp"

#include <vector>

namespace orrery {

/// What it costs not to have recorded everybody: errors of the whole span, as shares of the replay of all records.
struct FoldingErrors {
    std::vector<double> ontoRank; ///< by record: all ranks do between collectives what this one did; they still come to the first one as recorded
    double ontoMean = 0;          ///< all do the mean
    std::vector<double> leftOut;  ///< by record: this rank alone does, and begins, what is the mean of the others
};

/// The records, at least two, have equally many collectives and one clock.
FoldingErrors foldingErrors(const std::vector<RankRecord>& records);

} // namespace orrery
