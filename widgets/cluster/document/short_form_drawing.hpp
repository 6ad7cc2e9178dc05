// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <optional>

namespace orrery {

class Catalog; // core/catalog

/// The short form's values with what it leaves out taken from the accelerator's usual platform. GB/s and µs.
struct ShortForm {
    std::string accelerator;
    int acceleratorsPerNode = 8;
    int nodes = 1;
    double scaleUpBandwidth = 0;
    double scaleUpLatency = 0;
    int domainSize = 8;
    double scaleOutBandwidth = 0;
    double scaleOutLatency = 0;
    double oversubscription = 1;
};

/// Nothing when it is too incomplete to draw.
std::optional<ShortForm> readShortForm(const Json& cluster, const Catalog& catalog);

/// The topology that a short-form `cluster` stands for; nothing when there is none to draw.
std::optional<Json> shortFormTopology(const Json& cluster, const Catalog& catalog);

/// `cluster` in its drawn form: the topology, and of the short form only what a topology can't say (`scale_up`).
Json drawnCluster(const Json& cluster, Json topology);

} // namespace orrery
