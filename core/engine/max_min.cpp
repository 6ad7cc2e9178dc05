// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/max_min.hpp"

#include <algorithm>
#include <functional>

namespace orrery {

std::vector<double> maxMinRates(const std::vector<double>& capacities, const std::vector<FlowDemand>& demands) {
    std::vector<DemandView> views;
    views.reserve(demands.size());
    for (const FlowDemand& demand : demands) views.push_back({demand.uses.data(), demand.uses.size(), demand.cap});
    std::vector<double> rates(demands.size());
    ProgressiveFilling filling(capacities);
    filling.solve(views, rates);
    return rates;
}

ProgressiveFilling::ProgressiveFilling(const std::vector<double>& capacities)
    : capacities_(capacities), links_(capacities.size()) {}

double ProgressiveFilling::level(FlowLink link) const {
    const LinkState& state = links_[link];
    return state.left > 0 ? state.left / state.growing : 0;
}

void ProgressiveFilling::loadLinks(const std::vector<DemandView>& demands) {
    touched_.clear();
    std::size_t uses = 0;
    for (const DemandView& demand : demands) {
        uses += demand.count;
        for (std::size_t i = 0; i < demand.count; ++i) {
            LinkState& link = links_[demand.uses[i].link];
            if (link.open == 0) {
                touched_.push_back(demand.uses[i].link);
                link.left = capacities_[demand.uses[i].link];
                link.growing = 0;
            }
            link.growing += demand.uses[i].flows;
            ++link.open;
        }
    }
    users_.resize(uses);
    std::uint32_t next = 0;
    for (const FlowLink touched : touched_) {
        LinkState& link = links_[touched];
        link.begin = link.end = next;
        next += link.open;
    }
    for (std::size_t d = 0; d < demands.size(); ++d)
        for (std::size_t i = 0; i < demands[d].count; ++i)
            users_[links_[demands[d].uses[i].link].end++] = static_cast<std::uint32_t>(d);
}

void ProgressiveFilling::settle(const DemandView& demand, double rate) {
    for (std::size_t i = 0; i < demand.count; ++i) {
        LinkState& link = links_[demand.uses[i].link];
        link.left -= demand.uses[i].flows * rate;
        link.growing -= demand.uses[i].flows;
        --link.open;
    }
}

void ProgressiveFilling::solve(const std::vector<DemandView>& demands, std::vector<double>& rates) {
    // A lone demand is the common case, and its rate a plain minimum.
    if (demands.size() == 1) {
        double rate = demands[0].cap;
        for (std::size_t i = 0; i < demands[0].count; ++i)
            rate = std::min(rate, capacities_[demands[0].uses[i].link] / demands[0].uses[i].flows);
        rates[0] = rate;
        return;
    }

    loadLinks(demands);
    heap_.clear();
    for (const FlowLink link : touched_) heap_.push_back({level(link), link});
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    capped_.clear();
    for (std::size_t d = 0; d < demands.size(); ++d) {
        rates[d] = -1;
        if (demands[d].cap < unlimitedRate || demands[d].count == 0) capped_.push_back(static_cast<std::uint32_t>(d));
    }
    std::sort(capped_.begin(), capped_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return demands[a].cap != demands[b].cap ? demands[a].cap < demands[b].cap : a < b;
    });

    std::size_t nextCap = 0;
    const auto fix = [&](std::uint32_t demand, double rate) {
        rates[demand] = rate;
        settle(demands[demand], rate);
    };
    while (true) {
        while (nextCap < capped_.size() && rates[capped_[nextCap]] >= 0) ++nextCap;
        const double cap = nextCap < capped_.size() ? demands[capped_[nextCap]].cap : unlimitedRate;
        // Settling flows below a link's level only raises it: an entry may be too low, then it goes back, but never too high.
        bool full = false;
        Candidate bottleneck{};
        while (!heap_.empty() && !full) {
            bottleneck = heap_.front();
            if (bottleneck.level >= cap) break;
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            heap_.pop_back();
            if (links_[bottleneck.link].open == 0) continue;
            const double now = level(bottleneck.link);
            full = now <= bottleneck.level;
            if (full) break;
            heap_.push_back({now, bottleneck.link});
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
        if (full) {
            const LinkState& link = links_[bottleneck.link];
            for (std::uint32_t i = link.begin; i < link.end; ++i)
                if (rates[users_[i]] < 0) fix(users_[i], bottleneck.level);
        } else if (nextCap < capped_.size()) {
            fix(capped_[nextCap], cap);
        } else {
            break;
        }
    }
    for (const FlowLink link : touched_) links_[link].open = 0;
}

} // namespace orrery
