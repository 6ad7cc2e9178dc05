// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/joint_replay.hpp"
#include "core/records/ranks/planned_ranks.hpp"
#include "core/records/ranks/task_reach.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A collective of a planned job that never ends. Ranks, each list rising.
struct PlannedHang {
    std::size_t collective = 0;        ///< which it is of the rank that stopped
    std::string name;                  ///< of its operator
    std::vector<std::int64_t> missing; ///< of its group: never come
    std::vector<std::int64_t> waiting; ///< of its group: came
    std::vector<std::int64_t> blocked; ///< others that don't get through the iteration
};

/// Ranks of a planned job that come late or stop.
///
/// A rank's collectives are those of its lane (LaneCollective): collectives of several lanes, sends, receives, numbered from 0 in the order in which the lane comes to them in
/// the run without what-ifs. Its tensor and context ranks are in step with it, and late when it is.
class PlannedWhatIfs {
public:
    /// `plain`: the run without what-ifs, by which collectives are numbered.
    PlannedWhatIfs(const PlannedRanks& ranks, const RankWhatIfs& asked, const TaskTimes& plain);

    /// Makes a rank late. From the moment at which it would come to the collective, each of its streams goes on with what is under way and then stands still for that long
    /// before it begins anything else: what it waited for anyway it doesn't wait for twice. `program` is one of the iteration, `times` those of its run.
    void delay(Program& program, const TaskTimes& times) const;
    /// What never ends where ranks stop, by task of the program; empty where nobody does. A rank that stops takes no part in anything from that collective on. What had been sent to
    /// it by then was received; what is sent later waits for it.
    std::vector<bool> heldUp(const Program& program, const TaskTimes& times) const;
    /// Who hangs where these tasks never end: the collective that the first rank to stop doesn't enter, or the next of its collectives to which somebody comes.
    PlannedHang hang(const Program& program, const std::vector<bool>& held, const TaskTimes& times) const;

private:
    /// A lane's collective, by lane and number.
    using Place = std::pair<int, std::size_t>;

    bool isThere(const Place& place) const;
    const LaneCollective& at(const Place& place) const { return order_.at(place.first)[place.second]; }
    std::vector<TaskId> firstAfter(const Place& place, const TaskReach& reach, const TaskTimes& times) const;
    std::map<int, LaneCollective> membersOf(TaskId transfer) const;
    bool hasStopped(int rank, TaskId transfer) const;
    std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> missingAndWaiting(const LaneCollective& collective, int stopped, const TaskReach& reach, const std::vector<bool>& held) const;

    const PlannedRanks& ranks_;
    const RankWhatIfs& asked_;
    std::map<int, std::vector<LaneCollective>> order_; ///< by lane, of those that are asked about
};

} // namespace orrery
