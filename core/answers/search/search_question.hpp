// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/sweep.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A figure of the result that should be small, or large.
struct Objective {
    Measure measure;
    bool maximise = false;

    /// What should be small in either case.
    double cost(double figure) const { return maximise ? -figure : figure; }
};

/// What the result of every plan must say.
struct Constraint {
    Measure measure;
    std::string op; ///< <, <=, >, >=, == or !=
    BoxedJson value;

    bool holds(const Json& figure) const;
    /// False where no figure from `low` to `high` can satisfy it.
    bool canHold(double low, double high) const;
    std::string text() const; ///< "/ttft_s <= 0.3"
};

/// What a search varies and what it looks for: a scenario's `search`. A plan must also fit the memory.
struct SearchQuestion {
    SweepQuestion space; ///< its measures: the objectives', the constraints', those of the scenario; each once
    Objective objective;
    Objective second;          ///< the front's other axis
    bool asksForFront = false; ///< `second` was stated: its front is simulated; else estimates say what is of it
    std::vector<Constraint> constraints;
};

/// The document's `search`; nothing, with problems, where there is none or its constraints contradict each other. Without an objective: the
/// iteration time against peak memory in training, else tokens per second of an accelerator against those of a user (of a static batch: the
/// time of a token).
std::optional<SearchQuestion> searchQuestionOf(const Json& document, Problems& problems);

/// A combination that is a scenario: the first of some thousand, evenly spread over the space, that is. Nothing where none of these is.
std::optional<std::size_t> possiblePlan(const Trials& trials, const SweepQuestion& space);

/// Whether the search varies what one of these problems is of.
bool variesWhatIsWrong(const SweepQuestion& space, const Problems& problems);

} // namespace orrery
