// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/sources.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace orrery {

std::vector<std::size_t> sourcesOf(const Evidence& evidence) {
    std::vector<std::size_t> parent(evidence.runs.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t run) {
        while (parent[run] != run) run = parent[run] = parent[parent[run]];
        return run;
    };
    std::map<std::pair<bool, std::string>, std::size_t> first;
    for (std::size_t run = 0; run < parent.size(); ++run) {
        const MeasuredRun& one = evidence.runs[run];
        for (const auto& [isGroup, name] : {std::pair(true, one.group), std::pair(false, one.source + one.sourceUrl)}) {
            const std::size_t known = root(first.try_emplace({isGroup, name}, run).first->second), own = root(run);
            parent[std::max(known, own)] = std::min(known, own);
        }
    }
    std::map<std::size_t, std::size_t> number;
    std::vector<std::size_t> sources;
    for (std::size_t run = 0; run < parent.size(); ++run) sources.push_back(number.try_emplace(root(run), number.size()).first->second);
    return sources;
}

} // namespace orrery
