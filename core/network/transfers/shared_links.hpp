// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/flow_transfers.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace orrery {

/// Links that several runs share, each with transfers and task numbers of its own: all are flows in one system, and whoever reaches the
/// next moment of it lets time pass for all. What ends for another waits until that one looks, which is at the same moment.
class SharedLinks {
public:
    /// Capacities in bytes/s by link; `background` is on its way all the time.
    explicit SharedLinks(std::vector<double> capacities, std::vector<FlowDemand> background = {});
    SharedLinks(const SharedLinks&) = delete;
    SharedLinks& operator=(const SharedLinks&) = delete;

    /// What one run sees of the links.
    class Share : public TransferModel {
    public:
        Share(SharedLinks& links, std::uint32_t number) : links_(links), number_(number) {}
        /// A transfer that this run may start; its pattern lives as long as the links.
        TransferId add(const Transfer& transfer);
        /// Makes another of one that is not under way.
        void replace(TransferId id, const Transfer& transfer) { links_.transfers_[own_[id]] = transfer; }

        void start(TaskId task, TransferId transfer, double now) override;
        double nextEvent() override;
        void advance(double now, std::vector<TaskId>& ended) override;

    private:
        friend class SharedLinks;
        SharedLinks& links_;
        std::uint32_t number_;
        std::vector<TransferId> own_; ///< the links' number of each
        std::vector<TaskId> ended_;   ///< and not told yet
        double endedAt_ = 0;          ///< s
    };
    /// Lives as long as the links.
    Share& join();

private:
    struct UnderWay {
        std::uint32_t share = 0;
        TaskId task = 0;
    };
    void advance(double now);

    std::vector<Transfer> transfers_;
    FlowTransfers flows_; ///< refers to transfers_
    std::deque<Share> shares_;
    std::vector<UnderWay> underWay_;
    std::vector<TaskId> free_; ///< of underWay_
    std::vector<TaskId> endedNow_;
};

} // namespace orrery
