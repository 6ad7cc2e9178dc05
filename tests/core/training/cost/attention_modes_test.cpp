// SPDX-License-Identifier: GPL-3.0-or-later
// Attention by its mode: which table's call does the work, and that no time beats the data sheet.
#include "core/model/transformer_graph.hpp"
#include "core/operators/predictor.hpp"
#include "core/training/cost/cost_terms.hpp"
#include "core/training/cost/kernel_calls.hpp"
#include "core/training/passes/passes.hpp"

#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

Architecture presetModel(const char* id) {
    Problems problems;
    return importArchitecture(test::catalog().model(id)->config, "", problems).value();
}

Operator coreOf(const Architecture& a, const AttentionGroup& group, CacheFormat cache, int tensor = 1) {
    Graph layer = tensorPass(buildStepPieces(a, {{group}, cache}).layers[0], a, tensor);
    settleTraffic(layer, {});
    return *std::find_if(layer.forward.begin(), layer.forward.end(), [](const Operator& op) { return op.kind == OperatorKind::attention; });
}

CostModel servingModel(const char* accelerator) {
    const Accelerator& chip = *test::catalog().accelerator(accelerator);
    CostModel model = makeCostModel(chip, test::catalog().kernels(chip), Precision::bf16);
    model.kernelTimes = std::make_shared<const KernelTimes>(chip, test::catalog(), test::catalog().operatorTimes().predictor, nullptr);
    return model;
}

KernelCall callOf(KernelKind kind, KernelFormat cache, std::array<double, 9> sizes) { return {kind, KernelFormat::bf16, cache, 0, sizes}; }

TEST(AttentionModes, NameTheTablesCalls) {
    const Architecture llama = presetModel("llama-3.1-70b"), deepSeek = presetModel("deepseek-v3");
    const auto decode = equivalentCall(coreOf(llama, {AttentionMode::decode, 32, 1, 2047}, CacheFormat::fp8, 4));
    EXPECT_EQ(decode->call, callOf(KernelKind::generation_attention, KernelFormat::fp8, {32, 2048, 16, 2, 128, 0}));
    EXPECT_DOUBLE_EQ(decode->times, 1);
    const auto latent = equivalentCall(coreOf(deepSeek, {AttentionMode::decode, 64, 1, 4095}, CacheFormat::sixteen_bit, 8));
    EXPECT_EQ(latent->call, callOf(KernelKind::generation_mla, KernelFormat::bf16, {64, 4096, 16}));
    const auto prompt = equivalentCall(coreOf(deepSeek, {AttentionMode::prefill, 2, 1024, 0}, CacheFormat::fp8));
    EXPECT_EQ(prompt->call, callOf(KernelKind::context_mla, KernelFormat::fp8, {2, 1024, 128}));
    EXPECT_DOUBLE_EQ(prompt->times, 1);
    // Four guesses verified with the next token: five rows for each query head.
    const auto verified = equivalentCall(coreOf(llama, {AttentionMode::decode, 8, 5, 1000}, CacheFormat::sixteen_bit, 8));
    EXPECT_EQ(verified->call, callOf(KernelKind::generation_attention, KernelFormat::bf16, {8, 1005, 40, 1, 128, 0}));
}

TEST(AttentionModes, ChunkIsItsOwnPromptAndAShareOfWholeOnes) {
    const Architecture llama = presetModel("llama-3.1-8b");
    const auto chunk = equivalentCall(coreOf(llama, {AttentionMode::chunk, 1, 512, 3584}, CacheFormat::sixteen_bit));
    EXPECT_EQ(chunk->call, callOf(KernelKind::context_attention, KernelFormat::bf16, {1, 512, 32, 8, 128, 0}));
    EXPECT_EQ(chunk->overCache, callOf(KernelKind::context_attention, KernelFormat::bf16, {1, 4096, 32, 8, 128, 0}));
    // Its own half square and the share of the whole one are the pairs it computes.
    const double pairs = 512.0 * 512 / 2 + chunk->overCacheTimes * 4096 * 4096 / 2;
    EXPECT_DOUBLE_EQ(pairs, 512.0 * 3584 + 512.0 * 512 / 2);
}

TEST(AttentionModes, DecodeNeverBeatsTheDataSheet) {
    for (const char* chip : {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "mi300x"}) {
        const CostModel model = servingModel(chip);
        for (const char* id : {"llama-3.1-8b", "deepseek-v3"}) {
            const Architecture a = presetModel(id);
            for (const double sequences : {1.0, 8.0, 64.0, 256.0})
                for (const double context : {127.0, 1023.0, 8191.0, 65535.0})
                    for (const CacheFormat cache : {CacheFormat::sixteen_bit, CacheFormat::fp8}) {
                        const Operator core = coreOf(a, {AttentionMode::decode, sequences, 1, context}, cache);
                        EXPECT_GE(operatorTime(model, core).time, core.bytesRead / model.memoryBandwidth) << chip << ' ' << id << ' ' << sequences << ' ' << context;
                    }
        }
    }
}

TEST(AttentionModes, ALongerContextNeverTakesAChunkLessTime) {
    const CostModel model = servingModel("h100-sxm5-80gb");
    const Architecture a = presetModel("llama-3.1-8b");
    double before = 0;
    for (double context = 0; context <= 32768; context = context > 0 ? 2 * context : 512) {
        const double time = operatorTime(model, coreOf(a, {AttentionMode::chunk, 1, 512, context}, CacheFormat::sixteen_bit)).time;
        EXPECT_GE(time, before) << context;
        before = time;
    }
}

} // namespace
} // namespace orrery
