// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/joint_replay.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

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

namespace {

/// What is the same at all ranks that do something together: who they are, in the order of `CollectiveMessage::members`, and whether it is a send.
using GroupKey = std::pair<bool, std::vector<std::int64_t>>;

GroupKey keyOf(const CollectiveMessage& message) { return {message.kind == CollectiveKind::send_receive, message.members}; }

std::string wordsOf(const GroupKey& key) {
    constexpr std::size_t mostNamed = 8;
    if (key.second.empty()) return "collectives that do not say their group";
    if (key.first) return "transfers from rank " + std::to_string(key.second.front()) + " to rank " + std::to_string(key.second.back());
    std::string ranks;
    for (std::size_t i = 0; i < std::min(mostNamed, key.second.size()); ++i) ranks += (i == 0 ? "" : ", ") + std::to_string(key.second[i]);
    return "collectives of the group " + ranks + (key.second.size() > mostNamed ? ", …" : "");
}

bool takesPart(const GroupKey& key, std::int64_t rank) { return key.second.empty() || std::find(key.second.begin(), key.second.end(), rank) != key.second.end(); }

Problem unlike(const GroupKey& key, const RankRecord& more, std::size_t moreCount, const RankRecord& fewer, std::size_t fewerCount) {
    const std::string mend = key.second.empty() ? "Record with PyTorch 2.4 or later, whose kernels name their process group, or give traces of the same step." : "Give traces of the same step of every rank.";
    return traceFault("unlike-traces", fewer.file, "\"" + more.file + "\" has " + std::to_string(moreCount) + " " + wordsOf(key) + ", \"" + fewer.file + "\" has " + std::to_string(fewerCount) + ".", mend);
}

} // namespace

bool haveGroups(const std::vector<RankRecord>& records) {
    for (const RankRecord& record : records)
        for (const CollectiveMessage& message : record.messages) {
            if (message.members.empty()) continue;
            if (message.kind == CollectiveKind::send_receive) return true;
            const GroupKey key = keyOf(message);
            if (std::any_of(records.begin(), records.end(), [&](const RankRecord& other) { return other.rank && !takesPart(key, *other.rank); })) return true;
        }
    return false;
}

std::optional<std::vector<JointOperation>> jointOperations(const std::vector<RankRecord>& records, Problems& problems) {
    std::map<GroupKey, std::vector<std::vector<std::size_t>>> found; // by group: by place, which of the rank's collectives
    for (std::size_t place = 0; place < records.size(); ++place)
        for (std::size_t index = 0; index < records[place].messages.size(); ++index) {
            std::vector<std::vector<std::size_t>>& own = found[keyOf(records[place].messages[index])];
            own.resize(records.size());
            own[place].push_back(index);
        }
    std::vector<JointOperation> operations;
    for (const auto& [key, own] : found) {
        std::size_t most = 0;
        for (std::size_t place = 1; place < own.size(); ++place)
            if (own[place].size() > own[most].size()) most = place;
        const std::size_t count = own[most].size();
        for (std::size_t place = 0; place < own.size(); ++place) {
            const std::optional<std::int64_t> rank = records[place].rank;
            if (!rank || !takesPart(key, *rank) || own[place].size() == count) continue;
            problems.push_back(unlike(key, records[most], count, records[place], own[place].size()));
            return std::nullopt;
        }
        for (std::size_t n = 0; n < count; ++n) {
            JointOperation operation;
            operation.kind = records[most].messages[own[most][n]].kind;
            for (std::size_t place = 0; place < own.size(); ++place)
                if (n < own[place].size()) operation.members.push_back({place, own[place][n]});
            operations.push_back(std::move(operation));
        }
    }
    const auto startOf = [&](const JointOperation& operation) { return records[operation.members.front().place].collectives[operation.members.front().index].start; };
    std::stable_sort(operations.begin(), operations.end(), [&](const JointOperation& a, const JointOperation& b) { return startOf(a) < startOf(b); });
    return operations;
}

std::vector<std::int64_t> clockOffsets(const std::vector<RankRecord>& records, const std::vector<JointOperation>& operations) {
    std::vector<std::map<std::size_t, std::vector<std::int64_t>>> ahead(records.size()); // of a rank against another it does something with
    for (const JointOperation& operation : operations) {
        const JointOperation::Member& first = operation.members.front();
        for (const JointOperation::Member& other : operation.members) {
            if (other.place == first.place) continue;
            const std::int64_t difference = records[other.place].collectives[other.index].end - records[first.place].collectives[first.index].end;
            ahead[first.place][other.place].push_back(difference);
            ahead[other.place][first.place].push_back(-difference);
        }
    }
    std::vector<std::int64_t> offsets(records.size(), 0);
    std::vector<bool> known(records.size(), false);
    for (std::size_t start = 0; start < records.size(); ++start) {
        if (known[start]) continue;
        known[start] = true;
        std::vector<std::size_t> next{start};
        for (std::size_t i = 0; i < next.size(); ++i)
            for (auto& [other, differences] : ahead[next[i]]) {
                if (known[other]) continue;
                offsets[other] = offsets[next[i]] + clockDifference(std::move(differences));
                known[other] = true;
                next.push_back(other);
            }
    }
    return offsets;
}

} // namespace orrery
