// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/own_cluster.hpp"
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

/// What a figure was to the fit.
enum class FigureUse {
    fitted,   ///< the constants were fitted to it
    left_out, ///< the same figure, by constants that were fitted to the other runs
    beside,   ///< of a run that was fitted to, but not this figure: a percentile, a rate
};
const char* wordOf(FigureUse use);

/// A measured figure with what was predicted of it; errors as `validate` counts them, + is too slow.
struct CalibratedFigure {
    std::size_t run = 0; ///< in the given order
    std::string metric;
    FigureUse use = FigureUse::fitted;
    double measured = 0, before = 0, after = 0;
    double errorBefore = 0, errorAfter = 0; ///< percent
};

/// Mean absolute errors, percent.
struct CalibrationErrors {
    double before = 0, after = 0;
    int count = 0;
};
CalibrationErrors errorsOf(const std::vector<CalibratedFigure>& figures, FigureUse use);

struct ServedCalibration {
    std::vector<AdjustedConstant> constants; ///< those that the runs say something of
    std::vector<CalibratedFigure> figures;
    /// The errors on what was not fitted: of each run by the constants of the others; where there is one run, of the figures beside.
    FigureUse notFitted = FigureUse::left_out;
    BoxedJson profile; ///< a document of the format orrery-profile/1
    Problems problems;
};

/// Adjusts what a serving stack does beside and around its kernels (front end, host, prompt and decode stretch) within physical bounds to the mean
/// time to first token and per output token of a few runs on the scenario's machine. A run's load takes the place of the scenario's requests
/// where the benchmark says it. Least squares of logarithms, with the profile's own values expected (core/answers/calibration/least_squares.hpp).
ServedCalibration calibrateServing(const std::vector<BenchmarkRun>& runs, const Json& scenario, const Catalog& catalog, const FileReader& readFile, const RunControl& control);

} // namespace orrery
