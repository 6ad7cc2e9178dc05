// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/comparison/kernel_matching.hpp"
#include "core/records/views/recorded_job.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery {

/// What a part of a record's wall clock goes to.
enum class GroupKind : std::uint8_t {
    same,          ///< computing kernels that both records have
    paced,         ///< those of them that became longer or shorter alike, as another clock or device makes them
    replaced,      ///< computing kernels in place of others
    added,         ///< computing kernels of B alone
    gone,          ///< of A alone
    communication, ///< collectives and sends, without what is known to be waiting
    peers,         ///< collectives, before the last rank came
    copies,        ///< and fills
    launch_gap,    ///< nothing runs: the host launches late
    queued_gap,    ///< nothing runs, though something has been launched
    other_gap,     ///< nothing runs, and no launch was recorded
};

/// Sums over events of one group in both records; ns a rank and step.
struct GroupSums {
    double durationA = 0, durationB = 0; ///< whole lengths of the events
    double chargedA = 0, chargedB = 0;   ///< their shares of the wall clock (record_wall.hpp)
    double countA = 0, countB = 0;
    double change() const { return chargedB - chargedA; }
    /// What of the change the events' own lengths explain; the rest is what other work hides of them.
    double own() const;
    double hidden() const { return change() - own(); }
    GroupSums& operator+=(const GroupSums& more);
};

/// Groups are told apart by what they are, the class of module and the operator they were launched from, and the names in A and B; 0: not said, or does not matter.
struct GroupKey {
    GroupKind kind = GroupKind::same;
    std::uint32_t module = 0, op = 0, nameA = 0, nameB = 0; ///< numbers of the NameBook
    bool operator<(const GroupKey& other) const { return std::tie(kind, module, op, nameA, nameB) < std::tie(other.kind, other.module, other.op, other.nameA, other.nameB); }
};

/// Ranks all of whose kernels became longer or shorter alike.
struct PacedRanks {
    double pace = 1; ///< how many times as long they take
    std::size_t kinds = 0;
    std::vector<std::string> ranks; ///< "5"; of a record whose rank nobody knows its file
};

/// Two recorded jobs, side by side.
struct RecordGroups {
    NameBook book;
    std::map<GroupKey, GroupSums> groups;
    std::map<GroupKey, PacedRanks> paced; ///< what the groups of that kind are of
    double spanA = 0, spanB = 0;          ///< ns a rank and step; all `chargedA` sum to `spanA`
    std::array<std::size_t, matchedByCount> matched{};
    std::size_t replacedA = 0, replacedB = 0, added = 0, gone = 0; ///< kernels
    std::size_t ranks = 0;                                         ///< pairs of records
    bool perStep = false;                                          ///< the records differ in steps, so each is divided by its number
};

/// Pairs of places in `a.ranks` and `b.ranks` to be compared: the same rank in both; where each has one, that one. Empty: no rank is in both.
std::vector<std::pair<std::size_t, std::size_t>> comparedRanks(const RecordedJob& a, const RecordedJob& b);

/// Sums up the records of these pairs.
RecordGroups groupsOf(const RecordedJob& a, const RecordedJob& b, const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

} // namespace orrery
