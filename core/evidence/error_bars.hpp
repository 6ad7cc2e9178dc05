// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evidence/bar_width.hpp"
#include "core/evidence/traits.hpp"
#include "core/report/result.hpp"

#include <array>
#include <memory>
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

/// Error bars from measured runs. Their width adds up from how far off the most alike runs are (12 pairs of model and accelerator, all
/// there are if fewer) and from what the scenario has that no run had: framework, accelerator, family of models, scale (novelty.hpp).
/// What each of these is worth is learned from runs whose whole source, and from runs whose own pair, was left out of the evidence (the
/// first held against predictions by constants fitted without their group); the sum is stretched so that 9 of 10 runs of a source never
/// seen lie inside (bar_width.hpp). Nothing where there is too little evidence to tell 90 %.
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

    /// The bars as if no run of the source had been measured; for evaluation.
    ErrorBars withoutSource(std::size_t source) const;

    /// What of a scenario some run was measured with.
    struct Known {
        bool accelerator = false; ///< or one like it
        bool framework = false;
        bool kind = false;
        bool stack = false; ///< accelerator and framework together: the constants were fitted to runs of its kind
    };
    Known knownOf(ErrorOf what, const RunTraits& traits) const;

    const std::vector<CalibrationRun>& runs(ErrorOf what) const { return of(what).runs; }
    const WidthModel& widths(ErrorOf what) const { return of(what).widths; }
    const Evidence& evidence() const { return *evidence_; }

private:
    /// Runs that no term of a width can tell apart.
    struct Cell {
        RunTraits traits;
        std::size_t pair = 0, source = 0;
        std::vector<std::size_t> runs; ///< index into Kept::runs
        double meanError = 0;          ///< in sample
    };
    struct Near {
        double distance = 0;
        const Cell* cell = nullptr;
    };
    struct Kept {
        std::vector<CalibrationRun> runs;
        std::vector<Cell> cells;
        WidthModel widths;
    };

    using RunsByKind = std::array<std::vector<CalibrationRun>, WordsOf<ErrorOf>::table.size()>;

    ErrorBars(std::shared_ptr<const Evidence> evidence, RunsByKind runs);
    static Kept kept(std::vector<CalibrationRun> runs, ErrorOf what);
    static std::vector<Near> nearest(const std::vector<const Cell*>& cells, const RunTraits& traits);
    static double meanError(const std::vector<Near>& near);
    static WidthTerms terms(const std::vector<const Cell*>& cells, const RunTraits& traits);
    const Kept& of(ErrorOf what) const { return kept_[static_cast<std::size_t>(what)]; }
    ErrorBar describe(const std::vector<Near>& near, const RunTraits& traits, bool leftOut, ErrorOf what) const;

    std::shared_ptr<const Evidence> evidence_;
    std::array<Kept, WordsOf<ErrorOf>::table.size()> kept_; ///< by ErrorOf
};

/// Puts the error bars of its scenario into a result; for `simulate`.
void addErrorBars(Result& result, const ErrorBars& bars);

/// The figure that a run measured of this, predicted or not; null when it measured none.
const MeasuredFigure* measuredFigureOf(const MeasuredRun& run, ErrorOf what);

} // namespace orrery
