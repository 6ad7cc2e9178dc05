// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace orrery {
namespace {

/// Spreads a value over 64 bits (the finaliser of splitmix64, Steele et al. 2014).
std::uint64_t spread(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

std::uint64_t both(std::uint64_t a, std::uint64_t b) { return spread(a + 0x632be59bd9b4e019ULL * spread(b)); }

/// Replaces colours by numbers in the order of first appearance; gives how many there are.
std::size_t number(const std::vector<std::uint64_t>& colours, std::vector<Symmetry::Colour>& classes, const std::vector<bool>* used = nullptr) {
    std::unordered_map<std::uint64_t, Symmetry::Colour> known;
    classes.resize(colours.size());
    for (std::size_t i = 0; i < colours.size(); ++i) {
        if (used && !(*used)[i]) {
            classes[i] = Symmetry::noClass;
            continue;
        }
        classes[i] = known.emplace(colours[i], static_cast<Symmetry::Colour>(known.size())).first->second;
    }
    return known.size();
}

} // namespace

Symmetry::Symmetry(const std::vector<double>& capacities) : capacities_(capacities) {}

std::uint32_t Symmetry::addFlows(std::uint64_t colour, const std::vector<FlowUse>& uses) {
    uses_.push_back(&uses);
    flowColour_.push_back(spread(colour));
    return static_cast<std::uint32_t>(uses_.size()) - 1;
}

std::uint32_t Symmetry::addLane(std::uint64_t colour) {
    laneColour_.push_back(spread(colour ^ 0x5bf03635ULL));
    return static_cast<std::uint32_t>(laneColour_.size()) - 1;
}

void Symmetry::join(std::uint32_t lane, std::uint32_t flows, std::uint32_t role) { joined_.push_back({lane, flows, role}); }

void Symmetry::refine() {
    std::vector<bool> used(capacities_.size(), false);
    for (const std::vector<FlowUse>* uses : uses_)
        for (const FlowUse& use : *uses) used[use.link] = true;
    std::vector<std::uint64_t> linkColour(capacities_.size());
    for (std::size_t link = 0; link < capacities_.size(); ++link) linkColour[link] = spread(std::bit_cast<std::uint64_t>(capacities_[link]));

    std::vector<std::uint64_t> nextFlow, nextLane, nextLink;
    std::size_t before = 0;
    while (true) {
        flowClassCount_ = number(flowColour_, flowClass_);
        laneClassCount_ = number(laneColour_, laneClass_);
        linkClassCount_ = number(linkColour, linkClass_, &used);
        const std::size_t now = flowClassCount_ + laneClassCount_ + linkClassCount_;
        if (now == before) break;
        before = now;
        // A multiset's colour is the sum of its members': order does not matter, how often does.
        nextFlow = flowColour_;
        nextLane = laneColour_;
        nextLink = linkColour;
        for (std::size_t f = 0; f < uses_.size(); ++f) {
            std::uint64_t sum = 0;
            const std::uint64_t own = flowColour_[f];
            for (const FlowUse& use : *uses_[f]) {
                const std::uint64_t weight = std::bit_cast<std::uint64_t>(use.flows);
                sum += both(linkColour[use.link], weight);
                nextLink[use.link] += both(own, weight);
            }
            nextFlow[f] = both(own, sum);
        }
        for (const Joined& joined : joined_) {
            nextLane[joined.lane] += both(flowColour_[joined.flows], joined.role);
            nextFlow[joined.flows] += both(laneColour_[joined.lane], joined.role + 0x10000ULL);
        }
        for (std::size_t link = 0; link < nextLink.size(); ++link)
            if (used[link]) linkColour[link] = spread(nextLink[link]);
        for (std::size_t f = 0; f < nextFlow.size(); ++f) flowColour_[f] = spread(nextFlow[f]);
        for (std::size_t lane = 0; lane < nextLane.size(); ++lane) laneColour_[lane] = spread(nextLane[lane]);
    }
    buildQuotient();
}

void Symmetry::buildQuotient() {
    // One link stands for its class, and what its class of flows sends over it is what the class's stand-in sends.
    std::vector<FlowLink> standIn(linkClassCount_, ~FlowLink{0});
    classCapacities_.assign(linkClassCount_, 0);
    for (FlowLink link = 0; link < linkClass_.size(); ++link) {
        const Colour colour = linkClass_[link];
        if (colour == noClass || standIn[colour] != ~FlowLink{0}) continue;
        standIn[colour] = link;
        classCapacities_[colour] = capacities_[link];
    }
    classUses_.assign(flowClassCount_, {});
    for (std::size_t f = 0; f < uses_.size(); ++f) {
        std::vector<FlowUse>& quotient = classUses_[flowClass_[f]];
        for (const FlowUse& use : *uses_[f]) {
            const Colour colour = linkClass_[use.link];
            if (standIn[colour] == use.link) quotient.push_back({colour, use.flows});
        }
    }
    for (std::vector<FlowUse>& uses : classUses_) {
        std::sort(uses.begin(), uses.end(), [](const FlowUse& a, const FlowUse& b) { return a.link < b.link; });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            if (kept > 0 && uses[kept - 1].link == uses[i].link) uses[kept - 1].flows += uses[i].flows;
            else uses[kept++] = uses[i];
        }
        uses.resize(kept);
    }
}

} // namespace orrery
