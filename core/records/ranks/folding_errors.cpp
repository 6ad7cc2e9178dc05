// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/folding_errors.hpp"

#include <utility>

namespace orrery {
namespace {

/// The rank that does what the mean of `ranks` did; there is at least one.
ReplayedRank meanOf(const std::vector<ReplayedRank>& ranks) {
    ReplayedRank mean = ranks.front();
    const auto average = [&](auto value) {
        std::int64_t sum = 0;
        for (const ReplayedRank& rank : ranks) sum += value(rank) - value(ranks.front()); // differences: times since 1970 would overflow
        return value(ranks.front()) + sum / static_cast<std::int64_t>(ranks.size());
    };
    mean.begin = average([](const ReplayedRank& rank) { return rank.begin; });
    for (std::size_t k = 0; k < mean.gaps.size(); ++k) mean.gaps[k] = average([k](const ReplayedRank& rank) { return rank.gaps[k]; });
    return mean;
}

/// All ranks with the gaps of one, but for the first, which leads from each rank's own begin.
std::vector<ReplayedRank> folded(std::vector<ReplayedRank> ranks, const ReplayedRank& onto) {
    for (ReplayedRank& rank : ranks)
        for (std::size_t k = 1; k < rank.gaps.size(); ++k) rank.gaps[k] = onto.gaps[k];
    return ranks;
}

} // namespace

FoldingErrors foldingErrors(const std::vector<RankRecord>& records) {
    std::vector<ReplayedRank> ranks;
    for (std::size_t i = 0; i < records.size(); ++i) ranks.push_back(replayedRank(static_cast<std::int64_t>(i), records[i]));
    const std::vector<std::int64_t> transits = transitOf(records);
    const auto whole = static_cast<double>(replayTogether(ranks, transits).span());
    const auto errorOf = [&](const std::vector<ReplayedRank>& changed) { return static_cast<double>(replayTogether(changed, transits).span()) / whole - 1; };

    FoldingErrors errors;
    errors.ontoMean = errorOf(folded(ranks, meanOf(ranks)));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        errors.ontoRank.push_back(errorOf(folded(ranks, ranks[i])));
        std::vector<ReplayedRank> others = ranks;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        std::vector<ReplayedRank> predicted = ranks;
        predicted[i] = meanOf(others);
        predicted[i].firstArrival = ranks[i].firstArrival;
        errors.leftOut.push_back(errorOf(predicted));
    }
    return errors;
}

} // namespace orrery
