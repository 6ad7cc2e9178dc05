// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of memory over random plans of the whole catalogue: what shares out or makes again never needs more than what keeps.
#include "core/answers/simulation/simulate.hpp"
#include "tests/core/laws/law_plans.hpp"
#include "tests/core/training/estimate/random_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

namespace orrery::test {
namespace {

/// `with` has what `without` lacks. Both are peaks of what PyTorch allocates, bytes: the allocator's holes depend on sizes, not on sums.
void noMore(Law& law, std::optional<double> without, std::optional<double> with, const Json& plan, const std::string& change, double slack = 1e-9) {
    if (!without || !with) return;
    law.atLeast(*without, *with, slack,
                [&] { return change + ": " + described(plan) + ": " + std::to_string(*without / (1 << 30)) + " GiB, then " + std::to_string(*with / (1 << 30)); });
}

bool isMore(std::optional<double> before, std::optional<double> after) { return before && after && *after > *before * (1 + 1e-9); }

Json changed(Json plan, const char* pointer, Json value) {
    plan[Json::json_pointer(pointer)] = std::move(value);
    return plan;
}

/// ZeRO-3 beside ZeRO-2, ZeRO-2 beside ZeRO-1: no more, or the result names what the profile holds whole at once as the reason.
bool namesWhatIsWhole(Scenario scenario) {
    // More micro-batches than a pipeline holds at once change nothing of it, and may be too many to simulate.
    const Parallelism& parallel = scenario.parallelism;
    const int few = scenario.training().microBatch * parallel.data * parallel.pipeline * 4;
    if (scenario.training().globalBatch > few && parallel.schedule != ScheduleKind::gpipe) scenario.training().globalBatch = few;
    const Outcome outcome = simulate(scenario);
    if (!outcome.result) return false;
    const Problems& warnings = outcome.result->warnings;
    return std::any_of(warnings.begin(), warnings.end(), [](const Problem& problem) { return problem.code == "gathered-weights" || problem.code == "whole-gradients"; });
}

TEST(MemoryLaws, EachStageOfZeroNeedsNoMoreThanTheOneBefore) {
    Law law("each stage of ZeRO needs no more than the one before");
    int named = 0;
    for (const Json& plan : soundPlans(911, plansOfALaw)) {
        std::optional<double> before;
        for (int stage = 0; stage <= 3; ++stage) {
            const auto scenario = readPlan(changed(plan, "/parallelism/zero_stage", stage));
            if (!scenario) break;
            const double now = estimatedPeak(*scenario);
            if (isMore(before, now) && namesWhatIsWhole(*scenario)) ++named;
            else if (stage > 0) noMore(law, before, now, plan, "ZeRO " + std::to_string(stage));
            before = now;
        }
    }
    std::printf("  %d plans name what they hold whole\n", named);
    law.settle(plansOfALaw * 9 / 10);
}

/// Zero-bubble schedules split the backward, and hold what a layer made again until its weight part runs. Their order bounds how many
/// forwards wait for their input part, not how many input parts wait for their weight part, so that it may be more than without.
bool splitsBackward(const Json& plan) {
    static const std::set<std::string> split{"zb-h1", "zb-v", "v-half", "v-min", "dualpipe"};
    return split.contains(plan["parallelism"].value("schedule", "1f1b"));
}

/// What a layer's attention has of its own where it runs again, that nobody keeps: its output, and keys and values of the whole sequence where
/// context ranks gather them again. Bytes of a rank; a peak may lie there, in the last backward.
double madeAgain(const Scenario& scenario) {
    constexpr double sixteenBit = 2;
    const Architecture& model = scenario.model;
    const Parallelism& plan = scenario.parallelism;
    const double rows = double(scenario.training().microBatch) * double(scenario.training().sequenceLength);
    const double keyHeads = std::max(1.0, double(model.kvHeads) / plan.tensor);
    return sixteenBit * rows * double(model.headDim) * (double(model.heads) / plan.tensor / plan.context + (plan.context > 1 ? 2 * keyHeads : 0));
}

TEST(MemoryLaws, RecomputationNeedsNoMore) {
    Law law("recomputation needs no more than none");
    for (const Json& plan : soundPlans(912, 2 * plansOfALaw)) {
        if (splitsBackward(plan)) continue;
        const auto scenario = readPlan(plan);
        const auto none = estimatedPeak(changed(plan, "/execution/recompute", "none"));
        if (!scenario || !none) continue;
        const double slack = madeAgain(*scenario) / *none;
        for (const char* kind : {"selective", "full"}) noMore(law, none, estimatedPeak(changed(plan, "/execution/recompute", kind)), plan, kind, slack);
    }
    law.settle(plansOfALaw * 9 / 10);
}

/// What attention makes is gone after a forward whose attention runs again, be it one kernel or several.
TEST(MemoryLaws, AnAttentionThatIsMadeAgainKeepsNoMoreAsOneKernel) {
    Law law("an attention that is made again keeps no more as one kernel");
    for (const Json& any : soundPlans(917, plansOfSimulations)) {
        Json plan = any;
        plan["execution"]["recompute"] = "selective";
        const auto scenario = readPlan(plan);
        // Recomputation by operators keeps what a fused attention made (torchtitan, its list of what to save).
        if (!scenario || scenario->execution.profile.selectiveRecompute == SelectiveRecompute::operators) continue;
        const auto inParts = simulatedPlan(changed(plan, "/execution/attention", "unfused")), asOne = simulatedPlan(changed(plan, "/execution/attention", "flash"));
        if (!inParts || !asOne) continue;
        law.atLeast(inParts->stored.layerBytes, asOne->stored.layerBytes, 1e-9, [&] { return described(plan) + std::to_string(inParts->stored.layerBytes) + ", then " + std::to_string(asOne->stored.layerBytes); });
    }
    law.settle(plansOfSimulations / 2);
}

/// Twice as many accelerators, and as many replicas as before.
Json doubledRanks(Json plan, const char* pointer) {
    Json& ranks = plan[Json::json_pointer(pointer)];
    ranks = 2 * ranks.get<int>();
    Json& nodes = plan["cluster"]["nodes"];
    nodes = 2 * nodes.get<int>();
    return plan;
}

/// Ranks that share an expert's matrices gather each other's rows. A profile that shares them as it shares layers' would change that as well.
Json withExpertsStated(Json plan) {
    const auto scenario = readPlan(plan);
    if (scenario->model.experts) plan["parallelism"]["expert_tensor"] = scenario->parallelism.expertTensor;
    return plan;
}

TEST(MemoryLaws, TensorRanksNeedNoMore) {
    Law law("twice the tensor ranks need no more");
    for (const Json& any : soundPlans(913, plansOfALaw * 11 / 10)) {
        const Json plan = withExpertsStated(any);
        const Json more = doubledRanks(plan, "/parallelism/tensor");
        const auto before = estimatedPeak(plan), after = estimatedPeak(more);
        // Beside tensor ranks one profile wraps a single replica in fully_shard too, and says what that gathers.
        if (!isMore(before, after) || !namesWhatIsWhole(*readPlan(more))) noMore(law, before, after, plan, "tensor");
    }
    law.settle(plansOfALaw * 9 / 10);
}

TEST(MemoryLaws, ContextRanksNeedNoMore) {
    Law law("twice the context ranks need no more");
    for (const Json& plan : soundPlans(914, plansOfALaw * 17 / 10)) {
        const auto scenario = readPlan(plan);
        // Context ranks are replicas of the weights. Where there was one replica nothing was gathered or reduced before.
        if (scenario->parallelism.replicas() == 1) continue;
        noMore(law, estimatedPeak(*scenario), estimatedPeak(doubledRanks(plan, "/parallelism/context")), plan, "context");
    }
    law.settle(plansOfALaw * 9 / 10);
}

TEST(MemoryLaws, SequenceParallelismNeedsNoMore) {
    Law law("sequence parallelism needs no more");
    for (const Json& plan : soundPlans(915, plansOfALaw * 7 / 2)) {
        const auto scenario = readPlan(plan);
        const FrameworkProfile& profile = scenario->execution.profile;
        // Gathered inputs that are kept, by the profile or from an input part to its weight part, come on top of a rank's part of them.
        const bool keepsGathered = profile.keepsGatheredInputs || splitsBackward(plan);
        // Recomputation by operators keeps what a reduce-scatter made, and an all-reduce it does not (torchtitan, its list of what to save).
        const bool keepsScattered = profile.selectiveRecompute == SelectiveRecompute::operators;
        if (scenario->parallelism.tensor == 1 || keepsGathered || keepsScattered) continue;
        noMore(law, estimatedPeak(changed(plan, "/parallelism/sequence", false)), estimatedPeak(changed(plan, "/parallelism/sequence", true)), plan, "sequence");
    }
    law.settle(plansOfALaw * 9 / 10);
}

TEST(MemoryLaws, AChunkedLossNeedsNoMore) {
    Law law("a chunked loss needs no more");
    for (const Json& plan : soundPlans(916, plansOfALaw))
        noMore(law, estimatedPeak(changed(plan, "/execution/passes", {{"chunked_loss", false}})), estimatedPeak(changed(plan, "/execution/passes", {{"chunked_loss", true}})), plan, "chunked");
    law.settle(plansOfALaw * 9 / 10);
}

} // namespace
} // namespace orrery::test
