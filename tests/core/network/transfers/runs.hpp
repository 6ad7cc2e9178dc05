// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/flow_transfers.hpp"
#include "tests/core/network/transfers/patterns.hpp"

namespace orrery::test {

/// Runs transfers as tasks of a program, each on a stream of its own, from the given times on; gives when each ends, s.
inline std::vector<double> endsFrom(const std::vector<double>& capacities, const std::vector<Transfer>& transfers, const std::vector<double>& starts,
                                    std::vector<FlowDemand> background = {}) {
    Program program;
    std::vector<TaskId> tasks;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        const StreamId stream = program.addStream();
        program.addTask(stream, starts[i]);
        tasks.push_back(program.addTransfer(stream, static_cast<TransferId>(i)));
    }
    FlowTransfers model(capacities, transfers, std::move(background));
    const std::optional<TaskTimes> times = runProgram(program, {}, &model);
    std::vector<double> ends;
    for (const TaskId task : tasks) ends.push_back(times->end[task]);
    return ends;
}

inline std::vector<double> endsTogether(const Network& network, const std::vector<Transfer>& transfers, std::vector<FlowDemand> background = {}) {
    return endsFrom(network.capacities, transfers, std::vector<double>(transfers.size(), 0), std::move(background));
}

} // namespace orrery::test
