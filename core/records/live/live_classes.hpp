// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/live_slice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace orrery {

/// Which rank that is known (real, or recorded) stands for which virtual one. A rank of the job is its places on the axes of its groups. On an
/// axis along which messages are sent between two, places do different work (stages of a pipeline): a virtual rank needs one at its own
/// place there. On other axes all do the same, and who is at the most equal places stands for it; real ranks before recorded ones, lower before higher.
class LiveClasses {
public:
    explicit LiveClasses(const std::vector<LiveSlice>& known);

    /// Who stands for the member at `place` of an axis of `known[of]`. Nothing: nobody that is known does that rank's work.
    std::optional<std::size_t> at(std::size_t of, std::uint32_t axis, std::int32_t place) const;
    /// The axes of all that stand for members of one group are one: the number that an axis of a known rank has.
    std::size_t shared(std::size_t of, std::uint32_t axis) const { return find(first_[of] + axis); }
    /// Who meets on a shared axis.
    std::vector<std::size_t> meeting(std::size_t shared) const;
    /// Whether two known ranks do the same work: they are at equal places on every axis along which messages are sent.
    bool sameWork(std::size_t a, std::size_t b) const;
    /// Places on the axis that nobody stands for, over all axes of the known ranks.
    std::size_t unknownPlaces() const { return unknown_; }

private:
    std::size_t find(std::size_t node) const;
    std::optional<std::size_t> rankOfWorld(std::size_t of, std::int32_t rank) const;

    const std::vector<LiveSlice>& known_;
    std::set<std::uint32_t> messageAxes_;
    std::vector<std::size_t> first_; ///< node of a known rank's first axis
    mutable std::vector<std::size_t> parents_;
    std::vector<std::size_t> owner_; ///< of a node
    std::size_t unknown_ = 0;
};

} // namespace orrery
