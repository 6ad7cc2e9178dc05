// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// What another kind of workload takes, as one step: the workload with values that make sense for it, and away with what only the kind
/// before reads. The document keeps under `view` what goes, and a kind that was there before gets back what it had.
std::vector<ScenarioEdit> kindEdits(const Json& document, const std::string& kind, const Catalog& catalog);

/// What another arrival process takes: the number that it needs, and away with the one that it does not.
std::vector<ScenarioEdit> arrivalEdits(const Json& document, const std::string& process);

} // namespace orrery
