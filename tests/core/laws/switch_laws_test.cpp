// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of what an execution can switch on: an overlap costs no more than it says that kernels slow, a fused attention no more than its parts.
#include "core/answers/simulation/simulate.hpp"
#include "tests/core/laws/law_plans.hpp"
#include "tests/core/training/estimate/random_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery::test {
namespace {

constexpr double switchSlack = 0.005; ///< the order in which transfers meet on a link

Json changed(Json plan, const std::string& pointer, Json value) {
    plan[Json::json_pointer(pointer)] = std::move(value);
    return plan;
}

/// Seconds of an iteration in which nothing slows kernels.
std::optional<double> unslowed(const Json& plan) {
    std::optional<Scenario> scenario = readPlan(plan);
    if (!scenario) return std::nullopt;
    scenario->kernels.overlapSlowdown = 1;
    const Outcome outcome = simulate(*scenario);
    if (!outcome.result) return std::nullopt;
    return outcome.result->training()->iterationTime;
}

std::optional<double> unslowedEstimate(const Json& plan) {
    std::optional<Scenario> scenario = readPlan(plan);
    if (!scenario) return std::nullopt;
    scenario->kernels.overlapSlowdown = 1;
    Estimator estimator(*scenario);
    const double time = estimator.iterationTime(choiceOf(*scenario));
    if (!estimator.problems(choiceOf(*scenario)).empty()) return std::nullopt;
    return time;
}

/// Where estimates break the law both plans are simulated. A few plans are judged: what is sent earlier shares links with what all wait for, which
/// links don't know, and a pipeline whose passes run in pairs begins a forward later. They may lose a tenth so.
TEST(SwitchLaws, AnOverlapCostsNoMoreThanTheSlowingItStates) {
    constexpr double mostByLinks = 0.1;
    Law law("an overlap turned on is never slower, but for what it slows");
    for (const Json& plan : soundPlans(941, plansOfEveryChip)) {
        for (const char* overlap : {"data", "tensor", "pipeline", "expert"}) {
            const bool exchanges = plan["parallelism"].value("expert", 1) > 1;
            if (std::string(overlap) == "expert" && !exchanges) continue; // there is nothing to hide
            const std::string at = std::string("/execution/overlap/") + overlap;
            const Json without = changed(plan, at, false), with = changed(plan, at, true);
            auto off = unslowedEstimate(without), on = unslowedEstimate(with);
            if (off && on && *on > (1 + switchSlack) * *off) {
                off = unslowed(without);
                on = unslowed(with);
            }
            if (!off || !on) continue;
            const bool judged = *on > (1 + switchSlack) * *off;
            if (judged) law.judge();
            law.atLeast(*off, *on, judged ? mostByLinks : switchSlack, [&] { return std::string(overlap) + ": " + described(plan) + std::to_string(*off) + " s, with " + std::to_string(*on); });
        }
    }
    law.settle(plansOfEveryChip);
}

std::optional<double> simulatedTime(const Json& document) {
    const std::optional<Scenario> scenario = readPlan(document);
    if (!scenario) return std::nullopt;
    const Outcome outcome = simulate(*scenario);
    if (!outcome.result) return std::nullopt;
    return outcome.result->training()->iterationTime;
}

TEST(SwitchLaws, AFusedAttentionWinsOrTies) {
    Law law("flash attention is never slower than its parts");
    constexpr double slack = 2e-3;
    for (const Json& plan : soundPlans(942, plansOfEveryChip)) {
        const Json inParts = changed(plan, "/execution/attention", "unfused"), asOne = changed(plan, "/execution/attention", "flash");
        std::optional<double> parts = estimatedTime(inParts), fused = estimatedTime(asOne);
        if (!parts || !fused) continue;
        // An estimate may err by more than the two differ by where gradients are reduced beside passes; the simulation knows.
        if (*parts < *fused * (1 - slack)) {
            parts = simulatedTime(inParts);
            fused = simulatedTime(asOne);
        }
        ASSERT_TRUE(parts && fused);
        law.atLeast(*parts, *fused, slack, [&] { return described(plan) + std::to_string(*parts) + " s, fused " + std::to_string(*fused); });
    }
    law.settle(plansOfEveryChip * 9 / 10);
}

} // namespace
} // namespace orrery::test
