// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/clos_fabrics.hpp"
#include "core/base/json.hpp"
#include "core/base/json_forward.hpp"
#include "core/network/generators/topology_builder.hpp"
#include "core/network/short_form.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// A folded Clos network of two or three switch levels: what leaf-spine, fat tree and SuperPOD have in common.
///
/// Hosts come in units that share their leaves; a host's interfaces are spread over the leaves of its unit, in order (one
/// leaf: all on it; as many as interfaces: rail i on leaf i). The units of a pod share its spines: every leaf to every
/// spine. Spine s of each pod leads up to the cores of its own group, s · coresPerSpine and following.
struct ClosShape {
    int hosts = 1;
    int hostsPerUnit = 32;
    int leavesPerUnit = 1; ///< divides the host's interfaces
    int unitsPerPod = 1;
    int spinesPerPod = 0;        ///< 0: one leaf, nothing above it
    int coresPerSpine = 0;       ///< 0: two levels, and one pod
    double oversubscription = 1; ///< a leaf's cables up carry 1/r of those down; the levels above carry all that
    bool wholeUnits = false;     ///< cabled upwards as if the last unit were full, in whole cables, where nothing is oversubscribed
    bool stacks = false;         ///< the hosts of a unit (within one scale-up domain) as one node with replicas
    const char* leaf = "leaf";
    const char* spine = "spine";
    const char* core = "core";

    int units() const { return (hosts + hostsPerUnit - 1) / hostsPerUnit; }
    int pods() const { return (units() + unitsPerPod - 1) / unitsPerPod; }
    /// Links of the drawing, to judge its size before it is made.
    double drawnLinks() const;
};

std::vector<std::string> series(const std::string& stem, int first, int count) {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back(numbered(stem, first + i));
    return ids;
}

double ClosShape::drawnLinks() const {
    const double leaves = static_cast<double>(units()) * leavesPerUnit;
    return (stacks ? units() : hosts) * static_cast<double>(leavesPerUnit) + leaves * spinesPerPod +
           static_cast<double>(pods()) * spinesPerPod * coresPerSpine;
}

Json drawClos(const HostSpec& host, const ClosShape& shape) {
    TopologyBuilder builder(host);
    const int units = shape.units(), pods = shape.pods();
    const int perDomain = std::max(1, host.hostsPerDomain);
    const bool exact = !shape.wholeUnits || shape.oversubscription > 1;
    const auto hostsIn = [&](int unit) { return std::min(shape.hostsPerUnit, shape.hosts - unit * shape.hostsPerUnit); };

    // Hosts first: ranks are numbered by their order in the file.
    std::vector<std::vector<std::string>> members(static_cast<std::size_t>(units));
    for (int first = 0; first < shape.hosts;) {
        const int unit = first / shape.hostsPerUnit;
        int replicas = 1;
        if (shape.stacks) {
            replicas = unit * shape.hostsPerUnit + hostsIn(unit) - first;
            if (perDomain > 1) replicas = std::min(replicas, perDomain - first % perDomain);
        }
        members[static_cast<std::size_t>(unit)].push_back(
            builder.addHost(replicas, perDomain > 1 ? numbered("rack", first / perDomain) : std::string()));
        first += replicas;
    }
    if (shape.hosts == 1) return builder.take();

    for (const std::string& id : series(shape.core, 0, shape.spinesPerPod * shape.coresPerSpine)) builder.addSwitch(id);
    for (const std::string& id : series(shape.spine, 0, pods * shape.spinesPerPod)) builder.addSwitch(id);
    for (const std::string& id : series(shape.leaf, 0, units * shape.leavesPerUnit)) builder.addSwitch(id);

    const int perLeaf = host.interfaces() / shape.leavesPerUnit;
    for (int unit = 0; unit < units; ++unit)
        for (const std::string& member : members[static_cast<std::size_t>(unit)])
            for (const std::string& leaf : series(shape.leaf, unit * shape.leavesPerUnit, shape.leavesPerUnit))
                builder.link(member, leaf, host.bandwidth, perLeaf);
    if (shape.spinesPerPod == 0) return builder.take();

    for (int pod = 0; pod < pods; ++pod) {
        const std::vector<std::string> spines = series(shape.spine, pod * shape.spinesPerPod, shape.spinesPerPod);
        double intoPod = 0; // cables up from all leaves of the pod
        for (int unit = pod * shape.unitsPerPod; unit < (pod + 1) * shape.unitsPerPod; ++unit) {
            if (unit >= units && exact) break;
            const int present = exact ? hostsIn(unit) : shape.hostsPerUnit;
            const double up = present * perLeaf / shape.oversubscription;
            intoPod += up * shape.leavesPerUnit;
            if (unit >= units) continue;
            for (const std::string& leaf : series(shape.leaf, unit * shape.leavesPerUnit, shape.leavesPerUnit))
                builder.fanOut(leaf, spines, up, host.bandwidth, exact);
        }
        if (shape.coresPerSpine == 0) continue;
        for (int s = 0; s < shape.spinesPerPod; ++s)
            builder.fanOut(spines[static_cast<std::size_t>(s)], series(shape.core, s * shape.coresPerSpine, shape.coresPerSpine),
                           intoPod / shape.spinesPerPod, host.bandwidth, exact);
    }
    return builder.take();
}

