// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/serving_metrics.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// Where no completed request keeps all limits: those that the one that comes nearest keeps, by the limit that it misses by the largest factor.
/// Each is at least the one given. Nothing where some request keeps them, where none is completed or nothing is limited.
std::optional<ServiceLimits> nearestLimits(const RequestList& requests, const std::vector<RequestRecord>& records, const ServiceLimits& limits);

} // namespace orrery
