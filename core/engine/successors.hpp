// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// Who waits for whom. What is known from the start stands in compressed rows, which cost least to go through; what is added later in lists.
class Successors {
public:
    /// Takes up the edges that the program has got since the last call.
    void absorb(const Program& program);
    /// Edges taken up so far.
    std::size_t edges() const { return edges_; }

    /// Calls `visit` with each task that waits for `task`, in the order in which the edges were added.
    template <typename Visit> void each(TaskId task, Visit&& visit) const {
        if (task + std::size_t{1} < offsets_.size())
            for (std::uint32_t i = offsets_[task]; i < offsets_[task + 1]; ++i) visit(targets_[i]);
        if (task < lists_.size())
            for (std::uint32_t i = lists_[task].first; i != nothing; i = links_[i].next) visit(links_[i].target);
    }

private:
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};
    struct Link {
        TaskId target;
        std::uint32_t next;
    };
    struct List {
        std::uint32_t first = nothing, last = nothing;
    };

    void makeRows(const Program& program);
    void append(TaskId before, TaskId after);

    std::size_t edges_ = 0;
    std::vector<std::uint32_t> offsets_; ///< the first tasks' successors are targets_[offsets_[task] .. offsets_[task + 1])
    std::vector<TaskId> targets_;
    std::vector<List> lists_; ///< by task, as far as any were added later
    std::vector<Link> links_;
};

} // namespace orrery
