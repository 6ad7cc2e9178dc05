// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/successors.hpp"

namespace orrery {

void Successors::makeRows(const Program& program) {
    offsets_.assign(program.taskCount() + 1, 0);
    targets_.resize(program.edges().size());
    for (const auto& [before, after] : program.edges()) ++offsets_[before + 1];
    for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const auto& [before, after] : program.edges()) targets_[next[before]++] = after;
}

void Successors::append(TaskId before, TaskId after) {
    if (before >= lists_.size()) lists_.resize(before + std::size_t{1});
    List& list = lists_[before];
    const auto added = static_cast<std::uint32_t>(links_.size());
    links_.push_back({after, nothing});
    if (list.first == nothing) list.first = added;
    else links_[list.last].next = added;
    list.last = added;
}

void Successors::absorb(const Program& program) {
    if (offsets_.empty()) makeRows(program);
    else
        for (std::size_t edge = edges_; edge < program.edges().size(); ++edge) append(program.edges()[edge].first, program.edges()[edge].second);
    edges_ = program.edges().size();
}

} // namespace orrery
