// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/operator_tables.hpp"
#include "core/base/json.hpp"
#include "core/operators/predictor.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/cost/cost_terms.hpp"
#include "core/training/cost/kernel_calls.hpp"

#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace orrery {
namespace {

using test::catalog;

/// What a scenario on that accelerator runs by, in a short loop: nothing of what training sustains.
CostModel modelOf(const std::string& accelerator, std::shared_ptr<const MeasuredTimes> measured = nullptr) {
    const Accelerator& chip = *catalog().accelerator(accelerator);
    KernelConstants constants = catalog().kernels(chip);
    constants.sustainedShare = constants.sustainedFp8Share = constants.sustainedFp4Share = 1;
    CostModel model = makeCostModel(chip, constants, Precision::bf16);
    model.kernelTimes = std::make_shared<const KernelTimes>(chip, catalog(), catalog().operatorTimes().predictor, std::move(measured));
    return model;
}

Operator product(double m, double n, double k, double experts = 1) {
    Operator op;
    op.name = "product";
    op.kind = experts > 1 ? OperatorKind::grouped_gemm : OperatorKind::gemm;
    op.shape = {m, n, k, experts};
    op.flops = 2 * m * n * k * experts;
    op.bytesRead = 2 * (m * k + k * n) * experts;
    op.bytesWritten = 2 * m * n * experts;
    return op;
}

Operator attention(double queries, double keys, double width, double heads, double sequences, double headsPerKey) {
    Operator op;
    op.name = "attention.core";
    op.kind = OperatorKind::attention;
    op.shape = {queries, keys, width, heads * sequences};
    op.sequences = sequences;
    op.headsPerKey = headsPerKey;
    op.valueWidth = width;
    op.flops = 4 * queries * keys * width * heads * sequences;
    op.bytesRead = op.bytesWritten = 2 * queries * width * heads * sequences;
    return op;
}

TEST(EquivalentCalls, NameTheTablesColumns) {
    const auto gemm = equivalentCall(product(4096, 5120, 8192));
    ASSERT_TRUE(gemm);
    EXPECT_EQ(gemm->call, (KernelCall{KernelKind::gemm, KernelFormat::bf16, KernelFormat::none, 0, {4096, 5120, 8192}}));
    const auto prompt = equivalentCall(attention(8192, 8192, 128, 16, 2, 4));
    ASSERT_TRUE(prompt);
    EXPECT_EQ(prompt->call, (KernelCall{KernelKind::context_attention, KernelFormat::bf16, KernelFormat::bf16, 0, {2, 8192, 16, 4, 128, 0}}));
    EXPECT_DOUBLE_EQ(prompt->times, 1);
    // More tensor ranks than key heads: each still has one.
    EXPECT_EQ(equivalentCall(attention(8192, 8192, 128, 2, 1, 4))->call.sizes[3], 1);
}

TEST(EquivalentCalls, CountTheSameWork) {
    // Two ranks of a context group do half of the square each; a kernel without a mask does twice what a causal one does.
    EXPECT_DOUBLE_EQ(equivalentCall(attention(4096, 8192, 128, 16, 1, 1))->times, 0.5);
    Operator whole = attention(8192, 8192, 128, 16, 1, 1);
    whole.flops *= 2;
    EXPECT_DOUBLE_EQ(equivalentCall(whole)->times, 2);
    Operator backward = attention(8192, 8192, 128, 16, 1, 1);
    backward.phase = Phase::backward;
    backward.flops *= 2;
    EXPECT_DOUBLE_EQ(equivalentCall(backward)->times, 2.5);
    // A window of w sees 2w - 1 keys where no mask halves them.
    EXPECT_EQ(equivalentCall(attention(8192, 2 * 1024 - 1, 128, 16, 1, 1))->call.sizes[5], 1024);
    Operator latent = attention(4096, 4096, 192, 16, 1, 1);
    latent.valueWidth = 128;
    latent.flops = 2 * 4096.0 * 4096 * 16 * (192 + 128);
    EXPECT_EQ(equivalentCall(latent)->call.kind, KernelKind::context_mla);
    EXPECT_DOUBLE_EQ(equivalentCall(latent)->times, 1);
}

TEST(EquivalentCalls, LeaveOutWhatNoTableHas) {
    Operator pair = product(4096, 4096, 16);
    pair.kernels = 2;
    EXPECT_FALSE(equivalentCall(pair));
    Operator single = product(4096, 4096, 4096);
    single.operandBytes = 4;
    EXPECT_FALSE(equivalentCall(single));
    Operator norm;
    norm.kind = OperatorKind::norm;
    EXPECT_FALSE(equivalentCall(norm));
}

TEST(OperatorTimes, AreMeasuredThenPredictedThenRoofline) {
    const Operator op = product(4096, 5120, 8192);
    const CostModel predicted = modelOf("h100-sxm5-80gb");
    EXPECT_EQ(operatorTime(predicted, op).source, Source::predicted);
    EXPECT_EQ(operatorTime(predicted, op).bound, Bound::compute);

    auto own = std::make_shared<MeasuredTimes>();
    KernelTable table;
    constexpr double mine = 1.25e-3;
    table.calls.push_back({equivalentCall(op)->call, mine, 0});
    own->add("h100-sxm5-80gb", table);
    const CostModel measured = modelOf("h100-sxm5-80gb", own);
    EXPECT_EQ(operatorTime(measured, op).source, Source::measured);
    EXPECT_DOUBLE_EQ(operatorTime(measured, op).time, mine);
    EXPECT_EQ(operatorTime(measured, product(4096, 5120, 4096)).source, Source::predicted);

    // Nobody measured a TPU's kernels, and another maker's say nothing about them.
    EXPECT_EQ(operatorTime(modelOf("tpu-v5p"), op).source, Source::roofline);
    EXPECT_EQ(operatorTime(modelOf("mi300x"), op).source, Source::roofline);
    Operator norm;
    norm.kind = OperatorKind::norm;
    norm.bytesRead = 1e9;
    EXPECT_EQ(operatorTime(predicted, norm).source, Source::roofline);
}

TEST(OperatorTimes, StretchOnlyWhatMatrixUnitsBound) {
    CostModel model = modelOf("h100-sxm5-80gb");
    const Operator large = product(8192, 8192, 8192), thin = product(1, 8192, 8192);
    const double largeBefore = operatorTime(model, large).time, thinBefore = operatorTime(model, thin).time;
    model.constants.sustainedShare = 0.8;
    EXPECT_NEAR(operatorTime(model, large).time / largeBefore, 1 / 0.8, 0.02);
    EXPECT_NEAR(operatorTime(model, thin).time / thinBefore, 1, 0.02);
}

TEST(OperatorTimes, OfAChipWithLessPowerAreLonger) {
    // 500 W at the peak of 700: the clock under load falls with the square root.
    const Accelerator& chip = *catalog().accelerator("h100-sxm-96gb-hbm2e");
    EXPECT_DOUBLE_EQ(catalog().kernels(chip).powerShare, std::sqrt(500.0 / 700));
    EXPECT_DOUBLE_EQ(catalog().kernels(*catalog().accelerator("h100-sxm5-80gb")).powerShare, 1);
    EXPECT_DOUBLE_EQ(catalog().kernels(*catalog().accelerator("h20-96gb")).powerShare, 1); // few units, much power
    const Operator large = product(8192, 8192, 8192);
    EXPECT_NEAR(operatorTime(modelOf("h100-sxm-96gb-hbm2e"), large).time / operatorTime(modelOf("h100-sxm5-80gb"), large).time,
                std::sqrt(700.0 / 500), 0.03);
}

/// A layer's causal attention on an H100 by itself, TFLOP/s of what a causal kernel executes, forward and backward, 16 heads: measured on one
/// H100 SXM5 80GB, PyTorch 2.11, cuDNN 9.19, November 2026.
struct MeasuredAttention {
    const char* kernel;
    double width, length, forward, backward;
};
constexpr MeasuredAttention measuredAttention[] = {
    {"cudnn", 128, 1024, 442.2, 281.9}, {"cudnn", 128, 2048, 504.4, 373.1}, {"cudnn", 128, 4096, 551.5, 435.1}, {"cudnn", 128, 8192, 551.1, 490.7}, {"cudnn", 128, 16384, 568.7, 530.0}, {"cudnn", 128, 32768, 600.6, 545.6}, {"cudnn", 128, 131072, 587.4, 515.4}, {"cudnn", 64, 4096, 409.6, 351.4}, {"cudnn", 64, 32768, 458.8, 430.1}, {"fa2", 128, 1024, 235.4, 161.5}, {"fa2", 128, 2048, 270.5, 214.2}, {"fa2", 128, 4096, 294.2, 253.0}, {"fa2", 128, 8192, 306.6, 285.0}, {"fa2", 128, 16384, 317.2, 317.5}, {"fa2", 128, 32768, 338.0, 292.7}, {"fa2", 128, 131072, 306.7, 324.4}, {"fa2", 64, 4096, 259.9, 221.1}, {"fa2", 64, 32768, 305.9, 270.6}};

Json attentionScenario(const char* accelerator, const char* framework) {
    Json document = Json::parse(R"({"format": "orrery-scenario/1", "model": {"preset": "llama-3-8b"}, "cluster": {"accelerators_per_node": 8, "nodes": 1},
        "workload": {"kind": "training", "sequence_length": 8192, "global_batch_size": 8, "micro_batch_size": 1, "precision": "bf16"},
        "parallelism": {"tensor": 8, "pipeline": 1}})");
    document["cluster"]["accelerator"] = accelerator;
    document["execution"]["framework"] = framework;
    return document;
}

