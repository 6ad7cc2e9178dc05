// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/toy_ground.hpp"

#include "core/base/json.hpp"

namespace orrery {
namespace {

constexpr double endless = 1e30; ///< bytes/s: what crosses such a link takes no time that a number shows

} // namespace

void assumeToy(FilledDocument& document) {
    document.assume("/model/toy", document.json().at("model").at("toy"), "stated times are all that counts: links, embedding, head, optimizer and hosts take no time and no memory");
}

void leaveToStatedTimes(Scenario& scenario) {
    Cluster& cluster = scenario.cluster;
    cluster.scaleUpBandwidth = endless;
    cluster.scaleUpLatency = 0;
    for (TopologyNode& node : cluster.nodes) node.pcieBandwidth = node.scaleUpBandwidth = node.scaleUpLatency = 0;
    for (TopologyLink& link : cluster.links) {
        link.bandwidth = endless;
        link.latency = 0;
    }
    scenario.execution.collectives.measured = false;
    scenario.kernels.kernelLaunch = 0;
    FrameworkProfile& profile = scenario.execution.profile;
    profile.hostLaunch = profile.iterationOverhead = 0;
    profile.frameworkBytes = profile.communicatorBytes = profile.workspaceBytes = profile.bucketBufferBytes = 0;
    profile.cachingAllocator = false;
    profile.fragmentationFraction = 0;
}

} // namespace orrery
