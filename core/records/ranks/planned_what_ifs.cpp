// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/planned_what_ifs.hpp"

#include "core/training/plan/lanes.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace orrery {

PlannedWhatIfs::PlannedWhatIfs(const PlannedRanks& ranks, const RankWhatIfs& asked, const TaskTimes& plain) : ranks_(ranks), asked_(asked) {
    const TaskReach reach(ranks.iteration().program);
    const auto number = [&](std::int64_t rank) {
        const int lane = ranks.laneOf(static_cast<int>(rank));
        if (!order_.contains(lane)) order_[lane] = collectivesOf(ranks.iteration(), reach, plain, lane);
    };
    for (const RankDelay& delay : asked.delays) number(delay.rank);
    for (const RankStop& stop : asked.stops) number(stop.rank);
}

bool PlannedWhatIfs::isThere(const Place& place) const { return place.second < order_.at(place.first).size(); }

/// What each of the lane's streams would begin next once it has come to the collective.
std::vector<TaskId> PlannedWhatIfs::firstAfter(const Place& place, const TaskReach& reach, const TaskTimes& times) const {
    const Iteration& iteration = ranks_.iteration();
    const std::vector<LaneCollective>& order = order_.at(place.first);
    const LaneCollective& collective = order[place.second];
    const double comes = comesAt(collective, reach, times);
    std::vector<bool> before = reach.upTo({collective.enters});
    for (std::size_t i = 0; i < place.second; ++i) before[order[i].enters] = true;
    before[collective.enters] = false;
    std::array<TaskId, TrainingStream::count> first;
    first.fill(noTask);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.lane != place.first || info.role == TaskRole::depart || before[task]) continue;
        TaskId& found = first[static_cast<std::size_t>(info.stream)];
        if (found == noTask && (task == collective.enters || times.start[task] >= comes)) found = task;
    }
    std::vector<TaskId> list;
    std::copy_if(first.begin(), first.end(), std::back_inserter(list), [](TaskId task) { return task != noTask; });
    return list;
}

void PlannedWhatIfs::delay(Program& program, const TaskTimes& times) const {
    std::map<std::pair<Place, std::int64_t>, std::int64_t> ofRanks;
    for (const RankDelay& delay : asked_.delays) ofRanks[{{ranks_.laneOf(static_cast<int>(delay.rank)), delay.before}, delay.rank}] += delay.delay;
    std::map<Place, std::int64_t> ofLanes; // who is in step is as late as the latest
    for (const auto& [key, late] : ofRanks)
        if (isThere(key.first)) ofLanes[key.first] = std::max(ofLanes[key.first], late);
    std::map<TaskId, TaskId> lastPause; // before a task
    for (const auto& [place, late] : ofLanes) {
        const TaskReach reach(program); // with the pauses so far: none may wait for itself
        const LaneCollective& collective = at(place);
        const auto addAlone = [&program](double seconds) { return program.addTask(program.addStream(), seconds); };
        const TaskId comes = addAlone(0);
        const TaskId passBefore = reach.beforeOnStream(collective.enters);
        if (!collective.receives) reach.eachBefore(collective.enters, [&](TaskId before) { program.addDependency(comes, before); });
        else if (passBefore != noTask) program.addDependency(comes, passBefore);
        for (const TaskId next : firstAfter(place, reach, times)) {
            const TaskId pause = addAlone(static_cast<double>(late) / 1e9);
            program.addDependency(pause, comes);
            if (const TaskId before = reach.beforeOnStream(next); before != noTask) program.addDependency(pause, before);
            if (const auto other = lastPause.find(next); other != lastPause.end()) program.addDependency(pause, other->second);
            program.addDependency(next, pause);
            lastPause[next] = pause;
        }
    }
}

std::vector<bool> PlannedWhatIfs::heldUp(const Program& program, const TaskTimes& times) const {
    const TaskReach reach(program);
    std::vector<TaskId> held;
    for (const RankStop& stop : asked_.stops) {
        const Place place{ranks_.laneOf(static_cast<int>(stop.rank)), stop.before};
        if (!isThere(place)) continue;
        const double comes = comesAt(at(place), reach, times);
        const std::vector<TaskId> next = firstAfter(place, reach, times);
        held.insert(held.end(), next.begin(), next.end());
        const std::vector<LaneCollective>& order = order_.at(place.first);
        for (std::size_t i = stop.before; i < order.size(); ++i)
            if (i == stop.before || times.end[order[i].transfer] > comes) held.push_back(order[i].transfer);
    }
    return held.empty() ? std::vector<bool>() : reach.behind(held);
}

