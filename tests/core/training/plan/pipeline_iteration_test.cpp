// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations of every schedule, built and run as the simulator does it, with equal stages whose times are given and links that take no
// time: physics rows 4, 8 and 12 must come out of the tasks' times and of what forwards keep.
#include "core/base/json.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/plan/job_symmetry.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

struct Times {
    double forward, input, weight;
    double backward() const { return input + weight; }
};

constexpr double activations = 1e6; ///< bytes that one micro-batch leaves in a layer

/// A kernel of a given time as a segment of its own.
std::uint32_t addKernel(RankWork& work, const char* name, Phase phase, double seconds) {
    TimedOperator timed;
    timed.op.name = name;
    timed.op.phase = phase;
    timed.time = seconds;
    return work.addSingle(name, std::move(timed), StreamKind::compute);
}

/// One operator that makes a tensor which stays, or needs one last that is there.
PieceMemory oneTensor(double bytes, bool makes) {
    PieceMemory memory;
    memory.operators = 1;
    memory.saved = bytes;
    memory.change = makes ? bytes : -bytes;
    memory.peak = makes ? bytes : 0;
    memory.beforeLast = memory.atLast = {memory.peak, memory.peak, 0};
    memory.lives = {{0, bytes, makes ? 0 : TensorLife::before, 0, makes}};
    memory.kept = {true};
    return memory;
}

PieceWork piece(RankWork& work, const Times& times, double saved) {
    PieceWork made;
    made.graph.tensors = {{"kept", saved, TensorRole::whole}};
    made.forwardSegment = addKernel(work, "forward", Phase::forward, times.forward);
    made.backwardSegment = addKernel(work, "backward", Phase::backward, times.backward());
    made.backwardInputSegment = addKernel(work, "input", Phase::backward, times.input);
    made.backwardWeightSegment = addKernel(work, "weight", Phase::backward, times.weight);
    made.forwardMemory = oneTensor(saved, true);
    made.backwardMemory = oneTensor(saved, false);
    made.backwardInputMemory = oneTensor(0, false); // the papers' rule: all of it goes with the weight part
    made.backwardWeightMemory = oneTensor(saved, false);
    return made;
}

Scenario scenario(const char* schedule, int stages, int chunks, int microBatches) {
    Json document{{"format", "orrery-scenario/1"},
                  {"model",
                   {{"config",
                     {{"model_type", "gpt2"}, {"n_layer", stages * chunks}, {"n_embd", 64}, {"n_head", 1}, {"n_positions", 16}, {"vocab_size", 64}}}}},
                  {"cluster",
                   {{"accelerator", "a100-sxm4-80gb"},
                    {"accelerators_per_node", stages},
                    {"nodes", 1},
                    {"scale_up", {{"bandwidth_gb_s", 1e6}, {"latency_us", 0}}}}},
                  {"workload",
                   {{"kind", "training"}, {"sequence_length", 1}, {"global_batch_size", microBatches}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
                  {"parallelism", {{"pipeline", stages}, {"schedule", schedule}}},
                  {"execution", {{"cuda_graphs", true}, {"overlap", {{"pipeline", true}}}}}}; // no launches by the host
    if (chunks > 1) document["parallelism"]["virtual_pipeline"] = chunks;
    document["execution"]["collectives"] = {{"timing", "stated"}};
    const ScenarioReading reading = test::read(document);
    EXPECT_TRUE(reading.scenario) << test::listed(reading.problems);
    return *reading.scenario;
}

struct Ran {
    double span = 0;                ///< first forward to last backward
    std::vector<double> idle;       ///< by stage, over the span
    std::vector<double> idleWithin; ///< by stage, between its own first and last step
    std::vector<double> peak;       ///< by stage, in micro-batches' activations of a stage
    double bubble = 0;
};

Ran run(const Scenario& scenario, const Times& ofStage, int chunks) {
    RankWork work;
    const Times times{ofStage.forward / chunks, ofStage.input / chunks, ofStage.weight / chunks};
    work.embedding = piece(work, {0, 0, 0}, 0);
    work.layers.push_back(piece(work, times, activations / chunks));
    work.kindOfLayer.assign(static_cast<std::size_t>(scenario.model.layers), 0);
    work.head = piece(work, {0, 0, 0}, 0);
    JobTraffic traffic(scenario);
    const int stages = scenario.parallelism.pipeline;
    Iteration iteration = buildIteration(scenario, work, traffic, LaneMap(stages, 1));
    JobSymmetry symmetry(scenario, traffic, {}, Folding::exact);
    const auto model = symmetry.model(iteration.transfers);
    const auto played = runProgram(iteration.program, {}, model.get());
    Ran ran;
    std::vector<double> busy(static_cast<std::size_t>(stages), 0), first(busy.size(), 1e300), last(busy.size(), 0), held(busy.size(), 0);
    ran.peak.assign(busy.size(), 0);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.stream != StreamKind::compute || info.microBatch < 0) continue;
        const auto stage = static_cast<std::size_t>(info.stage);
        busy[stage] += played->end[task] - played->start[task];
        first[stage] = std::min(first[stage], played->start[task]);
        last[stage] = std::max(last[stage], played->end[task]);
    }
    Timeline timeline = assembleTimeline(scenario, iteration, *played);
    const MemoryReport memory = accountMemory(scenario, iteration, timeline);
    const double begin = *std::min_element(first.begin(), first.end());
    ran.span = *std::max_element(last.begin(), last.end()) - begin;
    for (std::size_t stage = 0; stage < busy.size(); ++stage) {
        ran.idle.push_back(ran.span - busy[stage]);
        ran.idleWithin.push_back(last[stage] - first[stage] - busy[stage]);
        for (const MemorySample& sample : timeline.stages[stage].memory)
            ran.peak[stage] = std::max(ran.peak[stage], (sample.activations + sample.temporary) / activations);
    }
    EXPECT_EQ(memory.stages.size(), busy.size());
    ran.bubble = pipelineBubble(iteration, *played).fraction;
    return ran;
}

