// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/rank_works.hpp"

#include "core/order/schedule/schedule_traits.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Works of a key that are kept: each takes some hundred kB.
constexpr std::size_t mostOfAKey = 8, mostKeys = 200;
/// Tables of a work beside other traffic that are kept: about as many as there are ways for groups to lie on hosts.
constexpr std::size_t mostBeside = 16;

bool isSameCollective(const Operator& a, const Operator& b) {
    return a.group == b.group && a.collective == b.collective && a.messageBytes == b.messageBytes && a.kernels == b.kernels;
}

} // namespace

SharedWork::SharedWork(RankWork made) : rank_(std::move(made)) {
    for (const TimedOperator& timed : rank_.operators) {
        if (timed.op.kind != OperatorKind::collective) continue;
        const auto isSame = [&](const TimedOperator* known) { return isSameCollective(known->op, timed.op); };
        if (std::any_of(collectives_.begin(), collectives_.end(), isSame)) continue;
        collectives_.push_back(&timed);
        if (timed.op.group == RankGroup::tensor || timed.op.group == RankGroup::context) meeting_.push_back(&timed);
    }
}

bool SharedWork::takesTheSameOn(JobTraffic& traffic) const {
    return std::all_of(collectives_.begin(), collectives_.end(), [&](const TimedOperator* known) {
        const OperatorTime time = collectiveTime(traffic, {known->op.group, known->op.collective, 0, 0}, known->op);
        return time.time == known->time && time.bound == known->bound && time.source == known->source;
    });
}

const std::shared_ptr<const PieceTable>& SharedWork::table(const Scenario& scenario, bool withPairs) {
    std::shared_ptr<const PieceTable>& made = withPairs ? paired_ : plain_;
    if (!made) made = std::make_shared<const PieceTable>(makePieceTable(scenario, rank_, withPairs, {}));
    return made;
}

StretchOf SharedWork::stretchOf(const std::vector<Stretch>& stretches) const {
    return [this, &stretches](const Operator& op) {
        const auto found = std::find_if(meeting_.begin(), meeting_.end(), [&](const TimedOperator* known) { return isSameCollective(known->op, op); });
        return stretches[static_cast<std::size_t>(found - meeting_.begin())];
    };
}

std::shared_ptr<const PieceTable> SharedWork::tableBeside(const Scenario& scenario, bool withPairs, const std::vector<Stretch>& stretches) {
    const bool waits = std::any_of(rank_.parts.begin(), rank_.parts.end(), [](const SegmentParts& parts) { return parts.withSlowKernels.has_value(); });
    const auto slowsNothing = [waits](const Stretch& stretch) { return stretch.own <= 1 && stretch.other <= 1 && !(waits && stretch.meet); };
    if (std::all_of(stretches.begin(), stretches.end(), slowsNothing)) return table(scenario, withPairs);
    for (const Beside& known : beside_)
        if (known.withPairs == withPairs && known.stretches == stretches) return known.table;
    PieceTable made = makePieceTable(scenario, rank_, false, stretchOf(stretches));
    if (withPairs) made.pairs = table(scenario, true)->pairs;
    if (beside_.size() >= mostBeside) beside_.erase(beside_.begin());
    return beside_.emplace_back(Beside{withPairs, stretches, std::make_shared<const PieceTable>(std::move(made))}).table;
}

RankWorks::Key RankWorks::keyOf(const Scenario& scenario, const ReplicaPolicy& policy) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    const ScheduleTraits& schedule = traitsOf(plan.schedule);
    Key key;
    key.tensor = plan.tensor;
    key.context = plan.context;
    key.expert = plan.expert;
    key.expertTensor = plan.expertTensor;
    key.microBatch = scenario.training().microBatch;
    key.recompute = execution.recompute;
    key.recomputeEvery = execution.recomputeEvery;
    key.recomputeModules = execution.recomputeModules;
    key.contextMethod = plan.contextMethod;
    key.sequence = plan.sequence;
    key.overlapTensor = execution.overlap.tensor;
    key.splits = schedule.splitsBackward;
    key.endsMeet = !scenario.model.tiedEmbedding || plan.pipeline == 1 || schedule.endsMeet(); // without a tied matrix nothing is held twice
    key.unshards = policy.unshardsWeights();
    return key;
}

RankWorks::Key RankWorks::ofGraphs(Key key) {
    key.overlapTensor = key.splits = key.endsMeet = false;
    return key;
}

std::shared_ptr<SharedWork> RankWorks::of(const Scenario& scenario, const ReplicaPolicy& policy, const CostModel& cost, JobTraffic& traffic) {
    const Key key = keyOf(scenario, policy);
    if (known_.size() >= mostKeys && !known_.contains(key)) known_.clear();
    std::vector<std::shared_ptr<SharedWork>>& known = known_[key];
    for (const std::shared_ptr<SharedWork>& work : known)
        if (work->takesTheSameOn(traffic)) return work;
    if (known.size() >= mostOfAKey) known.erase(known.begin());
    return known.emplace_back(std::make_shared<SharedWork>(makeRankWork(scenario, scenario.execution.recompute, cost, traffic)));
}

} // namespace orrery