/// Lists for each lane how it takes part in what is on its way.
std::map<int, LaneCollective> PlannedWhatIfs::membersOf(TaskId transfer) const {
    const Iteration& iteration = ranks_.iteration();
    std::map<int, LaneCollective> members;
    const TaskInfo& own = iteration.tasks[transfer];
    if (own.role == TaskRole::work) members[own.lane] = {transfer, transfer, false, 0};
    for (const auto& [before, after] : iteration.program.edges()) {
        if (after == transfer && iteration.tasks[before].role == TaskRole::arrive) members[iteration.tasks[before].lane] = {transfer, before, false, 0};
        if (before == transfer && own.role == TaskRole::work && iteration.tasks[after].lane != own.lane) members[iteration.tasks[after].lane] = {transfer, after, true, 0};
    }
    return members;
}

bool PlannedWhatIfs::hasStopped(int rank, TaskId transfer) const {
    return std::any_of(asked_.stops.begin(), asked_.stops.end(), [&](const RankStop& stop) {
        if (stop.rank != rank) return false;
        const std::vector<LaneCollective>& order = order_.at(ranks_.laneOf(rank));
        const auto found = std::find_if(order.begin(), order.end(), [transfer](const LaneCollective& one) { return one.transfer == transfer; });
        return found != order.end() && static_cast<std::size_t>(found - order.begin()) >= stop.before;
    });
}

std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> PlannedWhatIfs::missingAndWaiting(const LaneCollective& collective, int stopped, const TaskReach& reach, const std::vector<bool>& held) const {
    const std::map<int, LaneCollective> members = membersOf(collective.transfer);
    std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> lists;
    std::vector<int> group = ranks_.groupOf(ranks_.iteration().program.transfers()[collective.transfer], stopped);
    std::sort(group.begin(), group.end());
    for (const int rank : group) {
        const auto member = members.find(ranks_.laneOf(rank));
        bool came = member != members.end() && !hasStopped(rank, collective.transfer);
        if (came && member->second.receives) {
            const TaskId before = reach.beforeOnStream(member->second.enters);
            came = before == noTask || !held[before];
        } else if (came) {
            reach.eachBefore(member->second.enters, [&](TaskId before) { came = came && !held[before]; });
        }
        (came ? lists.second : lists.first).push_back(rank);
    }
    return lists;
}

PlannedHang PlannedWhatIfs::hang(const Program& program, const std::vector<bool>& held, const TaskTimes& times) const {
    const TaskReach reach(program);
    const RankStop* first = nullptr;
    const auto moment = [&](const RankStop& stop) {
        const Place place{ranks_.laneOf(static_cast<int>(stop.rank)), stop.before};
        return std::make_tuple(comesAt(at(place), reach, times), stop.rank, stop.before);
    };
    for (const RankStop& stop : asked_.stops)
        if (isThere({ranks_.laneOf(static_cast<int>(stop.rank)), stop.before}) && (first == nullptr || moment(stop) < moment(*first))) first = &stop;
    PlannedHang hang;
    if (first == nullptr) return hang;
    const auto stopped = static_cast<int>(first->rank);
    const std::vector<LaneCollective>& order = order_.at(ranks_.laneOf(stopped));
    const Iteration& iteration = ranks_.iteration();
    for (std::size_t i = first->before; i < order.size() && hang.waiting.empty(); ++i) {
        if (!held[order[i].transfer]) continue;
        auto [missing, waiting] = missingAndWaiting(order[i], stopped, reach, held);
        if (waiting.empty() && i != first->before) continue;
        const std::vector<SegmentEntry>& entries = iteration.work.segments[iteration.tasks[order[i].transfer].segment].entries;
        hang = {i, entries.empty() ? std::string() : iteration.work.operators[entries.front().op].op.name, std::move(missing), std::move(waiting), {}};
    }
    std::vector<bool> isHeld(ranks_.lanes(), false);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task)
        if (held[task] && iteration.tasks[task].lane >= 0) isHeld[static_cast<std::size_t>(iteration.tasks[task].lane)] = true;
    for (int rank = 0; rank < ranks_.scenario().parallelism.ranks(); ++rank) {
        const auto isIn = [rank](const std::vector<std::int64_t>& list) { return std::find(list.begin(), list.end(), rank) != list.end(); };
        if (isHeld[static_cast<std::size_t>(ranks_.laneOf(rank))] && !isIn(hang.missing) && !isIn(hang.waiting)) hang.blocked.push_back(rank);
    }
    return hang;
}

} // namespace orrery
