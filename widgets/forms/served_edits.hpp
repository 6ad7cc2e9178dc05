// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <string_view>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Fields of a served workload whose value brings others with it: the file of requests, how tokens are drafted, pools.
bool isServedChoice(std::string_view pointer);

/// What such a choice takes, as one step. A file takes the place of generated requests, which the document keeps under `view` until the file
/// goes; another way to draft keeps how many and how good; two pools share out the instances that there are.
std::vector<ScenarioEdit> servedEdits(const Json& document, const ScenarioEdit& wanted, const Catalog& catalog);

} // namespace orrery
