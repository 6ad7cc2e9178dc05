// SPDX-License-Identifier: GPL-3.0-or-later
// Images beside text: what `workload.images` changes, what it leaves, and what is refused.
#include "core/results/report/result.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>

namespace orrery::test {
namespace {

/// A language model of four layers that sees: 576 tokens an image of 768 × 768 pixels, 2,304 patches of 1,152 elements in the tower.
Json seeing(const Json& workload) {
    return {{"format", "orrery-scenario/1"},
            {"name", "seeing"},
            {"model",
             {{"config",
               {{"model_type", "qwen3_vl"},
                {"text_config", {{"model_type", "qwen3_vl_text"}, {"hidden_size", 2048}, {"num_hidden_layers", 4}, {"num_attention_heads", 16}, {"num_key_value_heads", 8}, {"head_dim", 128}, {"vocab_size", 32000}, {"intermediate_size", 6144}}},
                {"vision_config", {{"depth", 8}, {"hidden_size", 1152}, {"intermediate_size", 4304}, {"num_heads", 16}, {"patch_size", 16}, {"spatial_merge_size", 2}, {"temporal_patch_size", 2}, {"num_position_embeddings", 2304}, {"out_hidden_size", 2048}}}}}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}},
            {"workload", workload}};
}

Json training() { return seeing({{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 32}, {"micro_batch_size", 1}, {"precision", "bf16"}}); }
Json batch() { return seeing({{"kind", "inference"}, {"batch_size", 4}, {"input_length", 300}, {"output_length", 20}, {"precision", "bf16"}}); }

Json served() {
    return seeing({{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", 20}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 4}}}, {"input_tokens", 300}, {"output_tokens", 20}, {"seed", 1}}}});
}

Json with(Json document, std::int64_t images, std::int64_t edge = 768) {
    const char* count = document["workload"]["kind"] == "training" ? "per_sequence" : "per_request";
    document["workload"]["images"] = {{count, images}, {"width", edge}, {"height", edge}};
    return document;
}

bool assumes(const Scenario& scenario, const std::string& pointer) {
    return std::any_of(scenario.assumed.begin(), scenario.assumed.end(), [&](const Assumption& one) { return one.pointer == pointer; });
}

TEST(Images, AreNoneUnlessAskedForAndThatIsSaid) {
    for (const Json& document : {training(), batch(), served()}) {
        EXPECT_TRUE(assumes(sound(document), "/workload/images"));
        EXPECT_FALSE(assumes(sound(with(document, 2)), "/workload/images"));
        EXPECT_EQ(read(document).problems.size(), 1u) << "a warning that text is alone";
        EXPECT_TRUE(read(with(document, 2)).problems.empty());
        const Scenario scenario = sound(document);
        EXPECT_NEAR(run(with(document, 2))->parameters - run(document)->parameters, scenario.model.vision->parameters(), 1);
    }
    EXPECT_FALSE(assumes(sound(smallScenario(1, 1, 8, 2)), "/workload/images")) << "a model without a tower has nothing to leave out";
}

// Twice the images are twice the tower's work: patches do not meet those of another image.
TEST(Images, TrainTheTowerOnTheFirstStage) {
    const auto time = [](const Json& document) { return run(document)->training()->iterationTime; };
    const double text = time(training()), two = time(with(training(), 2)), four = time(with(training(), 4));
    EXPECT_GT(two, text);
    EXPECT_NEAR((four - two) / (two - text), 1, 0.35) << "but for the tower's weights, which are gathered, reduced and stepped over once";
    EXPECT_GT(four, two);
    Json piped = with(training(), 4);
    piped["parallelism"]["pipeline"] = 2;
    const ResultPtr result = run(piped);
    ASSERT_EQ(result->memory.stages.size(), 2u);
    piped["workload"].erase("images");
    const ResultPtr alone = run(piped);
    const auto weights = [](const ResultPtr& of, std::size_t stage) { return of->memory.stages[stage].bytes[static_cast<std::size_t>(MemoryKind::weights)]; };
    EXPECT_GT(weights(result, 0), weights(alone, 0));
    EXPECT_EQ(weights(result, 1), weights(alone, 1));
}

TEST(Images, LengthenPromptsAndRunOnce) {
    const auto figures = [](const Json& document) { return *run(document)->inference(); };
    Json longer = batch();
    longer["workload"]["input_length"] = 300 + 2 * 576;
    const InferenceMetrics text = figures(batch()), asLong = figures(longer), images = figures(with(batch(), 2));
    EXPECT_GT(images.ttft, asLong.ttft) << "the tower runs in front of as long a prompt";
    EXPECT_GT(asLong.ttft, text.ttft);
    EXPECT_NEAR(images.tpot / asLong.tpot, 1, 1e-9) << "and not again";
}

TEST(Images, LengthenServedRequests) {
    const ResultPtr text = run(served()), images = run(with(served(), 2));
    ASSERT_TRUE(text && images);
    EXPECT_EQ(std::get<ServingWorkload>(sound(with(served(), 2)).workload).images.count, 2);
    EXPECT_EQ(std::get<RequestLaw>(std::get<ServingWorkload>(sound(with(served(), 2)).workload).requests).imageTokens, 2 * 576);
}

TEST(Images, AreRefusedWhereNothingSeesThemOrHasRoomForThem) {
    Json blind = smallScenario(1, 1, 8, 2);
    blind["workload"]["images"] = {{"per_sequence", 1}, {"width", 64}, {"height", 64}};
    const ScenarioReading unseen = read(blind), full = read(with(training(), 8));
    ASSERT_FALSE(unseen.scenario);
    EXPECT_EQ(unseen.problems.front().code, "no-vision-part");
    EXPECT_EQ(unseen.problems.front().pointer, "/workload/images");
    ASSERT_FALSE(full.scenario);
    EXPECT_EQ(full.problems.front().code, "images-exceed-sequence");
    EXPECT_NE(full.problems.front().message.find("4608"), std::string::npos) << "8 × 576 tokens";
}

} // namespace
} // namespace orrery::test
