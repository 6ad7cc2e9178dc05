// Laws of time over random plans of the whole catalogue: a better machine is never slower, more work never faster.
#include "tests/core/laws/law_plans.hpp"
#include "tests/core/estimate/random_plans.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

constexpr double timeSlack = 0.001;

/// A plan's network as stated, so that a better one differs in one number.
Json withStatedNetwork(Json document, RandomSource& random) {
    document["cluster"]["scale_up"] = {{"bandwidth_gb_s", random.logBetween(50, 900)}, {"latency_us", random.between(0.5, 3.0)}};
    document["cluster"]["scale_out"] = {{"bandwidth_gb_s", random.logBetween(5, 100)}, {"latency_us", random.between(2.0, 10.0)}};
    return document;
}

void neverSlower(const char* says, std::uint64_t seed, const std::function<void(Json&)>& better) {
    Law law(says);
    RandomSource random(seed);
    for (const Json& plan : soundPlans(seed, plansOfALaw)) {
        const Json stated = withStatedNetwork(plan, random);
        Json changed = stated;
        better(changed);
        const auto before = estimated(stated), after = estimated(changed);
        if (!before || !after) continue;
        law.atLeast(before->iterationTime, after->iterationTime, timeSlack, [&] { return described(stated) + ": " + std::to_string(before->iterationTime) + " s, then " + std::to_string(after->iterationTime); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

void scale(Json& document, const char* pointer, double factor) {
    Json& value = document[Json::json_pointer(pointer)];
    value = value.get<double>() * factor;
}

TEST(TimeLaws, MoreScaleUpBandwidthIsNeverSlower) {
    neverSlower("more scale-up bandwidth is never slower", 901, [](Json& plan) { scale(plan, "/cluster/scale_up/bandwidth_gb_s", 1.4); });
}
TEST(TimeLaws, MoreScaleOutBandwidthIsNeverSlower) {
    neverSlower("more scale-out bandwidth is never slower", 902, [](Json& plan) { scale(plan, "/cluster/scale_out/bandwidth_gb_s", 1.4); });
}
TEST(TimeLaws, LessScaleUpLatencyIsNeverSlower) {
    neverSlower("less scale-up latency is never slower", 903, [](Json& plan) { scale(plan, "/cluster/scale_up/latency_us", 0.6); });
}
TEST(TimeLaws, LessScaleOutLatencyIsNeverSlower) {
    neverSlower("less scale-out latency is never slower", 904, [](Json& plan) { scale(plan, "/cluster/scale_out/latency_us", 0.6); });
}

void fasterChip(const char* says, std::uint64_t seed, const std::function<void(Accelerator&)>& better) {
    Law law(says);
    for (const Json& plan : soundPlans(seed, plansOfALaw)) {
        const Scenario scenario = *readPlan(plan);
        Scenario changed = scenario;
        better(changed.cluster.accelerator);
        const auto before = estimated(scenario), after = estimated(changed);
        if (!before || !after) continue;
        law.atLeast(before->iterationTime, after->iterationTime, timeSlack, [&] { return described(plan) + ": " + std::to_string(before->iterationTime) + " s, then " + std::to_string(after->iterationTime); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

TEST(TimeLaws, MoreFlopsAreNeverSlower) {
    fasterChip("more FLOPs are never slower", 905, [](Accelerator& chip) {
        for (auto& [format, peak] : chip.peakDense) peak *= 1.3;
        chip.vectorFp32 *= 1.3;
    });
}
TEST(TimeLaws, MoreMemoryBandwidthIsNeverSlower) {
    fasterChip("more memory bandwidth is never slower", 906, [](Accelerator& chip) {
        chip.memoryBandwidth *= 1.3;
        chip.l2Bandwidth *= 1.3;
    });
}
TEST(TimeLaws, AFasterHostLinkIsNeverSlower) {
    fasterChip("a faster host link is never slower", 907, [](Accelerator& chip) { chip.hostLinkBandwidth *= 1.3; });
}

TEST(TimeLaws, ADoubledBatchLastsAtLeastAsLong) {
    Law law("a doubled batch lasts at least as long");
    for (const Json& plan : soundPlans(908, plansOfALaw)) {
        Json doubled = plan;
        doubled["workload"]["global_batch_size"] = 2 * plan["workload"]["global_batch_size"].get<int>();
        const auto before = estimated(plan), after = estimated(doubled);
        if (!before || !after) continue;
        law.atLeast(after->iterationTime, before->iterationTime, 0, [&] { return described(plan) + ": " + std::to_string(before->iterationTime) + " s, then " + std::to_string(after->iterationTime); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

} // namespace
} // namespace orrery::test
