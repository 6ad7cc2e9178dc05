// SPDX-License-Identifier: GPL-3.0-or-later
// A hybrid over its plan as a timeline: what is drawn of a rank is what its tasks did, and who waits for whom is what the run itself says.
#include "core/base/json.hpp"
#include "core/records/ranks/planned_report.hpp"
#include "core/records/ranks/simulated_job.hpp"
#include "core/records/views/hybrid_timeline.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

/// 32 ranks: tensor 2, data 4, 4 stages.
Scenario jobOfStages() {
    const Json document = {{"format", "orrery-scenario/1"},
                           {"model", {{"preset", "llama-3-8b"}}},
                           {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 4}}},
                           {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 32}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
                           {"parallelism", {{"tensor", 2}, {"pipeline", 4}}},
                           {"execution", {{"recompute", "full"}}}};
    return readScenario(document, test::catalog(), {}).scenario.value();
}

class PlannedTimelines : public testing::Test {
protected:
    PlannedTimelines() : ranks(jobOfStages(), problems), classes(rankClasses(ranks.scenario())), job(simulateAllRanks(ranks, {0.02, 3}).value()) {}

    RecordedWork workOf(const PlannedTimeline& drawn, const Span& span) const { return drawn.record.timeline.works[span.segment]; }
    double sumOf(const PlannedTimeline& drawn, const Stream& row, std::initializer_list<RecordedWork> works) const {
        double sum = 0;
        for (const Span& span : row.spans)
            if (std::find(works.begin(), works.end(), workOf(drawn, span)) != works.end()) sum += span.end - span.start;
        return sum;
    }

    Problems problems;
    PlannedRanks ranks;
    std::vector<RankClass> classes;
    SimulatedJob job;
};

TEST_F(PlannedTimelines, RanksStandBeneathEachOtherByClassAndSayWhoWasRecorded) {
    const PlannedTimeline drawn = plannedTimeline(ranks, job.times, classes, {{1, "rank1"}, {9, "rank9"}, {30, "rank30"}});
    ASSERT_EQ(drawn.ranks.size(), 32U);
    std::vector<int> byClass;
    for (const RankClass& one : classes) byClass.insert(byClass.end(), one.ranks.begin(), one.ranks.end());
    EXPECT_EQ(drawn.ranks, byClass);
    for (std::size_t place = 0; place < drawn.ranks.size(); ++place) {
        const int rank = drawn.ranks[place];
        const std::string& role = drawn.record.timeline.stages[place].role;
        const std::string wanted = rank == 1 || rank == 9 || rank == 30 ? "recorded" : rank < 8 ? "like 1"
                                                                                   : rank < 16  ? "like 9"
                                                                                   : rank < 24  ? "like " + classes[2].name
                                                                                                : "like 30";
        EXPECT_EQ(role, wanted) << rank;
    }
}

TEST_F(PlannedTimelines, WhatIsDrawnIsWhatTheTasksDid) {
    const PlannedTimeline drawn = plannedTimeline(ranks, job.times, classes, {{0, "rank0"}});
    const std::vector<LaneWaits> waits = waitsByLane(ranks.iteration(), job.times);
    for (std::size_t place = 0; place < drawn.ranks.size(); ++place) {
        const StageTimeline& stage = drawn.record.timeline.stages[place];
        double passes = 0, waiting = 0;
        for (std::size_t row = 0; row < stage.streams.size(); ++row) {
            const auto& spans = stage.streams[row].spans;
            for (std::size_t i = 0; i < spans.size(); ++i) {
                EXPECT_LT(spans[i].start, spans[i].end);
                EXPECT_LE(spans[i].end, job.times.duration * (1 + 1e-12));
                if (i > 0) {
                    EXPECT_LE(spans[i - 1].end, spans[i].start * (1 + 1e-12)) << stage.ranks << " row " << row;
                }
            }
            if (row == 0) continue;
            passes += sumOf(drawn, stage.streams[row], {RecordedWork::kernel});
            waiting += sumOf(drawn, stage.streams[row], {RecordedWork::waiting});
        }
        const LaneWaits& lane = waits[static_cast<std::size_t>(ranks.laneOf(drawn.ranks[place]))];
        EXPECT_NEAR(waiting, lane.waiting, 1e-9) << stage.ranks;
        EXPECT_NEAR(sumOf(drawn, stage.streams[0], {RecordedWork::kernel, RecordedWork::beside}), passes, 1e-9) << stage.ranks;
        double waited = 0;
        for (const double seconds : drawn.waiting[place]) waited += seconds;
        EXPECT_NEAR(waited, lane.waiting, 1e-9) << stage.ranks;
    }
}

} // namespace
} // namespace orrery
