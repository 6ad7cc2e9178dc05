// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/joint_replay.hpp"

#include <algorithm>

namespace orrery {
namespace {

std::optional<Hang> hangAt(std::size_t collective, const std::vector<ReplayedRank>& ranks, const std::vector<RankStop>& stops) {
    Hang hang;
    hang.collective = collective;
    for (const ReplayedRank& rank : ranks) {
        const bool stopped = std::any_of(stops.begin(), stops.end(), [&](const RankStop& stop) { return stop.rank == rank.rank && stop.before <= collective; });
        (stopped ? hang.missing : hang.waiting).push_back(rank.rank);
    }
    if (hang.missing.empty()) return std::nullopt;
    return hang;
}

std::int64_t delayOf(std::int64_t rank, std::size_t collective, const std::vector<RankDelay>& delays) {
    std::int64_t sum = 0;
    for (const RankDelay& delay : delays)
        if (delay.rank == rank && delay.before == collective) sum += delay.delay;
    return sum;
}

} // namespace

std::optional<std::size_t> JointCollective::memberAt(std::size_t place) const {
    if (members.empty()) return place;
    const auto found = std::lower_bound(members.begin(), members.end(), place);
    return found == members.end() || *found != place ? std::nullopt : std::optional(static_cast<std::size_t>(found - members.begin()));
}

std::int64_t JointCollective::waitingOf(std::size_t place) const {
    const auto member = memberAt(place);
    return member ? std::max<std::int64_t>(0, end - transit - arrivals[*member]) : 0;
}

std::int64_t JointReplay::span() const {
    std::int64_t last = firstArrival;
    for (const JointCollective& collective : collectives) last = std::max(last, collective.end);
    return last - firstArrival;
}

ReplayedRank replayedRank(std::int64_t rank, const RankRecord& record) {
    ReplayedRank replayed;
    replayed.rank = rank;
    replayed.begin = record.device.start;
    for (std::size_t k = 0; k < record.collectives.size(); ++k) replayed.gaps.push_back(record.gapBefore(k));
    replayed.tail = record.tail();
    if (!record.collectives.empty()) replayed.firstArrival = record.collectives.front().start;
    return replayed;
}

std::vector<std::int64_t> transitOf(const std::vector<RankRecord>& records) {
    std::vector<std::int64_t> transits;
    for (const RankRecord& record : records) {
        for (std::size_t k = 0; k < record.collectives.size(); ++k) {
            const std::int64_t duration = record.collectives[k].end - record.collectives[k].start;
            if (k == transits.size()) transits.push_back(duration);
            transits[k] = std::min(transits[k], duration);
        }
    }
    return transits;
}

JointReplay replayTogether(const std::vector<ReplayedRank>& ranks, const std::vector<std::int64_t>& transits, const RankWhatIfs& whatIfs) {
    JointReplay replay;
    const auto earliest = std::min_element(ranks.begin(), ranks.end(), [](const ReplayedRank& a, const ReplayedRank& b) { return a.firstArrival < b.firstArrival; });
    if (earliest != ranks.end()) replay.firstArrival = earliest->firstArrival;
    for (std::size_t k = 0; k < transits.size(); ++k) {
        if (auto hang = hangAt(k, ranks, whatIfs.stops)) {
            replay.hang = std::move(hang);
            return replay;
        }
        JointCollective collective;
        collective.index = k;
        collective.transit = transits[k];
        for (const ReplayedRank& rank : ranks) {
            const std::int64_t from = k == 0 ? rank.begin : replay.collectives.back().end;
            collective.arrivals.push_back(from + rank.gaps[k] + delayOf(rank.rank, k, whatIfs.delays));
        }
        const auto last = std::max_element(collective.arrivals.begin(), collective.arrivals.end());
        collective.last = static_cast<std::size_t>(last - collective.arrivals.begin());
        collective.end = *last + collective.transit;
        replay.collectives.push_back(std::move(collective));
    }
    return replay;
}

} // namespace orrery
