// SPDX-License-Identifier: GPL-3.0-or-later
// What engines of 2026 do about experts and latent attention, held by tables, closed forms and laws.
#include "tests/core/served/inference/engines.hpp"
#include "tests/support/random_source.hpp"

#include "core/served/inference/routed_experts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

using test::decodesOf;
using test::engineOn;

const TimedOperator* operatorNamed(const std::vector<StepModel::Counted>& all, std::string_view name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const StepModel::Counted& one) { return one.timed.op.name == name; });
    return found == all.end() ? nullptr : &found->timed;
}

/// DeepSeek-R1 spread over `ranks` of a rack whose NVLink memory reaches over hosts.
EngineModel wideExperts(int ranks, Precision precision) {
    EngineModel engine = engineOn("deepseek-r1", "gb200", "trtllm-2026", 1);
    engine.parallelism.attentionData = ranks;
    engine.parallelism.expert = ranks;
    engine.precision = precision;
    engine.network.domainSize = ranks;
    engine.network.domainSpansHosts = true;
    return engine;
}

/// One-sided NVLink kernels on GB200 (ai-dynamo/aiconfigurator, TensorRT-LLM 1.3.0rc10, top 8 of 256, width 7168, balanced): microseconds.
struct MeasuredExchange {
    int ranks;
    double tokens, dispatch, combine;
};

TEST(ExpertTraffic, IsAsLongAsMeasuredOnARack) {
    constexpr MeasuredExchange rows[]{{16, 256, 30.2, 63.7}, {16, 1024, 69.1, 206.4}, {32, 64, 21.9, 39.8}, {32, 1024, 72.7, 220.8}, {32, 8192, 424.2, 1417.6}};
    for (const MeasuredExchange& row : rows) {
        EngineModel engine = wideExperts(row.ranks, Precision::nvfp4);
        engine.model.experts->groups = engine.model.experts->groupsPerToken = 1; // the tables' tokens choose among all experts
        const ExchangeLibrary* library = expertExchange(engine);
        ASSERT_NE(library, nullptr);
        const ExchangeTimes times = exchangeTimes(engine, engineFormats(Precision::nvfp4, std::nullopt, Precision::fp8), *library, row.tokens);
        EXPECT_NEAR(times.dispatch * 1e6 / row.dispatch, 1, 0.35) << row.ranks << ' ' << row.tokens;
        EXPECT_NEAR(times.combine * 1e6 / row.combine, 1, 0.35) << row.ranks << ' ' << row.tokens;
    }
}

TEST(ExpertTraffic, GathersWhereNoLibraryReaches) {
    EngineModel engine = wideExperts(32, Precision::fp8);
    EXPECT_NE(expertExchange(engine), nullptr);
    engine.network.domainSpansHosts = false; // eight accelerators of one board
    EXPECT_EQ(expertExchange(engine), nullptr);
    engine = wideExperts(32, Precision::fp8);
    engine.network.domainSize = 4; // ranks in several domains
    EXPECT_EQ(expertExchange(engine), nullptr);
    engine = wideExperts(32, Precision::fp8);
    engine.parallelism.expert = 8; // experts' matrices are cut
    EXPECT_EQ(expertExchange(engine), nullptr);
}

/// Bytes a token sends: never more than to all other ranks, and in 16 bit twice those in 8.
TEST(ExpertTraffic, GrowsWithTokensAndWidth) {
    test::RandomSource random(5);
    for (int i = 0; i < 200; ++i) {
        const int ranks = 1 << (1 + random.below(6));
        const EngineModel engine = wideExperts(ranks, Precision::fp8);
        const ExchangeLibrary& library = *expertExchange(engine);
        const EngineFormats formats = engineFormats(Precision::fp8, std::nullopt, Precision::fp8);
        const double tokens = random.logBetween(1, 4096);
        const ExchangeTimes times = exchangeTimes(engine, formats, library, tokens);
        const double dispatched = times.dispatch - library.start, combined = times.combine - library.start;
        EXPECT_NEAR(combined / dispatched, 2, 1e-9);
        const double most = tokens * (ranks - 1) * double(engine.model.hidden) / (library.upShare * engine.network.upBandwidth);
        EXPECT_LE(dispatched, most * (1 + 1e-9));
        EXPECT_GT(dispatched, 0);
    }
}

TEST(LatentAttention, OneProductMakesBothLatents) {
    EngineModel engine = engineOn("deepseek-r1", "b200-sxm-180gb", "sglang-2026", 8);
    const StepModel joined(engine);
    engine.profile.serving.joinsLatentDowns = false;
    const StepModel apart(engine);
    const StepBatch step = decodesOf(16, 2048);
    const auto ofJoined = joined.counted(step), ofApart = apart.counted(step);
    const TimedOperator* one = operatorNamed(ofJoined, "attention.qkv_down");
    const TimedOperator *query = operatorNamed(ofApart, "attention.q_down"), *keyValue = operatorNamed(ofApart, "attention.kv_down");
    ASSERT_TRUE(one && query && keyValue);
    EXPECT_EQ(operatorNamed(ofJoined, "attention.kv_down"), nullptr);
    EXPECT_DOUBLE_EQ(one->op.flops, query->op.flops + keyValue->op.flops);
    EXPECT_DOUBLE_EQ(one->op.shape.n, query->op.shape.n + keyValue->op.shape.n);
    EXPECT_LT(one->time, query->time + keyValue->time);
    EXPECT_DOUBLE_EQ(joined.weightBytes(), apart.weightBytes());
}

