// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/technology_design.hpp"
#include "core/operators/fitting.hpp"
#include "core/operators/kernel_times.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_predictor.hpp"

#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace orrery::predictor_calls {
namespace {

using test::catalog;

int integer(test::RandomSource& random, int low, int high) { return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low + 1))); }

const std::shared_ptr<const OperatorPredictor>& predictor() {
    static const auto shipped = shippedPredictor();
    return shipped;
}

PredictorMachine machineOf(const char* id) { return predictor()->machine(*catalog().accelerator(id), catalog()); }

KernelCall gemm(KernelFormat format, double m, double n, double k) { return {KernelKind::gemm, format, KernelFormat::none, 0, {m, n, k}}; }

/// Products as a machine that reaches 80 % of the roofline would time them.
SystemTables madeUpSystem(const Accelerator& accelerator, std::uint64_t seed) {
    test::RandomSource random(seed);
    const OperatorMachine machine = operatorMachine(accelerator);
    SystemTables system;
    system.name = accelerator.id;
    system.accelerator = &accelerator;
    KernelTable table;
    for (int i = 0; i < 1500; ++i) {
        const double m = std::exp2(integer(random, 0, 14)), n = 128 * integer(random, 1, 64), k = 128 * integer(random, 1, 64);
        const double compute = 2 * m * n * k / machine.peak16, memory = 2 * (m * k + n * k + m * n) / machine.bandwidth;
        table.calls.push_back({gemm(KernelFormat::bf16, m, n, k), 3e-6 + std::max(compute, memory) / 0.8, static_cast<std::uint32_t>(i)});
    }
    system.tables.push_back(table);
    return system;
}

TEST(Fit, FindsALawItIsGiven) {
    const SystemTables system = madeUpSystem(*catalog().accelerator("h100-sxm5-80gb"), 1);
    const OperatorPredictor fitted = fitPredictor({system}, 1);
    const PredictorMachine machine = fitted.machine(*system.accelerator, catalog());
    EXPECT_TRUE(machine.relative.empty());
    const SystemTables unseen = madeUpSystem(*system.accelerator, 2);
    for (const MeasuredCall& measured : unseen.tables[0].calls)
        EXPECT_NEAR(fitted.predict(machine, measured.call)->seconds / measured.seconds, 1, 0.03);
}

TEST(Fit, GivesTheSameBytesAtAnyThreadCount) {
    const std::vector<SystemTables> systems{madeUpSystem(*catalog().accelerator("h100-sxm5-80gb"), 1), madeUpSystem(*catalog().accelerator("h200-sxm-141gb"), 3),
                                            madeUpSystem(*catalog().accelerator("a100-sxm4-80gb"), 4)};
    const std::string once = fitPredictor(systems, 1).toBytes();
    EXPECT_EQ(once, fitPredictor(systems, 4).toBytes());
    EXPECT_EQ(OperatorPredictor::fromBytes(once).toBytes(), once);
}

/// A chip without tables: its relative's launch time and share of the roofline over its own data sheet.
TEST(Fit, AChipWithoutTablesInheritsOverItsOwnDataSheet) {
    const OperatorPredictor fitted = fitPredictor({madeUpSystem(*catalog().accelerator("h100-sxm5-80gb"), 1)}, 1);
    const SystemTables other = madeUpSystem(*catalog().accelerator("h200-sxm-141gb"), 5);
    const PredictorMachine machine = fitted.machine(*other.accelerator, catalog());
    EXPECT_EQ(machine.relative, "h100-sxm5-80gb");
    std::vector<double> errors;
    for (const MeasuredCall& measured : other.tables[0].calls)
        errors.push_back(std::abs(fitted.predict(machine, measured.call)->seconds / measured.seconds - 1));
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[errors.size() / 2], 0.05);
    EXPECT_LT(errors[errors.size() * 9 / 10], 0.1);
}

