// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/flow_transfers.hpp"
#include "core/network/transfers/transfer_pattern.hpp"
#include "core/order/serving/step_batch.hpp"
#include "core/order/serving/transfers.hpp"
#include "core/served/service/engine_pool.hpp"
#include "core/training/job_traffic/cache_traffic.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace orrery {

/// Keys and values on their way between instances as flows over the drawn network: where they meet each other, or whatever else uses the
/// links, they share them max-min fairly. A transfer takes the longest of its ways' latencies, then as long as its last flow.
class CacheTransfers : public Transfers {
public:
    /// `holders` by instance. Model, router and share live as long as this.
    CacheTransfers(const Architecture& model, std::vector<CacheHolder> holders, Router& router, SharedLinks::Share& share);

    /// A pattern that has no way, of those from the first `senders` instances to the `receivers` after them; null: all have one.
    const TransferPattern* cut(int senders, int receivers);
    /// Marks all links that these may cross; sequences of any attention group.
    void mark(int senders, int receivers, std::vector<bool>& links);

    void start(int request, double bytes, int from, int to, double now) override;
    double nextEvent() override { return share_.nextEvent(); }
    void takeEnded(double now, std::vector<int>& requests) override;

private:
    /// Sequences are dealt out to an instance's attention groups in the order in which they come over.
    const TransferPattern& pattern(int from, int fromGroup, int to, int toGroup);
    int groups(int instance) const { return holders_[static_cast<std::size_t>(instance)].plan.attentionData; }

    const Architecture& model_;
    std::vector<CacheHolder> holders_;
    Router& router_;
    SharedLinks::Share& share_;
    std::map<std::tuple<int, int, int, int>, TransferPattern> patterns_;
    std::vector<TransferId> free_;
    std::map<int, TransferId> underWay_; ///< by request
    std::vector<TaskId> ended_;
};

/// By link of the fabric: whether something crosses it.
using CrossedLinks = std::vector<bool>;

/// Collectives and sends of instances that lie in several scale-up domains, as flows over the drawn network: a step's are one transfer, the ring
/// between the instance's domains (core/network/transfers/group_layout.hpp), at most at the rate that its collectives are timed at. It carries as much as
/// half of that bandwidth would make the step longer, so that two alike on one link take what one takes over half of it.
class EngineTraffic : public StepTraffic {
public:
    /// Pools and router live as long as this.
    EngineTraffic(const std::vector<EnginePool>& pools, Router& router);

    /// Whether any instance of these sends anything between domains.
    static bool isNeeded(const std::vector<EnginePool>& pools);

    /// Finds which instances may meet others: those on a link that `others` cross, or that carries less than all instances may send over it.
    /// False: none.
    bool findMeetings(const CrossedLinks& others, const std::vector<double>& capacities);
    /// Joins those on the links.
    void join(SharedLinks::Share& share);
    /// Marks all links that instances cross.
    void mark(CrossedLinks& links) const;

    bool meetsOthers(int instance) const override { return way(instance).meets; }
    double alone(int instance, const StepBatch& batch) const override;
    void start(int instance, double seconds, double now) override;
    double nextEvent() override { return share_->nextEvent(); }
    void takeEnded(double now, std::vector<int>& instances) override;

private:
    struct Way {
        const EnginePool* pool = nullptr;
        const ModelClock* narrow = nullptr; ///< the pool's with half of the bandwidth between domains; null: it sends nothing between any
        TransferPattern ring;
        bool meets = false;
        TransferId transfer = 0;
    };
    const Way& way(int instance) const { return ways_[static_cast<std::size_t>(instance)]; }

    std::vector<std::unique_ptr<ModelClock>> narrow_; ///< by pool
    std::vector<Way> ways_;                           ///< by instance
    SharedLinks::Share* share_ = nullptr;
    std::vector<TaskId> ended_;
};

} // namespace orrery
