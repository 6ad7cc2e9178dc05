// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/ranks/beside_record.hpp"
#include "core/records/views/record_timeline.hpp"
#include "core/scenario/reader/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Catalog;

/// A rate of large products at which they take as long as recorded: execution.calibration.gemm_rate_of_peak.
struct FoundCalibration {
    double gemmRateOfPeak = 0;
    double error = 0; ///< of the matrix products with it, as a share of the record
};

/// Why a record is not of the scenario's job, as sentences: another accelerator, another number of ranks, or by far another number of matrix
/// products. Its times then say nothing about this scenario's constants. Empty: nothing tells them apart.
std::vector<std::string> whyForeign(const Result& result, const BesideRecord& beside, const KinetoTrace& trace, const Catalog& catalog);

/// Finds that rate, and keeps it only where a run with it is nearer to the record than the scenario's own. `document` is the scenario without its hybrid, `result` what it gave.
std::optional<FoundCalibration> besideCalibration(const Json& document, const Catalog& catalog, const FileReader& readFile, const Result& result, const BesideRecord& beside, const KinetoTrace& trace);

/// Adds the stage of a simulated iteration below recorded ranks, on their axis: it begins at `at` s. Its streams are rows of the device, their operators what they are to a
/// record.
void addSimulated(RecordTimeline& record, const Timeline& simulated, int stage, double at);

} // namespace orrery
