// SPDX-License-Identifier: GPL-3.0-or-later
// State mixers by the tables of their kernels: a layer's operators take together what the kernel was measured to take.
#include "app/common/operator_tables.hpp"
#include "core/base/json.hpp"
#include "core/model/backward.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/operators/predictor.hpp"
#include "core/training/cost/cost_terms.hpp"
#include "core/training/cost/kernel_calls.hpp"
#include "core/training/passes/passes.hpp"

#include "tests/support/catalog.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Sizes of Qwen3-Next-80B-A3B's config.json.
Architecture gatedDeltaModel() {
    const Json config = Json::parse(R"({"model_type": "qwen3_next", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 16,
        "num_key_value_heads": 2, "head_dim": 256, "linear_num_value_heads": 32, "linear_num_key_heads": 16, "linear_key_head_dim": 128,
        "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "full_attention_interval": 4, "num_experts": 512, "num_experts_per_tok": 10,
        "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512, "intermediate_size": 5120, "vocab_size": 151936})");
    Problems problems;
    return importArchitecture(config, "", problems).value();
}

CostModel engineModel(const char* accelerator, KernelEngine engine) {
    const Accelerator& chip = *test::catalog().accelerator(accelerator);
    CostModel model = makeCostModel(chip, test::catalog().kernels(chip), Precision::bf16);
    model.kernelTimes = std::make_shared<const KernelTimes>(chip, test::catalog(), test::catalog().operatorTimes().predictor, nullptr, engine);
    return model;
}

const LayerKind& stateLayer(const Architecture& a) {
    return *std::find_if(a.kinds.begin(), a.kinds.end(), [](const LayerKind& kind) { return kind.keepsState(); });
}

struct MixerTimes {
    double convolution = 0, scan = 0;
    bool roofline = false;
};

MixerTimes timesOfGroup(const CostModel& model, const Architecture& a, const AttentionGroup& group, int tensor) {
    Graph graph = tensorPass(buildAttentionGroup(a, stateLayer(a), group, CacheFormat::sixteen_bit), a, tensor);
    settleTraffic(graph, {});
    MixerTimes times;
    for (const Operator& op : graph.forward) {
        const OperatorTime time = operatorTime(model, op);
        (op.name.ends_with("convolution") ? times.convolution : times.scan) += time.time;
        times.roofline = times.roofline || time.source == Source::roofline;
    }
    return times;
}

/// Every measured cell of that model's heads, whole or shared out by tensor ranks, by each engine.
TEST(StateKernels, LayersTakeWhatTheirKernelsWereMeasuredToTake) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    Problems problems;
    const Architecture a = gatedDeltaModel();
    std::vector<double> errors;
    for (const SystemTables& system : loadOperatorTables(test::sharedPath("reference/operators_2026"), test::catalog(), problems)) {
        for (const KernelTable& table : system.tables) {
            if (table.kind != KernelKind::gdn) continue;
            for (const KernelEngine engine : {KernelEngine::vllm, KernelEngine::sglang}) {
                const CostModel model = engineModel(system.accelerator->id.c_str(), engine);
                for (const MeasuredCall& measured : table.calls) {
                    const std::array<double, 9>& s = measured.call.sizes; // sizeColumns(gdn)
                    const double tensor = 16 / s[2];
                    const bool context = (measured.call.variant & statePhaseBits) == 0, convolution = (measured.call.variant & convolutionBit) != 0;
                    if (engineOf(measured.call) != engine || s[4] != 32 / tensor || (!context && s[0] < 256)) continue; // small states stay in a loop's L2
                    const MixerTimes times = timesOfGroup(model, a, {context ? AttentionMode::prefill : AttentionMode::decode, s[0], s[1], context ? 0.0 : 1000.0}, static_cast<int>(tensor));
                    ASSERT_FALSE(times.roofline);
                    errors.push_back(std::abs((convolution ? times.convolution : times.scan) / measured.seconds - 1));
                }
            }
        }
    }
    ASSERT_GT(errors.size(), 1000U);
    std::sort(errors.begin(), errors.end());
    EXPECT_LE(errors[errors.size() / 2], 0.02);
    EXPECT_LE(errors[errors.size() * 9 / 10], 0.10);
}

