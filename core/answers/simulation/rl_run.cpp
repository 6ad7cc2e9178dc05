// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/rl_run.hpp"

#include "core/answers/simulation/rl_causes.hpp"
#include "core/answers/simulation/rl_timeline.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/scenario/reader/rl_halves.hpp"
#include "core/training/job_traffic/lone_collective.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery {
namespace {

/// Kinds that stay on the device while the half's program waits.
constexpr std::array stays{MemoryKind::weights, MemoryKind::gradients, MemoryKind::optimizer_states, MemoryKind::framework, MemoryKind::communication_buffers};
/// What the program holds for itself, whatever the model is.
constexpr std::array ofProgram{MemoryKind::framework, MemoryKind::communication_buffers};

using KindBytes = std::array<double, memoryKindCount>;

double sum(const KindBytes& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

/// What the fullest stage holds of some kinds.
template <std::size_t count> KindBytes heldOf(const MemoryReport& memory, const std::array<MemoryKind, count>& kinds) {
    KindBytes most{};
    for (const StageMemory& stage : memory.stages) {
        KindBytes held{};
        for (const MemoryKind kind : kinds) held[static_cast<std::size_t>(kind)] = stage.bytes[static_cast<std::size_t>(kind)];
        if (sum(held) > sum(most)) most = held;
    }
    return most;
}

MemoryReport withGuest(MemoryReport memory, const KindBytes& guest) {
    const double bytes = sum(guest);
    for (StageMemory& stage : memory.stages) {
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind) stage.bytes[kind] += guest[kind];
        stage.peakBytes += bytes;
    }
    for (double* peak : {&memory.peakBytes, &memory.allocatedPeakBytes, &memory.reservedPeakBytes}) *peak += bytes;
    return memory;
}

/// The cluster's accelerators that hold parts of one copy of the weights: one rank a stage and tensor part, and where ZeRO or experts share a part out over
/// replicas, all that share it.
std::vector<int> gatheringRanks(const RlJob& training) {
    const Parallelism& plan = training.scenario->parallelism;
    const RankGrid grid(plan);
    const bool sharesOut = plan.zeroStage >= 3 || plan.expert > 1;
    const int replicas = sharesOut ? std::min(plan.sharders(), plan.replicas()) : 1;
    std::vector<int> ranks;
    for (int stage = 0; stage < plan.pipeline; ++stage)
        for (int replica = 0; replica < replicas; ++replica)
            for (int part = 0; part < plan.tensor; ++part)
                ranks.push_back(training.placement[static_cast<std::size_t>(grid.rank(part, replica % plan.context, replica / plan.context, stage))]);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

class RlRun {
public:
    RlRun(const Scenario& scenario, const RlWorkload& loop, ResultPtr rollout, ResultPtr training) : scenario_(scenario), loop_(loop), rollout_(std::move(rollout)), training_(std::move(training)) {}

    Outcome make() {
        auto result = std::make_shared<Result>();
        result->scenario = scenario_;
        result->name = scenario_.name;
        result->assumed = scenario_.assumed;
        result->warnings = scenario_.warnings;
        result->parameters = training_->parameters;
        result->activeParameters = training_->activeParameters;
        RlReport report;
        report.rollout = rollout_;
        report.training = training_;
        report.colocated = loop_.colocated;
        report.staleness = loop_.staleness;
        report.answers = loop_.answers;
        report.iterations = loop_.iterations;
        report.accelerators = static_cast<int>(loop_.training.placement.size() + (loop_.colocated ? 0 : loop_.rollout.placement.size()));
        shareMemory(report, *result);
        listOperations(*result);
        Problems unreachable = sendWeights(report);
        if (!unreachable.empty()) return {nullptr, std::move(unreachable), false};
        takeTurns(report);
        result->causes = rlCauses(report, loop_);
        result->timeline = rlTimeline(report, loop_);
        result->metrics = std::move(report);
        return {std::move(result), {}, false};
    }

private:
    void shareMemory(RlReport& report, Result& result) const {
        const MemoryReport &answering = rollout_->memory, &learning = training_->memory;
        if (loop_.colocated) {
            KindBytes kept = heldOf(learning, stays);
            if (loop_.parksTrainer) {
                const KindBytes program = heldOf(learning, ofProgram);
                report.parkedBytes = sum(kept) - sum(program);
                kept = program;
            }
            const KindBytes asleep = heldOf(answering, ofProgram);
            report.keptBytes = sum(kept);
            report.asleepBytes = sum(asleep);
            const bool rolloutFuller = answering.peakBytes + sum(kept) >= learning.peakBytes + sum(asleep);
            result.memory = rolloutFuller ? withGuest(answering, kept) : withGuest(learning, asleep);
        } else {
            result.memory = answering.peakBytes * learning.capacityBytes >= learning.peakBytes * answering.capacityBytes ? answering : learning;
        }
        result.outOfMemory = outOfMemoryOf(result.memory);
        if (!result.outOfMemory) result.outOfMemory = !rollout_->fits ? rollout_->outOfMemory : training_->outOfMemory;
        result.fits = !result.outOfMemory && rollout_->fits && training_->fits;
    }

    /// Those of both halves over a step, each in the mean of its half's accelerators.
    void listOperations(Result& result) const {
        result.operations = rollout_->operations;
        for (OperationRow row : training_->operations) {
            for (double* sum : {&row.count, &row.time, &row.flops, &row.bytes}) *sum *= loop_.iterations;
            result.operations.push_back(std::move(row));
        }
    }

    Problems sendWeights(RlReport& report) const {
        Scenario trainer = *loop_.training.scenario; // its library and rank order, on the whole cluster
        trainer.cluster = scenario_.cluster;
        WeightSync& sync = report.sync;
        sync.bytes = training_->parameters * traitsOf(loop_.sentAs).bytes;
        const std::vector<int> holders = gatheringRanks(loop_.training);
        sync.gatherRanks = static_cast<int>(holders.size());
        if (holders.size() > 1) {
            LoneCollective gather = runLoneCollective(trainer, holders, CollectiveKind::all_gather, sync.bytes);
            if (!gather.problems.empty()) return std::move(gather.problems);
            sync.gatherTime = gather.time;
        }
        if (loop_.colocated) return {};
        std::vector<int> reached{loop_.training.placement.front()};
        const Parallelism& engines = loop_.rollout.scenario->parallelism;
        sync.engineAccelerators = std::min(engines.ranks(), static_cast<int>(loop_.rollout.placement.size()));
        reached.insert(reached.end(), loop_.rollout.placement.begin(), loop_.rollout.placement.begin() + sync.engineAccelerators);
        LoneCollective broadcast = runLoneCollective(trainer, reached, CollectiveKind::broadcast, sync.bytes);
        if (!broadcast.problems.empty()) return std::move(broadcast.problems);
        sync.broadcastTime = broadcast.time;
        return {};
    }

    /// Seconds and generated tokens of a step's answers; nothing where none came.
    std::optional<std::pair<double, double>> answered() const {
        if (const InferenceMetrics* batch = rollout_->inference()) return std::pair(batch->requestLatency, batch->requestLatency * batch->outputTokensPerSecond * rollout_->scenario.parallelism.data);
        const ServingMetrics& served = rollout_->serving()->served;
        if (served.completed == 0 || served.completed < served.count) return std::nullopt;
        return std::pair(served.duration, served.outputTokensPerSecond * served.duration);
    }

    void takeTurns(RlReport& report) const {
        const auto answers = answered();
        if (!answers) return;
        report.ran = true;
        const auto part = [&report](RlPart which) -> double& { return report.whole[static_cast<std::size_t>(which)]; };
        part(RlPart::rollout) = answers->first;
        part(RlPart::reward) = loop_.rewardTime;
        part(RlPart::training) = loop_.iterations * training_->training()->iterationTime;
        part(RlPart::sync) = report.sync.time();
        if (report.parkedBytes > 0) part(RlPart::offload) = 2 * report.parkedBytes / scenario_.cluster.accelerator.hostLinkBandwidth;
        report.waited = report.whole;
        if (loop_.staleness > 0) waitForLongest(report);
        report.stepTime = std::accumulate(report.waited.begin(), report.waited.end(), 0.0);
        report.answersPerSecond = report.answers / report.stepTime;
        report.outputTokensPerSecond = answers->second / report.stepTime;
        const TrainingWorkload& trained = loop_.training.scenario->training();
        report.trainedTokensPerSecond = double(report.iterations) * trained.globalBatch * trained.sequenceLength / report.stepTime;
        constexpr double pricedTokens = 1e9, hour = 3600;
        if (const auto& price = scenario_.economics.pricePerAcceleratorHour) report.costPerBillionTokens = pricedTokens * *price * report.accelerators / (hour * report.trainedTokensPerSecond);
        const double others = report.of(RlPart::sync) + report.of(RlPart::offload);
        report.rolloutIdle = 1 - (report.of(RlPart::rollout) + others) / report.stepTime;
        report.trainingIdle = 1 - (report.of(RlPart::training) + others) / report.stepTime;
        if (loop_.colocated) report.rolloutIdle = report.trainingIdle = report.of(RlPart::reward) / report.stepTime; // the same accelerators
    }

    /// Keeps of what runs at once the longest.
    void waitForLongest(RlReport& report) const {
        const double rollout = report.of(RlPart::rollout), reward = report.of(RlPart::reward), training = report.of(RlPart::training);
        const bool rewardApart = loop_.staleness > 1;
        const double learning = rewardApart ? training : reward + training;
        auto& waited = report.waited;
        const auto keep = [&waited](std::initializer_list<RlPart> parts) {
            for (const RlPart one : {RlPart::rollout, RlPart::reward, RlPart::training})
                if (std::find(parts.begin(), parts.end(), one) == parts.end()) waited[static_cast<std::size_t>(one)] = 0;
        };
        if (rewardApart && reward > std::max(rollout, learning)) keep({RlPart::reward});
        else if (rollout >= learning) keep({RlPart::rollout});
        else if (rewardApart) keep({RlPart::training});
        else keep({RlPart::reward, RlPart::training});
    }

    const Scenario& scenario_;
    const RlWorkload& loop_;
    ResultPtr rollout_, training_;
};

/// A half's share of the progress.
RunControl partOf(const RunControl& control, double from, double to) {
    RunControl part = control;
    if (control.progress) part.progress = [&control, from, to](double fraction) { control.progress(from + (to - from) * fraction); };
    return part;
}

Outcome inWhole(RlHalf half, Outcome outcome) {
    for (Problem& problem : outcome.problems) problem = inWhole(half, std::move(problem));
    return outcome;
}

} // namespace

Outcome simulateRl(const Scenario& scenario, const RlWorkload& loop, const RunControl& control, const RunHalf& runHalf) {
    Outcome rollout = runHalf(*loop.rollout.scenario, partOf(control, 0, 0.5));
    if (!rollout.result) return inWhole(RlHalf::rollout, std::move(rollout));
    Outcome training = runHalf(*loop.training.scenario, partOf(control, 0.5, 1));
    if (!training.result) return inWhole(RlHalf::training, std::move(training));
    return RlRun(scenario, loop, std::move(rollout.result), std::move(training.result)).make();
}

} // namespace orrery
