// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/engine/flow_system.hpp"
#include "core/network/transfers/transfer_pattern.hpp"

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

} // namespace orrery
