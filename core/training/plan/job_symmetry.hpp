// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/plan/iteration.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace orrery {

/// Whether cells that can't be told apart run as one.
enum class Folding {
    exact, ///< as far as colour refinement allows: the same answer
    none,  ///< every cell by itself: to check the above, and what jitter needs
};

/// A job's lanes, and its transfers as flows on the links that the lanes' stand-ins share.
class JobSymmetry {
public:
    /// Looks at the traffic made so far: `used` names the pattern sets of the program's transfers.
    JobSymmetry(const Scenario& scenario, JobTraffic& traffic, const std::vector<JobTraffic::Id>& used, Folding folding);
    JobSymmetry(const JobSymmetry&) = delete;
    JobSymmetry& operator=(const JobSymmetry&) = delete;

    const LaneMap& lanes() const { return lanes_; }
    /// One lane a stage, none of them slowed down: what a program is first built with.
    bool isPlain() const { return plain_; }

    /// The transfers of a program built for these lanes, for the engine. The model refers to this object. `stretch` (null: none)
    /// makes them longer.
    std::unique_ptr<TransferModel> model(const std::vector<TransferUse>& uses, const StepStretch* stretch = nullptr);

private:
    const TransferPattern& quotient(JobTraffic::Id set, int cell);
    void refine(const std::vector<JobTraffic::Id>& used, const std::vector<std::vector<double>>& slowdown);

    const Scenario& scenario_;
    JobTraffic& traffic_;
    bool folded_ = false;
    bool plain_ = false;
    LaneMap lanes_{0, 1};
    Symmetry symmetry_;
    std::map<std::pair<JobTraffic::Id, int>, std::uint32_t> firstFlows_; ///< number of a pattern's first group of flows
    std::map<std::pair<JobTraffic::Id, int>, TransferPattern> quotients_;
    std::vector<FlowDemand> background_; ///< on the real links
    std::vector<Transfer> transfers_;
};

} // namespace orrery
