// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/model/graph.hpp"
#include "core/records/ranks/joint_replay.hpp"
#include "core/records/ranks/kernel_likeness.hpp"
#include "core/records/ranks/rank_classes.hpp"
#include "core/records/ranks/recorded_memory.hpp"
#include "core/records/traces/communication_rules.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orrery {

/// The contract's `hybrid`: which ranks were recorded, who stands in for the others, and what if.
struct HybridQuestion {
    std::map<std::int64_t, std::string> recorded;                           ///< rank to trace file
    std::map<std::string, std::variant<std::string, std::int64_t>> classes; ///< class to trace file or recorded rank
    RankWhatIfs whatIfs;
    std::vector<ScaledKernels> scaled;
    CommunicationRules communication = shippedCommunicationRules(); ///< sorts the kernels of its traces
    std::optional<std::int64_t> vram;                               ///< bytes
    bool prune = true;                                              ///< leave out what reaches no recorded rank
    std::optional<std::int64_t> world;                              ///< accelerators of the scenario's cluster; nothing: it has none
};

/// Reads the `hybrid` of a scenario document; nothing, with problems, where it is missing or wrong.
std::optional<HybridQuestion> readHybrid(const Json& document, Problems& problems);

/// Bytes that each of `ranks` moves, over those of the message (the whole buffer, as nccl-tests counts): 2 (n − 1)/n of an all-reduce, (n − 1)/n of an all-gather,
/// a reduce-scatter or an all-to-all, all of a send or a broadcast; 0 among fewer than two.
inline double movedShare(CollectiveKind kind, double ranks) {
    if (ranks < 2) return 0;
    switch (kind) {
    case CollectiveKind::all_reduce: return 2 * (ranks - 1) / ranks;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all: return (ranks - 1) / ranks;
    case CollectiveKind::send_receive:
    case CollectiveKind::broadcast: return 1;
    case CollectiveKind::none: break;
    }
    return 0;
}

/// A rank of a hybrid replay from recorded traces, with what it went through. Times in ns.
struct HybridRank {
    std::int64_t rank = 0;
    std::string className;
    std::string file;      ///< of the trace that it follows
    bool recorded = false; ///< itself; else the trace is of another rank of its class
    std::int64_t waiting = 0, transit = 0;
    std::optional<RecordedPeak> memory;
    std::optional<BeyondMemory> beyond; ///< where the memory that was asked about doesn't hold it
};

struct HybridRun {
    std::vector<HybridRank> ranks; ///< by number
    JointReplay replay;
    std::vector<CollectiveMessage> messages; ///< by collective of `replay`
    bool extrapolated = false;               ///< the records are of a job of another size
    Problems warnings;
    std::int64_t world() const { return static_cast<std::int64_t>(ranks.size()); }
    bool fits() const;
};

/// Opens a trace by the name that stands in the scenario.
using TraceOpener = std::function<std::optional<KinetoTrace>(const std::string& name, Problems& problems)>;

/// Plays all ranks of the job together. A job of another size than the recorded one's is extrapolated: a collective takes as much longer as a rank moves more bytes by the
/// closed form of its kind (moved_share.hpp); how far its ranks are from each other is left as it was. Records that name the groups of their collectives, of all ranks of the
/// job, are played by groups (grouped_replay.hpp). `classes` are those of its plan; empty: there is none, and all ranks are of the class "all". Nothing, with
/// problems, where a rank has no trace or traces don't belong together.
std::optional<HybridRun> runHybrid(const HybridQuestion& question, const std::vector<RankClass>& classes, const TraceOpener& open, Problems& problems);

/// The result document.
Json hybridDocument(const HybridRun& run, const std::string& name);

} // namespace orrery
