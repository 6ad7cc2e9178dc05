// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/superpod.hpp"

#include "core/network/generators/checks.hpp"
#include "core/network/generators/clos.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
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
