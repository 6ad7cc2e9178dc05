// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

/// Which tasks of a program wait for which, by its dependencies and by the order of its streams.
class TaskReach {
public:
    explicit TaskReach(const Program& program);

    /// These tasks and all that wait for any of them, by task.
    std::vector<bool> behind(const std::vector<TaskId>& tasks) const { return closure(after_, tasks); }
    /// These tasks and all that any of them waits for.
    std::vector<bool> upTo(const std::vector<TaskId>& tasks) const { return closure(before_, tasks); }
    /// The task before it on its stream; noTask: it is the first.
    TaskId beforeOnStream(TaskId task) const { return beforeOnStream_[task]; }

    /// Calls `visit` with each task that `task` waits for.
    template <typename Visit> void eachBefore(TaskId task, Visit&& visit) const {
        for (std::uint32_t i = before_.offsets[task]; i < before_.offsets[task + 1]; ++i) visit(before_.tasks[i]);
    }

private:
    /// Lists in compressed rows, by task.
    struct Rows {
        std::vector<std::uint32_t> offsets;
        std::vector<TaskId> tasks;
    };
    static std::vector<bool> closure(const Rows& rows, const std::vector<TaskId>& tasks);

    std::vector<TaskId> beforeOnStream_;
    Rows before_, after_;
};

} // namespace orrery