/// Latencies last as many clocks on a chip without tables as on its relative; long kernels go by the data sheet's rates alone.
TEST(Fit, LatenciesOfAChipWithoutTablesGoByItsClock) {
    const Accelerator& known = *catalog().accelerator("h100-sxm5-80gb");
    const OperatorPredictor fitted = fitPredictor({madeUpSystem(known, 1)}, 1);
    const auto ratio = [&](const Accelerator& other, double size) {
        const KernelCall call = gemm(KernelFormat::bf16, size, size, size);
        return fitted.predict(fitted.machine(other, catalog()), call)->seconds / fitted.predict(fitted.machine(known, catalog()), call)->seconds;
    };
    Accelerator slow = known;
    slow.id = "slow";
    slow.boostClock = known.boostClock / 2;
    EXPECT_EQ(fitted.machine(slow, catalog()).relative, known.id);
    EXPECT_NEAR(ratio(slow, 64), 2, 0.2);
    EXPECT_NEAR(ratio(slow, 16384), 1, 0.02);
    const KernelCall gather{KernelKind::nccl, KernelFormat::fp16, KernelFormat::none, 1, {8, 1024}};
    EXPECT_NEAR(fitted.predict(fitted.machine(slow, catalog()), gather)->seconds, 2 * fitted.predict(fitted.machine(known, catalog()), gather)->seconds, 1e-7);
    // Nobody knows its clock, or another make counts other clocks.
    slow.boostClock = 0;
    EXPECT_EQ(ratio(slow, 64), 1);
    slow.boostClock = known.boostClock / 2;
    slow.vendor = "another";
    EXPECT_EQ(ratio(slow, 64), 1);
}

/// Figures that a scenario states of a chip change its physical times, not whose residuals it has, and a faster rate no time for the worse.
TEST(ShippedPredictor, AStatedRateNeverMakesAKernelSlower) {
    test::RandomSource random(14);
    for (const Accelerator& chip : catalog().accelerators())
        for (const double factor : {1.01, 1.36, 3.0}) {
            Accelerator faster = chip;
            faster.memoryBandwidth *= factor;
            Accelerator stronger = chip;
            for (auto& [format, rate] : stronger.peakDense) rate *= factor;
            const PredictorMachine known = predictor()->machine(chip, catalog());
            for (const Accelerator& stated : {faster, stronger}) {
                const PredictorMachine machine = predictor()->machine(stated, catalog());
                EXPECT_EQ(machine.relative, known.relative) << chip.id;
                EXPECT_EQ(machine.family, known.family) << chip.id;
                EXPECT_EQ(machine.system, known.system) << chip.id;
                for (int i = 0; i < 20; ++i) {
                    const KernelCall call = gemm(KernelFormat::bf16, std::exp2(integer(random, 0, 14)), 128 * integer(random, 1, 96), 128 * integer(random, 1, 96));
                    const auto before = predictor()->predict(known, call), after = predictor()->predict(machine, call);
                    ASSERT_EQ(before.has_value(), after.has_value());
                    if (before) {
                        EXPECT_LE(after->seconds, before->seconds * (1 + 1e-12)) << chip.id << " x" << factor;
                    }
                }
            }
        }
}

/// Makers cut matrix units and leave the rest of the multiprocessor: large products reach nearly all of the peak that is left, as on an L20
/// (105 to 115 TFLOP/s of 119.5, DefTruth/CUDA-Learn-Notes) and an RTX 5060 Ti (47.0 of 47.4), while whole units reach 60 to 80 % of theirs.
TEST(ShippedPredictor, CutMatrixUnitsReachNearlyAllThatIsLeft) {
    const struct {
        const char *cut, *whole;
    } pairs[]{{"rtx-4090", "l40s"}, {"h20-96gb", "h100-sxm5-80gb"}};
    for (const auto& [cut, whole] : pairs) {
        const Accelerator& chip = *catalog().accelerator(cut);
        const PredictorMachine machine = machineOf(cut);
        EXPECT_TRUE(sameMultiprocessor(chip, *catalog().accelerator(machine.relative))) << machine.relative;
        const double large = 8192, flops = 2 * large * large * large;
        const double ownShare = flops / predictor()->predict(machine, gemm(KernelFormat::bf16, large, large, large))->seconds / chip.peakDense.at("bf16");
        const double wholeShare =
            flops / predictor()->predict(machineOf(whole), gemm(KernelFormat::bf16, large, large, large))->seconds / catalog().accelerator(whole)->peakDense.at("bf16");
        EXPECT_GT(ownShare, 0.88) << cut;
        EXPECT_LT(ownShare, 1) << cut;
        EXPECT_LT(wholeShare, 0.85) << whole;
        const KernelConstants kernels = catalog().kernels(chip);
        EXPECT_GT(kernels.gemmRateOfPeak * kernels.sustainedShare, 0.85);
        EXPECT_LT(kernels.gemmRateOfPeak, 1);
    }
    EXPECT_EQ(matrixUnitsLeft(*catalog().accelerator("h100-pcie-80gb"), *catalog().accelerator("h100-sxm5-80gb")), 1);
    EXPECT_NEAR(matrixUnitsLeft(*catalog().accelerator("rtx-4090"), *catalog().accelerator("l40s")), 0.5, 0.02); // fp32 sums at half rate
}