ClosShape treeShape(int hosts, int hostsPerEdge, int edgesPerPod, double oversubscription, bool stacks) {
    ClosShape shape;
    shape.hosts = hosts;
    shape.hostsPerUnit = hostsPerEdge;
    shape.unitsPerPod = edgesPerPod;
    shape.spinesPerPod = hostsPerEdge;
    // A core has as many ports as an edge switch without oversubscription: twice its hosts. In the k-ary tree that is k/2.
    shape.coresPerSpine = std::max(1, (edgesPerPod * shape.pods() + 2 * hostsPerEdge - 1) / (2 * hostsPerEdge));
    shape.oversubscription = oversubscription;
    shape.stacks = stacks;
    shape.leaf = "edge";
    shape.spine = "aggregation";
    return shape;
}

} // namespace

GeneratedTopology generateFatTree(const FatTree& tree) {
    ParameterChecks checks(tree.host);
    checks.range("k", tree.k, 2, 256);
    checks.range("oversubscription", tree.oversubscription, 1, 1e4);
    if (!checks.ok()) return checks.refuse();
    if (tree.k % 2 != 0) {
        checks.fail("k", "k is " + std::to_string(tree.k) + "; half of a switch's ports look up and half down, so it must be even.",
                    "Use " + std::to_string(tree.k + 1) + ".", tree.k + 1);
        return checks.refuse();
    }
    const int half = tree.k / 2, interfaces = tree.host.interfaces();
    ClosShape shape = treeShape(tree.k * half * half, half, half, tree.oversubscription, tree.stacks);
    if (tree.rails) {
        if (half % interfaces != 0) {
            const int mended = 2 * interfaces * ((half + interfaces - 1) / interfaces);
            checks.fail("k", "The " + std::to_string(half) + " edge switches of a pod can't be shared out in rails of " + std::to_string(interfaces) + ".",
                        "Use k = " + std::to_string(mended) + ".", mended);
            return checks.refuse();
        }
        shape.leavesPerUnit = interfaces;
        shape.unitsPerPod = half / interfaces;
        shape.hosts /= interfaces;
    }
    checks.size("k", shape.hosts, shape.drawnLinks(), shape.stacks);
    if (!checks.ok()) return checks.refuse();
    return {drawClos(tree.host, shape), {}};
}

GeneratedTopology generateSizedFatTree(const SizedFatTree& tree) {
    ParameterChecks checks(tree.host);
    checks.range("hosts", tree.hosts, 1, 1e6);
    checks.range("oversubscription", tree.oversubscription, 1, 1e4);
    if (!checks.ok()) return checks.refuse();
    int side = 1; // the first power of two that is no less than the cube root
    while (static_cast<double>(side) * side * side < tree.hosts) side *= 2;
    const ClosShape shape = treeShape(tree.hosts, side, side, tree.oversubscription, tree.stacks);
    checks.size("hosts", shape.hosts, shape.drawnLinks(), shape.stacks);
    if (!checks.ok()) return checks.refuse();
    return {drawClos(tree.host, shape), {}};
}

GeneratedTopology generateLeafSpine(const LeafSpine& fabric) {
    ParameterChecks checks(fabric.host);
    checks.range("hosts", fabric.hosts, 1, 1e6);
    checks.range("hosts_per_leaf", fabric.hostsPerLeaf, 1, 1e5);
    checks.range("spines", fabric.spines, 0, 4096);
    checks.range("oversubscription", fabric.oversubscription, 1, 1e4);
    if (!checks.ok()) return checks.refuse();
    ClosShape shape;
    shape.hosts = fabric.hosts;
    shape.hostsPerUnit = fabric.hostsPerLeaf;
    shape.unitsPerPod = shape.units();
    if (shape.units() > 1) shape.spinesPerPod = fabric.spines > 0 ? fabric.spines : std::clamp(shape.units(), 2, 8);
    shape.oversubscription = fabric.oversubscription;
    shape.stacks = fabric.stacks;
    checks.size("hosts", shape.hosts, shape.drawnLinks(), shape.stacks);
    if (!checks.ok()) return checks.refuse();
    return {drawClos(fabric.host, shape), {}};
}

