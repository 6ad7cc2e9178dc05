// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek-V4's blocks and residual streams, and attention of vision towers, beside what their kernels and whole blocks were measured to take.
#include "app/common/operator_tables.hpp"
#include "core/base/json.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/operators/predictor.hpp"
#include "core/training/cost/cost_terms.hpp"
#include "core/training/passes/passes.hpp"

#include "tests/support/catalog.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

namespace orrery::block_kernels {
namespace {

/// Sizes of DeepSeek-V4's config.json, Flash or Pro by its width; one layer of each kind.
Architecture compressedModel(double hidden) {
    Json config = Json::parse(R"({"model_type": "deepseek_v4", "num_hidden_layers": 2, "num_attention_heads": 64, "head_dim": 512, "vocab_size": 129280, "o_groups": 8, "q_lora_rank": 1024, "index_topk": 512,
        "compress_ratios": [4, 128], "n_routed_experts": 256, "num_experts_per_tok": 6, "moe_intermediate_size": 2048})");
    config["hidden_size"] = hidden;
    if (hidden > 4096) config.update(Json{{"num_attention_heads", 128}, {"o_groups", 16}, {"q_lora_rank", 1536}, {"index_topk", 1024}});
    Problems problems;
    return importArchitecture(config, "", problems).value();
}

CostModel engineModel(const char* accelerator, KernelEngine engine) {
    const Accelerator& chip = *test::catalog().accelerator(accelerator);
    CostModel model = makeCostModel(chip, test::catalog().kernels(chip), Precision::bf16);
    model.constants.attentionShare = model.attentionShare = 1; // what training keeps of its own kernels' rate says nothing of these
    model.kernelTimes = std::make_shared<const KernelTimes>(chip, test::catalog(), test::catalog().operatorTimes().predictor, nullptr, engine);
    return model;
}

class Models {
public:
    const CostModel& of(const SystemTables& system, const KernelCall& call) {
        const auto [known, added] = models_.try_emplace({system.accelerator->id, engineOf(call)});
        if (added) known->second = engineModel(system.accelerator->id.c_str(), engineOf(call));
        return known->second;
    }

private:
    std::map<std::pair<std::string, KernelEngine>, CostModel> models_;
};

double secondsOf(const CostModel& model, const Graph& graph, const std::vector<std::string>& names) {
    double seconds = 0;
    for (const Operator& op : graph.forward)
        if (op.kind != OperatorKind::collective && std::any_of(names.begin(), names.end(), [&](const std::string& name) { return op.name.starts_with(name); })) seconds += operatorTime(model, op).time;
    return seconds;
}

double at(std::vector<double>& errors, double share) {
    std::sort(errors.begin(), errors.end());
    return errors[static_cast<std::size_t>(share * double(errors.size() - 1))];
}

template <typename Visit> void eachCall(KernelKind kind, Visit visit) {
    Problems problems;
    for (const SystemTables& system : loadOperatorTables(test::sharedPath("reference/operators_2026"), test::catalog(), problems))
        for (const KernelTable& table : system.tables)
            if (table.kind == kind)
                for (const MeasuredCall& measured : table.calls) visit(system, measured);
}

TEST(BlockKernels, StreamsTakeWhatTheirKernelsWereMeasuredToTake) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    Models models;
    std::vector<double> errors;
    eachCall(KernelKind::mhc_module, [&](const SystemTables& system, const MeasuredCall& measured) {
        const std::array<double, 9>& s = measured.call.sizes; // sizeColumns(mhc_module)
        if (engineOf(measured.call) == KernelEngine::common || s[1] != 4) return;
        Graph layer = buildStepPieces(compressedModel(s[2]), {{{AttentionMode::decode, s[0], 1, 100}}, CacheFormat::sixteen_bit}).layers.front();
        settleTraffic(layer, {});
        const bool after = (measured.call.variant & afterBlockBit) != 0;
        const double seconds = secondsOf(models.of(system, measured.call), layer, after ? std::vector<std::string>{"mlp.streams_out"} : std::vector<std::string>{"mlp.mixtures", "mlp.streams_in"});
        errors.push_back(std::abs(seconds / measured.seconds - 1));
    });
    ASSERT_GT(errors.size(), 100U);
    EXPECT_LE(at(errors, 0.5), 0.05);
    EXPECT_LE(at(errors, 0.9), 0.15);
}

