// SPDX-License-Identifier: GPL-3.0-or-later
// Vision towers by their configs: parameters as cards count them, tokens of images as processors make them, FLOPs by closed forms.
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/model/architecture.hpp"
#include "core/model/backward.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/training/passes/passes.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace orrery::vision_tower {
namespace {

Architecture read(const Json& config) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(config, "", problems);
    EXPECT_TRUE(a) << (problems.empty() ? "" : toText(problems.back()));
    return a.value_or(Architecture{});
}

Json text(const char* type) {
    return Json{{"model_type", type}, {"hidden_size", 64}, {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"vocab_size", 1000}, {"intermediate_size", 96}};
}

Json wrapped(const char* type, const char* textType, const Json& vision, std::int64_t hidden) {
    Json config{{"model_type", type}, {"text_config", text(textType)}, {"vision_config", vision}};
    config["text_config"]["hidden_size"] = hidden;
    config["text_config"]["num_attention_heads"] = 16;
    config["text_config"]["num_key_value_heads"] = 8;
    return config;
}

Json qwen3() { return Json::parse(R"({"depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16, "patch_size": 16, "temporal_patch_size": 2, "spatial_merge_size": 2, "num_position_embeddings": 2304, "out_hidden_size": 4096, "deepstack_visual_indexes": [8, 16, 24]})"); }

double elementsOf(const Graph& graph) {
    double elements = 0;
    for (const Operator& op : graph.forward) elements += op.weights + op.replicatedWeights;
    return elements;
}

// What checkpoints have: Qwen3-VL-8B 8.767 10⁹ of which the text part 8.191; Qwen2.5-VL-7B 8.292 and 7.616; Gemma-3-27B 27.43 and 27.01 (SigLIP So400m
// with its projector); InternVL3-8B's InternViT 304 10⁶ with 27.5 10⁶ of projector; Mistral-Small-3.1's Pixtral 24.01 and 23.57 10⁹.
TEST(VisionTower, ParametersAreThoseOfCheckpoints) {
    const auto millions = [](const char* type, const char* textType, const char* vision, std::int64_t hidden) { return read(wrapped(type, textType, Json::parse(vision), hidden)).vision->parameters() / 1e6; };
    EXPECT_NEAR(read(wrapped("qwen3_vl", "qwen3_vl_text", qwen3(), 4096)).vision->parameters() / 1e6, 576.4, 0.5);
    EXPECT_NEAR(millions("qwen2_5_vl", "qwen2_5_vl_text", R"({"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "patch_size": 14, "window_size": 112, "fullatt_block_indexes": [7, 15, 23, 31]})", 3584), 676.6, 1);
    EXPECT_NEAR(millions("gemma3", "gemma3_text", R"({"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304, "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14})", 5376), 423, 1);
    EXPECT_NEAR(millions("internvl_chat", "qwen2", R"({"model_type": "intern_vit_6b", "hidden_size": 1024, "image_size": 448, "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14})", 3584), 304 + 27.5, 1.5);
    EXPECT_NEAR(millions("mistral3", "mistral", R"({"model_type": "pixtral", "hidden_size": 1024, "image_size": 1540, "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14, "head_dim": 64})", 5120), 440, 5);
}

