// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/base/json_forward.hpp"

#include <string>

namespace orrery {

/// A figure of a result for a person: times and bytes by the name they stand under.
std::string figureText(const Measure& measure, const Json& value);

} // namespace orrery
