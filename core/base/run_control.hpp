// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>

namespace orrery {

/// Memory that a run may be expected to need unless its caller says otherwise, bytes: ten million tasks, half a minute.
inline constexpr double usualMemoryCeiling = 4e9;

/// How a caller watches, stops and bounds a long computation. No field changes any result; a run beyond its bound has none.
struct RunControl {
    std::stop_token stop;
    std::function<void(double fraction)> progress; ///< called from the computing thread, 0 to 1, non-decreasing
    int threads = 1;                               ///< at least 1; results do not depend on it
    double memoryCeiling = usualMemoryCeiling;     ///< bytes; a simulation that is known to need more is refused before it runs
};

} // namespace orrery
