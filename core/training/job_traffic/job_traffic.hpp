// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/routed_fabric.hpp"
#include "core/network/transfers/alone_timing.hpp"
#include "core/network/transfers/pattern_maker.hpp"
#include "core/network/transfers/symmetry.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/job_traffic/collective_choice.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery {

/// What ranks of one stage send each other, or one stage another, again and again.
struct TrafficKind {
    RankGroup group = RankGroup::data;
    CollectiveKind collective = CollectiveKind::all_reduce;
    int stage = 0;
    int toStage = 0; ///< of a transfer between stages, and of the embedding group; else `stage`

    /// In one word: no pipeline has 65,536 stages.
    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(group) << 40 | static_cast<std::uint64_t>(collective) << 32 | static_cast<std::uint64_t>(stage) << 16 | static_cast<std::uint64_t>(toStage);
    }
};

/// Whether a group's collectives are part of a layer's work, and so of its segment.
constexpr bool ridesInSegments(RankGroup group) {
    return group == RankGroup::tensor || group == RankGroup::context || group == RankGroup::expert || group == RankGroup::expert_tensor;
}

/// A collective of every cell of a stage, or of all of them together. A cell is the tensor and context ranks with one data and one
/// pipeline coordinate: they run in step.
struct TrafficPatterns {
    TrafficKind kind;
    std::vector<TransferPattern> ofCells; ///< one for each data coordinate; a single one where all cells of the stage take part
    bool shared = false;                  ///< the latter
    bool predicted = false;               ///< with the communication library's fitted constants, not by closed forms alone
    bool connected = true;                ///< all of `ofCells` are
};

/// A collective of any ranks, with the protocol that the library would use; empty where closed forms hold.
struct LonePattern {
    TransferPattern pattern;
    std::string protocol;
};

/// The communication of a scenario's job on a fabric: who sends what over which links. Patterns are made when first asked for and kept;
/// they depend on the bytes only through the algorithm chosen for them.
class JobTraffic {
public:
    using Id = std::uint32_t;

    /// The job has its scenario's cluster to itself.
    explicit JobTraffic(const Scenario& scenario);
    /// The job sits on some accelerators of a fabric that others may use too: `placement[r]` is the fabric's rank of the job's rank r.
    JobTraffic(const Scenario& scenario, std::shared_ptr<RoutedFabric> fabric, std::vector<int> placement);
    JobTraffic(const JobTraffic&) = delete;
    JobTraffic& operator=(const JobTraffic&) = delete;

    const Fabric& fabric() const { return fabric_->fabric(); }
    const std::vector<double>& capacities() const { return fabric_->capacities(); }

    /// The pattern set of a kind of traffic with `bytes`.
    Id patterns(const TrafficKind& kind, double bytes);
    const TrafficPatterns& at(Id id) const { return sets_[id]; }
    const TransferPattern& pattern(Id id, int cell) const { return sets_[id].ofCells[sets_[id].shared ? 0 : static_cast<std::size_t>(cell)]; }
    std::size_t count() const { return sets_.size(); }

    /// What it takes alone on its links: of the cell that takes longest.
    AloneTime alone(Id id, double bytes);
    /// Whether no two cells use a common link.
    bool cellsAreApart(Id id);

    /// Traffic of others that the fabric's cluster states.
    std::vector<FlowDemand> background();

    /// The job's own ranks in a cell: by context coordinate, then tensor coordinate.
    std::vector<int> cell(int data, int stage) const;

    /// The groups of a kind that the cell's ranks are in, or, where all cells of the stage take part, all there are; the fabric's ranks.
    std::vector<std::vector<int>> groupsOf(const TrafficKind& kind, int data) const;

    LonePattern lonePattern(const std::vector<int>& ranks, CollectiveKind kind, double bytes);

    /// Ranks that some traffic can't reach; empty when all can.
    Problems unreachable() const;
    /// The problem with a pattern that is not connected.
    Problem unreachable(const TransferPattern& pattern) const;

private:
    /// What is known of a kind of traffic.
    struct Known {
        std::optional<LibraryRequest> question; ///< but for the bytes; nothing: none was asked yet
        std::unordered_map<double, Id> chosen;  ///< by bytes, with what the question says is kept of the library's rates
        /// A request that was met, as the library gave it.
        struct Met {
            std::string algorithm;
            double start = 0, upShare = 1, outShare = 1, upWire = 1, outWire = 1;
            Id id = 0;
        };
        std::vector<Met> met; ///< the first few: mostly there are no others
    };
    /// What is found out of a set when it is first asked for.
    struct Findings {
        std::vector<AloneTiming> alone; ///< of its cells, equal ones once
        std::optional<bool> apart;
    };

    /// The set that is fastest here with `bytes`.
    Id choose(const TrafficKind& kind, Known& known, double bytes);
    /// The set of a request, which is kept among those met.
    Id met(const TrafficKind& kind, Known& known, const PatternRequest& request);
    Id idOf(const TrafficKind& kind, const PatternRequest& request);
    TrafficPatterns make(const TrafficKind& kind, const PatternRequest& request);
    /// The fabric's rank of a rank of the job.
    int placed(int rank) const { return placement_.empty() ? rank : placement_[static_cast<std::size_t>(rank)]; }
    int placed(int tensor, int context, int data, int pipeline) const { return placed(grid_.rank(tensor, context, data, pipeline)); }
    std::vector<std::vector<int>> expertGroups(const TrafficKind& kind) const;
    std::vector<std::vector<int>> shardGroups(const TrafficKind& kind) const;

    const Scenario& scenario_;
    RankGrid grid_;
    std::shared_ptr<RoutedFabric> fabric_;
    std::vector<int> placement_; ///< empty: each rank has its own number
    PatternMaker maker_;
    std::vector<TrafficPatterns> sets_;
    std::vector<Findings> findings_; ///< by set
    std::map<std::string, Id> ids_;
    std::unordered_map<std::uint64_t, Known> known_; ///< by kind
    std::optional<Id> cut_;                          ///< the first set that is not connected
};

} // namespace orrery
