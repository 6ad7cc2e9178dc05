// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/catalog/catalog.hpp"

#include <optional>
#include <string>

namespace orrery {

/// A scenario file that changes are tried on, and what it gives without any.
class ExploredScenario {
public:
    /// Errors go to `problems`; then there are no trials.
    ExploredScenario(const std::string& path, Problems& problems);
    ExploredScenario(const ExploredScenario&) = delete;
    ExploredScenario& operator=(const ExploredScenario&) = delete;

    /// Nothing where the file is no sound scenario.
    const std::optional<Trials>& trials() const { return trials_; }

    /// Simulates the scenario as it is, once.
    const Trial& base();
    /// How long that took, s.
    double baseSeconds() const { return baseSeconds_; }

private:
    Catalog catalog_;
    std::optional<Trials> trials_;
    std::optional<Trial> base_;
    double baseSeconds_ = 0;
};

/// "about 12 min".
std::string aboutText(double seconds);

} // namespace orrery
