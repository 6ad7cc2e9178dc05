// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/router.hpp"

#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

/// A drawing as single machines and cables, made from the cluster alone: the second opinion on what a drawing stands for and
/// how far its hosts are from one another. Machines are numbered in the order of the file, replica after replica.
class MachineGraph {
public:
    explicit MachineGraph(const Cluster& cluster);

    std::size_t machines() const { return neighbours_.size(); }
    bool forwards(int machine) const { return forwards_[static_cast<std::size_t>(machine)]; }
    /// By cable in the order of the file; parallel ones each by themselves.
    const std::vector<std::pair<int, int>>& cables() const { return cables_; }
    const std::vector<int>& neighbours(int machine) const { return neighbours_[static_cast<std::size_t>(machine)]; }
    /// Cables on a shortest way on which only machines that forward lie; -1: there is none.
    int hops(int from, int to) const;

private:
    std::vector<std::vector<int>> neighbours_;
    std::vector<std::pair<int, int>> cables_;
    std::vector<bool> forwards_;
};

/// What is wrong with a way as a walk over the fabric; empty: nothing. Follows every part of a split way from the source's host
/// to the target's, and looks whether it enters and leaves by the ranks' own interfaces where `own` says so.
std::string whyNotAWay(const Fabric& fabric, const Way& way, int from, int to, bool own = true);

/// Both ends of every link between machines, as fabric vertices; (-1, -1) for ports inside.
std::vector<std::pair<int, int>> linkEnds(const Fabric& fabric);

} // namespace orrery::test