double mostOf(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

constexpr double tolerance = 1e-6; // links of 10^15 bytes a second still take 10^-13 s

std::vector<int> microBatchesFor(int stages) { return {2 * stages, 2 * stages + 2, 6 * stages, 128}; }

class EqualStages : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Pipelines, EqualStages, testing::Values(2, 4, 6, 8, 12, 16));

TEST_P(EqualStages, OneForwardOneBackwardAndGpipe) {
    const int p = GetParam();
    const Times times{1, 1.2, 0.8};
    for (const int m : microBatchesFor(p)) {
        for (const char* schedule : {"1f1b", "gpipe"}) {
            const Ran ran = run(scenario(schedule, p, 1, m), times, 1);
            EXPECT_NEAR(mostOf(ran.idle), (p - 1) * (times.forward + times.backward()), tolerance) << schedule << " " << m;
            EXPECT_NEAR(ran.bubble, double(p - 1) / (m + p - 1), tolerance) << schedule << " " << m;
            EXPECT_NEAR(mostOf(ran.peak), std::string(schedule) == "gpipe" ? m : p, tolerance) << schedule << " " << m;
        }
    }
}

TEST_P(EqualStages, Interleaving) {
    const int p = GetParam();
    for (const int v : {2, 3})
        for (const int m : {2 * p, 5 * p}) {
            const Ran ran = run(scenario("interleaved", p, v, m), {1, 1.2, 0.8}, v);
            EXPECT_NEAR(ran.bubble, double(p - 1) / (v * m + p - 1), tolerance) << v << " " << m;
            EXPECT_NEAR(mostOf(ran.peak), std::min(double(m), p * (1 + double(p - 1) / (p * v))), tolerance) << v << " " << m;
        }
}

TEST_P(EqualStages, ZeroBubbleH1) {
    const int p = GetParam();
    for (const Times& times : {Times{1, 1, 1}, Times{1, 1.2, 0.8}, Times{2, 1.5, 0.5}})
        for (const int m : microBatchesFor(p)) {
            const Ran ran = run(scenario("zb-h1", p, 1, m), times, 1);
            EXPECT_NEAR(mostOf(ran.idle), (p - 1) * (times.forward + times.backward() - 2 * times.weight), tolerance) << m;
            EXPECT_NEAR(mostOf(ran.peak), p, tolerance) << m;
        }
}

TEST_P(EqualStages, ZeroBubbleV) {
    const int p = GetParam();
    for (const int m : microBatchesFor(p)) {
        const Ran ran = run(scenario("zb-v", p, 2, m), {1, 1, 1}, 2);
        EXPECT_NEAR(mostOf(ran.idleWithin), 0, tolerance) << m;
        EXPECT_NEAR(mostOf(ran.peak), p, tolerance) << m;
    }
}

TEST_P(EqualStages, DualPipe) {
    const int p = GetParam();
    for (const Times& times : {Times{1, 1, 1}, Times{1, 1, 0.5}})
        for (const int m : microBatchesFor(p)) {
            const Ran ran = run(scenario("dualpipe", p, 1, m), times, 1);
            const double together = times.forward + times.backward();
            EXPECT_NEAR(mostOf(ran.idle), (p / 2.0 - 1) * (together + times.backward() - 3 * times.weight), tolerance) << m;
            EXPECT_NEAR(mostOf(ran.peak), p + 1, tolerance) << m;
        }
}

} // namespace
} // namespace orrery
