// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/leaf_spine.hpp"

#include "core/network/generators/checks.hpp"
#include "core/network/generators/clos.hpp"

#include <algorithm>

namespace orrery {

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

} // namespace orrery
