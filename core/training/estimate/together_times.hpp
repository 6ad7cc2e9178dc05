// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/progressive_filling.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/estimate/link_shapes.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace orrery {

/// How long transfers take that begin together. What was found out is kept by the shape of the question: who crosses which links with how much,
/// how wide these are, and what else is on them, whichever links they are. Stages of one pipeline, and grids of ranks that lie alike, ask the
/// same.
class TogetherTimes {
public:
    /// Until the last of them has ended, s. `beside` is on its way all the time. Infinity: a link of no capacity.
    double seconds(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside);

private:
    TrafficShape shapeOf(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) const;
    double played(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside);
    std::optional<double> oneMoment(const std::vector<Transfer>& transfers, const std::vector<double>& widths, const std::vector<FlowDemand>& beside);

    std::unordered_map<TrafficShape, double, TrafficShapeHash> known_;
    std::vector<Transfer> asked_; ///< working memory, as what follows
    LinkNumbers numbers_;
    std::vector<FlowUse> uses_; ///< of all flows, one after the other
    std::vector<DemandView> demands_;
    std::vector<double> rates_;
};

} // namespace orrery
