// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_bars.hpp"
#include "core/answers/validation/score.hpp"
#include "core/base/json_forward.hpp"

#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// "Training: time", "Serving: output rate".
const char* titleOf(ErrorOf what);

/// What runs are put together by.
enum class ErrorGrouping { accelerator,
                           model,
                           framework,
                           source };

/// The group of runs that a run belongs to: an id of the catalogue, or for `source` the group of its case.
const std::string& keyOf(const MeasuredRun& run, ErrorGrouping grouping);

/// The errors of one group of runs, in percent as `validate` counts them.
struct ErrorTableRow {
    std::string key;
    std::size_t runs = 0;  ///< that measured it; 0: an entry of the catalogue that nothing was measured with
    ErrorSummary inSample; ///< of the shipped constants
    ErrorSummary leftOut;  ///< of constants fitted without the run's group; its `scored` is 0 where none are known
};

/// Worst first: by the mean error of the shipped constants; groups of which nothing was predicted come after all others.
std::vector<ErrorTableRow> errorTable(const Evidence& evidence, ErrorGrouping grouping, ErrorOf what);

/// All runs together.
ErrorTableRow errorTotal(const Evidence& evidence, ErrorOf what);

/// Mean over the collections of runs of each one's mean error by constants fitted without it, percent: what a stack or machine that no
/// constant was fitted to has to expect. Nothing where no such errors are known.
std::optional<double> neverSeenError(const Evidence& evidence, ErrorOf what);

/// What the catalogue has and no run was measured with, in its order; for frameworks those that are for training or for inference as `what` is. Nothing for `source`.
std::vector<std::string> withoutEvidence(const Evidence& evidence, ErrorGrouping grouping, ErrorOf what, const Catalog& catalog);

/// Signed errors in percent; nothing where it was not predicted.
std::optional<double> inSampleError(const MeasuredFigure& figure);
std::optional<double> leftOutError(const MeasuredFigure& figure);

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
