// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/profile_fit.hpp"
#include "core/base/run_control.hpp"
#include "core/results/comparison/measured_serving.hpp"
#include "core/scenario/reader/reader.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// What a benchmark of one's own server measured, and the file that says so.
struct BenchmarkRun {
    ServerBenchmark benchmark;
    std::string file;
};

/// Adjusts what a serving stack does beside and around its kernels (front end, host, prompt and decode stretch) within physical bounds to the mean
/// time to first token and per output token of a few runs on the scenario's machine. A run's load takes the place of the scenario's requests
/// where the benchmark says it. Least squares of logarithms, with the profile's own values expected (core/answers/calibration/least_squares.hpp).
ProfileFit calibrateServing(const std::vector<BenchmarkRun>& runs, const Json& scenario, const Catalog& catalog, const FileReader& readFile, const RunControl& control);

} // namespace orrery
