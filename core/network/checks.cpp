#include "core/network/checks.hpp"

#include "core/base/nearest_word.hpp"
#include "core/network/routes.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace orrery {
namespace {

std::string named(const std::string& id) { return "\"" + id + "\""; }

class Check {
public:
    Check(const Cluster& cluster, const std::string& pointer) : cluster_(cluster), pointer_(pointer) {}

    Problems run() {
        checkNodes();
        checkLinks();
        // Ways are only worth looking for in a drawing whose parts make sense.
        if (problems_.empty()) checkReach();
        return std::move(problems_);
    }

private:
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
                Problem& problem = add("duplicate-id", nodeAt(i, "id"), "Two nodes are called " + named(node.id) + ".",
                                       "Call this one " + named(fresh) + ".");
                edit(problem, problem.pointer, fresh);
                seen.emplace(fresh, i);
            }
            if (node.replicas < 1) {
                Problem& problem = add("out-of-range", nodeAt(i, "replicas"),
                                       named(node.id) + " stands for " + std::to_string(node.replicas) + " nodes.", "Use 1 or more.");
                edit(problem, problem.pointer, 1);
            }
            if (node.kind != NodeKind::host) continue;
            ++hosts;
            if (node.count < 1) {
                Problem& problem = add("host-without-accelerators", nodeAt(i, "count"), "Host " + named(node.id) + " has no accelerators.",
                                       "Give it accelerators, or make it a switch.");
                edit(problem, problem.pointer, first ? first->count : 8);
            }
            if (!first && node.count > 0) first = &node;
            if (node.accelerator.empty()) continue;
            if (accelerator.empty()) accelerator = node.accelerator;
            if (node.accelerator != accelerator) {
                Problem& problem = add("not-supported-yet", nodeAt(i, "accelerator"),
                                       "Host " + named(node.id) + " has " + node.accelerator + " while others have " + accelerator +
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
            const std::string name = "The link from " + named(link.from) + " to " + named(link.to);
            const auto end = [&](const char* key, const std::string& id) -> const TopologyNode* {
                const auto found = nodes.find(id);
                if (found != nodes.end()) return found->second;
                const std::optional<NearestWord> near = nearestWord(id, ids);
                const bool likely = near && near->likely;
                Problem& problem = add("unknown-node", linkAt(i, key), name + " has a loose end: no node is called " + named(id) + ".",
                                       likely ? "Did you mean " + named(near->word) + "?" : "Connect it to a node, or remove the link.");
                if (likely) edit(problem, problem.pointer, near->word);
                return nullptr;
            };
            const TopologyNode* from = end("from", link.from);
            const TopologyNode* to = end("to", link.to);
            if (from && from == to) {
                Problem& problem = add("self-link", linkAt(i, "to"), "A link joins " + named(link.from) + " to itself.", "Remove it.");
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

    bool sameDomain(const TopologyNode& a, const TopologyNode& b) const { return !a.domain.empty() && a.domain == b.domain; }

    /// A link that would join the host to the first switch, as fast as the first link of the drawing.
    void offerLink(Problem& problem, const TopologyNode& host) {
        const auto hub = std::find_if(cluster_.nodes.begin(), cluster_.nodes.end(), [](const TopologyNode& n) { return n.kind == NodeKind::switch_; });
        if (hub == cluster_.nodes.end()) {
            problem.mend = "Add a switch and connect the hosts to it.";
            return;
        }
        problem.mend = "Connect it to " + named(hub->id) + ".";
        for (const TopologyLink& link : cluster_.links)
            if ((link.from == host.id && link.to == hub->id) || (link.to == host.id && link.from == hub->id)) {
                problem.mend = "Connect the switches behind it to the others."; // it has that link already
                return;
            }
        const double bandwidth = cluster_.links.empty() ? 50 * units::gigabyte : cluster_.links.front().bandwidth;
        const double latency = cluster_.links.empty() ? 0 : cluster_.links.front().latency;
        Json link{{"from", host.id}, {"to", hub->id}, {"bandwidth_gb_s", bandwidth / units::gigabyte}, {"latency_us", latency / units::microsecond},
                  {"count", host.count}};
        if (cluster_.links.empty())
            edit(problem, pointer_ + "/links", Json::array({std::move(link)}));
        else
            edit(problem, pointer_ + "/links/" + std::to_string(cluster_.links.size()), std::move(link));
    }

    void checkReach() {
        const Routes routes(cluster_);
        std::vector<std::size_t> hosts;
        for (std::size_t i = 0; i < cluster_.nodes.size(); ++i)
            if (cluster_.nodes[i].kind == NodeKind::host) hosts.push_back(i);

        // The host that most others reach stands for the cluster; the ones it can't reach are the mistake.
        std::size_t base = hosts.front(), bestReach = 0;
        std::vector<bool> reached;
        for (const std::size_t host : hosts) {
            const std::vector<std::optional<Route>> ways = routes.from(static_cast<int>(host));
            std::vector<bool> here(cluster_.nodes.size(), false);
            std::size_t reach = 0;
            for (const std::size_t other : hosts) {
                here[other] = other == host || ways[other] || sameDomain(cluster_.nodes[host], cluster_.nodes[other]);
                if (here[other]) ++reach;
            }
            if (reach > bestReach) {
                base = host;
                bestReach = reach;
                reached = std::move(here);
            }
            // Ways go both ways, so hosts that see all or most others settle it; no need to ask every one.
            if (2 * bestReach > hosts.size()) break;
        }
        for (const std::size_t host : hosts) {
            const TopologyNode& node = cluster_.nodes[host];
            if (!reached[host]) {
                Problem& problem = add("unreachable-host", pointer_ + "/nodes/" + std::to_string(host),
                                       "No links lead from host " + named(node.id) + " to " + named(cluster_.nodes[base].id) + ".", "");
                offerLink(problem, node);
            } else if (node.replicas > 1 && node.domain.empty() && !routes.from(static_cast<int>(host))[host]) {
                Problem& problem = add("unreachable-host", pointer_ + "/nodes/" + std::to_string(host),
                                       "No links lead from one of the " + std::to_string(node.replicas) + " hosts " + named(node.id) + " to another.", "");
                offerLink(problem, node);
            }
        }
    }

    const Cluster& cluster_;
    const std::string& pointer_;
    Problems problems_;
};

} // namespace

Problems checkTopology(const Cluster& cluster, const std::string& pointer) { return Check(cluster, pointer).run(); }

} // namespace orrery