TEST(AttentionKernels, RunOnAnH100AsFastAsMeasuredAtEveryLength) {
    for (const MeasuredAttention& row : measuredAttention) {
        Json document = attentionScenario("h100-sxm5-80gb", "generic-2026");
        document["execution"]["attention"] = row.kernel;
        const auto read = readScenario(document, catalog());
        ASSERT_TRUE(read.scenario);
        CostModel model = costModelOf(*read.scenario);
        model.constants.attentionShare = model.attentionShare = 1;
        model.constants.attentionBackwardRate = 0.93;                                                           // of an endless sequence: 560 of 605 TFLOP/s, 322 of 335
        Operator core = attention(row.length, row.length, row.width, 16, std::max(1.0, 16384 / row.length), 1); // as many tokens at every length
        const double forward = core.flops / 2;
        EXPECT_NEAR(forward / operatorTime(model, core).time / 1e12, row.forward, 0.1 * row.forward) << row.kernel << ' ' << row.width << ' ' << row.length;
        core.phase = Phase::backward;
        core.flops *= 2;
        EXPECT_NEAR(2.5 * forward / operatorTime(model, core).time / 1e12, row.backward, 0.11 * row.backward) << row.kernel << ' ' << row.width << ' ' << row.length;
    }
}

TEST(AttentionKernels, AreTheFrameworksUnlessNamed) {
    const auto kernelOf = [](const char* accelerator, const char* framework, const char* named = nullptr) {
        Json document = attentionScenario(accelerator, framework);
        if (named) document["execution"]["attention"] = named;
        const auto read = readScenario(document, catalog());
        return read.scenario ? attentionKernelOf(*read.scenario) : std::string();
    };
    EXPECT_EQ(kernelOf("h100-sxm5-80gb", "megatron-core-2025"), "cudnn");
    EXPECT_EQ(kernelOf("h100-sxm5-80gb", "torchtitan-2025"), "fa2");
    EXPECT_EQ(kernelOf("mi300x", "megatron-core-2025"), "fa2");
    EXPECT_EQ(kernelOf("tpu-v5p", "maxtext-2025"), "own");
    EXPECT_EQ(kernelOf("h100-sxm5-80gb", "torchtitan-2025", "fa3"), "fa3");
    EXPECT_EQ(kernelOf("b200-sxm-180gb", "torchtitan-2025", "fa4"), "fa4");
    EXPECT_EQ(kernelOf("h100-sxm5-80gb", "torchtitan-2025", "fa4"), "") << "refused";
    EXPECT_EQ(kernelOf("h100-pcie-80gb", "megatron-core-2025", "fa3"), "fa3");
}

