// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/pruned_counts.hpp"

#include <algorithm>

namespace orrery {

void PrunedCounts::add(const std::string& rule, const std::string& why, std::size_t times) {
    PrunedRule& entry = byRule_[rule];
    if (entry.count == 0) entry = {rule, why, 0, {}};
    entry.count += times;
}

void PrunedCounts::add(std::string_view rule, std::size_t combination) {
    auto known = byRule_.find(rule);
    if (known == byRule_.end()) known = byRule_.emplace(rule, PrunedRule{std::string(rule), {}, 0, combination}).first;
    ++known->second.count;
}

void PrunedCounts::add(const PrunedCounts& others) {
    for (const auto& [rule, entry] : others.byRule_) {
        const auto [known, fresh] = byRule_.emplace(rule, entry);
        if (!fresh) known->second.count += entry.count;
    }
}

void PrunedCounts::explain(const std::function<std::string(std::size_t)>& why) {
    for (auto& [rule, entry] : byRule_) {
        if (!entry.example) continue;
        entry.why = why(*entry.example);
        entry.example.reset();
    }
}

std::vector<PrunedRule> PrunedCounts::rules() const {
    std::vector<PrunedRule> rules;
    rules.reserve(byRule_.size());
    for (const auto& [rule, entry] : byRule_) rules.push_back(entry);
    std::stable_sort(rules.begin(), rules.end(), [](const PrunedRule& a, const PrunedRule& b) { return a.count > b.count; });
    return rules;
}

} // namespace orrery
