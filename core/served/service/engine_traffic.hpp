// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/shared_links.hpp"
#include "core/network/transfers/transfer_pattern.hpp"
#include "core/order/serving/step_traffic.hpp"
#include "core/served/service/engine_pool.hpp"

#include <memory>
#include <vector>

namespace orrery {

/// By link of the fabric: whether something crosses it.
using CrossedLinks = std::vector<bool>;

/// Collectives and sends of instances that lie in several scale-up domains, as flows over the drawn network: a step's are one transfer, the ring
/// between the instance's domains (core/network/transfers/domain_ring.hpp), at most at the rate that its collectives are timed at. It carries as much as
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