/// What the tables' 8- and 4-bit calls take to quantise their operand is no part of training's products: those reach the same share of the
/// peak whether one row of the operand is multiplied by few columns or by many, as 16-bit ones do.
TEST(QuantisedProducts, ReachTheSameShareOfThePeakWhateverTheirWidth) {
    for (const char* id : {"h100-sxm5-80gb", "h200-sxm-141gb", "b200-sxm-180gb", "gb200", "gb300"})
        for (const MatrixFormat format : {MatrixFormat::fp8, MatrixFormat::row_fp8, MatrixFormat::block_fp8, MatrixFormat::mx_fp8, MatrixFormat::nvfp4}) {
            CostModel model = modelOf(id);
            if (format == MatrixFormat::nvfp4 && model.fp4Peak <= 0) continue;
            model.quantisesApart = true;
            const auto rate = [&](double n) {
                Operator op = product(16384, n, 8192);
                op.format = format;
                return op.flops / operatorTime(model, op).time;
            };
            EXPECT_GT(rate(2048) / rate(28672), 0.8) << id << ' ' << int(format);
            model.quantisesApart = false;
            EXPECT_LT(rate(2048) / rate(28672), 0.85) << id << ' ' << int(format) << ": the tables' own";
        }
}

TEST(QuantisedProducts, OfEveryRecipeAreFasterThanSixteenBitOnHopper) {
    CostModel model = modelOf("h100-sxm5-80gb");
    model.quantisesApart = true;
    Operator op = product(8192, 8192, 8192);
    const double wide = operatorTime(model, op).time;
    const auto timeOf = [&](MatrixFormat format) {
        op.format = format;
        return operatorTime(model, op).time;
    };
    const double tensor = timeOf(MatrixFormat::fp8);
    EXPECT_LT(tensor, 0.6 * wide);
    EXPECT_GT(timeOf(MatrixFormat::row_fp8), tensor);
    EXPECT_LT(timeOf(MatrixFormat::row_fp8), 1.05 * tensor) << "measured on one H100: 0.98 of its rate";
    EXPECT_GT(timeOf(MatrixFormat::block_fp8), 1.05 * tensor) << "measured on one H100: 0.85 of its rate";
    EXPECT_LT(timeOf(MatrixFormat::block_fp8), 0.75 * wide);
}

