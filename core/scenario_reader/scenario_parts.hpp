// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario_document/filled_document.hpp"
#include "core/scenario_reader/what_ifs.hpp"

#include <cstdint>

namespace orrery {

class Catalog; // core/catalog

/// The last part of reading, the same for every kind of workload: software, constants of the machine, what-ifs, economics, and what was
/// assumed and warned of until now. Model, cluster, workload and parallelism stand in the scenario already.
void readStack(Scenario& scenario, FilledDocument& document, const FrameworkProfile& profile, const Catalog& catalog, WhatIfs whatIfs, Problems& problems);

} // namespace orrery
