// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/reach_checks.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/network/reachability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace orrery {
namespace {

constexpr double usualBandwidth = 50 * units::gigabyte; ///< a 400 Gb/s port, where the drawing has no link to go by
constexpr std::size_t mostWeighed = 2000;               ///< classes of hosts that are all held against each other

class ReachCheck {
public:
    ReachCheck(const Cluster& cluster, const std::string& pointer, const NodeLabels& labels)
        : cluster_(cluster), pointer_(pointer), labels_(labels), reach_(cluster), links_(cluster.nodes.size()) {
        std::unordered_map<std::string_view, int> byId;
        for (std::size_t i = 0; i < cluster.nodes.size(); ++i) byId.emplace(cluster.nodes[i].id, static_cast<int>(i));
        for (const TopologyLink& link : cluster.links) {
            const int from = byId.at(link.from), to = byId.at(link.to);
            links_[static_cast<std::size_t>(from)].push_back({&link, to});
            links_[static_cast<std::size_t>(to)].push_back({&link, from});
        }
    }

    Problems run() {
        if (reach_.allMeet()) return {};
        const std::vector<Reachability::HostClass>& classes = reach_.classes();
        std::vector<std::size_t> agreed; // classes that all reach each other
        std::vector<Island> islands;
        for (const std::size_t c : byReach()) {
            const int host = classes[c].hosts.front();
            const bool several = classes[c].hosts.size() > 1;
            if (!reach_.reaches(host, host) || (several && !reach_.reaches(host, classes[c].hosts[1]))) {
                reportReplicas(host);
                continue;
            }
            const auto stranger = std::find_if(agreed.begin(), agreed.end(),
                                               [&](std::size_t a) { return !reach_.reaches(classes[a].hosts.front(), host); });
            if (stranger == agreed.end()) {
                agreed.push_back(c);
                continue;
            }
            join(islands, c, classes[*stranger].hosts.front());
        }
        for (Island& island : islands) report(island);
        // In the order of the file, like every other problem.
        std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.node < b.node; });
        Problems problems;
        for (Found& found : found_) problems.push_back(std::move(found.problem));
        return problems;
    }