TEST(OperatorTimes, FollowTheRateThatAMachineStates) {
    CostModel model = modelOf("b200-sxm-180gb");
    const Operator large = product(8192, 8192, 8192);
    const double before = operatorTime(model, large).time;
    model.constants.statedProductRate[0] = 0.5;
    model.constants.gemmRateOfPeak *= 0.5;
    EXPECT_NEAR(operatorTime(model, large).time / before, 2, 0.05);
}

TEST(OperatorTimes, AreWhatTheirExplanationSays) {
    test::RandomSource random(7);
    for (const char* id : {"a100-sxm4-80gb", "h100-sxm5-80gb", "gb300", "tpu-v5p"}) {
        CostModel model = modelOf(id);
        model.constants.sustainedShare = 0.77;
        for (int i = 0; i < 50; ++i) {
            const auto size = [&] { return 64.0 * static_cast<double>(1 + random.below(200)); };
            const Operator op = i % 2 == 0 ? product(size(), size(), size(), i % 4 == 0 ? 8 : 1) : attention(size(), size(), 128, 8, 1, 1);
            const Quantity said = explainOperatorTime(model, op);
            const OperatorTime time = operatorTime(model, op);
            EXPECT_DOUBLE_EQ(said.value, time.time);
            EXPECT_EQ(said.source, time.source);
            EXPECT_FALSE(said.inputs.empty());
        }
    }
}

