// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/views/recorded_job.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Something that makes B longer or shorter than A.
struct RecordCause {
    std::string part;    ///< which of the parts it belongs to
    std::string name;    ///< of the kernel, class of communication or copy in A; empty: in B alone, or nothing that has a name
    std::string nameB;   ///< in B, where it is called otherwise there
    std::string where;   ///< class of the module and operator: "BertSelfAttention, aten::addmm"; empty: not said
    double delta = 0;    ///< s of the wall clock, B − A
    double a = 0, b = 0; ///< s that it takes as a whole, hidden or not
    double countA = 0, countB = 0;
    std::string text; ///< a sentence without its end
};

/// Why one record is longer or shorter than another. Times in s, means over the ranks that both have; of one step where the records have different numbers of steps.
struct RecordDifference {
    struct Part {
        std::string name;
        double delta = 0;
    };
    std::string metric; ///< "device_span_s", or "device_span_per_step_s"
    double a = 0, b = 0, difference = 0;
    std::vector<Part> parts;              ///< they sum to `difference`; none where nothing differs
    std::vector<RecordCause> causes;      ///< those that point the way of the difference first, each from the largest
    std::string summary;                  ///< a sentence or two
    std::array<std::size_t, 5> matched{}; ///< kernels by what they have in common (MatchedBy)
    std::size_t replacedA = 0, replacedB = 0, added = 0, gone = 0;
    std::size_t ranks = 0;
};

/// Compares two recorded jobs, of one rank or of several: what a device's wall clock, from its first event to its last, goes to in both.
///
/// Parts: `kernels.slower`, `.faster` (matched by module tree, shapes and stream, or by place where names changed), `.replaced` (some in place of others), `.new`, `.gone`;
/// `communication.CLASS`; `waits.peers` (known where several ranks were recorded), `waits.queued` (launched, but nothing runs); `gaps.launch` (the host is late), `gaps.other`
/// (no launch was recorded); `memory_copies`; `overlap`. A part counts what its own length explains of its share of the wall clock; what changed beyond that is work
/// beside it that hides more or less of it, and counts as `overlap`. So communication that takes longer where nobody waits for it explains nothing.
/// Nothing, with a problem, where either has no event of a device, or no rank is in both.
std::optional<RecordDifference> compareRecords(const RecordedJob& a, const RecordedJob& b, Problems& problems);

/// `orrery-comparison/1`, with `causes`, `summary` and `matched` beside the contract's keys.
Json toJson(const RecordDifference& difference);

} // namespace orrery
