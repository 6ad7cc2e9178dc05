// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

/// The edits that make `imported`, a scenario read back from a launch text, mean what `document` says. Values that the document leaves to
/// defaults and that are imported as these defaults (`scenario.assumed`) need none.
std::vector<ScenarioEdit> unsaid(const Json& document, const Scenario& scenario, const Json& imported);

} // namespace orrery