/// Experts' layers measured as a whole are their two grouped products and the activation between: what tables of dense products say of
/// them is held against what was measured. Training's sizes: every expert has hundreds of rows.
TEST(GroupedProducts, AddUpToMeasuredExpertLayers) {
    ORRERY_REQUIRE_SHARED("reference/operators");
    Problems problems;
    const auto systems = loadOperatorTables(test::sharedPath("reference/operators"), catalog(), problems);
    std::vector<double> medians;
    for (const SystemTables& system : systems) {
        if (system.name == "l40s") continue;
        const CostModel model = modelOf(system.accelerator->id);
        std::vector<double> ratios;
        for (const KernelTable& table : system.tables)
            for (const MeasuredCall& measured : table.calls) {
                const KernelCall& call = measured.call;
                if (call.kind != KernelKind::moe || call.format != KernelFormat::bf16) continue;
                const auto [tokens, hidden, inter, topk, experts, tp, ep, gated, skew] = call.sizes;
                const double local = experts / ep, rows = tokens * topk / ep / local, width = inter / tp;
                if (skew != 0 || tp != 1 || rows < 256 || local < 2 || measured.seconds < 300e-6) continue; // routing takes 50 µs and more
                const Operator up = product(rows, width * (1 + gated), hidden, local), down = product(rows, hidden, width, local);
                Operator activation;
                activation.kind = OperatorKind::activation;
                activation.bytesRead = 2 * rows * local * width * (1 + gated);
                activation.bytesWritten = 2 * rows * local * width;
                // Tokens are sorted by expert on the way in and added up, weighted, on the way out.
                Operator permute;
                permute.kind = OperatorKind::permute;
                permute.bytesRead = permute.bytesWritten = 2 * hidden * (tokens + rows * local);
                const double sum = operatorTime(model, up).time + operatorTime(model, down).time + operatorTime(model, activation).time +
                                   operatorTime(model, permute).time;
                ratios.push_back(sum / measured.seconds);
            }
        if (ratios.size() < 20) continue;
        std::sort(ratios.begin(), ratios.end());
        const double median = ratios[ratios.size() / 2];
        std::cout << system.name << ": " << ratios.size() << " layers, predicted/measured " << ratios[ratios.size() / 10] << " .. " << median << " .. "
                  << ratios[ratios.size() * 9 / 10] << "\n";
        EXPECT_NEAR(median, 1, 0.15) << system.name;
        medians.push_back(median);
    }
    ASSERT_GE(medians.size(), 4U);
    std::sort(medians.begin(), medians.end());
    EXPECT_NEAR(medians[medians.size() / 2], 1, 0.1);
}