private:
    std::string spoken(const std::string& id) const { return spokenName(id, labels_); }

    struct End {
        const TopologyLink* link;
        int other;
    };
    struct Island {
        std::vector<int> hosts;
        int base; ///< a host that these don't reach
    };
    struct Found {
        int node;
        Problem problem;
    };

    const TopologyNode& node(int index) const { return cluster_.nodes[static_cast<std::size_t>(index)]; }
    const std::vector<End>& ends(int index) const { return links_[static_cast<std::size_t>(index)]; }
    bool isSwitch(int index) const { return node(index).kind == NodeKind::switch_; }

    /// Classes, those that reach most hosts first: who is cut off is then the few.
    std::vector<std::size_t> byReach() const {
        const std::vector<Reachability::HostClass>& classes = reach_.classes();
        std::vector<std::int64_t> reached(classes.size(), 0);
        for (std::size_t a = 0; a < classes.size(); ++a) {
            reached[a] = classes[a].replicas;
            if (classes.size() > mostWeighed) continue;
            for (std::size_t b = 0; b < classes.size(); ++b)
                if (a != b && reach_.reaches(classes[a].hosts.front(), classes[b].hosts.front())) reached[a] += classes[b].replicas;
        }
        std::vector<std::size_t> order(classes.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reached[a] > reached[b]; });
        return order;
    }

    /// Hosts that miss the others together are one problem: those of one part or scale-up domain, and all without any link.
    void join(std::vector<Island>& islands, std::size_t c, int base) {
        const Reachability::HostClass& own = reach_.classes()[c];
        const auto together = [&](const Island& island) {
            if (island.base != base) return false;
            const int a = island.hosts.front(), b = own.hosts.front();
            if (!node(a).domain.empty() && node(a).domain == node(b).domain) return true;
            return (ends(a).empty() && ends(b).empty() && ends(base).empty()) || reach_.reaches(a, b);
        };
        auto island = std::find_if(islands.begin(), islands.end(), together);
        if (island == islands.end()) island = islands.insert(islands.end(), Island{{}, base});
        island->hosts.insert(island->hosts.end(), own.hosts.begin(), own.hosts.end());
    }

    Problem& add(const char* code, int at, std::string message) {
        Problem problem;
        problem.code = code;
        problem.pointer = pointer_ + "/nodes/" + std::to_string(at);
        problem.message = std::move(message);
        found_.push_back({at, std::move(problem)});
        return found_.back().problem;
    }

    void reportReplicas(int host) {
        Problem& problem = add("unreachable-host", host,
                               "No links lead from one of the " + std::to_string(node(host).replicas) + " hosts " + spoken(node(host).id) + " to another.");
        if (ends(host).empty()) {
            const auto hub = std::find_if(cluster_.nodes.begin(), cluster_.nodes.end(),
                                          [](const TopologyNode& n) { return n.kind == NodeKind::switch_ && n.replicas == 1; });
            if (hub == cluster_.nodes.end()) {
                problem.mend = "Add a switch and connect the hosts to it.";
                return;
            }
            problem.mend = "Connect it to " + spoken(hub->id) + ".";
            const TopologyLink like = cluster_.links.empty() ? TopologyLink{"", "", usualBandwidth, 0, 1} : cluster_.links.front();
            append(problem, node(host).id, hub->id, like, node(host).count);
        } else {
            problem.mend = "Connect the switches behind it to one that they share.";
        }
    }

    void report(Island& island) {
        std::sort(island.hosts.begin(), island.hosts.end());
        const int first = island.hosts.front();
        std::string who = "host " + spoken(node(first).id);
        if (island.hosts.size() > 1) {
            who = "hosts " + spoken(node(first).id) + (island.hosts.size() > 2 ? ", " : " and ") + spoken(node(island.hosts[1]).id);
            if (island.hosts.size() > 2) who += " and " + std::to_string(island.hosts.size() - 2) + " more";
        }
        Problem& problem = add(island.hosts.size() > 1 ? "partitioned" : "unreachable-host", first,
                               "No links lead from " + who + " to " + spoken(node(island.base).id) + ".");
        if (offerSiblingsLinks(problem, island) || offerTrunk(problem, island) || offerNeighbour(problem, island)) return;
        const bool anySwitch = std::any_of(cluster_.nodes.begin(), cluster_.nodes.end(), [](const TopologyNode& n) { return n.kind == NodeKind::switch_; });
        problem.mend = anySwitch ? "Join the two parts with links." : "Add a switch and connect the hosts to it.";
    }

    /// Hosts without links are cabled like the one they can't reach.
    bool offerSiblingsLinks(Problem& problem, const Island& island) {
        constexpr std::size_t mostHosts = 256; // a mend of one click, not a generator
        if (reach_.forwards(island.base) || island.hosts.size() > mostHosts) return false;
        for (const int host : island.hosts)
            if (!ends(host).empty()) return false;
        std::string where;
        std::vector<const End*> pattern;
        for (const End& end : ends(island.base)) {
            if (!isSwitch(end.other)) continue;
            if (node(end.other).replicas > 1) return false; // copies of a switch belong to copies of their hosts
            pattern.push_back(&end);
            where += (where.empty() ? "" : ", ") + spoken(node(end.other).id);
        }
        for (const int host : island.hosts)
            for (const End* end : pattern) append(problem, node(host).id, node(end->other).id, *end->link, end->link->count);
        const std::string what = island.hosts.size() > 1 ? "Connect each" : "Connect it";
        problem.mend = what + (pattern.size() > 1 ? " like " + spoken(node(island.base).id) + ": to " : " to ") + where + ".";
        return true;
    }

    /// Two fabrics: the switch farthest above the hosts of one to that of the other, wide enough for all cables of the hosts.
    bool offerTrunk(Problem& problem, const Island& island) {
        const int lower = topOf(island.hosts.front()), upper = topOf(island.base);
        if (lower < 0 || upper < 0 || (node(lower).replicas > 1 && node(upper).replicas > 1)) return false;
        double wanted = 0;
        for (const int host : island.hosts)
            for (const End& end : ends(host))
                if (isSwitch(end.other)) wanted += end.link->bandwidth * end.link->count * std::max(node(host).replicas, node(end.other).replicas);
        const TopologyLink& like = *ends(lower).front().link;
        const double copies = std::max(node(lower).replicas, node(upper).replicas);
        const int count = static_cast<int>(std::clamp(std::ceil(wanted / like.bandwidth / copies - 1e-9), 1.0, 1e6));
        problem.mend = "Connect " + spoken(node(lower).id) + " to " + spoken(node(upper).id) + " with " + std::to_string(count) + " cables.";
        append(problem, node(lower).id, node(upper).id, like, count);
        return true;
    }

    /// Without switches: a cable to a host of the others, which forward.
    bool offerNeighbour(Problem& problem, const Island& island) {
        const int host = island.hosts.front();
        if (!reach_.forwards(host) || !reach_.forwards(island.base) || ends(island.base).empty()) return false;
        if (isSwitch(ends(island.base).front().other) || node(host).replicas > 1 || node(island.base).replicas > 1) return false;
        if (!ends(host).empty() && isSwitch(ends(host).front().other)) return false;
        const TopologyLink& like = *ends(island.base).front().link;
        problem.mend = "Connect " + spoken(node(host).id) + " to " + spoken(node(island.base).id) + ".";
        append(problem, node(host).id, node(island.base).id, like, like.count);
        return true;
    }

    /// The switch with the most hops to any host, among those that the host has a way to; -1: none.
    int topOf(int host) const {
        std::vector<int> height(cluster_.nodes.size(), -1);
        std::vector<int> queue;
        for (std::size_t i = 0; i < cluster_.nodes.size(); ++i)
            if (cluster_.nodes[i].kind == NodeKind::host) {
                height[i] = 0;
                queue.push_back(static_cast<int>(i));
            }
        for (std::size_t next = 0; next < queue.size(); ++next)
            for (const End& end : ends(queue[next]))
                if (int& above = height[static_cast<std::size_t>(end.other)]; above < 0) {
                    above = height[static_cast<std::size_t>(queue[next])] + 1;
                    queue.push_back(end.other);
                }
        const std::vector<int>& parts = reach_.partsOf(host);
        int top = -1;
        for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
            if (!isSwitch(static_cast<int>(i)) || height[i] < 0) continue;
            if (!std::binary_search(parts.begin(), parts.end(), reach_.partOf(static_cast<int>(i)))) continue;
            if (top < 0 || height[i] > height[static_cast<std::size_t>(top)]) top = static_cast<int>(i);
        }
        return top;
    }

    /// One more link at the end of the file's, of the same make as `like`.
    void append(Problem& problem, const std::string& from, const std::string& to, const TopologyLink& like, int count) {
        Json link{{"from", from}, {"to", to}, {"bandwidth_gb_s", like.bandwidth / units::gigabyte}};
        if (!cluster_.links.empty()) link["latency_us"] = std::round(like.latency / units::microsecond * 1e6) / 1e6;
        link["count"] = std::max(1, count);
        if (cluster_.links.empty()) problem.edits.push_back({pointer_ + "/links", Json::array({std::move(link)})});
        else problem.edits.push_back({pointer_ + "/links/" + std::to_string(cluster_.links.size() + problem.edits.size()), std::move(link)});
    }

    const Cluster& cluster_;
    const std::string& pointer_;
    const NodeLabels& labels_;
    const Reachability reach_;
    std::vector<std::vector<End>> links_;
    std::vector<Found> found_;
};

} // namespace

Problems checkReach(const Cluster& cluster, const std::string& pointer, const NodeLabels& labels) { return ReachCheck(cluster, pointer, labels).run(); }

} // namespace orrery
