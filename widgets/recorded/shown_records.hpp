// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/views/beside_scenario.hpp"
#include "core/records/views/record_timeline.hpp"
#include "widgets/timeline/columns.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace orrery {

/// What is in a file that has no moments to lay on an axis: an execution trace, a graph.
struct RecordFacts {
    std::string file;
    BoxedJson figures;
};

/// A simulated iteration beside one of the records.
struct ShownBeside {
    std::size_t place = 0; ///< of the rank whose record it is
    BesideRecord errors;
    std::optional<FoundCalibration> calibration;
    std::vector<std::string> foreign = {}; ///< why the record is not of the scenario's job; nothing is taken over from such
};

/// What was opened together. Made off the GUI's thread, never changed.
struct ShownRecords {
    std::shared_ptr<const RecordedJob> job;
    CommunicationRules rules = shippedCommunicationRules(); ///< which sorted the kernels of the job
    RecordTimelinePtr record;
    TimelineRowsPtr rows;
    std::vector<RecordFacts> facts;
    std::vector<std::vector<double>> waiting; ///< s, who waits for whom; empty where that can't be said
    std::optional<BoxedJson> hybrid;          ///< the result of a hybrid run, whose ranks these are; there is no job then
    std::optional<ShownBeside> beside;
    Problems problems;  ///< of files that could not be read, and warnings of those that could
    double seconds = 0; ///< that it took
    bool hasTimeline() const { return rows && rows->barCount > 0; }
};
using ShownRecordsPtr = std::shared_ptr<const ShownRecords>;

/// Puts the ranks side by side as a timeline with its rows. Meant for a worker thread; null rows when stopped.
void layOut(ShownRecords& shown, std::vector<RecordedRank> ranks, const std::stop_token& stop = {});

} // namespace orrery