/// GDDR6 keeps error-correcting codes among the data where that is on, as on an L40S, and off on a GeForce. Reads of weights reach there what
/// they were measured to: 904 to 922 GB/s of 1,008 (xytpai/nvbench), 910 in decode steps (ggml-org/llama.cpp, pull request 15131).
TEST(ShippedPredictor, CodesAmongTheDataCostBandwidth) {
    const double large = 16384;
    const KernelCall stream = gemm(KernelFormat::bf16, 1, large, large), product = gemm(KernelFormat::bf16, large, large, large);
    const double share = catalog().physics().inlineEccShare;
    Accelerator l40s = *catalog().accelerator("l40s");
    ASSERT_TRUE(l40s.inlineEcc);
    const PredictorMachine with = predictor()->machine(l40s, catalog());
    const double streamRate = catalog().kernels(l40s).memoryRateOfPeak;
    l40s.inlineEcc = false;
    const PredictorMachine without = predictor()->machine(l40s, catalog());
    const auto ratio = [&](const KernelCall& call) { return predictor()->predict(without, call)->seconds / predictor()->predict(with, call)->seconds; };
    EXPECT_NEAR(ratio(stream), share, 0.02);
    EXPECT_NEAR(ratio(product), 1, 0.01);
    EXPECT_NEAR(catalog().kernels(l40s).memoryRateOfPeak, streamRate / share, 1e-12);

    const double rate = 2 * large * large / predictor()->predict(machineOf("rtx-4090"), stream)->seconds;
    EXPECT_GT(rate, 0.85 * 1008e9);
    EXPECT_LT(rate, 1008e9);
    EXPECT_NEAR(catalog().kernels(*catalog().accelerator("rtx-4090")).memoryRateOfPeak, 0.92, 0.03);
}

/// A chip that the catalogue does not list: of its make, whatever its rates are.
TEST(ShippedPredictor, RelativesOfUnlistedChipsFollowFromTheirMake) {
    Accelerator mine = *catalog().accelerator("h100-sxm5-80gb");
    mine.id = "mine";
    const std::string relative = predictor()->machine(mine, catalog()).relative;
    EXPECT_EQ(catalog().accelerator(relative)->vendor, "NVIDIA");
    for (const double factor : {0.1, 0.5, 2.0, 10.0}) {
        Accelerator other = mine;
        other.memoryBandwidth *= factor;
        other.scaleUpBandwidth /= factor;
        for (auto& [format, rate] : other.peakDense) rate *= factor * factor;
        EXPECT_EQ(predictor()->machine(other, catalog()).relative, relative);
    }
    mine.vendor = "AMD";
    EXPECT_NE(predictor()->machine(mine, catalog()).relative, "");
}

TEST(ShippedPredictor, IsSmallAndReadsBack) {
    EXPECT_LE(resourceText("catalog/operators.bin").size(), 4000000U); // 222 models of 26 kinds
    EXPECT_EQ(predictor()->toBytes(), resourceText("catalog/operators.bin"));
}

