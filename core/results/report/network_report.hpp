// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/cluster.hpp"
#include "core/results/report/timeline.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// What one execution of an operator, by all ranks of its stage together, sends over a report link.
struct LinkUse {
    std::uint32_t link = 0; ///< index into NetworkReport::links
    double bytes = 0;       ///< over all copies
    double busiest = 0;     ///< bytes over the copy that carries most
    int flows = 0;          ///< transfers that cross the busiest copy at once
};

/// Who uses which links: one pattern for each collective or transfer of a stage.
struct TrafficPattern {
    std::vector<LinkUse> uses; ///< sorted by link
    std::string algorithm;     ///< "ring", "tree", "nvls" …
    int hops = 0;              ///< most links that one of its transfers crosses
};

/// The traffic of an iteration by link. Immutable, part of a result.
struct NetworkReport {
    std::vector<ReportLink> links;
    std::vector<TrafficPattern> patterns;
    std::vector<std::vector<std::int32_t>> patternOf; ///< by stage, by operator of the timeline: index into `patterns`, or -1

    const TrafficPattern* pattern(int stage, std::uint32_t op) const {
        const auto row = static_cast<std::size_t>(stage);
        if (row >= patternOf.size() || op >= patternOf[row].size() || patternOf[row][op] < 0) return nullptr;
        return &patterns[static_cast<std::size_t>(patternOf[row][op])];
    }
};

/// What a report link carries in a stretch of time.
struct LinkLoad {
    double bytes = 0;                                    ///< over all copies
    double mean = 0;                                     ///< share of the capacity in use, mean over copies and time
    double peak = 0;                                     ///< the same for the busiest copy of each user, added up; at most 1
    std::vector<std::pair<std::uint32_t, double>> users; ///< operator of the timeline and its bytes, most first
};

/// Loads of all links from `from` to `to` (s), an instance's bytes spread evenly over its duration; with `to` = `from` those at one moment, `bytes`
/// then being bytes/s.
std::vector<LinkLoad> linkLoads(const Timeline& timeline, const NetworkReport& network, double from, double to);

} // namespace orrery
