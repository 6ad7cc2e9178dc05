#include "core/plan/job_symmetry.hpp"
#include "core/plan/run_size.hpp"
#include "tests/core/plan/random_plans.hpp"

#include <gtest/gtest.h>

// How large a run will be, known before it is built: never less than it is, and not far more.

namespace orrery::test {
namespace {

void expectBounds(const Scenario& scenario, const RankWork& work, JobTraffic& traffic, const LaneMap& lanes, bool expandTensor) {
    const double known = sizeOfRun(scenario, work, lanes, expandTensor).tasks;
    const double built = double(buildIteration(scenario, work, traffic, lanes, expandTensor).program.taskCount());
    // What an iteration ends with, its optimizer and its last buckets, does not grow with the micro-batches.
    const double once = double(lanes.lanes().size()) * (20 + 3 * double(scenario.model.layers));
    EXPECT_GE(known + once, built) << (expandTensor ? "operator by operator" : "");
    EXPECT_LE(known, 2.5 * built) << (expandTensor ? "operator by operator" : "");
}

TEST(RunSize, BoundsWhatIsBuilt) {
    RandomSource random(91);
    for (int i = 0; i < 60; ++i) {
        const std::string kind = smallModelKinds()[static_cast<std::size_t>(i) % smallModelKinds().size()];
        Json document = randomPlan(random, kind);
        const int batch = document["workload"]["global_batch_size"].get<int>();
        document["workload"]["global_batch_size"] = batch * 4; // the more, the less its end counts
        SCOPED_TRACE(document.dump());
        const Scenario scenario = sound(document);
        if (scenario.execution.recompute == RecomputeKind::automatic) continue;
        JobTraffic traffic(scenario);
        const RankWork work = makeRankWork(scenario, scenario.execution.recompute, costModelOf(scenario), traffic);
        const LaneMap plain(scenario.parallelism.pipeline, scenario.parallelism.data);
        expectBounds(scenario, work, traffic, plain, false);
        if (scenario.parallelism.tensor > 1) expectBounds(scenario, work, traffic, plain, true);
        JobSymmetry symmetry(scenario, traffic, {}, Folding::none);
        if (sizeOfRun(scenario, work, symmetry.lanes(), false).tasks < 200'000) expectBounds(scenario, work, traffic, symmetry.lanes(), false);
    }
}

TEST(RunSize, GrowsWithTheMicroBatches) {
    Json document = soundDocument();
    const auto size = [&](int batch) {
        document["workload"]["global_batch_size"] = batch;
        const Scenario scenario = sound(document);
        JobTraffic traffic(scenario);
        return sizeOfRun(scenario, makeRankWork(scenario, RecomputeKind::none, costModelOf(scenario), traffic), LaneMap(2, 4), false);
    };
    EXPECT_NEAR(size(64'000).tasks, 100 * size(640).tasks, 1e-6 * size(64'000).tasks);
    EXPECT_NEAR(size(64'000).bytes, 100 * size(640).bytes, 1e-6 * size(64'000).bytes);
}

} // namespace
} // namespace orrery::test
