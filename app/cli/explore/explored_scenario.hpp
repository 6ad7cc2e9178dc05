// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/plain_table.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/catalog.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A scenario file that changes are tried on, and what it gives without any.
class ExploredScenario {
public:
    enum class Plan { must_be_possible,
                      may_be_impossible };

    /// Errors go to `problems`; then there are no trials. What is wrong with a plan that may be impossible goes to `planProblems` instead.
    ExploredScenario(const std::string& path, Problems& problems, Plan plan = Plan::must_be_possible);
    ExploredScenario(const ExploredScenario&) = delete;
    ExploredScenario& operator=(const ExploredScenario&) = delete;

    /// Nothing where the file is no sound scenario.
    const std::optional<Trials>& trials() const { return trials_; }
    /// Errors of the scenario as it is.
    const Problems& planProblems() const { return planProblems_; }

    /// Simulates the scenario as it is, or after some changes, once.
    const Trial& base(const std::vector<ScenarioEdit>& changes = {});
    /// How long that took, s.
    double baseSeconds() const { return baseSeconds_; }

private:
    Catalog catalog_;
    std::optional<Trials> trials_;
    Problems planProblems_;
    std::optional<Trial> base_;
    double baseSeconds_ = 0;
};

/// "about 12 min".
std::string aboutText(double seconds);

/// A name for a table that says no format by its ending, before anything is computed for it; an empty one is none.
std::optional<Problem> problemOfTableName(const std::string& path);

/// Writes the tables by the ending of `path`, in one step; an empty path is not asked for. Gives why it could not be.
std::optional<Problem> saveTables(const std::string& path, const std::vector<PlainTable>& tables);

} // namespace orrery
