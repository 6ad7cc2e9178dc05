// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/network/generators/host_spec.hpp"

namespace orrery {

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

Json drawClos(const HostSpec& host, const ClosShape& shape);

} // namespace orrery