namespace {

constexpr int stackSize = 32;
constexpr int mostStacks = 64;

} // namespace

GeneratedTopology generateOneHop(const OneHop& cluster) {
    ParameterChecks checks(cluster.host, 0); // of an accelerator that nobody knows; the drawing's checks will say so
    checks.range("hosts", cluster.hosts, 1, 4e6);
    checks.range("oversubscription", cluster.oversubscription, 1, 1e4);
    checks.size("hosts", cluster.hosts, 0, true);
    if (!checks.ok()) return checks.refuse();
    const HostSpec& host = cluster.host;
    const int perDomain = std::max(1, host.hostsPerDomain);
    int group = 1; // hosts of one stack, whole domains where hosts share one
    if (cluster.hosts > cluster.drawnHosts) {
        while (group < stackSize || group * mostStacks < cluster.hosts) group *= 2;
        if (perDomain > 1) group = perDomain;
    }
    TopologyBuilder builder(host);
    struct Stack {
        std::string id;
        int replicas;
    };
    std::vector<Stack> stacks;
    const std::vector<int> held = hostsByDomain(cluster.hosts, perDomain > 1 ? perDomain : cluster.hosts);
    for (std::size_t domain = 0; domain < held.size(); ++domain)
        for (int first = 0; first < held[domain]; first += stacks.back().replicas) {
            const int replicas = std::min(group, held[domain] - first);
            stacks.push_back({builder.addHost(replicas, perDomain > 1 ? numbered("rack", static_cast<int>(domain)) : std::string()), replicas});
        }
    if (cluster.hosts == 1) return {builder.take(), {}};

    if (cluster.fabric == OneHopFabric::own_leaf) {
        builder.addSwitch("spine-0");
        const double up = host.bandwidth * host.interfaces() / cluster.oversubscription;
        for (std::size_t i = 0; i < stacks.size(); ++i) {
            const std::string leaf = numbered("leaf", static_cast<int>(i));
            builder.addSwitch(leaf, stacks[i].replicas); // as many as hosts: joined one to one
            builder.link(stacks[i].id, leaf, host.bandwidth, host.interfaces());
            builder.link(leaf, "spine-0", up, 1);
        }
        return {builder.take(), {}};
    }
    const int leaves = cluster.fabric == OneHopFabric::rail_optimised ? railsOf(host) : 1;
    for (int l = 0; l < leaves; ++l) builder.addSwitch(numbered("leaf", l));
    for (const Stack& stack : stacks)
        for (int l = 0; l < leaves; ++l) builder.link(stack.id, numbered("leaf", l), host.bandwidth, host.interfaces() / leaves);
    return {builder.take(), {}};
}

namespace {

constexpr int fewestSpines = 2; ///< one would be a single point of failure

/// The fewest spines for so many cables, but as many as divide a leaf's evenly where that is less than twice as many.
int spinesFor(double cables, int portsDown, int perLeaf) {
    const int fewest = std::max(fewestSpines, static_cast<int>(std::ceil(cables / portsDown - 1e-9)));
    for (int n = fewest; n < 2 * fewest; ++n)
        if (perLeaf % n == 0) return n;
    return std::min(fewest, std::max(1, perLeaf));
}

} // namespace

int railsOf(const HostSpec& host) {
    int rails = std::min(host.interfaces(), 8);
    while (host.interfaces() % rails != 0) --rails;
    return rails;
}

