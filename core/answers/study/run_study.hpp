// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"
#include "core/base/run_control.hpp"
#include "core/scenario/reader/reader.hpp"

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

class Catalog; // core/catalog

/// Simulates one point.
StudyOutcome runStudyPoint(const Study& study, const StudyPoint& point, const Catalog& catalog, const FileReader& readFile,
                           const RunControl& control = {});

/// Simulates all, in order. Nothing when it was stopped. `control.progress` gets the share of points done.
std::optional<StudyResult> runStudy(const Study& study, const Catalog& catalog, const FileReader& readFile = {}, const RunControl& control = {});

/// A symbol of the papers in a scenario: B, b, s, h, a, l, V, t, p, d, c, e, v, m (physics: batch, micro-batch, sequence,
/// hidden, heads, layers, vocabulary, ranks of each kind, chunks per stage, micro-batches).
std::optional<double> scenarioSymbol(const Scenario& scenario, std::string_view name);

} // namespace orrery
