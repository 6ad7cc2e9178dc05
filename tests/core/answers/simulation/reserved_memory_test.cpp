// SPDX-License-Identifier: GPL-3.0-or-later
// What is reserved: the shortened run of the allocator against one over a stage's whole iteration.
#include "core/base/json.hpp"
#include "core/training/stage_memory/fragmentation.hpp"
#include "core/training/stage_memory/stage_memory.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <random>

namespace orrery {
namespace {

using test::sound;

/// The work of a scenario as the simulator plans it.
struct Planned {
    Scenario scenario;
    JobTraffic traffic;
    Iteration iteration;

    explicit Planned(const Json& document)
        : scenario(sound(document)), traffic(scenario),
          iteration(buildIteration(scenario,
                                   makeRankWork(scenario, scenario.execution.recompute,
                                                costModelOf(scenario), traffic),
                                   traffic, LaneMap(scenario.parallelism.pipeline, scenario.parallelism.data))) {}
};

/// Makes a model of a size at which a tensor fills more than the 20 MiB that the allocator takes at once.
Json wide(Json document) {
    Json& config = document["model"]["config"];
    config["n_embd"] = config["n_positions"] = 4096;
    config["n_head"] = 32;
    document["workload"]["sequence_length"] = 4096;
    if (document["execution"]["recompute"] == "auto") document["execution"]["recompute"] = "none";
    return document;
}

class RandomReserved : public testing::TestWithParam<unsigned> {};

TEST_P(RandomReserved, StepsAloneGiveTheSamePeakAsUnits) {
    std::mt19937 random(GetParam());
    Json document = wide(test::randomScenario(random));
    document["parallelism"]["zero_stage"] = 0;
    const Planned planned(document);
    const ModelChunks chunks(planned.scenario, planned.iteration.work, planned.iteration.schedule.placement);
    std::vector<ChunkMemory> memories;
    for (int chunk = 0; chunk < chunks.count(); ++chunk) memories.push_back(chunkMemory(chunks.units(chunk)));
    for (int stage = 0; stage < planned.scenario.parallelism.pipeline; ++stage) {
        const std::vector<PipelineStep>& steps = planned.iteration.schedule.stages[static_cast<std::size_t>(stage)];
        const std::vector<PlacedWork> order = stageOrder(steps, chunks);
        const UnitBuffers buffers(planned.scenario, planned.iteration.work, chunks, stage, order);
        double most = 0;
        for (const WorkMemory& work : stageMemory(planned.scenario, planned.iteration.work, planned.iteration.pairs, order, buffers))
            most = std::max(most, work.peak());
        EXPECT_EQ(peakOfSteps(steps, memories), most);
    }
}

/// All bytes are whole, so sums in any order are the same number.
TEST_P(RandomReserved, BuffersSumToTheSameListedOrNot) {
    std::mt19937 random(GetParam());
    Json document = wide(test::randomScenario(random));
    if (GetParam() % 3 == 0) document["execution"]["offload"] = {{"weights", 0.5}, {"activations", 0.25}};
    const char* const frameworks[] = {"megatron-2022", "nanotron-2024", "torchtitan-2025", "megatron-deepspeed-2022"};
    document["execution"]["framework"] = frameworks[GetParam() % 4];
    const Planned planned(document);
    const ModelChunks chunks(planned.scenario, planned.iteration.work, planned.iteration.schedule.placement);
    for (int stage = 0; stage < planned.scenario.parallelism.pipeline; ++stage) {
        const std::vector<PlacedWork> order = stageOrder(planned.iteration.schedule.stages[static_cast<std::size_t>(stage)], chunks);
        const UnitBuffers listed(planned.scenario, planned.iteration.work, chunks, stage, order), summed(planned.scenario, planned.iteration.work, chunks, stage, order, false);
        EXPECT_TRUE(summed.lives().empty());
        EXPECT_EQ(listed.bySlot(), summed.bySlot());
        EXPECT_EQ(listed.endingAt(), summed.endingAt());
        const auto slots = static_cast<int>(2 * order.size());
        for (int slot = 0; slot < slots && !summed.bySlot().empty(); ++slot) {
            double there = 0, ending = 0;
            for (const BufferLife& life : listed.lives()) {
                there += life.first <= slot && slot <= life.last ? life.bytes : 0;
                ending += life.last == slot ? life.bytes : 0;
            }
            EXPECT_EQ(summed.bySlot()[static_cast<std::size_t>(slot)], there);
            EXPECT_EQ(summed.endingAt()[static_cast<std::size_t>(slot)], ending);
        }
        EXPECT_EQ(summed.bySlot().empty(), listed.lives().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReserved, testing::Range(0u, 60u));

TEST(Reserved, TheShortRunIsWithinTwoPercentOfTheWholeNineteenTimesInTwenty) {
    std::vector<double> errors;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const Planned planned(wide(test::randomScenario(random)));
        const ModelChunks chunks(planned.scenario, planned.iteration.work, planned.iteration.schedule.placement);
        FragmentationModel model(planned.scenario, planned.iteration.work, chunks);
        for (int stage = 0; stage < planned.scenario.parallelism.pipeline; ++stage) {
            const auto index = static_cast<std::size_t>(stage);
            const std::vector<PlacedWork> order = stageOrder(planned.iteration.schedule.stages[index], chunks);
            const auto whole = replayAllocator(planned.scenario, planned.iteration.work, chunks, stage, order, 0);
            ASSERT_TRUE(whole);
            const double states = planned.iteration.stageElements[index] * 16; // beside which all this stands
            const double reserved = whole->allocated + model.bytes(stage, planned.iteration.schedule.mostInFlight[index], 1e18);
            errors.push_back(std::abs((reserved + states) / (whole->reserved + states) - 1));
        }
    }
    std::sort(errors.begin(), errors.end());
    EXPECT_LE(errors[errors.size() / 2], 0.005);
    EXPECT_LE(errors[errors.size() * 19 / 20], 0.02);
    EXPECT_LE(errors.back(), 0.04);
}

TEST(Reserved, LiesBetweenWhatIsAllocatedAndTheDevice) {
    const ResultPtr result = test::run(test::smallScenario(1, 2, 4, 8));
    EXPECT_GT(result->memory.reservedPeakBytes, result->memory.allocatedPeakBytes);
    EXPECT_LT(result->memory.reservedPeakBytes, result->memory.peakBytes);
}

TEST(Reserved, GivesBackWhatIsCachedBeforeItDoesNotFit) {
    Scenario scenario = sound(test::smallScenario(1, 1, 8, 4));
    const MemoryReport roomy = simulate(scenario).result->memory;
    const double unavoidable = roomy.peakBytes - (roomy.reservedPeakBytes - roomy.allocatedPeakBytes);
    scenario.cluster.accelerator.memoryBytes = (roomy.peakBytes + unavoidable) / 2;
    const ResultPtr tight = simulate(scenario).result;
    EXPECT_TRUE(tight->fits);
    EXPECT_LE(tight->memory.peakBytes, tight->memory.capacityBytes);
    scenario.cluster.accelerator.memoryBytes = unavoidable * 0.99;
    EXPECT_FALSE(simulate(scenario).result->fits);
}

} // namespace
} // namespace orrery
