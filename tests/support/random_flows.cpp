// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_flows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace orrery::test {
namespace {

/// Links in all paths together: bounds the time of a case however long the paths are.
constexpr std::size_t mostSteps = 30'000;

/// Paths of one traffic pattern after another until there are enough.
class Traffic {
public:
    Traffic(Topology& topology, RandomSource& random, std::size_t flows) : topology_(topology), random_(random), wanted_(flows) {}

    std::vector<std::vector<FlowLink>> paths;
    std::string what;

    void make() {
        const std::size_t patterns = random_.chance(0.3) ? 2 : 1;
        for (std::size_t done = 1; done <= patterns; ++done) {
            limit_ = wanted_ * done / patterns;
            switch (random_.below(6)) {
            case 0: pairs(); break;
            case 1: permutations(); break;
            case 2: incast(); break;
            case 3: allToAll(); break;
            case 4: shiftedRings(); break;
            default: coupledRings(); break;
            }
        }
    }

private:
    bool full() const { return paths.size() >= limit_ || steps_ >= mostSteps; }

    void name(const char* pattern) { what += (what.empty() ? "" : " and ") + std::string(pattern); }

    void add(std::size_t from, std::size_t to) {
        if (from == to || full()) return;
        paths.push_back(topology_.path(from, to, random_));
        steps_ += paths.back().size();
    }

    std::vector<std::size_t> someHosts(std::size_t count) {
        std::vector<std::size_t> all(topology_.hosts);
        std::iota(all.begin(), all.end(), std::size_t{0});
        if (random_.chance(0.7)) random_.shuffle(all); // else neighbours
        all.resize(std::min(count, all.size()));
        return all;
    }

    void pairs() {
        name("random pairs");
        while (!full()) add(random_.below(topology_.hosts), random_.below(topology_.hosts));
    }

    void permutations() {
        name("permutations");
        while (!full()) {
            const std::vector<std::size_t> from = someHosts(topology_.hosts);
            std::vector<std::size_t> to = from;
            random_.shuffle(to);
            for (std::size_t i = 0; i < from.size(); ++i) add(from[i], to[i]);
        }
    }

    void incast() {
        name("incast");
        while (!full()) {
            const std::size_t target = random_.below(topology_.hosts);
            for (const std::size_t source : someHosts(random_.between(std::size_t{2}, std::size_t{64}))) add(source, target);
        }
    }

    void allToAll() {
        name("all-to-all");
        const double side = std::sqrt(static_cast<double>(limit_ - std::min(limit_, paths.size()))) + 1;
        const std::vector<std::size_t> group = someHosts(std::max<std::size_t>(3, static_cast<std::size_t>(side)));
        for (const std::size_t from : group)
            for (const std::size_t to : group) add(from, to);
    }

    void shiftedRings() {
        name("shifted rings");
        const std::vector<std::size_t> group = someHosts(random_.between(std::size_t{4}, topology_.hosts));
        while (!full()) {
            const std::size_t shift = random_.between(std::size_t{1}, group.size() - 1);
            for (std::size_t i = 0; i < group.size(); ++i) add(group[i], group[(i + shift) % group.size()]);
        }
    }

    void coupledRings() {
        name("coupled rings");
        while (!full()) {
            const std::vector<std::size_t> group = someHosts(random_.between(std::size_t{2}, std::size_t{16}));
            std::vector<FlowLink> round;
            for (std::size_t i = 0; i < group.size(); ++i) {
                const std::vector<FlowLink> edge = topology_.path(group[i], group[(i + 1) % group.size()], random_);
                round.insert(round.end(), edge.begin(), edge.end());
            }
            steps_ += round.size();
            paths.push_back(std::move(round));
        }
    }

