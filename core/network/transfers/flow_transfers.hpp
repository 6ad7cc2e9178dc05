// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/engine/flow_system.hpp"
#include "core/network/transfers/transfer_pattern.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

namespace orrery {

/// A pattern with its bytes: what one kind of task of a program does.
struct Transfer {
    const TransferPattern* pattern = nullptr;
    double bytes = 0;
    double stretch = 1; ///< times all that it takes: its latencies, and its time on links
};

/// Transfers of a program as flows that share links: each task goes through its pattern's phases, a phase waits out its latency
/// and then lasts until its last flow has ended.
class FlowTransfers : public TransferModel {
public:
    /// `transfers` by id and their patterns must outlive the model; `background` is on its way all the time.
    FlowTransfers(std::vector<double> capacities, const std::vector<Transfer>& transfers, std::vector<FlowDemand> background = {});

    void start(TaskId task, TransferId transfer, double now) override;
    double nextEvent() override;
    void advance(double now, std::vector<TaskId>& ended) override;

private:
    struct Running {
        TaskId task = 0;
        TransferId transfer = 0;
        std::uint32_t phase = 0;
        std::uint32_t flowsLeft = 0;
    };
    struct Waiting {
        double until;
        std::uint32_t running;
        bool operator>(const Waiting& other) const { return until != other.until ? until > other.until : running > other.running; }
    };

    void enterPhase(std::uint32_t running, double now, std::vector<TaskId>& ended);
    void startFlows(std::uint32_t running, double now, std::vector<TaskId>& ended);

    const std::vector<Transfer>& transfers_;
    std::vector<FlowDemand> background_;
    FlowSystem flows_;
    std::vector<Running> running_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> runningOf_; ///< by activity
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
    std::vector<ActivityId> endedFlows_;
    std::vector<std::uint32_t> throughPhase_; ///< transfers whose phase ended in this moment
};

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
