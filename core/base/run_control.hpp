#pragma once

#include <functional>
#include <stop_token>

namespace orrery {

/// How a caller watches and stops a long computation. Neither field changes any result.
struct RunControl {
    std::stop_token stop;
    std::function<void(double fraction)> progress; ///< called from the computing thread, 0 to 1, non-decreasing
    int threads = 1;                               ///< at least 1; results do not depend on it
};

} // namespace orrery
