// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// A scenario's `search` where it has none: the keys that people vary first for its kind of workload, with values around what it has.
Json usualSearch(const Json& document, const Scenario* scenario);

} // namespace orrery