    Topology& topology_;
    RandomSource& random_;
    std::size_t wanted_;
    std::size_t limit_ = 0;
    std::size_t steps_ = 0;
};

void drawSizes(std::vector<PointFlow>& flows, RandomSource& random) {
    const double base = random.logBetween(1e8, 1e10);
    const std::size_t way = random.below(3);
    for (PointFlow& flow : flows) {
        if (way == 0) flow.bytes = base;
        if (way == 1) flow.bytes = base * random.logBetween(0.01, 1);
        if (way == 2) flow.bytes = random.chance(0.1) ? base : base * 0.001; // few large, many small
        flow.bytes = std::floor(flow.bytes);
    }
}

/// The time that the busiest link needs for all its bytes.
double leastTime(const FlowCase& given) {
    std::vector<double> bytes(given.capacities.size(), 0);
    for (const PointFlow& flow : given.flows)
        for (const FlowLink link : flow.path) bytes[link] += flow.bytes;
    double time = 0;
    for (std::size_t link = 0; link < bytes.size(); ++link) time = std::max(time, bytes[link] / given.capacities[link]);
    return time;
}

void drawStarts(FlowCase& made, RandomSource& random) {
    const std::size_t way = random.below(4);
    made.what += way == 0 ? ", at once" : way == 1 ? ", in waves"
                                                   : ", one by one";
    const double window = leastTime(made) * random.pick(std::vector<double>{0.3, 1, 3});
    const std::size_t waves = random.between(std::size_t{2}, std::size_t{10});
    for (PointFlow& flow : made.flows) {
        if (way == 1) flow.start = window * static_cast<double>(random.below(waves)) / static_cast<double>(waves);
        if (way >= 2) flow.start = window * random.unit();
    }
}

void drawCaps(FlowCase& made, RandomSource& random) {
    if (!random.chance(0.4)) return;
    made.what += ", some capped";
    for (PointFlow& flow : made.flows)
        if (random.chance(0.3)) flow.cap = made.capacities[flow.path[0]] * random.logBetween(0.02, 1.2);
}

const char* nameOf(TopologyFamily family) {
    switch (family) {
    case TopologyFamily::fat_tree: return "fat_tree";
    case TopologyFamily::leaf_spine: return "leaf_spine";
    case TopologyFamily::random_graph: return "random_graph";
    case TopologyFamily::ring: return "ring";
    case TopologyFamily::torus: return "torus";
    case TopologyFamily::dragonfly: return "dragonfly";
    }
    return "";
}

} // namespace

FlowCase randomFlowCase(TopologyFamily family, std::uint64_t seed, const CaseSize& size) {
    RandomSource random(seed * 16 + static_cast<std::uint64_t>(family));
    const auto hosts = static_cast<std::size_t>(std::lround(random.logBetween(size.fewestHosts, size.mostHosts)));
    Topology topology = randomTopology(family, hosts, random);
    Traffic traffic(topology, random, static_cast<std::size_t>(random.logBetween(3, size.mostFlows)));
    traffic.make();
    FlowCase made;
    made.hosts = topology.hosts;
    made.capacities = topology.capacities;
    made.what = std::string(nameOf(family)) + " seed " + std::to_string(seed) + " (" + topology.name + ", " +
                std::to_string(topology.hosts) + " hosts; " + std::to_string(traffic.paths.size()) + " flows: " + traffic.what;
    for (std::vector<FlowLink>& path : traffic.paths) made.flows.push_back({.path = std::move(path)});
    drawSizes(made.flows, random);
    drawStarts(made, random);
    drawCaps(made, random);
    made.what += ")";
    return made;
}

std::vector<FlowDemand> demandsOf(const std::vector<PointFlow>& flows) {
    std::vector<FlowDemand> demands;
    for (const PointFlow& flow : flows) {
        std::map<FlowLink, double> uses;
        for (const FlowLink link : flow.path) uses[link] += 1;
        FlowDemand& demand = demands.emplace_back();
        demand.cap = flow.cap;
        for (const auto& [link, count] : uses) demand.uses.push_back({link, count});
    }
    return demands;
}

} // namespace orrery::test
