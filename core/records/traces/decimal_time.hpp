// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery {

/// A decimal number of microseconds as whole nanoseconds, exactly: a double has too few digits for the clock of 2026 with three decimals.
/// What stands behind the third decimal rounds to the nearest. Nothing for what is no number, or lies beyond 292 years.
std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds);

/// Nanoseconds as microseconds: a whole number where they are one.
Json microsecondsJson(std::int64_t nanoseconds);

} // namespace orrery
