// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"

#include <memory>

namespace orrery {

/// One bar.
struct StudyNumber {
    std::optional<double> value;   ///< what the simulation gives; nothing: the result has no such number
    std::optional<double> formula; ///< what the closed form gives; nothing: there is none
    std::string formulaText;       ///< the form with the terms of this bar put in
    std::string word = {};         ///< what stands there in place of a number ("dram")
};

struct StudyOutcome {
    std::vector<StudyNumber> numbers; ///< by plot
    Problems problems;                ///< why there is no result, or why a formula has no value
};

/// A study with what its scenarios gave.
struct StudyResult {
    Study study;
    std::vector<StudyPoint> points;
    std::vector<StudyOutcome> outcomes; ///< by point; shorter while it still runs
    bool complete() const { return outcomes.size() == points.size(); }
};

using StudyResultPtr = std::shared_ptr<const StudyResult>;

} // namespace orrery
