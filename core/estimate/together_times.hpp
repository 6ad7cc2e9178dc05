// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/flows/progressive_filling.hpp"
#include "core/transfers/flow_transfers.hpp"

#include <array>
#include <cstdint>
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
    /// 128 bits of hash: two of the shapes ever seen have the same with a probability below 1e-20.
    using Shape = std::array<std::uint64_t, 2>;
    struct ShapeHash {
        std::size_t operator()(const Shape& shape) const { return static_cast<std::size_t>(shape[0]); }
    };
    void numberLinks(const std::vector<Transfer>& transfers, std::size_t capacities, const std::vector<FlowDemand>& beside);
    Shape shapeOf(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) const;
    double played(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside);
    std::optional<double> oneMoment(const std::vector<Transfer>& transfers, const std::vector<double>& widths, const std::vector<FlowDemand>& beside);
    FlowLink numberOf(FlowLink link) const { return number_[link]; }

    std::unordered_map<Shape, double, ShapeHash> known_;
    std::vector<Transfer> asked_;  ///< working memory, as what follows
    std::vector<FlowLink> links_;  ///< in use, in order
    std::vector<FlowLink> number_; ///< by link: its place in `links_`
    std::vector<char> isNumbered_; ///< by link
    std::vector<FlowUse> uses_;    ///< of all flows, one after the other
    std::vector<DemandView> demands_;
    std::vector<double> rates_;
};

} // namespace orrery
