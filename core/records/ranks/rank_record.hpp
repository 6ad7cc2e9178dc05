// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a collective was asked to do; bytes of the whole buffer, as nccl-tests counts, -1 where the record doesn't say.
struct CollectiveMessage {
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t bytes = -1;
    std::vector<std::int64_t> members; ///< ranks that take part, rising; of a send with its receive who sends, then who receives; empty: not said
};

/// What other ranks see of a recorded one: when it came to each collective and left it. Times in ns, of its own clock.
struct RankRecord {
    std::string file;
    std::optional<std::int64_t> rank, worldSize; ///< as the file says
    std::vector<Interval> collectives;           ///< communication kernels, by start
    std::vector<CollectiveMessage> messages;     ///< of each of them
    Interval device;                             ///< from the first start of a kernel, copy or fill to the last end

    /// From the end of the collective before `index` to the start of this one; of the first from the record's begin. Below 0 where two overlap.
    std::int64_t gapBefore(std::size_t index) const {
        return collectives[index].start - (index == 0 ? device.start : collectives[index - 1].end);
    }
    /// Whether any of the collectives says who takes part.
    bool namesMembers() const;
    /// What the device still does after its last collective.
    std::int64_t tail() const { return collectives.empty() ? 0 : device.end - collectives.back().end; }
};

/// `rank`: whose record it is, where the file doesn't say it.
RankRecord recordOf(const KinetoTrace& trace, std::string file, std::optional<std::int64_t> rank = std::nullopt);

/// Communication kernels by start, as indices into `trace.device`; equal starts in the file's order.
std::vector<std::uint32_t> communicationOrder(const KinetoTrace& trace);

/// How far a clock is ahead of another, ns, by what differs at the ends of what both did together: the median; 0 where it is so small that one clock
/// has it as well. At least one difference.
std::int64_t clockDifference(std::vector<std::int64_t> differences);

/// How far each record's clock is ahead of the others', ns: the median over collectives of its end against the median end, for a collective ends
/// everywhere at once. All records have equally many collectives, and the n-th of each
/// is one collective.
std::vector<std::int64_t> clockOffsets(const std::vector<RankRecord>& records);

/// The record with its clock set back.
RankRecord shifted(RankRecord record, std::int64_t offset);

} // namespace orrery
