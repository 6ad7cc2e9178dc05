// SPDX-License-Identifier: GPL-3.0-or-later
// Playing a schedule against the longest path through its dependencies, both with random times of the steps.
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/player.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace orrery {
namespace {

/// The longest path through an explicit graph of tasks, by relaxing every edge until nothing changes (Bellman–Ford): slow, and without
/// any idea of streams, queues or schedules.
class LongestPath {
public:
    int addTask(double duration) {
        durations_.push_back(duration);
        return static_cast<int>(durations_.size()) - 1;
    }
    void addEdge(int before, int after) { edges_.emplace_back(before, after); }

    /// Start of every task; empty when the graph has a cycle.
    std::vector<double> starts() const {
        std::vector<double> start(durations_.size(), 0);
        for (std::size_t round = 0; round <= durations_.size(); ++round) {
            bool changed = false;
            for (const auto& [before, after] : edges_) {
                const double earliest = start[static_cast<std::size_t>(before)] + durations_[static_cast<std::size_t>(before)];
                if (earliest > start[static_cast<std::size_t>(after)]) {
                    start[static_cast<std::size_t>(after)] = earliest;
                    changed = true;
                }
            }
            if (!changed) return start;
        }
        return {};
    }

private:
    std::vector<double> durations_;
    std::vector<std::pair<int, int>> edges_;
};

/// Written from what a pipeline is: activations go from chunk to chunk, gradients back, a stage does one thing (or one pair) at a time.
std::vector<std::vector<double>> startsByLongestPath(const PipelineSchedule& schedule, const std::vector<std::vector<double>>& seconds) {
    enum What { activations,
                gradient };
    LongestPath graph;
    std::map<std::tuple<What, int, int>, int> makers;
    std::vector<std::vector<int>> tasks;
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        auto& mine = tasks.emplace_back();
        const auto& steps = schedule.stages[stage];
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const bool joined = i > 0 && steps[i - 1].withNext;
            mine.push_back(joined ? mine.back() : graph.addTask(seconds[stage][i]));
            if (i > 0 && !joined) graph.addEdge(mine[i - 1], mine[i]);
            if (steps[i].kind == PassKind::forward) makers[{activations, steps[i].chunk, steps[i].microBatch}] = mine[i];
            if (steps[i].kind == PassKind::backward || steps[i].kind == PassKind::backward_input)
                makers[{gradient, steps[i].chunk, steps[i].microBatch}] = mine[i];
        }
    }
    const int lastChunk = schedule.placement.modelChunks() - 1;
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        for (std::size_t i = 0; i < schedule.stages[stage].size(); ++i) {
            const PipelineStep& step = schedule.stages[stage][i];
            const int task = tasks[stage][i];
            if (step.kind == PassKind::forward && step.chunk > 0) graph.addEdge(makers.at({activations, step.chunk - 1, step.microBatch}), task);
            if (step.kind == PassKind::backward || step.kind == PassKind::backward_input) {
                graph.addEdge(makers.at({activations, step.chunk, step.microBatch}), task);
                if (step.chunk < lastChunk) graph.addEdge(makers.at({gradient, step.chunk + 1, step.microBatch}), task);
            }
            if (step.kind == PassKind::backward_weight) graph.addEdge(makers.at({gradient, step.chunk, step.microBatch}), task);
        }
    }
    const std::vector<double> starts = graph.starts();
    std::vector<std::vector<double>> byStep;
    for (const auto& mine : tasks) {
        auto& row = byStep.emplace_back();
        for (int task : mine) row.push_back(starts.empty() ? -1 : starts[static_cast<std::size_t>(task)]);
    }
    return byStep;
}

TEST(PipelinePlayer, RandomTimesEqualTheLongestPath) {
    std::mt19937 random(20240510);
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
    constexpr PipelineOrder orders[] = {PipelineOrder::gpipe, PipelineOrder::one_f_one_b, PipelineOrder::interleaved,
                                        PipelineOrder::zb_h1, PipelineOrder::zb_v, PipelineOrder::v_half,
                                        PipelineOrder::v_min, PipelineOrder::dual_pipe};
    for (int drawn = 0; drawn < 200; ++drawn) {
        const PipelineOrder order = orders[drawn % std::size(orders)];
        PipelineShape shape{draw(1, 8), draw(1, 20), 1};
        if (order == PipelineOrder::interleaved) shape = {shape.stages, shape.stages * draw(1, 3), draw(1, 3)};
        if (order == PipelineOrder::dual_pipe) shape = {2 * draw(1, 3), 2 * draw(6, 10), 1};
        const PipelineSchedule schedule = makePipelineSchedule(order, shape);
        std::vector<std::vector<double>> seconds;
        for (const auto& steps : schedule.stages) {
            auto& row = seconds.emplace_back();
            for (std::size_t i = 0; i < steps.size(); ++i) row.push_back(std::uniform_real_distribution<double>(0.0, 2.0)(random));
        }
        const auto played = playSchedule(
            schedule, [&](int stage, int index) { return seconds[static_cast<std::size_t>(stage)][static_cast<std::size_t>(index)]; });
        ASSERT_TRUE(played) << drawn;
        const auto expected = startsByLongestPath(schedule, seconds);
        double span = 0;
        for (std::size_t stage = 0; stage < expected.size(); ++stage) {
            double busy = 0;
            for (std::size_t i = 0; i < expected[stage].size(); ++i) {
                const bool joined = i > 0 && schedule.stages[stage][i - 1].withNext;
                const double lasting = seconds[stage][joined ? i - 1 : i];
                ASSERT_EQ(played->steps[stage][i].start, expected[stage][i]) << "case " << drawn << ", stage " << stage << ", step " << i;
                ASSERT_EQ(played->steps[stage][i].end, expected[stage][i] + lasting) << "case " << drawn;
                if (!joined) busy += lasting;
                span = std::max(span, expected[stage][i] + lasting);
            }
            EXPECT_DOUBLE_EQ(played->busy[stage], busy);
        }
        EXPECT_EQ(played->span, span);
    }
}

TEST(PipelinePlayer, AStuckScheduleHasNoTimes) {
    PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::one_f_one_b, {2, 2});
    std::swap(schedule.stages[0][1], schedule.stages[0][2]); // backward 0 before forward 1: still legal
    EXPECT_TRUE(playSchedule(schedule, PassTimes{}));
    std::swap(schedule.stages[1][1], schedule.stages[1][2]); // now stage 1 asks for forward 1 before it hands back gradient 0
    EXPECT_FALSE(playSchedule(schedule, PassTimes{}));
}

} // namespace
} // namespace orrery
