// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Where a figure of a job beside comes from; `tokens` are the members of its JSON pointer after "beside". Nothing for what is no figure of one.
std::optional<Quantity> explainBeside(const std::vector<BesideReport>& jobs, const std::vector<std::string>& tokens);

} // namespace orrery
