// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/headline/figures.hpp"

#include <QCoreApplication>

#include <optional>

namespace orrery {

/// What all makers of headlines share: blank figures, changes against the baseline, error bars, the peak of memory.
class FigureMaker {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)

public:
    FigureMaker(const Result* result, const Result* baseline, const QString& baselineName)
        : result_(result), baseline_(baseline), baselineName_(baselineName) {}

protected:
    Figure titled(const char* pointer, const QString& title, const QString& meaning) const;
    std::optional<ErrorBar> barOf(ErrorOf what) const; ///< of the result, which must be there
    /// "s ± 4 %", or where that is wide "s −29 +41 %"; and in the tooltip which runs say so.
    void addErrorBar(Figure& figure, const std::optional<ErrorBar>& bar, bool rate = false) const;
    /// Relative change; less than 0.05 % is none, and nothing or 0 before compares with nothing.
    void compare(Figure& figure, double now, std::optional<double> before, bool lessIsBetter) const;
    /// Change of a share, in percentage points.
    void comparePoints(Figure& figure, double now, std::optional<double> before, bool lessIsBetter) const;

    /// A long name would take the other figures' room; the tool tip has it whole.
    QString baselineInShort() const;
    /// The fullest stage, where there are several. A model that runs nowhere yet has no figure.
    Figure peakMemory() const;
    /// `dollars` for what `title` says, or where there is no price the hint to set one.
    Figure cost(const char* pointer, const QString& title, const QString& meaning, std::optional<double> dollars, std::optional<double> before) const;

    const Result* result_;
    const Result* baseline_;
    QString baselineName_;

private:
    void addMeaning(Figure& figure, const std::optional<ErrorBar>& bar, const QString& interval) const;
    void sayHowSure(Figure& figure, double before, double now) const;
    void setChange(Figure& figure, double amount, const QString& text, bool lessIsBetter) const;
};

/// $ an hour for one accelerator, as the scenario states it.
std::optional<double> pricePerHour(const Result* result);

/// By what ran; `result` null or of training: training's.
std::vector<Figure> trainingFigures(const Result* result, const Result* baseline, const QString& baselineName);
std::vector<Figure> inferenceFigures(const Result& result, const Result* baseline, const QString& baselineName);
std::vector<Figure> servingFigures(const Result& result, const Result* baseline, const QString& baselineName);
std::vector<Figure> rlFigures(const Result& result, const Result* baseline, const QString& baselineName);

} // namespace orrery
