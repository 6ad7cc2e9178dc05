// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Where a figure of training and serving in a loop comes from; `tokens` are the members of its JSON pointer. What a half says is explained as
/// that half alone. Nothing for what is no figure, or never ran.
std::optional<Quantity> explainRl(const RlReport& report, const std::vector<std::string>& tokens);

} // namespace orrery
