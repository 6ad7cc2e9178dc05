// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// Which of a result's memory figures a measured peak is held against.
enum class MeasuredMemory { device,
                            allocated,
                            reserved };

/// A measured run. Only `scenario` ever reaches a predictor; the rest is for scoring and listing.
struct MeasuredCase {
    std::string id;
    std::string group;
    BoxedJson scenario;
    std::vector<std::pair<std::string, double>> measured; ///< metric and value, in the file's order
    std::optional<bool> outOfMemory;                      ///< measured so, or not, where the case says it
    MeasuredMemory memoryKind = MeasuredMemory::device;
    std::string source; ///< where it was published, as the file says it
    std::string sourceUrl;

    /// True when the machine got far enough to measure a time or a memory peak.
    bool ran() const { return !measured.empty(); }
};

struct CasesReading {
    std::vector<MeasuredCase> cases;
    Problems problems; ///< `pointer` leads into the cases document
};

/// Reads an `orrery-cases/1` document. A scenario may be wrong in itself (that case is then rejected when it runs);
/// a case without id, group or measured values is an error of the file.
CasesReading readCases(const Json& document);

/// Lays settings over the engines of served cases: `{"settings": {ID: {KEY: VALUE}}}`, keys of `/workload/engine` with dots between levels, as
/// files of measured cases leave them out that are older than the keys. Ids of other cases are passed over.
Problems layOverEngines(std::vector<MeasuredCase>& cases, const Json& document);

} // namespace orrery
