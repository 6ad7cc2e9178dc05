// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/order/requests/request.hpp"
#include "core/order/serving/run_log.hpp"
#include "core/scenario/serving_workload.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// Says that no request keeps the limits, and the nearest limits that one keeps; nothing where some do.
std::optional<Problem> serviceLevelWarning(const ServiceLevel& level, const RequestList& requests, const std::vector<RequestRecord>& records);

} // namespace orrery
