// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of an engine's step: sums, floors by the data sheet, answers that do not depend on what was asked before.
#include "tests/core/served/inference/engines.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace orrery {
namespace {

using test::decodesOf;
using test::engineOn;
using test::promptsOf;

TEST(StepModel, NoWorkTakesNoTime) { EXPECT_EQ(StepModel(engineOn("llama-3.1-8b", "h100-sxm5-80gb", "vllm-2025", 1)).seconds({}), 0); }

TEST(StepModel, PartsAreWhatItsOperatorsTake) {
    for (const char* id : {"llama-3.1-70b", "deepseek-v3", "gpt-oss-120b"}) {
        EngineModel engine = engineOn(id, "h200-sxm-141gb", "vllm-2025", 8);
        engine.precision = engine.cachePrecision = Precision::fp8;
        const StepModel model(engine);
        // On the grid: 16 decodes over 2,048 tokens.
        const StepBatch step = decodesOf(16, 2048);
        const StepParts parts = model.parts(step);
        double sum = 0;
        for (const StepModel::Counted& counted : model.counted(step)) sum += counted.count * counted.timed.time;
        EXPECT_NEAR(sum / parts.device(), 1, 1e-9) << id;
        EXPECT_GT(parts.gemm, 0);
        EXPECT_GT(parts.attention, 0);
        EXPECT_GT(parts.collectives, 0);
        const std::vector<TimedOperator> list = model.operators(step);
        EXPECT_NEAR(std::accumulate(list.begin(), list.end(), 0.0, [](double s, const TimedOperator& t) { return s + t.time; }) / sum, 1, 1e-9);
    }
}

/// Physics: weights and cache over the data sheet's bandwidth, and the collectives' latencies.
TEST(StepModel, NoDecodeBeatsItsFloor) {
    test::RandomSource random(11);
    for (const char* id : {"llama-3.1-8b", "llama-3.1-70b", "deepseek-v3", "qwen3-235b-a22b", "gpt-oss-20b", "gemma-3-27b"})
        for (const char* chip : {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "mi300x"})
            for (const Precision precision : {Precision::bf16, Precision::fp8, Precision::int4}) {
                EngineModel engine = engineOn(id, chip, "trtllm-2025", 1 << random.below(4));
                engine.precision = precision;
                engine.cachePrecision = random.chance(0.5) ? Precision::fp8 : Precision::bf16;
                const StepModel model(engine);
                const int decodes = static_cast<int>(random.logBetween(1, 256));
                const double length = random.logBetween(16, 32768);
                if (engine.model.kinds.size() > 1 && engine.model.kinds.front().reach != AttentionReach::all) continue; // windows read less than the cache
                EXPECT_GE(model.seconds(decodesOf(decodes, length)), decodeFloor(model, decodes, decodes * length)) << id << ' ' << chip << ' ' << wordOf(precision) << ' ' << decodes << ' ' << length;
            }
}

TEST(StepModel, AnswersDoNotDependOnWhatWasAskedBefore) {
    const EngineModel engine = engineOn("llama-3.1-8b", "h100-sxm5-80gb", "vllm-2025", 1);
    const StepModel used(engine);
    test::RandomSource random(3);
    std::vector<StepBatch> asked;
    for (int i = 0; i < 60; ++i) {
        StepBatch step = decodesOf(static_cast<int>(random.between(std::size_t{0}, std::size_t{300})), random.logBetween(1, 9000));
        if (random.chance(0.4)) step.prefills.push_back({static_cast<int>(random.between(std::size_t{1}, std::size_t{4000})), static_cast<int>(random.below(3)) * 1000});
        asked.push_back(step);
        used.seconds(step);
    }
    for (const StepBatch& step : asked) EXPECT_EQ(used.seconds(step), StepModel(engine).seconds(step));
}

TEST(StepModel, MoreContextAndMoreTokensTakeNoLess) {
    const StepModel model(engineOn("llama-3.1-8b", "h100-sxm5-80gb", "vllm-2025", 1));
    double before = 0;
    for (double length = 64; length < 1e5; length *= 2) {
        const double time = model.parts(decodesOf(32, length)).attention;
        EXPECT_GE(time, 0.98 * before) << length; // measured kernels cut keys anew now and then
        before = time;
    }
    before = 0;
    for (int tokens = 256; tokens <= 16384; tokens *= 2) {
        const double time = model.seconds(promptsOf(1, tokens));
        EXPECT_GE(time, before) << tokens;
        before = time;
    }
}

TEST(StepModel, PromptsOfDifferentLengthsLieBetweenEqualOnes) {
    const StepModel model(engineOn("llama-3.1-8b", "h100-sxm5-80gb", "vllm-2025", 1));
    StepBatch mixed;
    mixed.prefills = {{3000, 0}, {1000, 0}};
    const double attention = model.parts(mixed).attention;
    EXPECT_GT(attention, model.parts(promptsOf(2, 2000)).attention);
    EXPECT_LT(attention, model.parts(promptsOf(1, 4000)).attention);
}

/// Without CUDA graphs the host launches kernel by kernel, which small steps wait for: one or two tokens of a dense model, one of a model with
/// experts (each token more reads other experts). Large ones hide it, but gain nothing: a captured size without empty rows, and prompts, are
/// never slower with graphs.
TEST(StepModel, NoStepIsFasterWithoutGraphs) {
    for (const char* profile : {"vllm-2025", "vllm-2024", "sglang-2025", "trtllm-2025"})
        for (const char* id : {"llama-3.1-8b", "gpt-oss-20b"})
            for (const bool planned : {false, true}) {
                EngineModel engine = engineOn(id, "h100-sxm5-80gb", profile, 1);
                engine.asyncScheduling = planned;
                engine.cudaGraphs = true;
                const StepModel captured(engine);
                engine.cudaGraphs = false;
                const StepModel eager(engine);
                const std::string which = std::string(profile) + ' ' + id;
                const double least = engine.profile.serving.fusesRotary ? 1.15 : 1.2; // who fuses has fewer to launch
                const auto withoutHost = [](const StepModel& model, int decodes) { return model.seconds(decodesOf(decodes, 500)) - model.parts(decodesOf(decodes, 500)).host; };
                for (int decodes = 1; decodes <= (engine.model.experts ? 1 : 2); ++decodes) EXPECT_GT(withoutHost(eager, decodes), least * withoutHost(captured, decodes)) << which << ' ' << decodes;
                for (const int decodes : {1, 2, 4, 8, 32, 256, 512, 520}) EXPECT_GE(eager.seconds(decodesOf(decodes, 4000)), captured.seconds(decodesOf(decodes, 4000))) << which << ' ' << decodes;
                for (const int tokens : {16, 100, 700, 5000}) EXPECT_GE(eager.seconds(promptsOf(1, tokens)), captured.seconds(promptsOf(1, tokens))) << which << ' ' << tokens;
            }
}

TEST(StepModel, SpeculationVerifiesForLessThanAsManySteps) {
    const StepModel model(engineOn("llama-3.1-70b", "h100-sxm5-80gb", "vllm-2025", 4));
    const double one = model.seconds(decodesOf(4, 2000)), five = model.seconds(decodesOf(4, 2000, 4));
    EXPECT_GE(five, 0.95 * one);
    EXPECT_LT(five, 2 * one);
}

TEST(StepModel, WeightsAndCacheAreTheConfigs) {
    const EngineModel engine = engineOn("llama-3.1-70b", "h100-sxm5-80gb", "vllm-2025", 1);
    EXPECT_NEAR(StepModel(engine).weightBytes() / (2 * engine.model.parameters()), 1, 1e-12);
    EXPECT_DOUBLE_EQ(StepModel(engine).kvBytesPerToken(), 327680);
    EngineModel eight = engineOn("llama-3.1-70b", "h100-sxm5-80gb", "vllm-2025", 8);
    EXPECT_DOUBLE_EQ(StepModel(eight).kvBytesPerToken(), 327680 / 8.0);
    eight.parallelism.tensor = 4;
    eight.parallelism.pipeline = 2;
    EXPECT_DOUBLE_EQ(StepModel(eight).kvBytesPerToken(), 327680 / 8.0);
    EngineModel deepSeek = engineOn("deepseek-v3", "b200-sxm-180gb", "trtllm-2025", 8);
    EXPECT_DOUBLE_EQ(StepModel(deepSeek).kvBytesPerToken(), 70272);
    // All of it, each expert once, and what tensor ranks hold in common.
    const double shared = StepModel(deepSeek).weightBytes() * 8 / (2 * deepSeek.model.parameters());
    EXPECT_GT(shared, 1);
    EXPECT_LT(shared, 1.05);
    // Attention groups hold attention's weights whole and share experts out.
    deepSeek.parallelism.tensor = 1;
    deepSeek.parallelism.attentionData = deepSeek.parallelism.expert = 8;
    EXPECT_GT(StepModel(deepSeek).weightBytes() * 8, 2 * deepSeek.model.parameters());
    EXPECT_LT(StepModel(deepSeek).weightBytes() * 8, 1.3 * 2 * deepSeek.model.parameters());
}

/// 32 tokens that choose 8 of 256 experts each meet 1 - (31/32)^32 = 64 % of them, 256 tokens all: what is streamed goes with that. (Tables deal
/// 256 copies to 256 experts.)
TEST(StepModel, FewTokensStreamTheExpertsTheyChoose) {
    const auto expertsTime = [](const EngineModel& engine, int decodes) {
        const StepModel model(engine);
        for (const StepModel::Counted& counted : model.counted(decodesOf(decodes, 1024)))
            if (counted.timed.op.name == "moe.experts") return counted.timed.time;
        return 0.0;
    };
    EngineModel engine = engineOn("deepseek-v3", "b200-sxm-180gb", "trtllm-2025", 8);
    engine.precision = Precision::fp8;
    const double some = expertsTime(engine, 32), all = expertsTime(engine, 256);
    EXPECT_GT(some, 0.5 * all);
    EXPECT_LT(some, 0.8 * all);
    // Ranks that share experts out wait for the one of which most are chosen.
    engine.parallelism.expert = 8;
    EXPECT_GT(expertsTime(engine, 32), 0.6 * expertsTime(engine, 256));
}

TEST(StepModel, NarrowerWeightsReadFaster) {
    EngineModel engine = engineOn("llama-3.1-70b", "a100-sxm4-80gb", "vllm-2024", 4);
    const double wide = StepModel(engine).seconds(decodesOf(1, 100));
    engine.precision = Precision::int8;
    const double eight = StepModel(engine).seconds(decodesOf(1, 100));
    engine.precision = Precision::int4;
    const double four = StepModel(engine).seconds(decodesOf(1, 100));
    EXPECT_LT(eight, wide);
    EXPECT_LT(four, eight);
}

TEST(StepModel, StagesSendAndOverlap) {
    EngineModel engine = engineOn("llama-3.1-70b", "h100-sxm5-80gb", "vllm-2025", 4);
    const double alone = StepModel(engine).parts(promptsOf(4, 1024)).device();
    engine.parallelism.pipeline = 2;
    const StepModel staged(engine);
    const StepParts parts = staged.parts(promptsOf(4, 1024));
    EXPECT_GT(parts.pipeline, 0);
    EXPECT_NEAR((parts.device() - parts.pipeline) / alone, 1, 1e-9);
    EXPECT_LT(staged.interval(promptsOf(4, 1024)), 0.6 * parts.total());
}

TEST(StaticEstimates, SumTheirSteps) {
    const StepModel model(engineOn("llama-3.1-8b", "h100-sxm5-80gb", "trtllm-2024", 1));
    const StaticEstimate estimate = estimateStatic(model, {24, 700, 300});
    double decoding = 0;
    for (int length = 701; length <= 999; ++length) decoding += model.seconds(decodesOf(24, length));
    EXPECT_NEAR((estimate.latency - estimate.ttft) / decoding, 1, 0.002);
    EXPECT_NEAR(estimate.ttft + 299 * estimate.tpot, estimate.latency, 1e-9);
    EXPECT_DOUBLE_EQ(estimate.outputRate, 24 * 300 / estimate.latency);
    EXPECT_DOUBLE_EQ(estimate.ttft, model.seconds(promptsOf(24, 700)));
    EXPECT_DOUBLE_EQ(estimate.memory.cache, 24 * 1000 * model.kvBytesPerToken());
    EXPECT_TRUE(estimate.fits);
    EXPECT_FALSE(estimateStatic(model, {640, 7000, 300}).fits);
    const StaticEstimate one = estimateStatic(model, {1, 700, 1});
    EXPECT_EQ(one.tpot, 0);
    EXPECT_EQ(one.latency, one.ttft);
}

} // namespace
} // namespace orrery
