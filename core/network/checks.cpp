// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/checks.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/network/reach_checks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace orrery {
namespace {

class Check {
public:
    Check(const Cluster& cluster, const std::string& pointer, const NodeLabels& labels) : cluster_(cluster), pointer_(pointer), labels_(labels) {}

    Problems run() {
        checkNodes();
        checkLinks();
        if (problems_.empty()) checkTwins();
        if (!hasErrors(problems_)) checkRouting();
        return std::move(problems_);
    }

private:
    std::string spoken(const std::string& id) const { return spokenName(id, labels_); }
    std::string nodeAt(std::size_t index, const char* key) const { return pointer_ + "/nodes/" + std::to_string(index) + "/" + key; }
    std::string linkAt(std::size_t index, const char* key) const { return pointer_ + "/links/" + std::to_string(index) + "/" + key; }

    Problem& add(const char* code, std::string at, std::string message, std::string mend) {
        Problem problem;
        problem.code = code;
        problem.pointer = std::move(at);
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        problems_.push_back(std::move(problem));
        return problems_.back();
    }

    void edit(Problem& problem, std::string at, Json value) { problem.edits.push_back({std::move(at), std::move(value)}); }

    void checkNodes() {
        std::unordered_map<std::string, std::size_t> seen;
        int hosts = 0;
        std::string accelerator;
        const TopologyNode* first = nullptr;
        for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
            const TopologyNode& node = cluster_.nodes[i];
            const auto [other, added] = seen.emplace(node.id, i);
            if (node.id.empty()) {
                add("empty-id", nodeAt(i, "id"), "A node has an empty id.", "Give each node a name; links refer to it.");
            } else if (!added) {
                std::string fresh = node.id + "-2";
                for (int n = 3; seen.count(fresh); ++n) fresh = node.id + "-" + std::to_string(n);
                Problem& problem = add("duplicate-id", nodeAt(i, "id"), "Two nodes are called " + inQuotes(node.id) + ".",
                                       "Call this one " + inQuotes(fresh) + ".");
                edit(problem, problem.pointer, fresh);
                seen.emplace(fresh, i);
            }
            if (node.replicas < 1) {
                Problem& problem = add("out-of-range", nodeAt(i, "replicas"),
                                       spoken(node.id) + " stands for " + std::to_string(node.replicas) + " nodes.", "Use 1 or more.");
                edit(problem, problem.pointer, 1);
            }
            if (node.kind != NodeKind::host) continue;
            ++hosts;
            if (node.count < 1) {
                Problem& problem = add("host-without-accelerators", nodeAt(i, "count"), "Host " + spoken(node.id) + " has no accelerators.",
                                       "Give it accelerators, or make it a switch.");
                edit(problem, problem.pointer, first ? first->count : 8);
            }
            if (!first && node.count > 0) first = &node;
            if (node.accelerator.empty()) continue;
            if (accelerator.empty()) accelerator = node.accelerator;
            if (node.accelerator != accelerator && !cluster_.mixesAccelerators) {
                Problem& problem = add("not-supported-yet", nodeAt(i, "accelerator"),
                                       "Host " + spoken(node.id) + " has " + node.accelerator + " while others have " + accelerator +
                                           "; mixed accelerators can't be simulated yet.",
                                       "Use " + accelerator + " here too.");
                edit(problem, problem.pointer, accelerator);
            }
        }
        if (hosts == 0) add("no-host", pointer_ + "/nodes", "The cluster has no host.", "Draw at least one host with accelerators.");
    }

