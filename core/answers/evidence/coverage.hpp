// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_bars.hpp"
#include "core/base/json_forward.hpp"

#include <string>
#include <vector>

namespace orrery {

/// How error bars did on runs of which they knew nothing.
struct CoverageRow {
    std::string group; ///< empty: all of them
    int runs = 0;
    int covered = 0;
    int without = 0;          ///< runs for which there was too little evidence; not in `runs`
    double meanHalfWidth = 0; ///< over the predicted value
    double medianHalfWidth = 0;
    double medianError = 0; ///< of |measured/predicted − 1|; of what the interval was held against
    double share() const { return runs > 0 ? double(covered) / runs : 0; }
};

struct Coverage {
    std::vector<CoverageRow> groups; ///< in order of first appearance
    CoverageRow all;
};

/// What is left out at a time.
enum class CoverageFolds { source, ///< whole sources (sourcesOf()); runs are held against predictions by constants fitted without their group where there
                                   ///< are some, for constants fitted to the run's collection would know its kind
                           pair,   ///< a tenth of the pairs of model and accelerator, held against what the shipped constants predict
};

/// Each run's interval comes from what is left alone.
Coverage evaluateCoverage(const ErrorBars& bars, ErrorOf what, CoverageFolds folds = CoverageFolds::source);

/// The folds are sources.
Json toJson(const Coverage& coverage);

} // namespace orrery
