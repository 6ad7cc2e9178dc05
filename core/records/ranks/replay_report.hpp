// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/ranks/grouped_replay.hpp"
#include "core/records/ranks/joint_replay.hpp"
#include "core/records/ranks/rank_record.hpp"
#include "core/records/ranks/recorded_memory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What it costs not to have recorded everybody: errors of the whole span, as shares of the replay of all records.
struct FoldingErrors {
    std::vector<double> ontoRank; ///< by record: all ranks do between collectives what this one did; they still come to the first one as recorded
    double ontoMean = 0;          ///< all do the mean
    std::vector<double> leftOut;  ///< by record: this rank alone does, and begins, what is the mean of the others
};

/// The records, at least two, have equally many collectives and one clock.
FoldingErrors foldingErrors(const std::vector<RankRecord>& records);

/// What a replay keeps of a trace: the trace itself may be much larger.
struct ReplayedTrace {
    RankRecord record;
    std::optional<GraphedRank> graphed; ///< where the record says who takes part in a collective
    std::int64_t aloneSpan = 0;         ///< ns, of its own graph replayed with nothing changed
    std::optional<RecordedPeak> memory;
    std::optional<BeyondMemory> beyond;
    std::optional<std::int64_t> modelledReserved; ///< bytes
};
/// `rank`: as somebody said it, where the file doesn't.
ReplayedTrace replayedTrace(const KinetoTrace& trace, const std::string& file, std::optional<std::int64_t> vram, std::optional<std::int64_t> rank = std::nullopt);

/// Replays recorded ranks, together where there are several: the spans, who waits for how long, and what it would cost not to have recorded one.
/// Times in µs. Where records name the groups of their collectives, or who sends to whom, each collective is of its group: pipeline stages are
/// replayed together. Nothing, with problems, where ranks stand twice or have
/// unlike collectives; a warning names those of the job that are missing.
std::optional<Json> replayReport(std::vector<ReplayedTrace> traces, Problems& problems);

} // namespace orrery
