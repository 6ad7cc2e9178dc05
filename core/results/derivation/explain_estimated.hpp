// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/results/report/result.hpp"

#include <optional>
#include <string_view>

namespace orrery {

/// The same as `explain` for a result that holds no more than an estimate (core/answers/simulation/estimated_result.hpp): its time has no parts, its peak no account.
std::optional<Quantity> explainEstimated(const Result& estimate, std::string_view pointer);

} // namespace orrery