GeneratedTopology generateSuperPod(const SuperPod& pod) {
    ParameterChecks checks(pod.host);
    checks.range("hosts", pod.hosts, 1, 1e6);
    checks.range("hosts_per_unit", pod.hostsPerUnit, 1, 4096);
    checks.range("switch_ports", pod.switchPorts, 4, 4096);
    checks.range("oversubscription", pod.oversubscription, 1, 1e4);
    if (!checks.ok()) return checks.refuse();

    const int rails = railsOf(pod.host);
    ClosShape shape;
    shape.hosts = pod.hosts;
    shape.hostsPerUnit = std::min(pod.hostsPerUnit, pod.hosts);
    shape.leavesPerUnit = rails;
    shape.oversubscription = pod.oversubscription;
    shape.wholeUnits = true;
    shape.stacks = pod.stacks;
    const int down = shape.hostsPerUnit * pod.host.interfaces() / rails; // cables from the hosts to one leaf
    const int up = static_cast<int>(std::ceil(down / pod.oversubscription - 1e-9));
    if (down + up > pod.switchPorts) {
        const int most = std::max(1, static_cast<int>(pod.switchPorts / (1 + 1 / pod.oversubscription)) * rails / pod.host.interfaces());
        checks.fail("hosts_per_unit",
                    "A leaf would need " + std::to_string(down + up) + " ports: " + std::to_string(down) + " down and " + std::to_string(up) +
                        " up; it has " + std::to_string(pod.switchPorts) + ".",
                    "Use units of " + std::to_string(most) + " hosts, or switches with more ports.", most);
        return checks.refuse();
    }
    const int leaves = shape.units() * rails;
    if (leaves <= pod.switchPorts) {
        shape.unitsPerPod = shape.units();
        shape.spinesPerPod = spinesFor(static_cast<double>(leaves) * up, pod.switchPorts, up);
    } else {
        // Three levels: half of a spine's ports look down, so that a pod is what they hold with one cable a leaf.
        const int half = pod.switchPorts / 2;
        shape.unitsPerPod = std::max(1, half / rails);
        const int podLeaves = shape.unitsPerPod * rails;
        shape.spinesPerPod = spinesFor(static_cast<double>(podLeaves) * up, half, up);
        const double spineCables = podLeaves * std::ceil(static_cast<double>(up) / shape.spinesPerPod - 1e-9);
        // A spine's cables up go to its cores in equal numbers, and every pod's to the same ones.
        const auto portsUsed = [&](int cores) { return shape.pods() * std::ceil(spineCables / cores - 1e-9); };
        for (shape.coresPerSpine = 1; portsUsed(shape.coresPerSpine) > pod.switchPorts && shape.coresPerSpine < spineCables;) ++shape.coresPerSpine;
        if (shape.pods() > pod.switchPorts) {
            checks.fail("hosts", "Three levels of switches with " + std::to_string(pod.switchPorts) + " ports hold " + std::to_string(pod.switchPorts) + " pods of " + std::to_string(shape.unitsPerPod * shape.hostsPerUnit) + " hosts.",
                        "Use up to " + std::to_string(pod.switchPorts * shape.unitsPerPod * shape.hostsPerUnit) + " hosts, or switches with more ports.",
                        static_cast<double>(pod.switchPorts) * shape.unitsPerPod * shape.hostsPerUnit);
            return checks.refuse();
        }
    }
    checks.size("hosts", shape.hosts, shape.drawnLinks(), shape.stacks);
    if (!checks.ok()) return checks.refuse();
    return {drawClos(pod.host, shape), {}};
}

GeneratedTopology generateRackPod(const RackPod& pod) {
    ParameterChecks checks(pod.host);
    checks.range("racks", pod.racks, 1, 1e5);
    if (!checks.ok()) return checks.refuse();
    SuperPod inner;
    inner.host = pod.host;
    inner.hosts = pod.racks * pod.host.hostsPerDomain;
    inner.hostsPerUnit = pod.host.hostsPerDomain;
    inner.switchPorts = pod.switchPorts;
    inner.oversubscription = pod.oversubscription;
    inner.stacks = pod.stacks;
    GeneratedTopology result = generateSuperPod(inner);
    // What the user knows are racks, whose size is given.
    for (Problem& problem : result.problems) {
        if (problem.pointer == "/hosts") {
            problem.pointer = "/racks";
            problem.mend = "Use fewer racks, or switches with more ports.";
            for (ScenarioEdit& edit : problem.edits) edit = {"/racks", static_cast<int>(edit.value->get<double>() / inner.hostsPerUnit)};
        } else if (problem.pointer == "/hosts_per_unit") {
            const int down = inner.hostsPerUnit * pod.host.interfaces() / railsOf(pod.host);
            const int needed = down + static_cast<int>(std::ceil(down / pod.oversubscription));
            problem.pointer = "/switch_ports";
            problem.mend = "Use switches of " + std::to_string(needed) + " ports.";
            problem.edits = {{"/switch_ports", needed}};
        }
    }
    return result;
}

} // namespace orrery
