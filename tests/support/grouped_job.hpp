// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/random_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery::test {

/// A made job of tensor × data × stages ranks with collectives of groups, played by itself: what a replay of its records has to find. Times in ns.
class GroupedJob {
public:
    enum class Kind : std::uint8_t { kernel,
                                     collective,
                                     send,
                                     receive };
    struct Action {
        Kind kind = Kind::kernel;
        int stream = 0;                      ///< 0: computes
        std::int64_t gap = 0;                ///< from the end of what it waits for
        std::int64_t duration = 0;           ///< of a collective: after the last has come
        std::vector<std::size_t> waitsFor{}; ///< actions of the same rank
        std::vector<int> members{};          ///< of a group; of a send or receive who sends, then who receives
        std::size_t number = 0;              ///< which of the group's
    };
    /// When an action ran; nothing: never.
    struct Run {
        std::optional<std::int64_t> start, end;
    };
    struct WhatIf {
        int rank = -1;
        std::size_t before = 0; ///< which of the rank's collectives, sends and receives, by start
        std::int64_t delay = 0;
        bool stops = false;
        double kernels = 1; ///< times their time, of all ranks
    };

    /// `overlapping`: gradients are summed up while backwards go on.
    GroupedJob(RandomSource& random, bool overlapping);

    int ranks() const { return tensor_ * data_ * stages_; }
    const std::vector<std::vector<Action>>& actions() const { return actions_; }
    std::vector<std::vector<Run>> played(const WhatIf& whatIf) const;
    /// Kineto's JSON of one rank as PyTorch writes it, its clock `ahead` of the others'.
    std::string record(int rank, const std::vector<std::vector<Run>>& runs, std::int64_t ahead = 0) const;
    /// The rank's collectives, sends and receives, by start: actions.
    std::vector<std::size_t> communication(int rank, const std::vector<std::vector<Run>>& runs) const;

private:
    int rankAt(int tensor, int data, int stage) const { return (stage * data_ + data) * tensor_ + tensor; }
    std::size_t add(int rank, Action action);
    std::size_t numberOf(const Action& action, int rank) const;

    int tensor_ = 1, data_ = 1, stages_ = 1;
    std::vector<std::vector<Action>> actions_; ///< by rank, in the order of their program
};

} // namespace orrery::test
