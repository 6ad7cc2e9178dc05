// SPDX-License-Identifier: GPL-3.0-or-later
// What a search takes estimates to be off by at most, held against simulations: a plan that lies outside of its range could fall though it is the best.
#include "core/answers/search/front.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/estimate/estimated_plan.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/core/training/estimate/random_plans.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace orrery::test {
namespace {

/// Draws until so many could be simulated; gives how many times the simulated time is the estimate's, for the farthest.
double expectAllInRange(std::uint64_t seed, int count, const std::vector<double>& oversubscription) {
    static const Catalog catalog = shippedCatalog();
    RandomSource random(seed);
    double farthest = 1;
    for (int done = 0; done < count;) {
        Json document = randomPlan(random);
        document["cluster"]["scale_out"]["oversubscription"] = random.pick(oversubscription);
        ScenarioReading reading = readScenario(document, catalog);
        if (!reading.scenario) continue;
        const Outcome outcome = simulate(*reading.scenario);
        if (!outcome.result) continue;
        ++done;
        const std::optional<Estimate> estimate = PlanEstimates().estimate(*reading.scenario);
        EXPECT_TRUE(estimate) << nameOf(document);
        if (!estimate) continue;
        const PlanRange range = rangeAround(estimate->iterationTime, estimate->devicePeak, mostTimeError(*reading.scenario));
        const double time = outcome.result->training()->iterationTime;
        EXPECT_GE(time, range.iterationTime.low) << nameOf(document);
        EXPECT_LE(time, range.iterationTime.high) << nameOf(document);
        EXPECT_GE(outcome.result->memory.peakBytes, range.devicePeak.low) << nameOf(document);
        EXPECT_LE(outcome.result->memory.peakBytes, range.devicePeak.high) << nameOf(document);
        farthest = std::max(farthest, time / estimate->iterationTime);
    }
    return farthest;
}

TEST(EstimatedRange, HoldsRandomPlans) { EXPECT_LT(expectAllInRange(20270, 1000, {1}), 1.06); }

/// Stages share links above the hosts: there a range has no upper end, and some plans need it.
TEST(EstimatedRange, HoldsRandomPlansOnOversubscribedNetworks) { EXPECT_GT(expectAllInRange(20271, 500, {2, 4, 8}), 1.1); }

} // namespace
} // namespace orrery::test