/// Beside the routed experts a shared one hides, but never all of what both read and multiply.
TEST(SharedExpert, BesideTheRoutedOnesTakesNoLessThanBothBounds) {
    test::RandomSource random(9);
    for (int i = 0; i < 60; ++i) {
        EngineModel engine = engineOn("deepseek-r1", random.chance(0.5) ? "b200-sxm-180gb" : "h200-sxm-141gb", "vllm-2026", 8);
        engine.precision = engine.cachePrecision = Precision::fp8;
        const StepModel beside(engine);
        const int limit = std::exchange(engine.profile.serving.sharedBeside, 0);
        ASSERT_GT(limit, 0);
        const StepModel after(engine);
        const int decodes = static_cast<int>(random.logBetween(1, 1024));
        const StepBatch step = decodesOf(decodes, 1024);
        const double quick = beside.seconds(step), slow = after.seconds(step);
        if (decodes > limit) {
            EXPECT_DOUBLE_EQ(quick, slow) << decodes;
            continue;
        }
        EXPECT_LE(quick, slow * (1 + 1e-12)) << decodes;
        EXPECT_GE(quick, decodeFloor(beside, decodes, decodes * 1024.0)) << decodes;
        if (decodes <= 16) {
            EXPECT_LT(quick, slow) << decodes;
        }
    }
}

/// A norm over the whole width of queries and keys meets the other ranks once a layer (MiniMax-M2.5), one over each head does not (Qwen3).
TEST(WholeNorms, MeetOnceALayer) {
    const auto sums = [](const char* model, int tensor) {
        double count = 0;
        for (const StepModel::Counted& one : StepModel(engineOn(model, "h200-sxm-141gb", "vllm-2026", tensor)).counted(decodesOf(8, 512)))
            if (one.timed.op.name == "attention.qk_norm.reduce") count += one.count;
        return count;
    };
    EXPECT_EQ(sums("minimax-m2.5", 4), 62);
    EXPECT_EQ(sums("minimax-m2.5", 1), 0);
    EXPECT_EQ(sums("qwen3-235b-a22b", 4), 0);
}

/// Each slot holds an expert's three matrices, whoever's copy it is.
TEST(ExpertSlots, EachTakesAnExpertsMatrices) {
    EngineModel engine = wideExperts(64, Precision::bf16);
    const double without = StepModel(engine).weightBytes();
    engine.expertSlots = 256;
    EXPECT_EQ(StepModel(engine).weightBytes(), without) << "one an expert";
    for (const int slots : {320, 384, 512}) {
        engine.expertSlots = slots;
        const double layers = 58, matrices = 3.0 * 7168 * 2048, element = 2; // DeepSeek-R1's
        EXPECT_NEAR((StepModel(engine).weightBytes() - without) / (layers * (slots - 256) / 64 * matrices * element), 1, 1e-9) << slots;
    }
}

/// Tokens choose experts freely, and one copy of each. Every expert once, twice, or some of them twice: what a rank reads of its slots in the mean.
TEST(ExpertSlots, ATokenReadsOneCopy) {
    EngineModel engine = wideExperts(32, Precision::bf16);
    const EngineFormats formats = engineFormats(Precision::bf16, std::nullopt, Precision::bf16);
    const double expert = 3.0 * 7168 * 2048 * 2; // bytes
    for (const double tokens : {4.0, 32.0, 200.0, 5000.0}) {
        const auto missed = [&](double copies) { return std::pow(1 - 8.0 / 256 / copies, tokens); };
        const double plain = hitWeightBytes(engine, formats, tokens);
        for (const auto& [slots, once, twice] : {std::array{256.0, 256.0, 0.0}, {512.0, 0.0, 256.0}, {288.0, 224.0, 32.0}}) {
            engine.expertSlots = slots;
            const double slotsRead = std::max(1.0, (once * (1 - missed(1)) + 2 * twice * (1 - missed(2))) / 32);
            EXPECT_NEAR(hitWeightBytes(engine, formats, tokens) / (slotsRead * expert), 1, 1e-9) << slots << ' ' << tokens;
            EXPECT_GE(hitWeightBytes(engine, formats, tokens), plain * (1 - 1e-12)) << "copies never save a matrix";
        }
        engine.expertSlots = 0;
    }
}

TEST(ExpertSlots, OneAnExpertChangesNothing) {
    for (const Precision precision : {Precision::fp8, Precision::nvfp4}) {
        EngineModel engine = wideExperts(32, precision);
        const StepModel plain(engine);
        engine.expertSlots = 256;
        const StepModel told(engine);
        for (const int decodes : {1, 32, 512, 4096}) EXPECT_EQ(told.seconds(decodesOf(decodes, 1024)), plain.seconds(decodesOf(decodes, 1024)));
        // Where tokens meet every expert anyway, copies are read beside them.
        engine.expertSlots = 512;
        EXPECT_GT(StepModel(engine).seconds(decodesOf(4096, 1024)), plain.seconds(decodesOf(4096, 1024)));
    }
}

} // namespace
} // namespace orrery
