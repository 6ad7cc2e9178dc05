// SPDX-License-Identifier: GPL-3.0-or-later
// What is folded must be the same: rates of the quotient against those of the full system, and the partition recounted.

#include "core/engine/max_min.hpp"
#include "core/network/transfers/symmetry.hpp"
#include "tests/core/network/transfers/patterns.hpp"
#include "tests/support/max_min_property.hpp"
#include "tests/support/random_source.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery {
namespace {

using namespace orrery::test;

struct System {
    std::vector<double> capacities;
    std::vector<FlowDemand> flows;
    std::vector<std::uint64_t> colours; ///< by flow: its sort
    std::size_t sorts = 0;              ///< flows of the unit that was repeated
};

/// A small random unit, repeated in a circle: its flows use links of their own copy, of a copy further on, and of a hub that all
/// share. Then everything gets another number, so that no order gives the symmetry away.
System randomSystem(RandomSource& random, bool broken) {
    System system;
    const std::size_t copies = random.between(std::size_t{1}, std::size_t{12}), links = random.between(std::size_t{1}, std::size_t{6});
    const std::size_t hubs = random.below(3), flows = random.between(std::size_t{1}, std::size_t{8});
    system.sorts = flows;
    std::vector<double> capacity;
    for (std::size_t l = 0; l < links + hubs; ++l) capacity.push_back(random.chance(0.5) ? 100 : random.between(10.0, 200.0));
    for (std::size_t c = 0; c < copies; ++c) system.capacities.insert(system.capacities.end(), capacity.begin(), capacity.begin() + static_cast<std::ptrdiff_t>(links));
    system.capacities.insert(system.capacities.end(), capacity.begin() + static_cast<std::ptrdiff_t>(links), capacity.end());
    for (std::size_t f = 0; f < flows; ++f) {
        const double cap = random.chance(0.3) ? random.between(1.0, 50.0) : unlimitedRate;
        const std::uint64_t colour = cap < unlimitedRate ? 100 + f : random.below(2); // without a cap some look the same
        std::map<std::pair<std::size_t, std::size_t>, double> uses;                   // shift and link of the unit; hubs: links + i
        for (std::size_t u = random.between(std::size_t{1}, std::size_t{4}); u > 0; --u) {
            const std::size_t link = random.below(links + hubs);
            uses[{link < links ? random.below(copies) : 0, link}] += static_cast<double>(random.between(std::size_t{1}, std::size_t{4})) / 2;
        }
        for (std::size_t c = 0; c < copies; ++c) {
            FlowDemand demand;
            demand.cap = cap;
            for (const auto& [where, weight] : uses) {
                const auto& [shift, link] = where;
                const std::size_t index = link < links ? (c + shift) % copies * links + link : copies * links + link - links;
                demand.uses.push_back({static_cast<FlowLink>(index), weight});
            }
            system.flows.push_back(std::move(demand));
            system.colours.push_back(colour);
        }
    }
    if (broken) {
        system.capacities[random.below(system.capacities.size())] *= random.between(0.3, 0.9);
        system.flows.push_back({{{static_cast<FlowLink>(random.below(system.capacities.size())), 1}}, unlimitedRate});
        system.colours.push_back(7);
        system.sorts = system.flows.size(); // may all be told apart now
    }
    std::vector<FlowLink> linkNumber(system.capacities.size());
    std::vector<std::size_t> flowNumber(system.flows.size());
    std::iota(linkNumber.begin(), linkNumber.end(), 0);
    std::iota(flowNumber.begin(), flowNumber.end(), 0);
    random.shuffle(linkNumber);
    random.shuffle(flowNumber);
    System shuffled = system;
    for (std::size_t l = 0; l < linkNumber.size(); ++l) shuffled.capacities[linkNumber[l]] = system.capacities[l];
    for (std::size_t f = 0; f < flowNumber.size(); ++f) {
        FlowDemand& demand = shuffled.flows[flowNumber[f]] = system.flows[f];
        for (FlowUse& use : demand.uses) use.link = linkNumber[use.link];
        std::sort(demand.uses.begin(), demand.uses.end(), [](const FlowUse& a, const FlowUse& b) { return a.link < b.link; });
        shuffled.colours[flowNumber[f]] = system.colours[f];
    }
    return shuffled;
}

Symmetry refined(const System& system) {
    Symmetry symmetry(system.capacities);
    for (std::size_t f = 0; f < system.flows.size(); ++f) symmetry.addFlows(system.colours[f], system.flows[f].uses);
    symmetry.refine();
    return symmetry;
}

/// Every flow of a class crosses links of the same classes as often, and every link of a class carries flows of the same classes.
void expectEquitable(const System& system, const Symmetry& symmetry) {
    using Counts = std::vector<std::pair<std::uint32_t, double>>;
    std::vector<Counts> ofLink(system.capacities.size());
    std::map<std::uint32_t, Counts> ofFlowClass;
    std::map<std::uint32_t, std::uint64_t> colour;
    for (std::size_t f = 0; f < system.flows.size(); ++f) {
        const std::uint32_t own = symmetry.flowClass(static_cast<std::uint32_t>(f));
        Counts counts;
        for (const FlowUse& use : system.flows[f].uses) {
            counts.emplace_back(symmetry.linkClass(use.link), use.flows);
            ofLink[use.link].emplace_back(own, use.flows);
        }
        std::sort(counts.begin(), counts.end());
        EXPECT_EQ(ofFlowClass.emplace(own, counts).first->second, counts) << "flow " << f;
        EXPECT_EQ(colour.emplace(own, system.colours[f]).first->second, system.colours[f]);
    }
    std::map<std::uint32_t, std::pair<double, Counts>> ofLinkClass;
    for (std::size_t l = 0; l < system.capacities.size(); ++l) {
        const std::uint32_t own = symmetry.linkClass(static_cast<FlowLink>(l));
        EXPECT_EQ(own == Symmetry::noClass, ofLink[l].empty());
        if (ofLink[l].empty()) continue;
        std::sort(ofLink[l].begin(), ofLink[l].end());
        const std::pair<double, Counts> mine{system.capacities[l], ofLink[l]};
        EXPECT_EQ(ofLinkClass.emplace(own, mine).first->second, mine) << "link " << l;
        EXPECT_EQ(symmetry.classCapacities().at(own), system.capacities[l]);
    }
    EXPECT_EQ(ofLinkClass.size(), symmetry.linkClasses());
    EXPECT_EQ(ofFlowClass.size(), symmetry.flowClasses());
}

TEST(Symmetry, TheQuotientHasTheRatesOfTheFullSystem) {
    std::size_t folded = 0, flows = 0, told = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        RandomSource random(seed);
        const bool broken = seed % 4 == 0;
        const System system = randomSystem(random, broken);
        const Symmetry symmetry = refined(system);
        expectEquitable(system, symmetry);
        std::vector<FlowDemand> quotient(symmetry.flowClasses());
        for (std::size_t f = 0; f < system.flows.size(); ++f) {
            const std::uint32_t own = symmetry.flowClass(static_cast<std::uint32_t>(f));
            quotient[own] = {symmetry.classUses(own), system.flows[f].cap};
        }
        const std::vector<double> full = maxMinRates(system.capacities, system.flows);
        ASSERT_EQ(whyNotMaxMin(system.capacities, system.flows, full), "") << "seed " << seed;
        const std::vector<double> small = maxMinRates(symmetry.classCapacities(), quotient);
        for (std::size_t f = 0; f < full.size(); ++f)
            ASSERT_TRUE(close(small[symmetry.flowClass(static_cast<std::uint32_t>(f))], full[f])) << "seed " << seed << ", flow " << f;
        EXPECT_LE(symmetry.flowClasses(), system.sorts) << "copies can't be told apart; seed " << seed;
        folded += symmetry.flowClasses();
        flows += system.flows.size();
        told += broken;
    }
    EXPECT_LT(2 * folded, flows) << "there must be something to fold";
    EXPECT_GT(told, 300u);
}