// LLaVA-1.5's CLIP ViT-L/14 has 303.5 10⁶ parameters, its projector 21 10⁶; SmolVLM's SigLIP with its projector 412 and 38.
TEST(VisionTower, ReadsOlderWrappersToo) {
    const Architecture llava = read(wrapped("llava", "llama", Json{{"model_type", "clip_vision_model"}, {"hidden_size", 1024}, {"image_size", 336}, {"patch_size", 14}}, 4096));
    EXPECT_NEAR(llava.vision->parameters() / 1e6, 303.5 + 21, 0.5);
    EXPECT_EQ(imageParts(*llava.vision, 640, 480).tokens, 576);
    const Architecture small = read(wrapped("smolvlm", "llama", Json{{"model_type", "smolvlm_vision"}, {"hidden_size", 1152}, {"image_size", 384}, {"patch_size", 14}, {"intermediate_size", 4304}, {"num_attention_heads", 16}, {"num_hidden_layers", 27}}, 2048));
    EXPECT_NEAR(small.vision->parameters() / 1e6, 412 + 37.7, 3);
    const Architecture pixtral = read(wrapped("llava", "mistral", Json{{"model_type", "pixtral"}, {"hidden_size", 1024}, {"image_size", 1024}, {"patch_size", 16}}, 5120));
    EXPECT_EQ(imageParts(*pixtral.vision, 1024, 512).tokens, 64 * 32) << "a tower of another kind in the same wrapper";
}

TEST(VisionTower, ImagesTakeAsManyTokensAsTheirProcessorsMake) {
    const Architecture qwen = read(wrapped("qwen3_vl", "qwen3_vl_text", qwen3(), 4096));
    EXPECT_EQ(imageParts(*qwen.vision, 1024, 768).tokens, 32 * 24);
    EXPECT_EQ(imageParts(*qwen.vision, 1024, 768).patches, 64 * 48);
    EXPECT_EQ(imageParts(*qwen.vision, 1000, 777).tokens, 31 * 24) << "edges are rounded";
    EXPECT_EQ(imageParts(*qwen.vision, 100, 50).tokens, 12 * 6) << "65,536 pixels at least: 361 × 181, rounded up";
    EXPECT_LE(imageParts(*qwen.vision, 20000, 10000).tokens, 16384);
    const Architecture gemma = read(wrapped("gemma3", "gemma3_text", Json{{"hidden_size", 1152}, {"image_size", 896}, {"patch_size", 14}}, 2560));
    for (const std::int64_t edge : {64, 896, 4000}) EXPECT_EQ(imageParts(*gemma.vision, edge, edge / 2).tokens, 256);
    EXPECT_EQ(imageParts(*gemma.vision, 100, 100).patches, 64 * 64);
    const Architecture newer = read(wrapped("gemma4", "gemma4_text", Json{{"model_type", "gemma4_vision"}}, 1536));
    for (const std::int64_t edge : {64, 896, 4000}) {
        EXPECT_LE(imageParts(*newer.vision, edge, 2 * edge).tokens, 280);
        EXPECT_GT(imageParts(*newer.vision, edge, 2 * edge).tokens, 240) << "it is filled up";
    }
    const Architecture tiled = read(wrapped("internvl_chat", "qwen2", Json{{"image_size", 448}, {"patch_size", 14}}, 3584));
    EXPECT_EQ(imageParts(*tiled.vision, 448, 448).tokens, 256);
    EXPECT_EQ(imageParts(*tiled.vision, 896, 448).tokens, 3 * 256) << "two tiles and the whole";
    EXPECT_EQ(imageParts(*tiled.vision, 4096, 3072).tokens, 13 * 256) << "four by three";
}

// A layer: queries, keys, values and output 8·N·h², the MLP 4·N·h·f, attention without a mask 4·N²·h.
TEST(VisionTower, FlopsAreTheClosedForm) {
    const Architecture a = read(wrapped("qwen3_vl", "qwen3_vl_text", qwen3(), 4096));
    const ImageParts image = imageParts(*a.vision, 1024, 768);
    const Graph tower = buildVisionGraph(*a.vision, image, 4);
    const double patches = 4 * 3072, h = 1152, merged = 4 * 768;
    const double layer = 8 * patches * h * h + 4 * patches * h * 4304 + 4 * patches * 3072 * h;
    const double projector = 2 * merged * 4608 * (4608 + 4096), first = 2 * patches * h * 3 * 16 * 16 * 2;
    double flops = 0;
    for (const Operator& op : tower.forward)
        if (op.kind == OperatorKind::gemm || op.kind == OperatorKind::attention) flops += op.flops;
    EXPECT_DOUBLE_EQ(flops, 27 * layer + 4 * projector + first);
    EXPECT_DOUBLE_EQ(elementsOf(tower), a.vision->parameters());
    const Graph part = tensorPass(tower, a, 4);
    double share = 0;
    for (const Operator& op : part.forward)
        if ((op.kind == OperatorKind::gemm || op.kind == OperatorKind::attention) && op.name != "vision.patches") share += op.flops;
    EXPECT_DOUBLE_EQ(share, (27 * layer + 4 * projector) / 4) << "tensor ranks share heads and columns out";
}

