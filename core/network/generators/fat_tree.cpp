// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/fat_tree.hpp"

#include "core/network/generators/checks.hpp"
#include "core/network/generators/clos.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

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

} // namespace orrery
