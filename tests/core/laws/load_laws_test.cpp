// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of engines under load and of better machines below them: a faster chip gives no token later, more requests a second get no first token
// sooner, a larger cache serves no less.
#include "tests/core/laws/law_plans.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace orrery::test {
namespace {

/// A static batch: steps whose work is known beforehand, so that better never is slower.
Json anyBatch(RandomSource& random) {
    Json document = engineOnOneHost(random);
    document["workload"].update({{"kind", "inference"},
                                 {"batch_size", 1 << random.below(8)},
                                 {"input_length", 1 + static_cast<int>(random.logBetween(10, 8000))},
                                 {"output_length", 2 + static_cast<int>(random.logBetween(1, 100))}});
    document["cluster"]["scale_up"] = {{"bandwidth_gb_s", random.logBetween(25, 1800)}, {"latency_us", random.between(0.5, 3.0)}};
    return document;
}

void batchNeverSlower(const char* says, std::uint64_t seed, const std::function<void(Json&)>& better) {
    constexpr double slack = 1e-3;
    Law law(says);
    RandomSource random = lawSource(seed);
    for (std::size_t tried = 0; tried < 2 * plansOfALaw; ++tried) {
        const Json plan = anyBatch(random);
        Json changed = withAcceleratorWrittenOut(plan);
        better(changed);
        const ResultPtr before = simulatedPlan(plan), after = simulatedPlan(changed);
        if (!before || !after) continue;
        const auto told = [&] { return plan.dump() + ": " + std::to_string(1e3 * before->inference()->ttft) + " and " + std::to_string(1e3 * before->inference()->tpot) + " ms, then " + std::to_string(1e3 * after->inference()->ttft) + " and " + std::to_string(1e3 * after->inference()->tpot); };
        law.atLeast(before->inference()->ttft, after->inference()->ttft, slack, told);
        law.atLeast(before->inference()->tpot, after->inference()->tpot, slack, told);
    }
    law.settle(plansOfALaw);
}

Json& chipOf(Json& plan) { return plan["cluster"]["accelerator"]; }

TEST(LoadLaws, MoreFlopsGiveNoTokenLater) {
    batchNeverSlower("more FLOPs give no token later", 961, [](Json& plan) {
        for (const char* figure : {"/peak_dense_tflops", "/vector_tflops"}) scaleFigure(chipOf(plan), figure, 1.3);
    });
}
TEST(LoadLaws, MoreMemoryBandwidthGivesNoTokenLater) {
    batchNeverSlower("more memory bandwidth gives no token later", 962, [](Json& plan) {
        for (const char* figure : {"/memory_gb_per_s", "/l2_gb_per_s"}) scaleFigure(chipOf(plan), figure, 1.3);
    });
}
TEST(LoadLaws, MoreScaleUpBandwidthGivesNoTokenLater) {
    batchNeverSlower("more scale-up bandwidth gives no token later", 963, [](Json& plan) { scaleFigure(plan, "/cluster/scale_up/bandwidth_gb_s", 1.3); });
}
TEST(LoadLaws, LessScaleUpLatencyGivesNoTokenLater) {
    batchNeverSlower("less scale-up latency gives no token later", 964, [](Json& plan) { scaleFigure(plan, "/cluster/scale_up/latency_us", 0.6); });
}

/// Requests that arrive by chance on one engine. The same seed gives the same requests at the same share of their span, whatever the rate.
Json anyLoad(RandomSource& random) {
    Json document = engineOnOneHost(random);
    const auto tokens = [&](double most) { return Json{{"distribution", "lognormal"}, {"mean", std::floor(random.logBetween(20, most))}, {"std", std::floor(random.logBetween(10, most))}}; };
    document["workload"].update({{"kind", "serving"},
                                 {"requests", {{"count", 80}, {"arrival", {{"process", "poisson"}, {"rate_per_s", random.logBetween(0.3, 60)}}}, {"input_tokens", tokens(2000)}, {"output_tokens", tokens(200)}, {"seed", random.below(1000)}}},
                                 {"engine", {{"max_num_seqs", 1 << (2 + random.below(6))}, {"max_num_batched_tokens", 2048 << random.below(3)}, {"max_model_len", 32768}}}});
    return document;
}

/// Who comes sooner after the one before waits longer, or shares its steps with more. Whether a request meets the end of a step or its beginning is
/// chance, of the step under way and of the one that an engine has scheduled already: two steps, evenly. Mean and median count as different beyond
/// three standard errors, which of n times with deviation σ are σ/√n and 1.25 σ/√n (of a normal distribution: Kendall and Stuart, The advanced
/// theory of statistics, 10.10).
TEST(LoadLaws, MoreRequestsASecondGetNoFirstTokenSooner) {
    constexpr double errors = 3, medianError = 1.25, normalTo90 = 1.2816, rounding = 1e-9, steps = 2, evenly = 12;
    Law law("twice the requests a second get their first token no sooner");
    RandomSource random = lawSource(965);
    for (std::size_t tried = 0; tried < 3 * plansOfSimulations; ++tried) {
        Json plan = anyLoad(random);
        plan["workload"]["requests"]["count"] = 240;
        Json busier = plan;
        scaleFigure(busier, "/workload/requests/arrival/rate_per_s", 2);
        const ResultPtr before = simulatedPlan(plan), after = simulatedPlan(busier);
        if (!before || !after || !before->fits) continue;
        const ServingMetrics &calm = before->serving()->served, &busy = after->serving()->served;
        const double deviation = std::hypot((calm.ttft.p90 - calm.ttft.p50) / normalTo90, steps * busy.itl.p90 / std::sqrt(evenly));
        const double noise = errors * deviation / std::sqrt(double(calm.completed));
        const auto told = [&] { return plan.dump() + ": mean " + std::to_string(1e3 * calm.ttft.mean) + ", median " + std::to_string(1e3 * calm.ttft.p50) + " ms, then " + std::to_string(1e3 * busy.ttft.mean) + " and " + std::to_string(1e3 * busy.ttft.p50) + ", by chance " + std::to_string(1e3 * noise); };
        law.atLeast(busy.ttft.mean + noise, calm.ttft.mean, rounding, told);
        law.atLeast(busy.ttft.p50 + medianError * noise, calm.ttft.p50, rounding, told);
    }
    law.settle(plansOfSimulations);
}

/// With room for more requests none is put off or begun anew. More at once make a step longer and their sum shorter.
TEST(LoadLaws, ALargerCacheServesNoLess) {
    constexpr double tail = 0.03; // the last requests' steps hold others
    Law law("a larger cache serves no less");
    RandomSource random = lawSource(966);
    for (std::size_t tried = 0; tried < 3 * plansOfSimulations; ++tried) {
        Json plan = anyLoad(random);
        plan["workload"]["requests"]["arrival"] = {{"process", "all_at_once"}};
        Json larger = withAcceleratorWrittenOut(plan);
        for (const char* figure : {"/memory_bytes", "/memory_gb"}) scaleFigure(chipOf(larger), figure, 1.3);
        const ResultPtr before = simulatedPlan(plan), after = simulatedPlan(larger);
        if (!before || !after || !before->fits) continue;
        const auto &small = before->serving()->served, &large = after->serving()->served;
        const auto told = [&] { return plan.dump() + ": " + std::to_string(small.outputTokensPerSecond) + " tokens/s of " + std::to_string(small.completed) + " requests, then " + std::to_string(large.outputTokensPerSecond) + " of " + std::to_string(large.completed); };
        law.holds(after->fits && large.completed >= small.completed, told);
        if (large.completed == small.completed) law.atLeast(large.outputTokensPerSecond, small.outputTokensPerSecond, tail, told);
    }
    law.settle(plansOfSimulations);
}

} // namespace
} // namespace orrery::test
