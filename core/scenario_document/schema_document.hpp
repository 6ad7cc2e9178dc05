// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

namespace orrery {

/// The JSON Schema (draft 7) of a scenario document, made from the same table that the reader checks with.
Json scenarioSchema();

} // namespace orrery
