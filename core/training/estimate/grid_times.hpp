// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/routed_fabric.hpp"
#include "core/training/estimate/piece_table.hpp"
#include "core/training/estimate/plan_choice.hpp"
#include "core/training/estimate/rank_works.hpp"
#include "core/training/estimate/together_times.hpp"
#include "core/training/job_traffic/job_traffic.hpp"
#include "core/training/job_traffic/slow_cells.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery {

struct OptimizerTimes {
    double norm = 0;   ///< s, gradient norm
    double step = 0;   ///< s
    double onHost = 0; ///< s of the host's part with its copies; 0: it has none
};

/// What an exchange of ranks with the same weights takes, s.
struct ExchangeTime {
    double seconds = 0;
    double onLinks = 0; ///< of these; the rest copies shares on the accelerator, which slows nothing

    /// Share of the time that slows kernels, and is slowed by others' traffic.
    double shareOnLinks() const { return seconds > 0 ? onLinks / seconds : 1; }
};

class GridTimes;

/// Transfers of one plan between its stages, made when first asked for.
class StageTransfers {
public:
    /// Alone, s.
    double seconds(GridTimes& grid, int stage, int toStage);
    /// How a transfer and the data-parallel groups of both stages slow each other down.
    const Stretch& besideData(GridTimes& grid, int stage, int toStage);

private:
    friend class GridTimes;
    struct Transfer {
        double seconds = -1; ///< negative: not yet asked for
        Stretch beside{-1, -1};
    };
    Transfer& between(int stage, int toStage) {
        return known_[static_cast<std::size_t>(stage) * static_cast<std::size_t>(stages_) + static_cast<std::size_t>(toStage)];
    }

    int stages_ = 0;
    double bytes_ = 0;
    std::vector<Transfer> known_; ///< by both stages
};

/// Times on one grid of ranks (tensor × context × data × pipeline and how experts lie on it): collectives, the pieces that ride on
/// them, the optimizer. Everything is made when first asked for and kept.
class GridTimes {
public:
    /// `scenario` has the grid's parallelism; `fabric` is its cluster's. The others outlive this; `works` are of the same base scenario.
    GridTimes(Scenario scenario, std::shared_ptr<RoutedFabric> fabric, RankWorks& works, TogetherTimes& together, MeetingTimes& meetings);

    /// Other constants; what was made with the old ones is forgotten, but not the ways over the network.
    void recalibrate(const KernelConstants& kernels, const FrameworkProfile& profile);
    /// Another global batch, sequences.
    void rebatch(int globalBatch) { scenario_.training().globalBatch = globalBatch; }
    /// Patterns of traffic made so far, under all constants.
    std::size_t patterns() const { return traffic_.count(); }
    /// What is asked for from now on is of this choice, which must be one of the grid's.
    void choose(const PlanChoice& choice) {
        apply(choice, scenario_);
        policy_ = ReplicaPolicy(scenario_);
    }
    /// The base scenario with the choice.
    const Scenario& scenario() const { return scenario_; }
    /// What its replicas do.
    const ReplicaPolicy& policy() const { return policy_; }

    /// What a collective takes when all cells of its stage run it at once and nothing else is on the links, s.
    double collective(const TrafficKind& kind, double bytes);
    /// What ranks with the same weights take on each stage, one collective after the other: weights gathered whole, gradients reduced.
    ExchangeTime gather(int stage, const HeldWeights& what) { return exchangeTime(stage, policy_.gather(what)); }
    ExchangeTime reduce(int stage, const HeldWeights& what) { return exchangeTime(stage, policy_.reduce(what)); }

    StageTransfers& stageTransfers();