TEST(ShippedPredictor, DamagedFilesAreRefusedWithWords) {
    const std::string_view bytes = resourceText("catalog/operators.bin");
    test::RandomSource random(9);
    for (int i = 0; i < 40; ++i) {
        std::string damaged(bytes);
        const auto at = static_cast<std::size_t>(integer(random, 0, static_cast<int>(bytes.size()) - 1));
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << integer(random, 0, 7)));
        EXPECT_THROW(OperatorPredictor::fromBytes(damaged), std::invalid_argument);
    }
    for (const std::size_t length : {std::size_t(0), std::size_t(5), std::size_t(30), bytes.size() / 2, bytes.size() - 1}) {
        try {
            OperatorPredictor::fromBytes(bytes.substr(0, length));
            ADD_FAILURE() << length;
        } catch (const std::invalid_argument& wrong) {
            EXPECT_GT(std::string(wrong.what()).size(), 10U);
        }
    }
}

KernelCall randomCall(test::RandomSource& random) {
    const auto size = [&](int most) { return std::floor(std::exp2(integer(random, 0, most * 8) / 8.0)); };
    KernelCall call;
    call.kind = static_cast<KernelKind>(integer(random, 0, static_cast<int>(kernelKinds) - 1));
    call.format = static_cast<KernelFormat>(integer(random, 1, 11));
    call.cache = integer(random, 0, 1) == 0 ? KernelFormat::bf16 : KernelFormat::fp8;
    if (call.kind == KernelKind::nccl) call.variant = static_cast<std::uint8_t>(integer(random, 0, 3));
    for (std::size_t i = 0; i < sizeColumns(call.kind).size(); ++i) call.sizes[i] = size(24);
    if (call.kind == KernelKind::moe) call.sizes[8] = integer(random, 0, 2) * 0.6;
    return call;
}

/// Whatever is asked, far outside the tables too.
TEST(ShippedPredictor, AnswersAreFiniteAndPositive) {
    test::RandomSource random(21);
    std::vector<PredictorMachine> machines;
    for (const Accelerator& accelerator : catalog().accelerators()) machines.push_back(predictor()->machine(accelerator, catalog()));
    int answered = 0;
    for (int i = 0; i < 40000; ++i) {
        const KernelCall call = randomCall(random);
        const auto answer = predictor()->predict(machines[static_cast<std::size_t>(integer(random, 0, static_cast<int>(machines.size()) - 1))], call);
        if (!answer) continue;
        ++answered;
        ASSERT_TRUE(std::isfinite(answer->seconds) && answer->seconds > 0) << toString(call.kind) << ' ' << answer->seconds;
        ASSERT_TRUE(std::isfinite(answer->beyond) && answer->beyond >= 0);
    }
    EXPECT_GT(answered, 10000);
}

/// Real tables have dips where a faster kernel takes over (A100, n = k = 2560: 19.1 µs at m = 16, 14.0 at m = 32), so a larger product
/// may be faster where weights are streamed; not where arithmetic counts.
TEST(ShippedPredictor, FourTimesTheWorkTakesLonger) {
    test::RandomSource random(22);
    for (const char* id : {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "gb300"}) {
        const PredictorMachine machine = machineOf(id);
        for (int i = 0; i < 3000; ++i) {
            const double m = std::exp2(integer(random, 8, 12)), n = 64 * integer(random, 32, 256), k = 64 * integer(random, 32, 256);
            const double one = predictor()->predict(machine, gemm(KernelFormat::bf16, m, n, k))->seconds;
            EXPECT_GT(predictor()->predict(machine, gemm(KernelFormat::bf16, m, 4 * n, k))->seconds, one) << id << ' ' << m << ' ' << n << ' ' << k;
            EXPECT_GT(predictor()->predict(machine, gemm(KernelFormat::bf16, m * 4, n, k))->seconds, one) << id << ' ' << m << ' ' << n << ' ' << k;
        }
    }
}