TEST(VisionTower, WindowsMeetTheirOwnPatches) {
    const Architecture a = read(wrapped("qwen2_5_vl", "qwen2_5_vl_text", Json::parse(R"({"depth": 4, "hidden_size": 64, "intermediate_size": 96, "num_heads": 4, "patch_size": 14, "window_size": 112, "fullatt_block_indexes": [3]})"), 256));
    const ImageParts image = imageParts(*a.vision, 1120, 560);
    ASSERT_EQ(image.patches, 80 * 40);
    double attention = 0;
    for (const Operator& op : buildVisionGraph(*a.vision, image, 1).forward)
        if (op.kind == OperatorKind::attention) attention += op.flops;
    EXPECT_DOUBLE_EQ(attention, 4.0 * 3200 * 64 * (3 * 8 * 8 + 3200));
}

// Images are work of the first stage and change no layer: their tokens are among the sequence's own.
TEST(VisionTower, TrainsInFrontOfTheLanguageModel) {
    const Architecture a = read(wrapped("qwen3_vl", "qwen3_vl_text", qwen3(), 4096));
    TokenShape with{2, 4096};
    with.images = {3, 1024, 768};
    const ModelPieces text = buildModelPieces(a, {2, 4096}), images = buildModelPieces(a, with);
    EXPECT_DOUBLE_EQ(elementsOf(images.embedding) - elementsOf(text.embedding), a.vision->parameters());
    EXPECT_EQ(images.layers.front().forward.size(), text.layers.front().forward.size());
    const auto flopsOf = [](const std::vector<Operator>& operators) {
        double flops = 0;
        for (const Operator& op : operators) flops += op.kind == OperatorKind::gemm || op.kind == OperatorKind::attention ? op.flops : 0;
        return flops;
    };
    const double tower = flopsOf(buildVisionGraph(*a.vision, imageParts(*a.vision, 1024, 768), 6).forward);
    const Graph both = deriveBackward(images.embedding);
    EXPECT_DOUBLE_EQ(flopsOf(both.forward), tower);
    EXPECT_DOUBLE_EQ(flopsOf(both.backward), 2 * tower);
}

TEST(VisionTower, OfThisYearsModelsIsRead) {
    ORRERY_REQUIRE_SHARED("reference/models_2026.json");
    Problems parsed;
    const auto document = parseJsonText("{\"config\": " + test::readWholeFile(test::sharedPath("reference/models_2026.json")) + "}", "", parsed); // Python writes Infinity
    ASSERT_TRUE(document);
    int towers = 0;
    for (const Json& model : document->at("config").at("models")) {
        const Json& config = model.at("config");
        if (!config.contains("vision_config") || !config["vision_config"].is_object()) continue;
        const Architecture a = read(config);
        ASSERT_TRUE(a.vision) << model.at("id");
        ++towers;
        EXPECT_GT(a.vision->parameters(), 4e8) << model.at("id");
        EXPECT_LT(a.vision->parameters(), 6e8) << model.at("id");
        EXPECT_EQ(a.vision->output, a.hidden) << model.at("id");
        EXPECT_DOUBLE_EQ(elementsOf(buildVisionGraph(*a.vision, imageParts(*a.vision, 1024, 768), 1)), a.vision->parameters()) << model.at("id");
    }
    EXPECT_EQ(towers, 11);
}

} // namespace
} // namespace orrery::vision_tower
