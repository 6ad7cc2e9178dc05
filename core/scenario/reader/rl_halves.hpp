// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/network/cluster.hpp"
#include "core/scenario/rl_workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The part of a cluster that one half of reinforcement learning runs on.
struct RlGround {
    Json cluster;               ///< `cluster` of the half's own document
    std::vector<int> placement; ///< by accelerator of the half: the cluster's
};

struct RlGrounds {
    bool colocated = true; ///< both have all of it
    RlGround rollout, training;
};

/// Shares the hosts of a document of kind rl out as `hosts` of its halves say: those named first, then the next in file order, rollout before
/// training; a half that says nothing gets what the other leaves.
RlGrounds shareHosts(const Json& document, const Cluster& cluster, Problems& problems);

/// One half as a scenario document of its own.
Json halfDocument(const Json& document, RlHalf half, const Json& cluster);

/// A place of that document in the whole one: "/parallelism/tensor" of rollout is "/workload/rollout/parallelism/tensor".
std::string placeInWhole(RlHalf half, std::string_view pointer);
/// A half's problem with its places in the whole document, those of its mend included.
Problem inWhole(RlHalf half, Problem problem);

} // namespace orrery
