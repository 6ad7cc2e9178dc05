// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/clos.hpp"

#include "core/base/json.hpp"
#include "core/network/generators/topology_builder.hpp"

#include <algorithm>

namespace orrery {
namespace {

std::vector<std::string> series(const std::string& stem, int first, int count) {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back(numbered(stem, first + i));
    return ids;
}

} // namespace

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

} // namespace orrery
