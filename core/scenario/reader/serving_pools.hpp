// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/cluster.hpp"
#include "core/order/serving/fleet_settings.hpp"
#include "core/scenario/beside_job.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/document/instance_numbers.hpp"
#include "core/scenario/serving_workload.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// What the fleet of a scenario leaves out.
void fillFleetDefaults(FilledDocument& document);

/// `workload.fleet` of `replicas` instances.
FleetSettings readFleet(const FilledDocument& document, int replicas, Problems& problems);

class Catalog; // core/catalog

/// The pools of `/workload/engine/disaggregation`: where their instances lie and how each is split; fills in how many there are. The
/// engines' settings are not read here. Hosts of jobs beside are nobody's. Hosts that are named go first, then each pool without names takes what is next in file order.
std::optional<Disaggregation> placePools(FilledDocument& document, const Cluster& cluster, const std::vector<BesideJob>& beside, const std::optional<Architecture>& model, const Catalog& catalog,
                                         Problems& problems);

} // namespace orrery
