// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/estimate/piece_table.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// What a rank runs, and its table with nothing beside its collectives.
class SharedWork {
public:
    explicit SharedWork(RankWork made);
    const RankWork& rank() const { return rank_; }
    /// Whether every collective of the work takes on this traffic what it took on the one that the work was made with.
    bool takesTheSameOn(JobTraffic& traffic) const;
    /// `scenario` has a plan of this work; `withPairs` as in makePieceTable.
    const std::shared_ptr<const PieceTable>& table(const Scenario& scenario, bool withPairs);
    /// The collectives that the data-parallel group's traffic may meet on links, equal ones once.
    const std::vector<const TimedOperator*>& meeting() const { return meeting_; }
    /// Its table beside that traffic; `stretches` by `meeting`.
    std::shared_ptr<const PieceTable> tableBeside(const Scenario& scenario, bool withPairs, const std::vector<Stretch>& stretches);
    /// The stretch of a collective of the work's.
    StretchOf stretchOf(const std::vector<Stretch>& stretches) const;

private:
    RankWork rank_;
    std::vector<const TimedOperator*> collectives_; ///< equal ones once
    std::vector<const TimedOperator*> meeting_;
    std::shared_ptr<const PieceTable> plain_, paired_; ///< made when first asked for
    struct Beside {
        bool withPairs = false;
        std::vector<Stretch> stretches;
        std::shared_ptr<const PieceTable> table;
    };
    std::vector<Beside> beside_; ///< the last few
};

/// Bytes that the allocator reserves beyond what is allocated, by what a stage is made of (pieces and how many of each in a row, two for more)
/// and how many micro-batches are there together.
using HolesOfPieces = std::map<std::pair<std::vector<int>, int>, double>;

/// What a rank runs, by plan, shared between grids of ranks: the same tensor and context groups run the same operators wherever they lie,
/// and where their collectives take the same time they are the same work. All plans are of one base scenario.
class RankWorks {
public:
    /// What makeRankWork gives for the scenario's plan.
    std::shared_ptr<SharedWork> of(const Scenario& scenario, const ReplicaPolicy& policy, const CostModel& cost, JobTraffic& traffic);
    /// What the allocator makes of the work's tensors alone: the same whatever its collectives take.
    HolesOfPieces& holes(const Scenario& scenario, const ReplicaPolicy& policy) { return holes_[ofGraphs(keyOf(scenario, policy))]; }
    /// The base scenario is another.
    void clear() {
        known_.clear();
        holes_.clear();
    }

private:
    /// What graphs, kernels and segments of a plan depend on, but for the time of collectives.
    struct Key {
        int tensor = 1, context = 1, expert = 1, expertTensor = 1;
        int microBatch = 1;
        RecomputeKind recompute = RecomputeKind::none;
        int recomputeEvery = 1;
        std::vector<std::string> recomputeModules;
        ContextMethod contextMethod = ContextMethod::ring;
        bool sequence = false, overlapTensor = false, splits = false, endsMeet = false, unshards = false;
        auto operator<=>(const Key&) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison for a pointer
    };
    static Key keyOf(const Scenario& scenario, const ReplicaPolicy& policy);
    /// The part of a key that graphs depend on. Its other parts say what runs beside what; these change no tensor.
    static Key ofGraphs(Key key);

    std::map<Key, std::vector<std::shared_ptr<SharedWork>>> known_; ///< those of a key differ in the time of collectives
    std::map<Key, HolesOfPieces> holes_;
};

} // namespace orrery
