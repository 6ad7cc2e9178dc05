// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/folding_errors.hpp"

#include <utility>

namespace orrery {
namespace {

/// The rank that does what the mean of some others did; `skipped` is none of them.
ReplayedRank meanOf(const std::vector<ReplayedRank>& ranks, std::size_t skipped) {
    ReplayedRank mean = ranks.front();
    const auto average = [&](auto value) {
        std::int64_t sum = 0, count = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (i == skipped) continue;
            sum += value(ranks[i]) - value(ranks.front()); // differences: times since 1970 would overflow
            ++count;
        }
        return value(ranks.front()) + sum / count;
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
    errors.ontoMean = errorOf(folded(ranks, meanOf(ranks, ranks.size())));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        errors.ontoRank.push_back(errorOf(folded(ranks, ranks[i])));
        std::vector<ReplayedRank> others = ranks;
        others[i] = meanOf(ranks, i);
        errors.leftOut.push_back(errorOf(others));
    }
    return errors;
}

} // namespace orrery
