#pragma once

#include "core/report/result.hpp"

#include <string>

namespace orrery {

/// Reads and simulates a scenario file ("-": standard input); nothing, with `problems`, when that is not possible.
ResultPtr simulateFile(const std::string& path, int threads, Problems& problems);

/// exit_done, or exit_does_not_fit.
int exitStatusOf(const Result& result);

} // namespace orrery
