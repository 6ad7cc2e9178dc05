// SPDX-License-Identifier: GPL-3.0-or-later
// What models with windows keep of a sequence, by arithmetic from their configs: heads × (key + value) × 2 bytes a token and layer; a layer
// with a window keeps what the next token sees beside itself, one with chunks what has come of the newest chunk.
#include "core/base/json_parser.hpp"
#include "core/served/inference/held_cache.hpp"
#include "tests/core/served/inference/engines.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

struct KeptBy {
    const char* model;
    double windowed, span, bytesWindowed; ///< layers, tokens, bytes of a token
    bool chunks;
    double whole, bytesWhole;

    double seen(double tokens) const { return chunks ? std::fmod(tokens, span) : std::min(tokens, span - 1); }
    double bytes(double tokens) const { return windowed * bytesWindowed * seen(tokens) + whole * bytesWhole * tokens; }
};

constexpr KeptBy shipped[] = {
    {"gemma-3-27b", 52, 1024, 16 * (128 + 128) * 2, false, 10, 16 * (128 + 128) * 2},
    {"gpt-oss-20b", 12, 128, 8 * (64 + 64) * 2, false, 12, 8 * (64 + 64) * 2},
    {"gpt-oss-120b", 18, 128, 8 * (64 + 64) * 2, false, 18, 8 * (64 + 64) * 2},
    {"llama-4-scout-17b-16e", 36, 8192, 8 * (128 + 128) * 2, true, 12, 8 * (128 + 128) * 2},
    {"llama-4-maverick-17b-128e", 36, 8192, 8 * (128 + 128) * 2, true, 12, 8 * (128 + 128) * 2},
};
constexpr KeptBy published[] = {
    {"mimo-v2-flash", 39, 128, 8 * (192 + 128) * 2, false, 9, 4 * (192 + 128) * 2},
    {"step-3.7-flash", 33, 512, 8 * (128 + 128) * 2, false, 12, 8 * (128 + 128) * 2},
    {"gemma-4-26b-a4b", 25, 1024, 8 * (256 + 256) * 2, false, 5, 2 * (512 + 512) * 2},
};

void keepsWhatItsConfigSays(const KeptBy& kept, const EngineModel& engine) {
    const StepModel model(engine);
    ASSERT_EQ(model.stages().size(), 1u);
    const StepModel::StageHold& stage = model.stages().front();
    for (const std::int64_t tokens : {1000, 100000}) EXPECT_NEAR(stage.cacheOf(tokens) / kept.bytes(static_cast<double>(tokens)), 1, 1e-12) << kept.model << ' ' << tokens;
    EXPECT_LT(stage.cacheOf(100000), 0.6 * 100000 * stage.cache) << kept.model;
    const CacheWindow window = cacheWindow(model);
    EXPECT_EQ(window.span, static_cast<std::int64_t>(kept.span)) << kept.model;
    EXPECT_EQ(window.chunks, kept.chunks) << kept.model;
    EXPECT_NEAR(window.share, kept.windowed * kept.bytesWindowed / (kept.windowed * kept.bytesWindowed + kept.whole * kept.bytesWhole), 1e-12) << kept.model;
}

TEST(HeldCache, OfASequenceIsTheArithmeticOfTheConfig) {
    for (const KeptBy& kept : shipped) keepsWhatItsConfigSays(kept, test::engineOn(kept.model, "h100-sxm5-80gb", "vllm-2025", 1));
}

TEST(HeldCache, OfNewerModelsToo) {
    ORRERY_REQUIRE_SHARED("reference/models_2026.json");
    Problems problems;
    const auto document = parseJsonText("{\"config\": " + test::readWholeFile(test::sharedPath("reference/models_2026.json")) + "}", "", problems); // Python writes Infinity
    ASSERT_TRUE(document);
    for (const KeptBy& kept : published)
        for (const Json& entry : document->at("config").at("models"))
            if (entry.at("id") == kept.model) keepsWhatItsConfigSays(kept, test::engineOn(test::architectureOf(entry.at("config")), "h100-sxm5-80gb", "vllm-2025", 1));
}

// Gemma 4's smaller models: layers that share an earlier one's keys keep none.
TEST(HeldCache, OfSharedKeys) {
    const Json models = Json::parse(test::readWholeFile(test::sourcePath("tests/data/public_models.json")));
    for (const Json& entry : models.at("models")) {
        if (entry.at("name") != "gemma-4-E2B text") continue;
        const StepModel model(test::engineOn(test::architectureOf(entry.at("config")), "h100-sxm5-80gb", "vllm-2025", 1));
        // Of 15 layers that keep some, three have no window; heads of 256 and of 512 elements, one a layer.
        for (const double tokens : {1000.0, 100000.0}) EXPECT_NEAR(model.stages().front().cacheOf(static_cast<std::int64_t>(tokens)) / (12 * 511 * 2 * 256 * 2 + 3 * tokens * 2 * 512 * 2), 1, 1e-12);
    }
}

TEST(HeldCache, IsNeverMoreThanAllTokensAndWindowsBeyondThemChangeNothing) {
    test::RandomSource random(41);
    for (int round = 0; round < 60; ++round) {
        EngineModel engine = test::engineOn(random.pick<const char*>({"gemma-3-27b", "gpt-oss-20b", "llama-4-scout-17b-16e", "llama-3.1-8b"}), "h100-sxm5-80gb", "vllm-2025", 1 << random.below(4));
        engine.parallelism.pipeline = 1 + static_cast<int>(random.below(4));
        engine.cachePrecision = random.chance(0.5) ? Precision::fp8 : Precision::bf16;
        const StepModel model(engine);
        const CacheWindow window = cacheWindow(model);
        for (int i = 0; i < 20; ++i) {
            const auto tokens = static_cast<std::int64_t>(random.logBetween(1, 1e6));
            for (const StepModel::StageHold& stage : model.stages()) {
                EXPECT_LE(stage.cacheOf(tokens), stage.cache * static_cast<double>(tokens));
                EXPECT_GE(stage.cacheOf(tokens), 0);
                EXPECT_TRUE((window.span > 0 && tokens >= window.span) || stage.cacheOf(tokens) == stage.cache * static_cast<double>(tokens));
                // What a pool takes for it: what its window leaves is left on every stage.
                EXPECT_LE(stage.cacheOf(tokens), (1 + 1e-12) * stage.cache * (static_cast<double>(tokens) - window.share * static_cast<double>(window.tokensBehind(tokens))));
            }
        }
    }
}

} // namespace
} // namespace orrery
