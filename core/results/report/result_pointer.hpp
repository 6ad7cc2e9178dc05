// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <string>

namespace orrery {

/// The value at a RESULT POINTER of the contract: a JSON pointer whose step into a list may be `key=value,…`, which takes the first entry that
/// has all of them: `/operations/kind=mlp.down,phase=decode/time_s`. Null when nothing is there.
const Json* resultAt(const Json& result, const std::string& pointer);

/// Says where a pointer that leads nowhere stops, and the nearest name that there is.
Problem noSuchFigure(const Json& result, const std::string& pointer);

} // namespace orrery
