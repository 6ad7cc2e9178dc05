// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/ranks/rank_record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

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
