// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Combinations that were not simulated, by why.
struct PrunedRule {
    std::string rule; ///< stable: the code of the scenario's problem, or one of the search's own
    std::string why;  ///< one sentence
    std::size_t count = 0;
    std::optional<std::size_t> example; ///< a combination that says why; until then `why` is empty
};

/// Counts combinations by rule; the first of a rule gives its sentence.
class PrunedCounts {
public:
    void add(const std::string& rule, const std::string& why, std::size_t times = 1);
    /// The combination's own problem is the sentence, once explain() has asked for it.
    void add(std::string_view rule, std::size_t combination);
    void add(const PrunedRule& counted);
    void add(const PrunedCounts& others);
    /// Puts a sentence where there is just an example.
    void explain(const std::function<std::string(std::size_t combination)>& why);
    /// The most frequent first.
    std::vector<PrunedRule> rules() const;

private:
    std::map<std::string, PrunedRule, std::less<>> byRule_;
};

} // namespace orrery
