// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

namespace orrery {

struct ServingReport; // core/results/report/serving_report.hpp

/// What a result says of how requests were served.
Json toJson(const ServingReport& report);

} // namespace orrery
