// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for any plan: time, FLOPs, bytes and memory neither appear nor vanish between graph, timeline and result.
#include "core/base/json.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

using test::randomScenario;

double sum(const TimeBreakdown& breakdown) {
    double total = 0;
    for (double part : breakdown) total += part;
    return total;
}

class RandomPlans : public ::testing::TestWithParam<int> {
protected:
    void SetUp() override {
        std::mt19937 random(static_cast<unsigned>(GetParam()) * 7919u + 1);
        document_ = randomScenario(random);
        result_ = test::run(document_);
        ASSERT_TRUE(result_) << document_.dump(1);
    }
    Json document_;
    ResultPtr result_;
};

TEST_P(RandomPlans, EveryStageIsBusyExposedOrIdleForTheWholeIteration) {
    const TrainingMetrics& metrics = *result_->training();
    EXPECT_NEAR(sum(metrics.breakdown), metrics.iterationTime, 1e-9 * metrics.iterationTime);
    for (const TimeBreakdown& stage : metrics.stages) {
        EXPECT_NEAR(sum(stage), metrics.iterationTime, 1e-9 * metrics.iterationTime);
        for (double part : stage) EXPECT_GE(part, -1e-12);
    }
}

TEST_P(RandomPlans, SpansOfAStreamAreSortedAndDisjointAndInsideTheIteration) {
    for (const StageTimeline& stage : result_->timeline.stages)
        for (const Stream& stream : stage.streams) {
            double clock = 0;
            for (const Span& span : stream.spans) {
                ASSERT_GE(span.start, clock);
                ASSERT_GE(span.end, span.start);
                ASSERT_LE(span.end, result_->timeline.duration);
                clock = span.end;
            }
        }
}

TEST_P(RandomPlans, FlopsAndBytesOfTheTimelineAreTheGraphs) {
    const Scenario& scenario = result_->scenario;
    const auto graphs = plannedGraphs(scenario, scenario.execution.recompute);
    double flops = 0;
    double bytes = 0;
    for (const Graph& graph : graphs) {
        const double times = double(scenario.microBatches()) * (graph.name == "layer" ? double(scenario.model.layers) : 1);
        for (const auto* operators : {&graph.forward, &graph.backward})
            for (const Operator& op : *operators) {
                flops += times * op.flops;
                bytes += times * (op.bytesRead + op.bytesWritten);
            }
    }
    double timelineFlops = 0;
    double timelineBytes = 0;
    for (const StageTimeline& stage : result_->timeline.stages)
        for (StreamKind stream : {StreamKind::compute, StreamKind::within})
            forEachOperator(result_->timeline, stage.stage, stream, -1, 1e30, [&](const OperatorInstance& instance) {
                const TimedOperator& timed = result_->timeline.operators[instance.op];
                if (timed.op.phase == Phase::optimizer) return;
                timelineFlops += timed.op.flops;
                timelineBytes += timed.op.bytesRead + timed.op.bytesWritten;
            });
    EXPECT_NEAR(timelineFlops, flops, 1e-9 * flops);
    EXPECT_NEAR(timelineBytes, bytes, 1e-9 * bytes);

    double listed = 0;
    for (const OperationRow& row : result_->operations)
        if (row.phase != "optimizer" && row.phase != "communication") listed += row.flops;
    EXPECT_NEAR(listed * scenario.parallelism.pipeline, flops, 1e-9 * flops);
}

TEST_P(RandomPlans, MemoryOfAStageIsTheSumOfItsKindsAndActivationsReturnToZero) {
    const MemoryReport& memory = result_->memory;
    double peak = 0;
    for (const StageMemory& stage : memory.stages) {
        double total = 0;
        for (double kind : stage.bytes) {
            EXPECT_GE(kind, 0);
            total += kind;
        }
        EXPECT_NEAR(total, stage.peakBytes, 1e-9 * total);
        peak = std::max(peak, stage.peakBytes);
    }
    EXPECT_EQ(memory.peakBytes, peak);
    EXPECT_EQ(result_->fits, memory.peakBytes <= memory.capacityBytes);
    for (const StageTimeline& stage : result_->timeline.stages) {
        ASSERT_FALSE(stage.memory.empty());
        EXPECT_NEAR(stage.memory.back().activations, 0, 1);
        double highest = 0;
        for (const MemorySample& sample : stage.memory) {
            EXPECT_GE(sample.activations, -1);
            highest = std::max(highest, sample.activations + sample.temporary);
        }
        const StageMemory& account = memory.stages[static_cast<std::size_t>(stage.stage)];
        EXPECT_NEAR(highest + stage.staticBytes, account.peakBytes, 1);
    }
}

