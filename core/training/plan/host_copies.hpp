// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/plan/program_writer.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <map>
#include <utility>

namespace orrery {

/// Copies between accelerators and their hosts for what `execution.offload` keeps there. Each direction is a stream of its own
/// beside the computation; what a unit needs is asked for while the one before it runs. One lane is written at a time.
class HostCopies {
public:
    HostCopies(const Scenario& scenario, ProgramWriter& writer);

    bool any() const { return scenario_.execution.offload.any(); }
    void beginLane(int lane);
    /// What the work's passes need from the host, not before `release`; the last of it, or `noTask`.
    TaskId fetch(const PlacedWork& work, TaskId release, int slot);
    /// Sends away what the work's forward has left for its backward.
    void store(const PlacedWork& work, TaskId task, int slot);
    /// The host's share of the optimizer's step over `elements` parameters of the rank: gradients go there, new weights come back.
    TaskId stepOnHost(int lane, double elements, TaskId before);

private:
    TaskId copy(const char* name, StreamKind direction, double bytes, TaskId before, const TaskPlace& place);

    const Scenario& scenario_;
    const ReplicaPolicy policy_;
    ProgramWriter& writer_;
    int lane_ = 0;
    std::map<std::pair<const Unit*, int>, TaskId> stored_; ///< by unit and micro-batch
};

} // namespace orrery
