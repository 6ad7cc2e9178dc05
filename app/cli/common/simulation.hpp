// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"

#include <string>

namespace orrery {

/// What a plan that does not fit gets besides its result.
enum class Mends { none,
                   tried };

/// Reads and simulates a scenario file ("-": standard input); nothing, with `problems`, when that is not possible.
ResultPtr simulateFile(const std::string& path, const RunControl& asked, Problems& problems, Mends mends = Mends::none);

/// Threads to use: as many as asked for; 0: as many as the machine has.
int threadsFor(int asked);

/// exit_done, or exit_does_not_fit.
int exitStatusOf(const Result& result);

} // namespace orrery
