// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/fleet_reader.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <limits>
#include <string>

namespace orrery {

namespace {

const std::string fleetAt = "/workload/fleet"; // NOLINT(cert-err58-cpp)

AutoscaleSettings readAutoscale(const FilledDocument& document, int replicas, Problems& problems) {
    const std::string at = fleetAt + "/autoscale";
    AutoscaleSettings scale;
    scale.least = document.integer(at + "/min", 1);
    scale.most = document.integer(at + "/max", replicas);
    scale.interval = document.number(at + "/interval_s", scale.interval);
    scale.start = document.number(at + "/start_s", scale.start);
    scale.target = document.number(at + "/target", scale.target);
    if (scale.most > replicas)
        problems.push_back(error("too-many-replicas", at + "/max", "The cluster holds " + counted(replicas, "replica") + ", and the fleet may grow to " + std::to_string(scale.most) + ".")
                               .mend("Use up to " + std::to_string(replicas) + ", or a cluster with more accelerators.")
                               .edit(at + "/max", replicas));
    else if (scale.least > scale.most)
        problems.push_back(error("min-above-max", at + "/min", "The fleet keeps at least " + counted(scale.least, "replica") + " and has at most " + std::to_string(scale.most) + ".")
                               .mend("Use a min of up to " + std::to_string(scale.most) + ".")
                               .edit(at + "/min", scale.most));
    if (scale.least < scale.most && !document.has(at + "/target"))
        problems.push_back(error("missing-key", at + "/target", "Nobody knows how many requests under way a replica is to have.").mend("Add \"target\", 32 say.").edit(at + "/target", 32));
    return scale;
}

} // namespace

void fillFleetDefaults(FilledDocument& document) {
    constexpr int usualInterval = 15;
    if (const Json* router = document.find(fleetAt + "/router")) document.fill("/workload/engine/router", *router, "the fleet's router");
    if (document.has(fleetAt + "/autoscale")) {
        const std::string at = fleetAt + "/autoscale";
        document.fill(at + "/min", 1, "the default");
        document.fill(at + "/max", document.integer("/parallelism/data", 1), "all replicas that the cluster holds");
        document.fill(at + "/interval_s", usualInterval, "Kubernetes' horizontal autoscaler looks every 15 s");
        document.fill(at + "/start_s", 0, "the default; measure how long your replicas take");
    }
    if (const Json* failures = document.find(fleetAt + "/failures"); failures != nullptr && failures->is_object()) {
        document.fill(fleetAt + "/failures/repair_s", 0, "the default");
        document.fill(fleetAt + "/failures/seed", 0, "the default");
    }
}

FleetSettings readFleet(const FilledDocument& document, int replicas, Problems& problems) {
    FleetSettings fleet;
    if (document.has("/workload/engine/disaggregation"))
        problems.push_back(error("not-supported-yet", fleetAt, "A fleet's replicas run requests from prompt to end; separate instances for prefill and decode can't come and go yet.").mend("Leave fleet or disaggregation out.").edit(fleetAt, nullptr));
    if (const Json* router = document.find(fleetAt + "/router"))
        if (const Json* other = document.find("/workload/engine/router"); other != nullptr && *other != *router)
            problems.push_back(warning("no-effect", "/workload/engine/router", "The fleet's router sends requests to replicas; this one has nothing to do.").mend("Leave it out.").edit("/workload/engine/router", nullptr));
    if (document.has(fleetAt + "/autoscale")) fleet.autoscale = readAutoscale(document, replicas, problems);
    const std::string admission = fleetAt + "/admission", failures = fleetAt + "/failures";
    fleet.admission.perReplica = document.integer(admission + "/max_per_replica", fleet.admission.perReplica);
    fleet.admission.waiting = document.integer(admission + "/max_waiting", fleet.admission.waiting);
    fleet.admission.patience = document.number(admission + "/timeout_s", fleet.admission.patience);
    const Json* const given = document.find(failures);
    if (given == nullptr) return fleet;
    if (!given->is_array()) {
        fleet.failureLaw = {document.number(failures + "/mtbf_hours") * units::hour, document.number(failures + "/repair_s"), document.find(failures + "/seed") ? document.find(failures + "/seed")->get<std::uint64_t>() : 0};
        return fleet;
    }
    for (std::size_t i = 0; i < given->size(); ++i) {
        const std::string at = failures + "/" + std::to_string(i);
        const ReplicaFailure failure{document.integer(at + "/replica"), document.number(at + "/at_s"), document.number(at + "/repair_s")};
        if (failure.replica >= replicas)
            problems.push_back(error("no-such-replica", at + "/replica", "The fleet has " + counted(replicas, "replica") + ", counted from 0; none is number " + std::to_string(failure.replica) + ".")
                                   .mend("Use up to " + std::to_string(replicas - 1) + ".")
                                   .edit(at + "/replica", replicas - 1));
        fleet.failures.push_back(failure);
    }
    return fleet;
}

} // namespace orrery
