// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace orrery {

using FlowLink = std::uint32_t; ///< one direction of a physical link, by index

inline constexpr double unlimitedRate = std::numeric_limits<double>::infinity();

/// How many of an activity's flows cross a link.
struct FlowUse {
    FlowLink link = 0;
    double flows = 1;
    bool operator==(const FlowUse&) const = default;
};

/// Equal flows that advance together at one rate: a plain transfer is one flow; a ring is a flow on every edge, none of
/// which can outrun the others.
struct FlowDemand {
    std::vector<FlowUse> uses;  ///< each link once
    double cap = unlimitedRate; ///< bytes/s of one flow at most
};

/// Max-min fair rates of one flow of each demand, bytes/s: no flow can get more without taking from one that has less or as
/// much (Bertsekas, Gallager: Data Networks, section 6.5.2, progressive filling). On a link every flow counts as one.
/// A demand without links has its cap.
std::vector<double> maxMinRates(const std::vector<double>& capacities, const std::vector<FlowDemand>& demands);

/// A demand whose uses someone else keeps.
struct DemandView {
    const FlowUse* uses = nullptr;
    std::size_t count = 0;
    double cap = unlimitedRate;
};

/// The solver behind maxMinRates, with its working memory kept from one solution to the next: the same few links are shared
/// out again at every event. Work grows with the uses of the demands given, not with the number of links there are.
class ProgressiveFilling {
public:
    /// `capacities`, bytes/s by link, must outlive the solver.
    explicit ProgressiveFilling(const std::vector<double>& capacities);

    /// Rates of one flow of each demand; `rates` has the demands' size. Links that tie are taken by index, demands by place.
    void solve(const std::vector<DemandView>& demands, std::vector<double>& rates);

private:
    struct LinkState {
        double left = 0;                  ///< bytes/s that no settled flow has taken
        double growing = 0;               ///< flows whose rate still grows
        std::uint32_t open = 0;           ///< demands those flows belong to; 0: the link is out of the game
        std::uint32_t begin = 0, end = 0; ///< of its demands in users_
    };
    struct Candidate {
        double level; ///< the common rate at which the link is full
        FlowLink link;
        bool operator>(const Candidate& other) const { return level != other.level ? level > other.level : link > other.link; }
    };

    double level(FlowLink link) const;
    void loadLinks(const std::vector<DemandView>& demands);
    void settle(const DemandView& demand, double rate);

    const std::vector<double>& capacities_;
    std::vector<LinkState> links_;
    std::vector<FlowLink> touched_;
    std::vector<std::uint32_t> users_; ///< demands, by link
    std::vector<std::uint32_t> capped_;
    std::vector<Candidate> heap_;
};

} // namespace orrery
