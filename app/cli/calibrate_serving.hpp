// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.hpp"
#include "core/answers/calibration/served_calibration.hpp"

#include <vector>

namespace orrery {

inline constexpr const char* profileEnding = ".orrery-profile.json";

/// What benchmarks of a server wrote in these files; empty where a file is none.
std::vector<BenchmarkRun> benchmarkRunsIn(const std::vector<std::string>& files);

/// A launch line stands beside files of which one holds no such result, or can't be read.
Problem noBenchmark(const std::vector<std::string>& files);

/// `calibrate` for runs of a server: constants, figures before and after, the profile file. Gives the exit status.
int calibrateServer(const CalibrateOptions& options, const std::vector<BenchmarkRun>& runs, const RunControl& control);

} // namespace orrery
