// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/recorded/shown_records.hpp"

namespace orrery {

void layOut(ShownRecords& shown, std::vector<RecordedRank> ranks, const std::stop_token& stop) {
    RunControl control;
    control.stop = stop;
    shown.job = std::make_shared<const RecordedJob>(recordedJob(std::move(ranks)));
    shown.record = std::make_shared<const RecordTimeline>(recordTimeline(*shown.job, control));
    shown.waiting = waitingMatrix(*shown.job);
    shown.rows = buildRows(shown.record->timeline, stop);
}

} // namespace orrery