    void checkLinks() {
        std::unordered_map<std::string, const TopologyNode*> nodes;
        std::vector<std::string> ids;
        for (const TopologyNode& node : cluster_.nodes) {
            nodes.emplace(node.id, &node);
            ids.push_back(node.id);
        }
        for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
            const TopologyLink& link = cluster_.links[i];
            const std::string name = "The link from " + spoken(link.from) + " to " + spoken(link.to);
            const auto end = [&](const char* key, const std::string& id) -> const TopologyNode* {
                const auto found = nodes.find(id);
                if (found != nodes.end()) return found->second;
                const std::optional<NearestWord> near = nearestWord(id, ids);
                const bool likely = near && near->likely;
                Problem& problem = add("unknown-node", linkAt(i, key), name + " has a loose end: no node is called " + inQuotes(id) + ".",
                                       likely ? "Did you mean " + inQuotes(near->word) + "?" : "Connect it to a node, or remove the link.");
                if (likely) edit(problem, problem.pointer, near->word);
                return nullptr;
            };
            const TopologyNode* from = end("from", link.from);
            const TopologyNode* to = end("to", link.to);
            if (from && from == to) {
                Problem& problem = add("self-link", linkAt(i, "to"), "A link joins " + spoken(link.from) + " to itself.", "Remove it.");
                edit(problem, pointer_ + "/links/" + std::to_string(i), nullptr);
            } else if (from && to && from->replicas > 1 && to->replicas > 1 && from->replicas != to->replicas) {
                add("replicas-differ", linkAt(i, "to"),
                    name + " joins " + std::to_string(from->replicas) + " nodes to " + std::to_string(to->replicas) + ": nothing says which to which.",
                    "Give both the same number of replicas, or draw them one by one.");
            }
            if (!(link.bandwidth > 0) || !std::isfinite(link.bandwidth)) {
                Problem& problem = add("zero-bandwidth", linkAt(i, "bandwidth_gb_s"),
                                       name + (link.bandwidth < 0 ? " has a negative bandwidth." : " carries nothing: its bandwidth is zero."),
                                       "Give its bandwidth in GB/s, such as 50 for a 400 Gb/s port.");
                edit(problem, problem.pointer, 50);
            }
            if (!(link.latency >= 0) || !std::isfinite(link.latency)) {
                Problem& problem = add("negative-latency", linkAt(i, "latency_us"), name + " has a negative latency.", "Use 0 or more microseconds.");
                edit(problem, problem.pointer, 0);
            }
            if (link.count < 1) {
                Problem& problem = add("out-of-range", linkAt(i, "count"), name + " has no cables: its count is " + std::to_string(link.count) + ".",
                                       "Use 1 or more, or remove the link.");
                edit(problem, problem.pointer, 1);
            }
        }
    }

    /// A cable drawn twice. Loops of switches are no mistake, every fat tree is full of them and ways are shortest ones, so of
    /// "cycles" only the two shortest are named: a node joined to itself (self-link), and two equal links between one pair of
    /// nodes. Those count as two cables, which may be meant; it is said once, with the one link they could be. Links of
    /// different rates or latencies are different cables. A scale-up domain can't contain itself: it is a name, not a node.
    void checkTwins() {
        std::map<std::tuple<std::string_view, std::string_view, double, double>, std::size_t> seen;
        for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
            const TopologyLink& link = cluster_.links[i];
            const auto [one, other] = std::minmax({std::string_view(link.from), std::string_view(link.to)}); // by value
            const auto [first, added] = seen.emplace(std::tuple(one, other, link.bandwidth, link.latency), i);
            if (added) continue;
            const int together = cluster_.links[first->second].count + link.count;
            Problem& problem = add("parallel-links", pointer_ + "/links/" + std::to_string(i),
                                   spoken(link.from) + " and " + spoken(link.to) + " are joined by equal links twice; both are counted.",
                                   "Merge them into one with a count of " + std::to_string(together) + ".");
            problem.severity = Severity::warning;
            edit(problem, linkAt(first->second, "count"), together);
            edit(problem, problem.pointer, nullptr);
        }
    }

    /// What the chosen routing needs to know of the nodes.
    void checkRouting() {
        const auto useShortest = [this](Problem& problem) { edit(problem, pointer_ + "/routing", "shortest"); };
        if (cluster_.routing == RoutingKind::valiant) {
            std::set<std::string_view> groups;
            for (const TopologyNode& node : cluster_.nodes)
                if (node.kind == NodeKind::switch_ && !node.group.empty()) groups.insert(node.group);
            if (groups.size() >= 3) return;
            Problem& problem = add("no-effect", pointer_ + "/routing",
                                   "Valiant routing goes by way of a third group, and the switches have " +
                                       (groups.empty() ? std::string("none") : "only " + std::to_string(groups.size())) + ".",
                                   "Route by shortest ways, or give the switches groups.");
            problem.severity = Severity::warning;
            useShortest(problem);
        }
        if (cluster_.routing != RoutingKind::dimension_order) return;
        std::map<std::vector<int>, std::size_t> taken;
        const TopologyNode* first = nullptr;
        for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
            const TopologyNode& node = cluster_.nodes[i];
            if (node.coordinates.empty()) continue;
            if (!first) first = &node;
            if (node.coordinates.size() != first->coordinates.size()) {
                add("coordinates-differ", nodeAt(i, "coordinates"),
                    spoken(node.id) + " has " + std::to_string(node.coordinates.size()) + " coordinates, " + spoken(first->id) + " has " +
                        std::to_string(first->coordinates.size()) + ".",
                    "Give every node of the torus as many.");
            } else if (const auto [other, added] = taken.emplace(node.coordinates, i); !added) {
                add("coordinates-taken", nodeAt(i, "coordinates"),
                    spoken(node.id) + " and " + spoken(cluster_.nodes[other->second].id) + " have the same place in the torus.",
                    "Give each a place of its own.");
            } else if (node.replicas > 1) {
                Problem& problem = add("coordinates-taken", nodeAt(i, "replicas"),
                                       spoken(node.id) + " stands for " + std::to_string(node.replicas) + " nodes in one place of the torus.",
                                       "Draw them one by one.");
                edit(problem, problem.pointer, 1);
            }
        }
        if (first) return;
        Problem& problem = add("missing-coordinates", pointer_ + "/routing", "Routing goes dimension by dimension, and no node has coordinates.",
                               "Route by shortest ways, or give the nodes coordinates.");
        useShortest(problem);
    }

    const Cluster& cluster_;
    const std::string& pointer_;
    const NodeLabels& labels_;
    Problems problems_;
};

} // namespace

std::string spokenName(const std::string& id, const NodeLabels& labels) {
    const auto label = labels.find(id);
    return label == labels.end() || label->second.empty() || label->second == id ? inQuotes(id) : label->second + " (" + inQuotes(id) + ")";
}

Problems checkTopology(const Cluster& cluster, const std::string& pointer, const NodeLabels& labels) {
    Problems problems = Check(cluster, pointer, labels).run();
    // Ways are only worth looking for in a drawing whose parts make sense.
    if (hasErrors(problems)) return problems;
    Problems split = checkReach(cluster, pointer, labels);
    problems.insert(problems.end(), std::make_move_iterator(split.begin()), std::make_move_iterator(split.end()));
    return problems;
}

} // namespace orrery
