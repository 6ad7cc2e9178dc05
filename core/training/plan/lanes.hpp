// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/timed_operator.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

/// The rows of a rank that trains, beside the two that every program has.
namespace TrainingStream {

inline constexpr StreamKind pipeline{2}; ///< transfers between stages
inline constexpr StreamKind data{3};     ///< gradients and weights
inline constexpr StreamKind to_host{4};  ///< copies of what is offloaded
inline constexpr StreamKind from_host{5};
inline constexpr std::size_t count = 6; ///< with those two

} // namespace TrainingStream

/// What each is called; the row of collectives within a segment is "tensor" here.
StreamNames trainingStreamNames();

/// Cells of one stage that can't be told apart, and run as one. A cell is a tensor group: the ranks with one data and one
/// pipeline coordinate.
struct Lane {
    int stage = 0;
    int cell = 0;        ///< data coordinate of the cell that stands for the lane
    int cells = 1;       ///< that it stands for
    double slowdown = 1; ///< of computation: the slowest of a cell's accelerators
};

/// Which lanes there are and which meet in a transfer. Lanes are sorted by stage; those of one stage are contiguous.
class LaneMap {
public:
    /// One lane a stage for all of its `data` cells.
    LaneMap(int stages, int data);
    /// `classOf[stage][cell]` numbers the lanes of each stage from 0, in the order of their first cells.
    LaneMap(const std::vector<std::vector<std::uint32_t>>& classOf, const std::vector<std::vector<double>>& slowdown);

    const std::vector<Lane>& lanes() const { return lanes_; }
    const Lane& lane(int index) const { return lanes_[static_cast<std::size_t>(index)]; }
    int first(int stage) const { return first_[static_cast<std::size_t>(stage)]; }
    int count(int stage) const { return first_[static_cast<std::size_t>(stage) + 1] - first(stage); }
    /// The lane of another stage in the same pipeline.
    int partner(int lane, int stage) const;

private:
    std::vector<Lane> lanes_;
    std::vector<int> first_;                          ///< by stage, one more at the end
    std::vector<std::vector<std::uint32_t>> classOf_; ///< empty: one lane a stage
};

} // namespace orrery