TEST(BlockKernels, TowersAttentionTakesWhatItWasMeasuredToTake) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    Models models;
    std::vector<double> errors;
    eachCall(KernelKind::encoder_attention, [&](const SystemTables& system, const MeasuredCall& measured) {
        const std::array<double, 9>& s = measured.call.sizes; // sizeColumns(encoder_attention)
        if (measured.call.format != KernelFormat::bf16) return;
        VisionTower tower;
        tower.layers = tower.patch = 1;
        tower.heads = static_cast<std::int64_t>(s[2]);
        tower.headDim = static_cast<std::int64_t>(s[3]);
        tower.hidden = tower.output = tower.ffn = tower.heads * tower.headDim;
        Graph graph = buildVisionGraph(tower, {1, s[1], s[1]}, s[0]);
        settleTraffic(graph, {});
        errors.push_back(std::abs(secondsOf(models.of(system, measured.call), graph, {"vision.attention.core"}) / measured.seconds - 1));
    });
    ASSERT_GT(errors.size(), 100U);
    EXPECT_LE(at(errors, 0.5), 0.10);
    EXPECT_LE(at(errors, 0.9), 0.20);
}

/// Whole attention blocks, projections included: products and decodes by tables of their own, the rest by the roofline.
void blocks(KernelKind kind, int layer, double most, double mostOfMost) {
    Models models;
    std::vector<double> errors, logs;
    eachCall(kind, [&](const SystemTables& system, const MeasuredCall& measured) {
        const std::array<double, 9>& s = measured.call.sizes; // sizeColumns of the blocks: batch, fresh, cached, heads, hidden
        if (measured.call.format != KernelFormat::bf16) return;
        const Architecture a = compressedModel(s[4]);
        const bool decode = kind == KernelKind::dsv4_csa_generation_module || kind == KernelKind::dsv4_hca_generation_module;
        const AttentionMode mode = decode ? AttentionMode::decode : s[2] > 0 ? AttentionMode::chunk
                                                                             : AttentionMode::prefill;
        Graph graph = tensorPass(buildStepPieces(a, {{{mode, s[0], s[1], s[2]}}, CacheFormat::fp8}).layer(layer), a, static_cast<int>(double(a.heads) / s[3]));
        settleTraffic(graph, {});
        double seconds = secondsOf(models.of(system, measured.call), graph, {"attention.", "compress.", "index."});
        seconds -= secondsOf(models.of(system, measured.call), graph, {"attention.mixtures", "attention.streams", "attention.norm"});
        errors.push_back(std::abs(seconds / measured.seconds - 1));
        logs.push_back(seconds / measured.seconds);
    });
    ASSERT_GT(errors.size(), 20U);
    std::cout << "  " << errors.size() << " blocks, median error " << at(errors, 0.5) << ", nine of ten " << at(errors, 0.9) << ", ratio " << at(logs, 0.1) << " to " << at(logs, 0.5) << " to " << at(logs, 0.9) << "\n";
    EXPECT_LE(at(errors, 0.5), most);
    EXPECT_LE(at(errors, 0.9), mostOfMost);
}

TEST(BlockKernels, DecodesOfPickedKeys) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    blocks(KernelKind::dsv4_csa_generation_module, 0, 0.2, 0.45);
}
TEST(BlockKernels, DecodesOfAllCompressedKeys) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    blocks(KernelKind::dsv4_hca_generation_module, 1, 0.15, 0.35);
}
TEST(BlockKernels, PromptsOfPickedKeys) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    blocks(KernelKind::dsv4_csa_context_module, 0, 0.2, 0.7);
}
TEST(BlockKernels, PromptsOfAllCompressedKeys) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    blocks(KernelKind::dsv4_hca_context_module, 1, 0.15, 0.45);
}

} // namespace
} // namespace orrery::block_kernels