/// No kernel is faster than arithmetic allows.
TEST(ShippedPredictor, LargeProductsStayBelowThePeak) {
    test::RandomSource random(23);
    for (const char* id : {"a100-sxm4-80gb", "h100-sxm5-80gb", "h200-sxm-141gb", "b200-sxm-180gb", "b300-sxm", "gb200", "gb300"}) {
        const PredictorMachine machine = machineOf(id);
        for (int i = 0; i < 1000; ++i) {
            const double m = 1024 * integer(random, 1, 16), n = 1024 * integer(random, 1, 16), k = 1024 * integer(random, 1, 16);
            EXPECT_GT(predictor()->predict(machine, gemm(KernelFormat::bf16, m, n, k))->seconds, 2 * m * n * k / machine.machine.peak16) << id;
        }
    }
}

constexpr const char* fittedMachines[]{"a100-sxm4-80gb", "h100-sxm5-80gb", "h200-sxm-141gb", "b200-sxm-180gb", "b300-sxm", "gb200", "gb300"};

/// Grows one size of a call from `from` to 32 times that in small steps: its time never falls, and over the last two octaves its rate
/// stays what it was. `work`: FLOPs of a call, `power`: with which they grow.
void expectGrowth(const PredictorMachine& machine, KernelCall call, std::size_t grown, double from, double power, const std::string& what) {
    const auto secondsAt = [&](double size) {
        call.sizes[grown] = std::floor(size);
        return predictor()->predict(machine, call)->seconds;
    };
    double last = 0;
    for (double size = from; size <= 32 * from; size *= 1.07) {
        const double seconds = secondsAt(size);
        ASSERT_GE(seconds, last) << what << ", size " << size;
        last = seconds;
    }
    EXPECT_NEAR(secondsAt(32 * from) / secondsAt(8 * from) / std::pow(4, power), 1, 0.03) << what;
}

/// Micro-batches of a million tokens lie five octaves beyond the tables.
TEST(ShippedPredictor, ProductsBeyondTheTablesNeitherSpeedUpNorPassThePeak) {
    test::RandomSource random(24);
    for (const char* id : fittedMachines) {
        const PredictorMachine machine = machineOf(id);
        for (const KernelFormat format : {KernelFormat::bf16, KernelFormat::fp8, KernelFormat::fp8_block, KernelFormat::nvfp4}) {
            if (!predictor()->predict(machine, gemm(format, 1, 1024, 1024))) continue;
            for (int i = 0; i < 15; ++i) {
                const auto width = [&] { return 64.0 * integer(random, 32, 256); };
                const KernelCall call = gemm(format, 64.0 * integer(random, 4, 512), width(), width());
                const std::string what = std::string(id) + ' ' + std::string(toString(format)) + ' ' + std::to_string(call.sizes[1]) + " x " + std::to_string(call.sizes[2]);
                expectGrowth(machine, call, 0, 32768, 1, what + ", m");
                expectGrowth(machine, call, 1, 65536, 1, what + ", n");
                expectGrowth(machine, call, 2, 65536, 1, what + ", k");
                const KernelCall large = gemm(format, std::exp2(integer(random, 15, 20)), width(), width());
                const double seconds = predictor()->predict(machine, large)->seconds;
                EXPECT_GE(seconds, 2 * large.sizes[0] * large.sizes[1] * large.sizes[2] / peakFor(machine.machine, format)) << what;
                const double fitted = machine.family == machineOf("a100-sxm4-80gb").family ? 8192 : 32768; // rows, at most
                EXPECT_NEAR(predictor()->predict(machine, large)->beyond, std::max(0.0, std::log2((large.sizes[0] + 1) / (fitted + 1))), 1e-6);
            }
        }
    }
}