/// What an explanation lists gives the number it explains.
TEST(OperatorTimes, OfScatteredRowsIsExplained) {
    const CostModel model = modelOf("b200-sxm-180gb");
    Operator op;
    op.name = "moe.permute";
    op.kind = OperatorKind::permute;
    op.bytesRead = op.bytesWritten = 1e9;
    const Quantity whole = explainOperatorTime(model, op);
    EXPECT_EQ(whole.value, operatorTime(model, op).time);
    double seconds = 0;
    for (const Quantity& part : whole.inputs) {
        if (part.name != "memory") continue;
        seconds = 1;
        for (const Quantity& input : part.inputs) seconds = input.name == "bytes" || input.name == "traffic" ? seconds * input.value : seconds / input.value;
        EXPECT_NEAR(seconds / part.value, 1, 1e-9);
    }
    EXPECT_GT(seconds, 0);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Measured by SimuMax v1.2 (MooreThreads/SimuMax, configs/system/a100_pcie.json and b200_bf16_ceperm.json): share of the dense peak
/// that products over 4,096 tokens reach forward, backward, and as a weight gradient that is added to an fp32 buffer.
TEST(WeightGradients, AddedInPlaceTakeThePartOfTheirTrafficThatWasMeasured) {
    struct Measured {
        double n, k, forward, backward, gradient;
    };
    const std::vector<std::pair<const char*, std::vector<Measured>>> machines{
        {"a100-pcie-80gb",
         {{57344, 8192, 0.7528, 0.7549, 0.7100}, {8192, 28672, 0.7411, 0.7565, 0.7116}, {128256, 8192, 0.7446, 0.7448, 0.7081}, {36864, 7168, 0.7600, 0.7645, 0.7178}, {7168, 18432, 0.7389, 0.7566, 0.7169}, {24576, 5120, 0.7504, 0.7844, 0.7165}}},
        {"b200-sxm-180gb",
         {{57344, 8192, 0.4867, 0.4829, 0.4536}, {8192, 28672, 0.4847, 0.4742, 0.4594}, {128256, 8192, 0.4874, 0.4710, 0.4548}, {106496, 16384, 0.4961, 0.5116, 0.4562}, {16384, 53248, 0.5109, 0.5007, 0.4536}, {53248, 16384, 0.4887, 0.5116, 0.4546}}}};
    for (const auto& [machine, shapes] : machines) {
        const CostModel model = modelOf(machine);
        std::vector<double> ratios;
        for (const Measured& measured : shapes) {
            Operator op = product(measured.n, measured.k, 4096);
            op.weightPart = true;
            op.bytesAccumulated = 6 * measured.n * measured.k;
            const double without = op.flops / catalog().accelerator(machine)->peakDense.at("bf16");
            const double shown = without * (1 / measured.gradient - 2 / (measured.forward + measured.backward));
            ratios.push_back(serialTraffic(model, op) / shown);
            EXPECT_GT(operatorTime(model, op).time, operatorTime(model, product(measured.n, measured.k, 4096)).time);
        }
        EXPECT_NEAR(median(ratios), 1, 0.25) << machine;
    }
}

/// The same machine's experts in Transformer Engine's GroupedLinear, forward, backward and as gradients added in fp32.
TEST(GroupedProducts, OneAfterAnotherTakeTheirArithmeticAndTheirTraffic) {
    struct Measured {
        double experts, rows, n, k, forward, backward, gradient;
    };
    const std::vector<Measured> measured{{128, 256, 4096, 7168, 0.2714, 0.3325, 0.1473}, {128, 256, 7168, 2048, 0.3035, 0.2329, 0.1409}, {64, 512, 4096, 7168, 0.3670, 0.4046, 0.2192}, {64, 512, 7168, 2048, 0.4274, 0.2942, 0.2145}, {32, 1024, 4096, 7168, 0.4571, 0.4355, 0.2888}, {32, 1024, 7168, 2048, 0.3842, 0.4302, 0.2744}};
    CostModel model = modelOf("b200-sxm-180gb");
    // That machine's own dense products: 0.488 of the peak.
    model.constants.statedProductRate[0] = 0.488 / model.constants.gemmRateOfPeak;
    model.constants.gemmRateOfPeak = 0.488;
    model.loopsExperts = true;
    std::vector<double> ratios;
    for (const Measured& layer : measured) {
        const auto compare = [&](const Operator& op, double share) { ratios.push_back(operatorTime(model, op).time * model.peak * share / op.flops); };
        compare(product(layer.rows, layer.n, layer.k, layer.experts), layer.forward);
        compare(product(layer.rows, layer.k, layer.n, layer.experts), layer.backward);
        Operator gradient = product(layer.n, layer.k, layer.rows, layer.experts);
        gradient.weightPart = true;
        gradient.bytesAccumulated = 6 * layer.n * layer.k * layer.experts;
        compare(gradient, layer.gradient);
    }
    for (const double ratio : ratios) std::cout << ratio << ' ';
    std::cout << '\n';
    EXPECT_NEAR(median(ratios), 1, 0.1);
    EXPECT_LE(std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return std::abs(ratio - 1) > 0.3; }), 2);
}

} // namespace
} // namespace orrery
