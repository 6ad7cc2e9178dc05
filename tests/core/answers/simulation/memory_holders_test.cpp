// SPDX-License-Identifier: GPL-3.0-or-later
// What holds memory at a moment: down to the tensor, and together what the account says.
#include "core/base/json.hpp"
#include "core/results/report/memory_holders.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace orrery {
namespace {

using test::run;
using test::smallScenario;

std::vector<Json> plans() {
    std::vector<Json> documents;
    for (const char* recompute : {"none", "selective", "full"}) {
        documents.push_back(smallScenario(2, 4, 1, 8));
        documents.back()["execution"]["recompute"] = recompute;
    }
    documents.push_back(smallScenario(1, 4, 2, 16));
    documents.back()["parallelism"]["virtual_pipeline"] = 2;
    documents.back()["parallelism"]["schedule"] = "interleaved";
    for (int zero : {1, 3}) {
        documents.push_back(smallScenario(1, 1, 8, 4));
        documents.back()["parallelism"]["zero_stage"] = zero;
    }
    return documents;
}

double total(const std::vector<MemoryHolder>& holders) {
    return std::accumulate(holders.begin(), holders.end(), 0.0, [](double sum, const MemoryHolder& holder) { return sum + holder.bytes; });
}

double sampled(const Result& result, std::size_t stage, double time) {
    const StageTimeline& line = result.timeline.stages[stage];
    const auto after = std::upper_bound(line.memory.begin(), line.memory.end(), time, [](double t, const MemorySample& s) { return t < s.time; });
    const MemorySample sample = after == line.memory.begin() ? MemorySample{} : *std::prev(after);
    return line.staticBytes + sample.activations + sample.temporary;
}

TEST(MemoryHolders, AtAStagesPeakTheySumByKindToItsAccount) {
    for (const Json& plan : plans()) {
        const ResultPtr result = run(plan);
        for (const StageMemory& stage : result->memory.stages) {
            std::array<double, memoryKindCount> sums{};
            for (const MemoryHolder& holder : holdersAt(*result, stage.stage, stage.peakTime)) sums[std::size_t(holder.kind)] += holder.bytes;
            for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
                EXPECT_NEAR(sums[kind], stage.bytes[kind], 1) << toString(MemoryKind(kind)) << " stage " << stage.stage;
            EXPECT_NEAR(total(holdersAt(*result, stage.stage, stage.peakTime)), stage.peakBytes, 1);
        }
    }
}

TEST(MemoryHolders, NeverMoreThanTheSampleAndTheSampleItselfSomewhereInThePiece) {
    for (const Json& plan : plans()) {
        const ResultPtr result = run(plan);
        for (std::size_t stage = 0; stage < result->timeline.stages.size(); stage += 3) {
            const std::vector<Span>& spans = result->timeline.stages[stage].streams[0].spans;
            for (std::size_t i = 0; i < spans.size(); i += 1 + spans.size() / 12) {
                double most = 0;
                for (const SegmentEntry& entry : result->timeline.segments[spans[i].segment].entries) {
                    const double now = total(holdersAt(*result, int(stage), spans[i].start + entry.start));
                    EXPECT_LE(now, sampled(*result, stage, spans[i].start) + 1);
                    most = std::max(most, now);
                }
                EXPECT_NEAR(most, sampled(*result, stage, spans[i].start), 1);
            }
        }
    }
}

TEST(MemoryHolders, BetweenPiecesTheyAreWhatIsKept) {
    const ResultPtr result = run(smallScenario(2, 4, 1, 8));
    const std::vector<Span>& spans = result->timeline.stages[1].streams[0].spans;
    bool anyGap = false;
    for (std::size_t i = 1; i < spans.size(); ++i) {
        const double before = spans[i - 1].end, gap = spans[i].start - before;
        if (gap < 1e-6) continue;
        anyGap = true;
        EXPECT_NEAR(total(holdersAt(*result, 1, before + gap / 2)), sampled(*result, 1, before + gap / 2), 1);
    }
    EXPECT_TRUE(anyGap);
}

TEST(MemoryHolders, LivesHoldTheMomentAndEveryActivationHasAProducerAndALastUse) {
    std::mt19937_64 random(7);
    for (const Json& plan : plans()) {
        const ResultPtr result = run(plan);
        for (int draw = 0; draw < 10; ++draw) {
            const double time = result->timeline.duration * double(random() % 1000) / 1000;
            const int stage = int(random() % result->timeline.stages.size());
            for (const MemoryHolder& holder : holdersAt(*result, stage, time)) {
                EXPECT_GT(holder.bytes, 0);
                EXPECT_LE(holder.from, time) << holder.tensor;
                EXPECT_GE(holder.to, time) << holder.tensor;
                if (holder.kind != MemoryKind::activations) continue;
                EXPECT_FALSE(holder.firstOperator.empty()) << holder.tensor;
                EXPECT_FALSE(holder.lastOperator.empty()) << holder.tensor << " of layer " << holder.layer;
            }
        }
    }
}

TEST(MemoryHolders, BeforeAndAfterTheIterationOnlyWhatStays) {
    const ResultPtr result = run(smallScenario(2, 4, 1, 8));
    for (double time : {-1.0, result->timeline.duration + 1})
        for (const MemoryHolder& holder : holdersAt(*result, 2, time)) EXPECT_NE(holder.kind, MemoryKind::activations);
}

} // namespace
} // namespace orrery
