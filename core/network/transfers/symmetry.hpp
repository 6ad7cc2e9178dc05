// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

/// Finds what can't be told apart: flows, links and the lanes they belong to, so that one stands for all of its class.
///
/// Colour refinement: everything starts with a colour of its own kind (a flow: its task and pattern; a link: its capacity; a lane:
/// its stage and speed) and is told apart as long as neighbours differ. In the partition that results, all flows of a class
/// cross as many links of each link class, and all links of a class carry as many flows of each flow class. Max-min fair rates
/// are unique and don't change when equals are swapped, so equals have equal rates: the quotient gives the same answer
/// (Grohe et al. 2014, "Dimension reduction via colour refinement", for linear programs).
class Symmetry {
public:
    using Colour = std::uint32_t;

    explicit Symmetry(const std::vector<double>& capacities);

    /// A group of flows with its uses, which must outlive this; gives its number.
    std::uint32_t addFlows(std::uint64_t colour, const std::vector<FlowUse>& uses);
    /// A lane; gives its number.
    std::uint32_t addLane(std::uint64_t colour);
    /// The flows are those of the lane, in the given role (sent forward, received back …).
    void join(std::uint32_t lane, std::uint32_t flows, std::uint32_t role);

    void refine();

    std::size_t flowCount() const { return uses_.size(); }
    std::size_t laneClasses() const { return laneClassCount_; }
    std::size_t flowClasses() const { return flowClassCount_; }
    std::size_t linkClasses() const { return linkClassCount_; }
    /// Classes are numbered in the order of their first members.
    Colour laneClass(std::uint32_t lane) const { return laneClass_[lane]; }
    Colour flowClass(std::uint32_t flows) const { return flowClass_[flows]; }
    Colour linkClass(FlowLink link) const { return linkClass_[link]; } ///< noClass: no flow uses it
    static constexpr Colour noClass = ~Colour{0};

    /// Capacity of one link of each class.
    const std::vector<double>& classCapacities() const { return classCapacities_; }
    /// Uses of a flow class in the quotient: for each link class how many flows of the class cross one of its links.
    const std::vector<FlowUse>& classUses(Colour flowClass) const { return classUses_[flowClass]; }

private:
    struct Joined {
        std::uint32_t lane, flows, role;
    };
    void buildQuotient();

    const std::vector<double>& capacities_;
    std::vector<const std::vector<FlowUse>*> uses_;
    std::vector<std::uint64_t> flowColour_, laneColour_;
    std::vector<Joined> joined_;
    std::vector<Colour> laneClass_, flowClass_, linkClass_;
    std::size_t laneClassCount_ = 0, flowClassCount_ = 0, linkClassCount_ = 0;
    std::vector<double> classCapacities_;
    std::vector<std::vector<FlowUse>> classUses_;
};

} // namespace orrery