TEST(ShippedPredictor, LongPromptsGrowWithTheSquareOfTheirLength) {
    test::RandomSource random(25);
    for (const char* id : fittedMachines) {
        const PredictorMachine machine = machineOf(id);
        for (const KernelFormat cache : {KernelFormat::bf16, KernelFormat::fp8}) {
            for (int i = 0; i < 15; ++i) {
                const double kvHeads = std::exp2(integer(random, 3, 5)), heads = kvHeads * std::exp2(integer(random, 0, 3));
                KernelCall call{KernelKind::context_attention, KernelFormat::bf16, cache, 0, {std::floor(std::exp2(integer(random, 0, 6))), 32768, heads, kvHeads, 128, 0}};
                const std::string what = std::string(id) + ", heads " + std::to_string(heads) + " for " + std::to_string(kvHeads);
                expectGrowth(machine, call, 1, 32768, 2, what + ", length");
                call.sizes[1] = 4096;
                expectGrowth(machine, call, 0, 1024, 1, what + ", batch");
            }
        }
        const KernelCall million{KernelKind::context_attention, KernelFormat::bf16, KernelFormat::bf16, 0, {1, 1048576, 64, 8, 128, 0}};
        const auto answer = predictor()->predict(machine, million);
        EXPECT_GE(answer->seconds, 2.0 * 64 * 128 * 1048576.0 * 1048577 / machine.machine.peak16) << id;
        EXPECT_GT(answer->beyond, 3) << id;
    }
}

TEST(ShippedPredictor, SaysHowFarOutside) {
    const PredictorMachine machine = machineOf("h100-sxm5-80gb");
    EXPECT_EQ(predictor()->predict(machine, gemm(KernelFormat::bf16, 1024, 4096, 4096))->beyond, 0);
    const double far = predictor()->predict(machine, gemm(KernelFormat::bf16, std::exp2(24), 4096, 4096))->beyond;
    EXPECT_GT(far, 3);
    EXPECT_NEAR(predictor()->predict(machine, gemm(KernelFormat::bf16, std::exp2(25), 4096, 4096))->beyond, far + 1, 1e-6);
    // Each size is measured, all of them at once are not: no memory holds them.
    const double together = predictor()->predict(machine, gemm(KernelFormat::bf16, 32768, 65536, 65536))->beyond;
    EXPECT_GT(together, 0);
    EXPECT_LT(together, 4);
    EXPECT_EQ(machineOf("b200-sxm-180gb").relative, "");
    EXPECT_EQ(machineOf("a800-sxm4-80gb").relative, "a100-sxm4-80gb");
    EXPECT_EQ(machineOf("h100-pcie-80gb").family, machineOf("h100-sxm5-80gb").family);
}

TEST(KernelTimes, MeasuredComesBeforePredicted) {
    auto measured = std::make_shared<MeasuredTimes>();
    const KernelCall call = gemm(KernelFormat::bf16, 512, 4096, 4096);
    KernelTable table;
    table.calls.push_back({call, 1.25e-3, 0});
    measured->add("h100-sxm5-80gb", table);
    const KernelTimes times(*catalog().accelerator("h100-sxm5-80gb"), catalog(), predictor(), measured);
    for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(times.time(call)->seconds, 1.25e-3);
        EXPECT_EQ(times.time(call)->source, Source::measured);
        EXPECT_EQ(times.time(gemm(KernelFormat::bf16, 513, 4096, 4096))->source, Source::predicted);
        EXPECT_FALSE(times.time(gemm(KernelFormat::nvfp4, 512, 4096, 4096))) << "no nvfp4 on Hopper";
    }
    const KernelTimes elsewhere(*catalog().accelerator("h200-sxm-141gb"), catalog(), predictor(), measured);
    EXPECT_EQ(elsewhere.time(call)->source, Source::predicted);
}

/// Threads that ask at once, for more calls than are remembered, are told what one alone is told.
TEST(KernelTimes, AnswersDoNotDependOnWhoElseAsks) {
    const KernelTimes times(*catalog().accelerator("b200-sxm-180gb"), catalog(), predictor(), nullptr);
    const PredictorMachine machine = machineOf("b200-sxm-180gb");
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            test::RandomSource random(static_cast<std::uint64_t>(t));
            for (int i = 0; i < 4000; ++i) {
                const KernelCall call = gemm(KernelFormat::bf16, integer(random, 1, 3000), 4096, 4096);
                if (times.time(call)->seconds != predictor()->predict(machine, call)->seconds) ++wrong[static_cast<std::size_t>(t)];
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

} // namespace
} // namespace orrery::predictor_calls
