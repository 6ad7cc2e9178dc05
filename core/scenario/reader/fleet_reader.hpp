// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/fleet_settings.hpp"
#include "core/scenario/document/filled_document.hpp"

namespace orrery {

/// What the fleet of a scenario leaves out.
void fillFleetDefaults(FilledDocument& document);

/// `workload.fleet` of `replicas` instances.
FleetSettings readFleet(const FilledDocument& document, int replicas, Problems& problems);

} // namespace orrery