TEST(StateKernels, ScanIsLinearInLength) {
    const Architecture a = gatedDeltaModel();
    for (const char* chip : {"b200-sxm-180gb", "h200-sxm-141gb"}) {
        const CostModel model = engineModel(chip, KernelEngine::vllm);
        const auto scan = [&](double length) { return timesOfGroup(model, a, {AttentionMode::prefill, 1, length, 0}, 1).scan; };
        for (const double length : {65536.0, 262144.0, 524288.0}) EXPECT_NEAR(scan(2 * length) / scan(length), 2, 0.02) << chip << ' ' << length;
    }
}

/// A decoding block of DeepSeek-V3.2, projections included, whose long caches the indexer goes through: its scores come at the rate of its
/// kernel whatever the length, a multiple of eight or not.
TEST(SparseBlocks, LongCachesTakeWhatBlocksWereMeasuredToTake) {
    ORRERY_REQUIRE_SHARED("reference/operators_2026");
    ORRERY_REQUIRE_SHARED("reference/models_2026.json");
    Problems problems;
    std::optional<Architecture> a;
    std::string models = test::readWholeFile(test::sharedPath("reference/models_2026.json"));
    constexpr std::string_view infinite = "Infinity", large = "1e300"; // Python writes the first, which is no JSON
    for (std::size_t at = models.find(infinite); at != std::string::npos; at = models.find(infinite, at)) models.replace(at, infinite.size(), large);
    const Json document = Json::parse(models);
    for (const Json& model : document.at("models"))
        if (model.at("id") == "deepseek-v3.2") a = importArchitecture(model.at("config"), "", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    ASSERT_TRUE(a);
    constexpr double hidden = 7168, longCache = 16384, manySequences = 64;
    std::vector<double> errors;
    for (const SystemTables& system : loadOperatorTables(test::sharedPath("reference/operators_2026"), test::catalog(), problems)) {
        for (const KernelTable& table : system.tables) {
            if (table.kind != KernelKind::dsa_generation_module) continue;
            for (const MeasuredCall& measured : table.calls) {
                const std::array<double, 9>& s = measured.call.sizes; // sizeColumns(dsa_generation_module)
                if (s[4] != hidden || s[0] <= manySequences || s[2] < longCache || measured.call.format != KernelFormat::bf16 || measured.call.cache != KernelFormat::bf16) continue;
                const CostModel model = engineModel(system.accelerator->id.c_str(), engineOf(measured.call));
                Graph layer = tensorPass(buildStepPieces(*a, {{{AttentionMode::decode, s[0], 1, s[2]}}, CacheFormat::sixteen_bit}).layers.back(), *a, static_cast<int>(double(a->heads) / s[3]));
                settleTraffic(layer, {});
                double seconds = 0;
                for (const Operator& op : layer.forward)
                    if (op.kind != OperatorKind::collective && (op.name.starts_with("attention.") || op.name.starts_with("index."))) seconds += operatorTime(model, op).time;
                errors.push_back(seconds / measured.seconds - 1);
            }
        }
    }
    ASSERT_GT(errors.size(), 50U);
    std::sort(errors.begin(), errors.end());
    EXPECT_NEAR(errors[errors.size() / 2], 0, 0.25);
    EXPECT_LE(errors[errors.size() * 9 / 10], 0.5);
}

/// Shares of one kernel sum to it; what no table has is twice as long.
TEST(StateKernels, BackwardIsTwiceForward) {
    const Architecture a = gatedDeltaModel();
    const ModelPieces pieces = buildModelPieces(a, {1, 4096});
    const auto layer = static_cast<std::size_t>(&stateLayer(a) - a.kinds.data());
    const Graph graph = deriveBackward(tensorPass(pieces.layers[layer], a, 2));
    double forward = 0, backward = 0;
    for (const Operator& op : graph.forward)
        if (op.state.part == StateKernel::Part::chunks) forward += equivalentCall(op)->times;
    for (const Operator& op : graph.backward)
        if (op.state.part == StateKernel::Part::chunks && op.kind != OperatorKind::residual) backward += equivalentCall(op)->times;
    EXPECT_NEAR(forward, 1, 1e-12);
    EXPECT_NEAR(backward, 2, 1e-12);
}

/// A chip without tables has the roofline, and says so.
TEST(StateKernels, AmpereHasTheRoofline) {
    const Architecture a = gatedDeltaModel();
    EXPECT_TRUE(timesOfGroup(engineModel("a100-sxm4-80gb", KernelEngine::common), a, {AttentionMode::prefill, 1, 2048, 0}, 1).roofline);
}

} // namespace
} // namespace orrery
