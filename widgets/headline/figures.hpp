// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QString>
#include <vector>

namespace orrery {

enum class Verdict { neutral,
                     better,
                     worse };

/// One figure of the headline, in words.
struct Figure {
    QString pointer;                    ///< into the result document: what "why?" is asked about
    QString title;                      ///< "Iteration time"
    QString number;                     ///< "11.84"; "–" when unknown
    QString unit;                       ///< "s", "of 79.6 GiB"
    QString detail;                     ///< "tensor 7.1 · data 2.2 · pipeline 0.5"
    QString change;                     ///< against the baseline, "−6.1 %"; empty without one
    QString changeMeaning;              ///< how sure the change is, for the tooltip
    Verdict verdict = Verdict::neutral; ///< of the change; neutral too where it is not sure
    bool estimated = false;             ///< not simulated yet
    bool alarm = false;                 ///< the number itself is bad news: it does not fit
    QString meaning;                    ///< one sentence for the tooltip
};

/// The seven figures of a training result. `result` null: their titles with nothing in them; `baseline` may be null.
std::vector<Figure> headlineFigures(const Result* result, const Result* baseline, const QString& baselineName);

/// Puts what an estimate of a training iteration says in the place of those of `figures`, marked as about so much; those of which it says nothing stay where they are of
/// training too, else they are unknown.
void showEstimate(std::vector<Figure>& figures, const Result& estimate, const Result* baseline, const QString& baselineName);

} // namespace orrery
