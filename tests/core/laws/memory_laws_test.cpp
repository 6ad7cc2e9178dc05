// Laws of memory over random plans of the whole catalogue: what shares out or makes again never needs more than what keeps.
#include "core/simulation/simulate.hpp"
#include "tests/core/estimate/random_plans.hpp"
#include "tests/core/laws/law_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace orrery::test {
namespace {

/// `with` has what `without` lacks. Of what PyTorch allocates: the allocator's holes depend on sizes, not on sums.
void noMore(Law& law, const std::optional<Estimate>& without, const std::optional<Estimate>& with, const Json& plan, const std::string& change) {
    if (!without || !with) return;
    law.atLeast(without->allocatedPeak, with->allocatedPeak, 1e-9,
                [&] { return change + ": " + described(plan) + ": " + std::to_string(without->allocatedPeak / (1 << 30)) + " GiB, then " + std::to_string(with->allocatedPeak / (1 << 30)); });
}

Json changed(Json plan, const char* pointer, Json value) {
    plan[Json::json_pointer(pointer)] = std::move(value);
    return plan;
}

/// ZeRO-3 beside ZeRO-2: no more, or the result names what the profile gathers as the reason.
bool namesWhatIsGathered(const Json& plan) {
    const Outcome outcome = simulate(*readPlan(changed(plan, "/parallelism/zero_stage", 3)));
    const Problems& warnings = outcome.result->warnings;
    return std::any_of(warnings.begin(), warnings.end(), [](const Problem& problem) { return problem.code == "gathered-weights"; });
}

TEST(MemoryLaws, EachStageOfZeroNeedsNoMoreThanTheOneBefore) {
    Law law("each stage of ZeRO needs no more than the one before");
    int named = 0;
    for (const Json& plan : soundPlans(911, plansOfALaw)) {
        std::optional<Estimate> before;
        for (int stage = 0; stage <= 3; ++stage) {
            const auto scenario = readPlan(changed(plan, "/parallelism/zero_stage", stage));
            if (!scenario) break;
            auto now = estimated(*scenario);
            const bool more = before && now && now->allocatedPeak > before->allocatedPeak * (1 + 1e-9);
            if (stage == 3 && more && namesWhatIsGathered(plan)) ++named;
            else if (stage > 0) noMore(law, before, now, plan, "ZeRO " + std::to_string(stage));
            before = std::move(now);
        }
    }
    std::printf("  %d plans name what they gather\n", named);
    EXPECT_LE(named, 300);
    law.settle(plansOfALaw);
}

TEST(MemoryLaws, RecomputationNeedsNoMore) {
    Law law("recomputation needs no more than none");
    for (const Json& plan : soundPlans(912, plansOfALaw)) {
        const auto none = estimated(changed(plan, "/execution/recompute", "none"));
        for (const char* kind : {"selective", "full"}) noMore(law, none, estimated(changed(plan, "/execution/recompute", kind)), plan, kind);
    }
    law.settle(plansOfALaw);
}

/// Twice as many accelerators, and as many replicas as before.
Json doubledRanks(Json plan, const char* pointer) {
    Json& ranks = plan[Json::json_pointer(pointer)];
    ranks = 2 * ranks.get<int>();
    Json& nodes = plan["cluster"]["nodes"];
    nodes = 2 * nodes.get<int>();
    return plan;
}

TEST(MemoryLaws, TensorRanksNeedNoMore) {
    Law law("twice the tensor ranks need no more");
    for (const Json& plan : soundPlans(913, plansOfALaw)) noMore(law, estimated(plan), estimated(doubledRanks(plan, "/parallelism/tensor")), plan, "tensor");
    law.settle(plansOfALaw / 2);
}

TEST(MemoryLaws, ContextRanksNeedNoMore) {
    Law law("twice the context ranks need no more");
    for (const Json& plan : soundPlans(914, plansOfALaw)) noMore(law, estimated(plan), estimated(doubledRanks(plan, "/parallelism/context")), plan, "context");
    law.settle(plansOfALaw / 2);
}

TEST(MemoryLaws, SequenceParallelismNeedsNoMore) {
    Law law("sequence parallelism needs no more");
    for (const Json& plan : soundPlans(915, plansOfALaw)) {
        if (plan["parallelism"]["tensor"] == 1) continue;
        noMore(law, estimated(changed(plan, "/parallelism/sequence", false)), estimated(changed(plan, "/parallelism/sequence", true)), plan, "sequence");
    }
    law.settle(plansOfALaw / 3);
}

TEST(MemoryLaws, AChunkedLossNeedsNoMore) {
    Law law("a chunked loss needs no more");
    for (const Json& plan : soundPlans(916, plansOfALaw))
        noMore(law, estimated(changed(plan, "/execution/passes", {{"chunked_loss", false}})), estimated(changed(plan, "/execution/passes", {{"chunked_loss", true}})), plan, "chunked");
    law.settle(plansOfALaw);
}

} // namespace
} // namespace orrery::test