TEST_P(RandomPlans, SameBytesTwiceAndAtTwoThreads) {
    const std::string first = toJson(*result_).dump();
    EXPECT_EQ(first, toJson(*test::run(document_)).dump());
    EXPECT_EQ(first, toJson(*test::run(document_, 2)).dump());
}

/// The figure of the headline, the cause under "why this long?" and the explanation are one number; the closing stage's own wait
/// is another, and named so.
TEST_P(RandomPlans, OneBubbleInEveryPlace) {
    const TrainingMetrics& metrics = *result_->training();
    const auto why = explain(*result_, "/bubble_fraction");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->value, metrics.bubbleFraction);
    const auto input = [&why](const std::string& words) {
        return std::find_if(why->inputs.begin(), why->inputs.end(), [&words](const Quantity& q) { return q.name.find(words) != std::string::npos; });
    };
    ASSERT_NE(input("mean"), why->inputs.end());
    EXPECT_EQ(input("mean")->value, metrics.bubbleTime);
    ASSERT_NE(input("closing stage"), why->inputs.end());
    EXPECT_EQ(input("closing stage")->value, metrics.breakdown[static_cast<std::size_t>(TimePart::bubble)]);
    for (const Cause& cause : result_->causes) {
        if (cause.part != "bubble") continue;
        EXPECT_EQ(cause.share, metrics.bubbleFraction);
        EXPECT_EQ(cause.why.value, metrics.bubbleFraction);
    }
    // A share of a span, which lies within the iteration.
    double waits = 0;
    for (const TimeBreakdown& stage : metrics.stages) waits += stage[static_cast<std::size_t>(TimePart::bubble)] / static_cast<double>(metrics.stages.size());
    EXPECT_LE(metrics.bubbleTime, waits * (1 + 1e-9));
    EXPECT_GE(metrics.bubbleFraction * metrics.iterationTime, metrics.bubbleTime * (1 - 1e-9));
}

TEST_P(RandomPlans, HeadlinesCanBeAskedWhereTheyComeFrom) {
    const Json document = toJson(*result_);
    for (const char* pointer : {"/iteration_time_s", "/tokens_per_s", "/tokens_per_s_per_accelerator", "/mfu", "/hfu", "/mfu_causal",
                                "/bubble_fraction", "/model_tflops_per_accelerator", "/memory/peak_bytes", "/parameters"}) {
        const auto quantity = explain(*result_, pointer);
        ASSERT_TRUE(quantity) << pointer;
        EXPECT_FALSE(quantity->formula.empty()) << pointer;
        const double value = document.at(Json::json_pointer(pointer)).get<double>();
        EXPECT_NEAR(quantity->value, value, 1e-9 * std::abs(value)) << pointer;
    }
    // What the host takes says which profile has it from where.
    const Execution& execution = result_->scenario.execution;
    const auto overhead = explain(*result_, "/time_breakdown_s/overhead");
    ASSERT_TRUE(overhead);
    ASSERT_EQ(overhead->inputs.size(), execution.cudaGraphs && execution.graphParts.empty() ? 1u : 2u);
    EXPECT_EQ(overhead->inputs.front().value, execution.profile.iterationOverhead);
    for (const Quantity& input : overhead->inputs) EXPECT_TRUE(input.reference.starts_with(execution.profile.name + ": ")) << input.reference;
    for (std::size_t i = 0; i < result_->operations.size(); ++i) {
        const auto quantity = explain(*result_, "/operations/" + std::to_string(i) + "/time_s");
        ASSERT_TRUE(quantity);
        EXPECT_EQ(quantity->value, result_->operations[i].time);
        ASSERT_GE(quantity->inputs.size(), 2u) << result_->operations[i].kind;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range(0, 60));

} // namespace
} // namespace orrery
