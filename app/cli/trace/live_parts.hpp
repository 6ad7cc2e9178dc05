// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/live/live_report.hpp"
#include "core/records/live/live_slice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Where what Python loads lies beside this program: in the build folder, or where it was installed.
struct LiveParts {
    std::string extension, pythonFolder;
};
std::optional<LiveParts> findLiveParts(Problems& problems);

/// The records of a folder, by file name.
std::vector<LiveSlice> readLiveRecords(const std::string& folder, Problems& problems);
/// Writes `rankN.json` for each real rank.
void writeLiveRecords(const std::string& folder, const std::vector<LiveSlice>& slices, Problems& problems);

void printLiveAnswer(const LiveAnswer& answer);
void printLiveTable(const std::vector<LiveAnswer>& answers);

} // namespace orrery