TEST(Symmetry, ClassesAreNumberedByTheirFirstMembers) {
    const std::vector<double> capacities{10, 20, 10, 5};
    const std::vector<std::vector<FlowUse>> uses{{{1, 1}}, {{0, 1}}, {{2, 1}}};
    Symmetry symmetry(capacities);
    for (const std::vector<FlowUse>& flow : uses) symmetry.addFlows(1, flow);
    symmetry.refine();
    EXPECT_EQ(symmetry.flowClass(0), 0u);
    EXPECT_EQ(symmetry.flowClass(1), 1u);
    EXPECT_EQ(symmetry.flowClass(2), 1u);
    EXPECT_EQ(symmetry.linkClass(0), symmetry.linkClass(2));
    EXPECT_NE(symmetry.linkClass(0), symmetry.linkClass(1));
    EXPECT_EQ(symmetry.linkClass(3), Symmetry::noClass);
}

TEST(Symmetry, LanesAreToldApartByWhatTheirFlowsMeet) {
    // Four lanes with a flow each; two share a link, two have one of their own.
    const std::vector<double> capacities{10, 10, 10};
    const std::vector<std::vector<FlowUse>> uses{{{0, 1}}, {{0, 1}}, {{1, 1}}, {{2, 1}}};
    Symmetry symmetry(capacities);
    for (const std::vector<FlowUse>& flow : uses) {
        const std::uint32_t lane = symmetry.addLane(1);
        symmetry.join(lane, symmetry.addFlows(1, flow), 0);
    }
    symmetry.refine();
    EXPECT_EQ(symmetry.laneClasses(), 2u);
    EXPECT_EQ(symmetry.laneClass(0), symmetry.laneClass(1));
    EXPECT_EQ(symmetry.laneClass(2), symmetry.laneClass(3));
    EXPECT_NE(symmetry.laneClass(0), symmetry.laneClass(2));
}

