// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace orrery {

/// One more than the highest class in use.
std::size_t Program::classes() const {
    std::size_t most = 1;
    for (const Load& load : loads_) most = std::max(most, load.load + std::size_t{1});
    for (const Slowdown& pair : slowdowns_) most = std::max({most, pair.slowed + std::size_t{1}, pair.by + std::size_t{1}});
    return most;
}

TaskId Program::append(const Program& other, TransferId firstTransfer) {
    const auto firstTask = static_cast<TaskId>(taskCount());
    const StreamId firstStream = streams_;
    DeviceId firstDevice = 0;
    for (const auto& [stream, device] : places_) firstDevice = std::max(firstDevice, device + 1);
    const std::size_t furtherClass = classes() - 1; // class 0 means the same everywhere
    assert(furtherClass + other.classes() - 1 <= std::numeric_limits<LoadClass>::max());
    const auto classOf = [&](LoadClass load) { return static_cast<LoadClass>(load == 0 ? 0 : load + furtherClass); };

    reserve(taskCount() + other.taskCount());
    streams_ += other.streams_;
    for (TaskId task = 0; task < other.taskCount(); ++task) {
        const TaskId added = addTask(firstStream + other.taskStreams_[task], other.durations_[task]);
        if (other.transfers_[task] != noTransfer) transfers_[added] = firstTransfer + other.transfers_[task];
        if (const Load load = other.load(task); load.load != 0) setLoad(added, classOf(load.load), load.weight);
    }
    for (const auto& [before, after] : other.edges_) edges_.emplace_back(firstTask + before, firstTask + after);
    for (const auto& [stream, device] : other.places_) places_.emplace_back(firstStream + stream, firstDevice + device);
    for (const Slowdown& pair : other.slowdowns_) setSlowdown(classOf(pair.slowed), classOf(pair.by), pair.factor);
    return firstTask;
}

} // namespace orrery
