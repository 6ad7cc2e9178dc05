// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of time over random plans of the whole catalogue: a better machine is never slower, more work never faster.
#include "core/answers/simulation/simulate.hpp"
#include "tests/core/laws/law_plans.hpp"
#include "tests/core/training/estimate/random_plans.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

constexpr double timeSlack = 0.001;

/// A plan's network as stated, so that a better one differs in one number.
Json withStatedNetwork(Json document, RandomSource& random) {
    document["cluster"]["scale_up"] = {{"bandwidth_gb_s", random.logBetween(50, 1800)}, {"latency_us", random.between(0.5, 3.0)}};
    document["cluster"]["scale_out"] = {{"bandwidth_gb_s", random.logBetween(5, 100)}, {"latency_us", random.between(2.0, 10.0)}};
    return document;
}

double simulated(const Json& plan) {
    const std::optional<Scenario> scenario = readPlan(plan);
    const Outcome outcome = simulate(*scenario);
    return outcome.result ? outcome.result->training()->iterationTime : 0;
}

/// `after` is `before` with one number better. The estimate shares links between streams by their mean, so that where estimates break the law
/// both plans are simulated. One thing is judged physics in a few plans: links are shared fairly, not by what is urgent: what its own port held
/// back takes more of a link between hosts once the port is faster, and what all wait for gets less of it. With nothing beside anything else such
/// plans must hold the law.
void notSlower(Law& law, const Json& before, const Json& after) {
    const auto slow = estimatedTime(before), fast = estimatedTime(after);
    if (!slow || !fast) return;
    double longer = *slow, shorter = *fast;
    if (shorter > (1 + timeSlack) * longer) {
        longer = simulated(before);
        shorter = simulated(after);
    }
    if (shorter > (1 + timeSlack) * longer) {
        law.judge();
        longer = simulated(oneAfterTheOther(before));
        shorter = simulated(oneAfterTheOther(after));
    }
    law.atLeast(longer, shorter, timeSlack, [&] { return described(before) + ": " + std::to_string(longer) + " s, then " + std::to_string(shorter); });
}

void neverSlower(const char* says, std::uint64_t seed, const std::function<void(Json&)>& better) {
    Law law(says);
    RandomSource random = lawSource(seed);
    for (const Json& plan : soundPlans(seed, plansOfEveryChip)) {
        const Json stated = withStatedNetwork(plan, random);
        Json changed = stated;
        better(changed);
        notSlower(law, stated, changed);
    }
    law.settle(plansOfEveryChip * 9 / 10);
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

/// The plan's accelerator as an object, which states better figures than the catalogue's.
void fasterChip(const char* says, std::uint64_t seed, const std::vector<const char*>& figures) {
    Law law(says);
    for (const Json& plan : soundPlans(seed, plansOfALaw)) {
        Json changed = withAcceleratorWrittenOut(plan);
        for (const char* figure : figures) scaleFigure(changed["cluster"]["accelerator"], figure, 1.3);
        notSlower(law, plan, changed);
    }
    law.settle(plansOfALaw * 9 / 10);
}

TEST(TimeLaws, MoreFlopsAreNeverSlower) { fasterChip("more FLOPs are never slower", 905, {"/peak_dense_tflops", "/vector_tflops"}); }
TEST(TimeLaws, MoreMemoryBandwidthIsNeverSlower) { fasterChip("more memory bandwidth is never slower", 906, {"/memory_gb_per_s", "/l2_gb_per_s"}); }
TEST(TimeLaws, AFasterHostLinkIsNeverSlower) { fasterChip("a faster host link is never slower", 907, {"/host_link/gb_per_s_per_direction"}); }

TEST(TimeLaws, ADoubledBatchLastsAtLeastAsLong) {
    Law law("a doubled batch lasts at least as long");
    for (const Json& plan : soundPlans(908, plansOfALaw)) {
        Json doubled = plan;
        doubled["workload"]["global_batch_size"] = 2 * plan["workload"]["global_batch_size"].get<int>();
        const auto before = estimatedTime(plan), after = estimatedTime(doubled);
        if (!before || !after) continue;
        law.atLeast(*after, *before, 0, [&] { return described(plan) + ": " + std::to_string(*before) + " s, then " + std::to_string(*after); });
    }
    law.settle(plansOfALaw * 9 / 10);
}

/// Who keeps more makes less again. Nothing is said of copies to the host, which take what is kept.
TEST(TimeLaws, LessRecomputationIsNeverSlower) {
    Law law("less recomputation is never slower");
    for (Json plan : soundPlans(909, plansOfALaw)) {
        plan["execution"].erase("offload");
        const auto with = [&](const char* kind) {
            plan["execution"]["recompute"] = kind;
            return plan;
        };
        for (const char* kind : {"selective", "full"}) notSlower(law, with(kind), with("none"));
    }
    law.settle(plansOfALaw);
}

TEST(TimeLaws, MoreMemoryNeverUnfitsAndIsNeverSlower) {
    Law fits("more memory never unfits"), time("more memory is never slower");
    for (Json plan : soundPlans(910, plansOfSimulations)) {
        plan["execution"]["recompute"] = "auto";
        Json larger = withAcceleratorWrittenOut(plan);
        scaleFigure(larger["cluster"]["accelerator"], "/memory_bytes", 1.3);
        scaleFigure(larger["cluster"]["accelerator"], "/memory_gb", 1.3);
        const auto before = simulatedPlan(plan), after = simulatedPlan(larger);
        if (!before || !after) continue;
        const auto told = [&] { return described(plan) + std::to_string(before->training()->iterationTime) + " s, then " + std::to_string(after->training()->iterationTime); };
        fits.holds(after->fits || !before->fits, told);
        if (before->fits) time.atLeast(before->training()->iterationTime, after->training()->iterationTime, timeSlack, told);
    }
    fits.settle(plansOfSimulations * 9 / 10);
    time.settle(plansOfSimulations / 10);
}

} // namespace
} // namespace orrery::test
