#pragma once

#include "core/evidence/traits.hpp"
#include "core/report/result.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// What an error bar is of.
enum class ErrorOf { time, memory };

/// One run as error bars see it.
struct CalibrationRun {
    std::size_t run = 0; ///< index into the evidence
    RunTraits traits;
    std::size_t pair = 0; ///< of model and accelerator: runs of one pair are no independent evidence
    double inSample = 0;  ///< |ln(measured/predicted)|
    double leftOut = 0;   ///< the same by constants fitted without its group; `inSample` where none were
    bool hasLeftOut = false;
};

/// Error bars from measured runs, by split conformal prediction on |ln(measured/predicted)|: of a scenario the most alike runs, as
/// many as it takes to have 30 pairs of model and accelerator (all there are if fewer; none below 9, which can't tell 90 %).
/// Where some run has the scenario's framework on a like accelerator, the constants were fitted to its kind of machine and errors
/// are those of the shipped constants; elsewhere they are those of constants fitted without the run's own group.
/// Immutable: any number of threads may ask.
class ErrorBars {
public:
    static constexpr double level = 0.9;
    static constexpr std::size_t pairsWanted = 30; ///< of these the quantile is the 93 %, so that few do not make it much wider than 90 %

    /// `catalog` is read here and not kept.
    ErrorBars(std::shared_ptr<const Evidence> evidence, const Catalog& catalog);

    Uncertainty of(const Scenario& scenario) const;

    /// For evaluation: `heldOut` is a pair whose runs are not looked at.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::optional<ErrorBar> bar(ErrorOf what, const RunTraits& traits, std::size_t heldOut = none) const;

    /// What of a scenario some run was measured with.
    struct Known {
        bool accelerator = false; ///< or one like it
        bool framework = false;
        bool kind = false;
        bool stack = false; ///< accelerator and framework together: the constants were fitted to runs of its kind
    };
    Known knownOf(ErrorOf what, const RunTraits& traits, std::size_t heldOut = none) const;

    const std::vector<CalibrationRun>& runs(ErrorOf what) const { return what == ErrorOf::time ? time_ : memory_; }
    const Evidence& evidence() const { return *evidence_; }

private:
    struct Near {
        double distance = 0;
        const CalibrationRun* run = nullptr;
    };
    std::vector<Near> nearest(ErrorOf what, const RunTraits& traits, std::size_t heldOut) const;
    ErrorBar describe(const std::vector<Near>& near, const RunTraits& traits, bool leftOut, ErrorOf what) const;

    std::shared_ptr<const Evidence> evidence_;
    std::vector<CalibrationRun> time_, memory_;
};

/// Puts the error bars of its scenario into a result; for `simulate`.
void addErrorBars(Result& result, const ErrorBars& bars);

/// The figure that a run measured of time or memory, predicted or not; null when it measured none.
const MeasuredFigure* measuredFigureOf(const MeasuredRun& run, ErrorOf what);

} // namespace orrery