    /// Times of a rank that steps over `elements` parameters, with Muon's products of `orthogonalFlops`.
    OptimizerTimes optimizer(double elements, double orthogonalFlops);
    /// How many times as long kernels take on the stage's slowest accelerator, by the scenario's named stragglers.
    double slowdown(int stage) const { return slowdown_[static_cast<std::size_t>(stage)]; }
    /// The same of whole pipelines, by stage: those of which none is slower in every stage.
    const std::vector<std::vector<double>>& slowPipelines() const { return slowPipelines_; }
    /// What named stragglers make of the stages' cells.
    std::vector<SlowCells> slowCells() const { return orrery::slowCells(scenario_, traffic_); }
    double transferBytes() const;
    /// The pieces on accelerators whose kernels take `slowdown` times as long.
    const PieceTable& pieces(double slowdown = 1) { return piecesOf(pieceKey(slowdown)); }
    /// The pieces with nothing beside them on any link: no pass takes longer than in `pieces`, and it needs the same memory.
    const PieceTable& piecesAlone();
    /// What `pieces` is made from, without slowdown.
    std::shared_ptr<SharedWork> rankWork();
    /// What the allocator made of such work.
    HolesOfPieces& holesOfPieces() { return works_.holes(scenario_, policy_); }
    /// Why the ranks can't reach each other, as far as has been asked for.
    Problems unreachable() const { return traffic_.unreachable(); }

private:
    friend class StageTransfers;
    struct CollectiveKey {
        std::uint64_t kind, bytes;
        bool operator==(const CollectiveKey&) const = default;
    };
    struct CollectiveHash {
        std::size_t operator()(const CollectiveKey& key) const {
            return static_cast<std::size_t>((key.kind * 0x9e3779b97f4a7c15ULL) ^ (key.bytes * 0xd1342543de82ef95ULL >> 7));
        }
    };
    /// What pieces depend on besides the grid.
    struct PieceKey {
        bool sequence = false, overlapTensor = false, besideData = false;
        bool unshards = false; ///< weights lie in shards: graphs hold other copies of them
        int zeroStage = 0;
        bool splits = false, endsMeet = false, pairs = false;
        ContextMethod contextMethod = ContextMethod::ring;
        int microBatch = 1;
        RecomputeKind recompute = RecomputeKind::none;
        int recomputeEvery = 1;
        std::vector<std::string> recomputeModules;
        double slowdown = 1;
        bool operator==(const PieceKey&) const = default;
    };

    double timeOf(const TrafficKind& kind, double bytes);
    ExchangeTime exchangeTime(int stage, const ReplicaExchange& exchange);
    /// The first set's traffic and the others' together, each beside the other.
    Stretch stretch(std::vector<std::pair<JobTraffic::Id, double>> own, std::vector<std::pair<JobTraffic::Id, double>> other);
    std::vector<Transfer> transfersOf(const std::vector<std::pair<JobTraffic::Id, double>>& sets) const;
    PieceKey pieceKey(double slowdown) const;
    const PieceTable& piecesOf(const PieceKey& key);
    /// An example of what the data-parallel group of a stage sends, a layer's weights: for each of its collectives how much of the
    /// time it takes.
    struct DataShare {
        JobTraffic::Id patterns = 0;
        double bytes = 0, share = 0;
    };
    std::vector<DataShare> dataTraffic(int stage);
    /// How `own` and the data-parallel groups of the stages slow each other down; the groups run in step.
    Stretch besideData(JobTraffic::Id own, double bytes, const std::vector<int>& stages);

    Scenario scenario_;
    ReplicaPolicy policy_;
    JobTraffic traffic_;
    CostModel cost_;
    std::vector<FlowDemand> background_;
    std::vector<std::vector<double>> slowPipelines_; ///< by pipeline and stage
    std::vector<double> slowdown_;                   ///< by stage
    std::unordered_map<CollectiveKey, double, CollectiveHash> collectives_;
    std::map<std::tuple<double, double, double>, OptimizerTimes> optimizers_;             ///< by elements, products and the host's share
    std::map<std::tuple<double, int, double, double, double>, StageTransfers> transfers_; ///< by bytes and what the data-parallel groups send
    RankWorks& works_;
    TogetherTimes& together_;
    MeetingTimes& meetings_;
    std::vector<std::pair<PieceKey, std::shared_ptr<const PieceTable>>> pieces_;
    std::vector<std::pair<PieceKey, std::weak_ptr<SharedWork>>> found_; ///< what pieces are made from
    std::map<std::vector<std::uint64_t>, Meeting> met_;                 ///< by sets and bytes, these over the first set's
    HeldWeights layer_;                                                 ///< of the plan asked for last
};

} // namespace orrery
