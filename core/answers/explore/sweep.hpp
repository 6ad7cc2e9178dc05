// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/plain_table.hpp"
#include "core/answers/explore/trials.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// One key of the scenario and what it is set to.
struct SweptKey {
    std::string pointer;
    std::vector<BoxedJson> values;
};

class TrialPool;

/// What is varied and what is looked at.
struct SweepQuestion {
    std::vector<SweptKey> axes;
    std::vector<Measure> measures;

    /// Every combination; a double, for what nobody could ever run must have a number too.
    double points() const;
    /// What makes the point: the last axis changes fastest.
    std::vector<ScenarioEdit> changes(std::size_t point) const;
};

/// One combination.
struct SweptPoint {
    std::vector<BoxedJson> metrics; ///< by measure; null: the result has no such figure
    std::optional<bool> fits;       ///< nothing: there is no result
    std::string problem;            ///< why there is none
};

/// What a trial gives of some measures.
SweptPoint sweptPoint(const Trial& trial, const std::vector<Measure>& measures);

struct SweepRun {
    std::vector<SweptPoint> points; ///< by combination; those that were not reached have no metrics
    Problems problems;              ///< measures that no result has
    bool cancelled = false;
};

/// Called after each point, one call at a time.
using OnSweptPoint = std::function<void(std::size_t index, const SweptPoint& point)>;

/// Simulates every combination but those `known` already, on `control.threads` threads; each simulation has one. The points do not depend
/// on how many threads there are, nor on what was known.
SweepRun runSweep(const Trials& trials, const SweepQuestion& question, std::map<std::size_t, SweptPoint> known = {}, const RunControl& control = {},
                  const OnSweptPoint& onPoint = {});
/// The same where somebody else simulates: `pool`, which is of this question.
SweepRun runSweep(const Trials& trials, const SweepQuestion& question, TrialPool& pool, std::map<std::size_t, SweptPoint> known, const RunControl& control,
                  const OnSweptPoint& onPoint);

/// The contract's `orrery-sweep/1`.
Json sweepDocument(const SweepQuestion& question, const std::vector<SweptPoint>& points);

/// The same as a table: keys, figures, and whether the plan fits; where there is no result, why. `points` may be fewer than the combinations.
PlainTable sweepTable(const SweepQuestion& question, const std::vector<SweptPoint>& points);

/// Its `axes`.
Json axesDocument(const SweepQuestion& question);

/// A point as `sweepDocument` lists it, and back: what a checkpoint keeps. Nothing where a text is no such point.
Json pointDocument(const SweepQuestion& question, std::size_t index, const SweptPoint& point);
std::optional<SweptPoint> pointFrom(const SweepQuestion& question, const Json& document);

} // namespace orrery
