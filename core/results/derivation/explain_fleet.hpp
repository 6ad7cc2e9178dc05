// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/results/report/serving_report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Where a figure of a fleet comes from; `tokens`: of its pointer, the first is "fleet".
std::optional<Quantity> explainFleet(const ServingReport& report, const std::vector<std::string>& tokens);

} // namespace orrery