TEST(Symmetry, FlowsAreToldApartByTheirLanesAndRoles) {
    const std::vector<double> capacities(6, 10);
    std::vector<std::vector<FlowUse>> uses;
    for (FlowLink link = 0; link < 6; ++link) uses.push_back({{link, 1}});
    Symmetry symmetry(capacities);
    const std::uint32_t quick = symmetry.addLane(1), alike = symmetry.addLane(1), slow = symmetry.addLane(2);
    std::uint32_t next = 0;
    for (const std::uint32_t lane : {quick, alike, slow})
        for (const std::uint32_t role : {0U, 1U}) symmetry.join(lane, symmetry.addFlows(1, uses[next++]), role);
    symmetry.refine();
    EXPECT_EQ(symmetry.laneClasses(), 2u);
    EXPECT_EQ(symmetry.laneClass(quick), symmetry.laneClass(alike));
    EXPECT_EQ(symmetry.flowClasses(), 4u);
    EXPECT_EQ(symmetry.flowClass(0), symmetry.flowClass(2));
    EXPECT_EQ(symmetry.flowClass(1), symmetry.flowClass(3));
    EXPECT_NE(symmetry.flowClass(0), symmetry.flowClass(1)) << "sent and received";
    EXPECT_NE(symmetry.flowClass(0), symmetry.flowClass(4)) << "of a slower lane";
}

TEST(Symmetry, AChainOfFlowsIsToldApartFromItsEnds) {
    // Flow i uses links i and i + 1: only mirror images are alike.
    const std::size_t n = 9;
    const std::vector<double> capacities(n + 1, 10);
    std::vector<std::vector<FlowUse>> uses;
    for (FlowLink f = 0; f < n; ++f) uses.push_back({{f, 1}, {f + 1, 1}});
    Symmetry symmetry(capacities);
    for (const std::vector<FlowUse>& flow : uses) symmetry.addFlows(1, flow);
    symmetry.refine();
    EXPECT_EQ(symmetry.flowClasses(), (n + 1) / 2);
    for (std::uint32_t f = 0; f < n; ++f) EXPECT_EQ(symmetry.flowClass(f), symmetry.flowClass(static_cast<std::uint32_t>(n) - 1 - f));
}

TEST(Symmetry, RingsOfEqualGroupsFoldToOne) {
    // Eight groups, one a slot, each over sixteen hosts on rails: all alike until one interface is slow.
    for (const bool slow : {false, true}) {
        Cluster cluster = rails(16, 8);
        if (slow) {
            LinkChange change;
            change.from = "h3";
            change.to = "rail5";
            change.factor = 0.5;
            cluster.changes.push_back(change);
        }
        Network network(cluster);
        std::vector<TransferPattern> patterns;
        for (int slot = 0; slot < 8; ++slot) {
            std::vector<int> ranks;
            for (int h = 0; h < 16; ++h) ranks.push_back(8 * h + slot);
            patterns.push_back(network.make(ranks, CollectiveKind::all_reduce));
        }
        Symmetry symmetry(network.capacities);
        for (const TransferPattern& pattern : patterns) symmetry.addFlows(1, pattern.phases.at(0).flows.at(0).uses);
        symmetry.refine();
        EXPECT_EQ(symmetry.flowClasses(), slow ? 2u : 1u);
        EXPECT_EQ(symmetry.linkClasses(), slow ? 3u : 1u);
        EXPECT_EQ(symmetry.flowClass(0) == symmetry.flowClass(5), !slow);
    }
}

} // namespace
} // namespace orrery
