// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace orrery {

/// Replicas that are started and stopped by what is under way, by the rule of Kubernetes' horizontal autoscaler: as many as the metric divided by
/// its target, rounded up. The metric is requests under way, those included that wait in front of the fleet.
struct AutoscaleSettings {
    int least = 1, most = 1; ///< replicas
    double interval = 15;    ///< s between two looks
    double start = 0;        ///< s from the order to start a replica until it serves
    double target = 1;       ///< requests under way that each replica is to have

    bool operator==(const AutoscaleSettings&) const = default;
};

/// Who may come to a replica, and who may wait in front of all: by priority, then by arrival.
struct AdmissionSettings {
    int perReplica = std::numeric_limits<int>::max();          ///< requests under way at one; more wait in front of the fleet
    int waiting = std::numeric_limits<int>::max();             ///< that may wait there; one more is refused
    double patience = std::numeric_limits<double>::infinity(); ///< s of waiting there, after which a request is refused

    bool operator==(const AdmissionSettings&) const = default;
};

/// A replica that stops at once. What it worked on goes on elsewhere: prompt and tokens that came out are computed again.
struct ReplicaFailure {
    int replica = 0;   ///< from 0
    double at = 0;     ///< s
    double repair = 0; ///< s until it can be started again

    bool operator==(const ReplicaFailure&) const = default;
};

/// Failures by chance: of each replica, exponential times between.
struct FailureLaw {
    double meanTimeBetween = 0; ///< s of one replica; 0: none
    double repair = 0;          ///< s
    std::uint64_t seed = 0;

    bool operator==(const FailureLaw&) const = default;
};

/// Replicas behind one router.
struct FleetSettings {
    std::optional<AutoscaleSettings> autoscale; ///< none: all serve all the time
    AdmissionSettings admission;
    std::vector<ReplicaFailure> failures;
    FailureLaw failureLaw;

    bool operator==(const FleetSettings&) const = default;
};

} // namespace orrery
