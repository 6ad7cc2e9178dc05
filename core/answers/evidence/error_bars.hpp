// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/bar_width.hpp"
#include "core/answers/evidence/traits.hpp"
#include "core/results/report/result.hpp"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// One run as error bars see it.
struct CalibrationRun {
    std::size_t run = 0;  ///< index into the evidence
    std::size_t rank = 0; ///< among all runs by name
    RunTraits traits;
    std::size_t pair = 0;   ///< of model and accelerator
    std::size_t source = 0; ///< see sourcesOf()
    double inSample = 0;    ///< |ln(measured/predicted)|
    double leftOut = 0;     ///< the same by constants fitted without its group; `inSample` where none were
    bool hasLeftOut = false;
};

/// Error bars from measured runs. A bar is as wide as the runs around the scenario were off (near_error.hpp) and wider by what the scenario has that none
/// of them had (novelty.hpp). Where some run had its stack, those are errors of the shipped constants; where none had, of constants that were fitted without
/// the runs' own group, which is what such a stack has to expect. What each novelty is worth is learned from runs whose whole source, and from runs whose
/// own pair of model and accelerator, was left out of the evidence, and the whole is stretched so that 9 of 10 of them lie inside, stacks with and without
/// runs each for itself (bar_width.hpp). Nothing where there is too little evidence to tell 90 %.
/// Immutable: any number of threads may ask.
class ErrorBars {
public:
    static constexpr double level = 0.9;
    static constexpr std::size_t pairsWanted = 12;

    /// `catalog` is read here and not kept.
    ErrorBars(std::shared_ptr<const Evidence> evidence, const Catalog& catalog);

    /// Bars of what a run of the scenario's kind shows: time and memory of training, first token, tokens and rate of what is served.
    Uncertainty of(const Scenario& scenario) const;
    std::optional<ErrorBar> bar(ErrorOf what, const RunTraits& traits) const;

    /// Bars of one kind as if some runs had not been measured; for evaluation.
    ErrorBars without(ErrorOf what, const std::function<bool(const CalibrationRun&)>& unmeasured) const;

    /// What of a scenario some run was measured with.
    struct Known {
        bool accelerator = false; ///< or one like it
        bool framework = false;
        bool kind = false;
        bool stack = false; ///< accelerator and framework together: the constants were fitted to runs of its kind
    };
    Known knownOf(ErrorOf what, const RunTraits& traits) const;

    /// How far off the runs around a scenario were (near_error.hpp), in the logarithm, 0 where there are none: by the shipped constants where its stack is
    /// known, else by ones fitted without their group. Of one of the runs itself the rest are asked: without its pair, or without its source.
    double errorAround(ErrorOf what, const RunTraits& traits, bool known, const CalibrationRun* own = nullptr) const;
    /// knowsStack() of the runs at hand.
    bool knows(ErrorOf what, const RunTraits& traits) const;

    const std::vector<CalibrationRun>& runs(ErrorOf what) const { return of(what).runs; }
    const WidthModels& widths(ErrorOf what) const { return of(what).widths; }
    const Evidence& evidence() const { return *evidence_; }

private:
    /// Runs that no term of a width can tell apart.
    struct Cell {
        RunTraits traits;
        std::size_t pair = 0, source = 0;
        std::vector<std::size_t> runs; ///< index into Kept::runs
        double meanError = 0;          ///< in sample
        double meanLeftOut = 0;        ///< by constants fitted without their group
    };
    struct Near {
        double distance = 0;
        const Cell* cell = nullptr;
    };
    struct Kept {
        std::vector<CalibrationRun> runs;
        std::vector<Cell> cells;
        WidthModels widths;
    };

    using RunsByKind = std::array<std::vector<CalibrationRun>, WordsOf<ErrorOf>::table.size()>;

    ErrorBars(std::shared_ptr<const Evidence> evidence, RunsByKind runs);
    static Kept kept(std::vector<CalibrationRun> runs, ErrorOf what);
    static std::vector<Near> nearest(const std::vector<const Cell*>& cells, const RunTraits& traits);
    /// `distances`: of each cell from the scenario.
    static WidthTerms terms(const std::vector<const Cell*>& cells, const std::vector<double>& distances, const RunTraits& traits, bool known);
    /// Bars of one kind: fitted when somebody first asks, for most results show two or three of the five.
    struct Fitted {
        std::once_flag once;
        std::vector<CalibrationRun> runs; ///< until then
        Kept kept;
    };
    void keep(RunsByKind runs);
    const Kept& of(ErrorOf what) const;
    ErrorBar describe(const std::vector<Near>& near, const RunTraits& traits, bool leftOut, ErrorOf what) const;

    std::shared_ptr<const Evidence> evidence_;
    std::array<std::shared_ptr<Fitted>, WordsOf<ErrorOf>::table.size()> fitted_; ///< by ErrorOf
};

/// Puts the error bars of its scenario into a result; for `simulate`.
void addErrorBars(Result& result, const ErrorBars& bars);

/// The figure that a run measured of this, predicted or not; null when it measured none.
const MeasuredFigure* measuredFigureOf(const MeasuredRun& run, ErrorOf what);

} // namespace orrery
