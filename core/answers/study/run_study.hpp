// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study_result.hpp"
#include "core/base/run_control.hpp"
#include "core/scenario/reader/reader.hpp"

namespace orrery {

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
