// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"

#include <QString>

#include <optional>
#include <vector>

namespace orrery {

/// One bar of a study's chart.
struct StudyBar {
    std::size_t point = 0;  ///< index into StudyResult::points
    std::size_t series = 0; ///< its place in every group: what its colour stands for
    bool done = false;
    std::optional<double> value;   ///< in the plot's unit, or as a share of the baseline
    std::optional<double> formula; ///< the same for the closed form
};

/// The bars of one value of the first axis.
struct StudyGroup {
    QString name;
    std::vector<StudyBar> bars;
};

/// One plot of a study, ready to be painted or listed.
struct StudyBars {
    std::vector<StudyGroup> groups;
    std::vector<QString> series; ///< names of the bars of a group
    std::vector<QString> legend; ///< what colours stand for: series i has the colour i % legend.size()
    QString order;               ///< the axes that tell bars of one colour apart; empty: each has a colour of its own
    QString unit;                ///< of `value`
    double largest = 0;          ///< of values and formulas
};

/// `shares`: as shares of the plot's baseline, where it has one. A bar whose baseline is not there has no value then.
StudyBars studyBars(const StudyResult& result, std::size_t plot, bool shares);

/// The largest relative difference between a value and its closed form over all plots; nothing when no bar has both.
std::optional<double> largestDifference(const StudyResult& result);

} // namespace orrery
