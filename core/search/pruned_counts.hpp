// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orrery {

/// Combinations that were not simulated, by why.
struct PrunedRule {
    std::string rule; ///< stable: the code of the scenario's problem, or one of the search's own
    std::string why;  ///< one sentence
    std::size_t count = 0;
};

/// Counts combinations by rule; the first of a rule gives its sentence.
class PrunedCounts {
public:
    void add(const std::string& rule, const std::string& why, std::size_t times = 1);
    void add(const PrunedCounts& others);
    /// The most frequent first.
    std::vector<PrunedRule> rules() const;

private:
    std::map<std::string, PrunedRule> byRule_;
};

} // namespace orrery
