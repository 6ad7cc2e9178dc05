// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/ranks/rank_record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

/// A rank in a hybrid replay from recorded traces: what it does between collectives, recorded or taken from a rank of its class. Times in ns.
struct ReplayedRank {
    std::int64_t rank = 0;
    std::int64_t begin = 0;         ///< on the clock of all
    std::vector<std::int64_t> gaps; ///< before each collective: from the end of the one before, or from `begin`
    std::int64_t tail = 0;          ///< after the last one
    std::int64_t firstArrival = 0;  ///< at the first collective as recorded, whatever is asked
};

ReplayedRank replayedRank(std::int64_t rank, const RankRecord& record);

/// A rank that comes `delay` later to its collective `before`, and with all that follows.
struct RankDelay {
    std::int64_t rank = 0;
    std::size_t before = 0;
    std::int64_t delay = 0; ///< ns
};

/// A rank that never enters its collective `before`.
struct RankStop {
    std::int64_t rank = 0;
    std::size_t before = 0;
};

struct RankWhatIfs {
    std::vector<RankDelay> delays;
    std::vector<RankStop> stops;
};

/// A collective of all ranks or of some. It ends everywhere at once, `transit` after the last has come.
struct JointCollective {
    std::size_t index = 0;              ///< among all of the records
    std::vector<std::int64_t> arrivals; ///< of its members, by place
    std::int64_t transit = 0;
    std::int64_t end = 0;
    std::size_t last = 0;             ///< place of the last to come; of equals the first
    std::vector<std::size_t> members; ///< places of the ranks that take part, rising; empty: all do

    /// Which of the members the rank is; nothing: it does not take part.
    std::optional<std::size_t> memberAt(std::size_t place) const;
    bool has(std::size_t place) const { return memberAt(place).has_value(); }
    std::int64_t arrivalOf(std::size_t place) const { return arrivals[*memberAt(place)]; }
    /// 0 of a rank that does not take part.
    std::int64_t waitingOf(std::size_t place) const;
};

/// A collective that never ends: who is missing, and who waits for them.
struct Hang {
    std::size_t collective = 0;
    std::vector<std::int64_t> missing, waiting; ///< ranks
    std::vector<std::int64_t> blocked;          ///< ranks that wait elsewhere, for ranks that wait here
};

struct JointReplay {
    std::vector<JointCollective> collectives; ///< those that end
    std::optional<Hang> hang;
    std::int64_t firstArrival = 0; ///< of the ranks' recorded ones the earliest: what is asked moves the end, not this
    /// From there to the end of the last collective that ends; 0 without any.
    std::int64_t span() const;
};

/// The time that a collective itself takes: of the durations recorded for it the shortest, for the last to come waits for nobody.
std::vector<std::int64_t> transitOf(const std::vector<RankRecord>& records);

/// Plays the ranks together: a rank comes to a collective its gap after the end of the one before. All ranks have as many gaps as there are
/// transits.
JointReplay replayTogether(const std::vector<ReplayedRank>& ranks, const std::vector<std::int64_t>& transits, const RankWhatIfs& whatIfs = {});

/// A collective of a group, or a send with its receive, found in the records of those that take part.
struct JointOperation {
    struct Member {
        std::size_t place = 0; ///< of the rank among the records
        std::size_t index = 0; ///< which of its collectives
    };
    CollectiveKind kind = CollectiveKind::none;
    std::vector<Member> members; ///< by place
};

/// Whether the records name groups that some of these ranks are not in, or say who sends to whom: then the n-th collective of one rank is not the n-th of another.
bool haveGroups(const std::vector<RankRecord>& records);

/// Finds what belongs together: the n-th collective of a group is the same at all of its ranks, and so is the n-th send from one rank to another and its receive. A collective
/// that does not say its group is one of all ranks. Nobody waits for a rank whose record is not there. Nothing, with a problem that names rank and
/// collective, where one rank has a collective of a group and another of the group does not.
std::optional<std::vector<JointOperation>> jointOperations(const std::vector<RankRecord>& records, Problems& problems);

/// How far each record's clock is ahead of the first's, ns, from the ends of what ranks do together; as `clockOffsets`, over chains of groups. A rank that does nothing with
/// any other keeps its clock.
std::vector<std::int64_t> clockOffsets(const std::vector<RankRecord>& records, const std::vector<JointOperation>& operations);

} // namespace orrery
