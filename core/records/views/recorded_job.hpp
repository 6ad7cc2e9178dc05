// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A record of one rank, with what was said of it beside the file.
struct RecordedRank {
    std::string file;
    std::optional<std::int64_t> rank;         ///< as the file says, or a person; nothing: nobody knows
    std::shared_ptr<const KinetoTrace> trace; ///< never null
};

/// A collective of recorded ranks: of all, or of a group.
struct JobCollective {
    static constexpr std::uint32_t noEvent = ~std::uint32_t{0};
    std::vector<std::uint32_t> events; ///< by rank's place: index into its trace's device events; `noEvent`: it does not take part, or did not wait for the others
    std::int64_t lastArrival = 0;      ///< ns on the clock of all
    std::size_t last = 0;              ///< place of the rank that came last
};

/// Recorded ranks side by side on one clock.
struct RecordedJob {
    std::vector<RecordedRank> ranks;        ///< by number, those without one behind
    std::vector<std::int64_t> clockOffsets; ///< ns that each clock is ahead of the clock of all
    std::vector<JobCollective> collectives; ///< empty: the ranks' collectives can't be taken together
    std::string whyApart;                   ///< why not, of several ranks; a sentence
    std::int64_t begin = 0, end = 0;        ///< ns on the clock of all
    std::int64_t onClock(std::size_t place, std::int64_t when) const { return when - clockOffsets[place]; }
};

/// Puts ranks side by side. Where ranks are known, differ and have equally many collectives, the n-th of each is one collective, and its ends set
/// their clocks; where they name the groups of their collectives, those of a group belong together (core/records/ranks/joint_replay.hpp). Other records keep their clocks where their times overlap, and begin together where they don't.
RecordedJob recordedJob(std::vector<RecordedRank> ranks);

/// Who waits for whom in the joint replay of the records, s: at [i][j] what rank i waits in collectives that rank j comes to last. Empty where collectives can't be taken together.
std::vector<std::vector<double>> waitingMatrix(const RecordedJob& job);

} // namespace orrery
