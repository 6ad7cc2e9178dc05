// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study_result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What one step of a chain multiplies the plotted number by (or divides it by, where lower is better).
struct StepGain {
    std::string name;
    std::string cause; ///< "precision"; empty for the first
    double factor = 1; ///< over the step before; 1 for the first
    double total = 1;  ///< over the first
};

struct StepGains {
    std::vector<StepGain> steps;
    std::vector<StepGain> causes; ///< the product over each cause's steps, in the order they first come; `total` up to it
    double total = 1;             ///< the product of all, and of all causes
};

/// The gains of a chain's plot; nothing for another study, before the first step is done, or where a number is missing or not positive.
/// Steps not run yet are left out.
std::optional<StepGains> stepGains(const StudyResult& result, std::size_t plot);

} // namespace orrery
