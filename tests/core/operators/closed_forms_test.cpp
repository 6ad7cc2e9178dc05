// SPDX-License-Identifier: GPL-3.0-or-later
// What the hierarchical roofline must obey whatever its constants are.

#include "core/operators/roofline.hpp"
#include "core/operators/tile_traffic.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace orrery {
namespace {

using test::catalog;

const Accelerator& named(const char* id) { return *catalog().accelerator(id); }

GemmWork product(double m, double n, double k, double batch = 1) {
    GemmWork work;
    work.m = m, work.n = n, work.k = k, work.batch = batch;
    return work;
}

double compulsory(const GemmWork& work) {
    return work.batch * (work.m * work.k * work.leftBytes + work.k * work.n * work.rightBytes + work.m * work.n * work.outBytes);
}

double upTo(std::mt19937& random, unsigned most) { return static_cast<double>(1 + random() % most); }

/// Shapes from one row to tens of thousands, odd ones too.
GemmWork randomProduct(std::mt19937& random) {
    std::uniform_real_distribution<double> octave(0, 14);
    const auto size = [&] { return std::floor(std::exp2(octave(random))); };
    GemmWork work = product(size(), size(), size(), random() % 4 == 0 ? upTo(random, 32) : 1);
    constexpr MatrixRate rates[] = {MatrixRate::sixteen_bit, MatrixRate::eight_bit, MatrixRate::int8};
    work.rate = rates[random() % 3];
    if (work.rate != MatrixRate::sixteen_bit) work.leftBytes = work.rightBytes = 1;
    return work;
}

AttentionWork randomAttention(std::mt19937& random) {
    std::uniform_real_distribution<double> octave(0, 14);
    AttentionWork work;
    work.keys = std::floor(std::exp2(octave(random)));
    work.queries = random() % 2 == 0 ? 1 : work.keys;
    work.pairs = work.queries == 1 ? work.keys : work.keys * (work.keys + 1) / 2;
    work.kvHeads = 1 << random() % 4;
    work.heads = work.kvHeads * (1 << random() % 4);
    work.sequences = static_cast<double>(1 + random() % 64);
    return work;
}

TEST(TileTraffic, SumsWhatEachTileReads) {
    std::mt19937 random(1);
    for (int run = 0; run < 200; ++run) {
        const GemmWork work = product(upTo(random, 700), upTo(random, 700), upTo(random, 300));
        const double tileM = upTo(random, 200), tileN = upTo(random, 200);
        double bytes = 0;
        for (double row = 0; row < work.m; row += tileM)
            for (double column = 0; column < work.n; column += tileN) {
                const double rows = std::min(tileM, work.m - row), columns = std::min(tileN, work.n - column);
                bytes += rows * work.k * 2 + columns * work.k * 2 + rows * columns * 2;
            }
        EXPECT_DOUBLE_EQ(outputStationaryTraffic(work, tileM, tileN), bytes);
    }
}

TEST(TileTraffic, CacheOfExactlyOneTileSharesNothing) {
    // Two slabs for one tile of 128 × 64: no panel of 8,192 elements a row fits, and no second tile.
    const GemmWork work = product(4096, 2048, 8192);
    const double slab = 64, oneTile = (128 + 64) * slab * 2;
    EXPECT_DOUBLE_EQ(cachedTraffic(work, oneTile, 128, 64, slab, 108), outputStationaryTraffic(work, 128, 64));
    EXPECT_DOUBLE_EQ(cachedTraffic(work, oneTile, 128, 64, slab, 108), 2.0 * (4096.0 * 8192 * (2048 / 64) + 8192.0 * 2048 * (4096 / 128) + 4096.0 * 2048));
    // Room for two side by side: the left operand is read half as often.
    EXPECT_DOUBLE_EQ(cachedTraffic(work, (128 + 2 * 64) * slab * 2, 128, 64, slab, 2),
                     2.0 * (4096.0 * 8192 * 16 + 8192.0 * 2048 * 32 + 4096.0 * 2048));
    // Half of the left operand's rows stay: the right one passes twice.
    const double halfOfLeft = 2048 * 8192 * 2 + 64 * slab * 2;
    EXPECT_DOUBLE_EQ(cachedTraffic(product(4096, 65536, 8192), halfOfLeft, 128, 64, slab, 1),
                     2.0 * (4096.0 * 8192 + 2 * 8192.0 * 65536 + 4096.0 * 65536));
}

TEST(TileTraffic, EndlessCacheLeavesCompulsoryTraffic) {
    RooflineMachine machine = rooflineMachine(named("h100-sxm5-80gb"), catalog().physics());
    machine.capacity[indexOf(MemoryLevel::l2)] = 1e18;
    std::mt19937 random(2);
    for (int run = 0; run < 500; ++run) {
        const GemmWork work = randomProduct(random);
        EXPECT_DOUBLE_EQ(gemmRoofline(machine, work).traffic[0], compulsory(work));
    }
}

TEST(TileTraffic, LevelsBelowReadTheirTiles) {
    const RooflineMachine machine = rooflineMachine(named("a100-sxm4-80gb"), catalog().physics());
    std::mt19937 random(3);
    for (int run = 0; run < 500; ++run) {
        const GemmWork work = randomProduct(random);
        const RooflineTime t = gemmRoofline(machine, work);
        const double sums = t.tiling.split > 1 ? 8 * t.tiling.split * work.m * work.n : 0;
        EXPECT_DOUBLE_EQ(t.traffic[1], work.batch * (outputStationaryTraffic(work, t.tiling.m, t.tiling.n) + sums));
        EXPECT_GE(t.traffic[0], compulsory(work) * (1 - 1e-12));
        EXPECT_LE(t.traffic[0], t.traffic[1] * (1 + 1e-12)) << "a cache never adds traffic";
    }
}

TEST(GemmRoofline, TileAndWaveQuantisation) {
    // On the data sheet alone, one full wave of the largest tiles with endless caches runs at the peak; one tile more takes another wave.
    RooflineMachine machine = rooflineMachine(named("a100-sxm4-80gb"), catalog().physics(), dataSheetShares);
    for (double& bandwidth : machine.bandwidth) bandwidth = 1e30;
    machine.portBandwidth = 1e30;
    const double k = 4096, peak = machine.matrixPeak[0];
    const GemmWork wave = product(128 * 12, 256 * 9, k); // 108 tiles for 108 multiprocessors
    EXPECT_NEAR(gemmRoofline(machine, wave).matrix, 2 * wave.m * wave.n * k / peak, 1e-12);
    const RooflineTime more = gemmRoofline(machine, product(128 * 12 + 1, 256 * 9, k));
    EXPECT_GT(more.matrix, 1.02 * 2 * wave.m * wave.n * k / peak);
    // k is consumed in steps of 16 at 16 bit.
    EXPECT_DOUBLE_EQ(gemmRoofline(machine, product(1536, 2304, 4088)).matrix, gemmRoofline(machine, product(1536, 2304, 4096)).matrix);
    // Rows that do not start at 16 bytes.
    EXPECT_GT(gemmRoofline(machine, product(1536, 2304, 4095)).matrix, 1.5 * gemmRoofline(machine, product(1536, 2304, 4096)).matrix);
}

TEST(GemmRoofline, OneRowIsBoundByMemoryEverywhere) {
    for (const Accelerator& accelerator : catalog().accelerators()) {
        const RooflineMachine machine = rooflineMachine(accelerator, catalog().physics(), dataSheetShares);
        const GemmWork work = product(1, 16384, 16384);
        const RooflineTime t = gemmRoofline(machine, work);
        EXPECT_EQ(t.bound, RooflineBound::dram) << accelerator.id << " " << toString(t.bound);
        EXPECT_NEAR(t.time, compulsory(work) / accelerator.memoryBandwidth, 0.01 * t.time) << accelerator.id;
    }
}

TEST(Roofline, NeverBelowThePlainOne) {
    std::mt19937 random(4);
    for (const char* id : {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "l40s", "mi300x", "v100-sxm2-32gb"}) {
        const RooflineMachine machine = rooflineMachine(named(id), catalog().physics(), dataSheetShares);
        const RooflineMachine usual = rooflineMachine(named(id), catalog().physics());
        for (int run = 0; run < 300; ++run) {
            const GemmWork work = randomProduct(random);
            const RooflineTime t = gemmRoofline(machine, work);
            const double plain = std::max(t.flops / machine.matrixPeak[static_cast<std::size_t>(work.rate)], compulsory(work) / machine.bandwidth[0]);
            EXPECT_GE(t.time, plain * (1 - 1e-12)) << id << ' ' << work.m << ' ' << work.n << ' ' << work.k;
            EXPECT_GE(gemmRoofline(usual, work).time, t.time) << id;
            const AttentionWork attention = randomAttention(random);
            const RooflineTime a = attentionRoofline(machine, attention);
            const double keysAndValues = 2 * attention.sequences * attention.kvHeads * attention.keys * 128 * 2;
            const double flops = 4 * attention.sequences * attention.heads * attention.pairs * 128;
            EXPECT_GE(a.time, std::max(flops / machine.matrixPeak[0], keysAndValues / machine.bandwidth[0]) * (1 - 1e-12)) << id;
            EXPECT_GE(attentionRoofline(usual, attention).time, a.time) << id;
        }
    }
}

TEST(Roofline, MoreOfAnythingNeverSlows) {
    std::mt19937 random(5);
    for (int run = 0; run < 400; ++run) {
        const RooflineMachine machine = rooflineMachine(named(run % 2 ? "a100-sxm4-80gb" : "h100-sxm5-80gb"), catalog().physics());
        const GemmWork work = randomProduct(random);
        const AttentionWork attention = randomAttention(random);
        const double gemmBefore = gemmRoofline(machine, work).time, attentionBefore = attentionRoofline(machine, attention).time;
        const auto check = [&](const RooflineMachine& better, const char* what) {
            EXPECT_LE(gemmRoofline(better, work).time, gemmBefore * (1 + 1e-12)) << what << ' ' << work.m << ' ' << work.n << ' ' << work.k << ' ' << work.batch;
            EXPECT_LE(attentionRoofline(better, attention).time, attentionBefore * (1 + 1e-12)) << what;
        };
        for (std::size_t level = 0; level < memoryLevels; ++level) {
            for (const double factor : {1.1, 2.0, 10.0}) {
                RooflineMachine wider = machine;
                wider.bandwidth[level] *= factor;
                check(wider, "bandwidth");
                RooflineMachine larger = machine;
                larger.capacity[level] *= factor;
                check(larger, "capacity");
            }
        }
        RooflineMachine faster = machine;
        for (double& peak : faster.matrixPeak) peak *= 1.5;
        check(faster, "peak");
        faster = machine;
        faster.portBandwidth *= 2;
        check(faster, "port");
    }
}

TEST(Roofline, LongPromptsComputeAndDecodingReads) {
    const RooflineMachine machine = rooflineMachine(named("a100-sxm4-80gb"), catalog().physics(), dataSheetShares);
    AttentionWork prompt;
    prompt.queries = prompt.keys = 16384;
    prompt.pairs = 16384.0 * 16385 / 2;
    prompt.heads = prompt.kvHeads = 32;
    const RooflineTime p = attentionRoofline(machine, prompt);
    EXPECT_TRUE(isCompute(p.bound)) << toString(p.bound);
    EXPECT_NEAR(p.flops, 4 * 32 * prompt.pairs * 128, 1);
    AttentionWork token;
    token.queries = 1;
    token.keys = token.pairs = 16384;
    token.heads = token.kvHeads = 32;
    token.sequences = 16;
    const RooflineTime d = attentionRoofline(machine, token);
    EXPECT_EQ(d.bound, RooflineBound::dram) << toString(d.bound);
    EXPECT_NEAR(d.time, 2.0 * 16 * 16384 * 32 * 128 * 2 / machine.bandwidth[0], 0.01 * d.time);
}

TEST(Roofline, NothingTakesNoTime) {
    const RooflineMachine machine = rooflineMachine(named("a100-sxm4-80gb"), catalog().physics());
    EXPECT_EQ(gemmRoofline(machine, product(0, 128, 128)).time, 0);
    EXPECT_EQ(gemmRoofline(machine, product(128, 128, 0)).time, 0);
    EXPECT_EQ(attentionRoofline(machine, AttentionWork{}).time, 0);
}

TEST(Roofline, ExplainedDownToTheDataSheet) {
    const Accelerator& accelerator = named("a100-sxm4-80gb");
    const RooflineMachine machine = rooflineMachine(accelerator, catalog().physics());
    const RooflineTime t = gemmRoofline(machine, product(4096, 4096, 4096));
    const Quantity why = explainRoofline(machine, t, "product");
    EXPECT_EQ(why.source, Source::roofline);
    double longest = 0, latency = 0;
    for (const Quantity& input : why.inputs) {
        if (input.name == "latency") latency = input.value;
        else longest = std::max(longest, input.value);
    }
    EXPECT_DOUBLE_EQ(why.value, longest + latency);
    const Quantity chip = explainMachine(accelerator, catalog().physics());
    for (const Quantity& input : chip.inputs) {
        EXPECT_GT(input.value, 0) << input.name;
        EXPECT_TRUE(input.source != Source::assumed || !input.formula.empty()) << input.name;
    }
}

} // namespace
} // namespace orrery
