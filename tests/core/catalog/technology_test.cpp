// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/technology_design.hpp"
#include "resources/shipped_catalog.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace orrery {
namespace {

class TechnologyTest : public ::testing::Test {
protected:
    TechnologyDesign design(const Json& object) const {
        Problems problems;
        const auto read = readTechnologyDesign(object, "", technology_, catalog_, "/technology", problems);
        EXPECT_TRUE(read) << object.dump() << (problems.empty() ? "" : problems.front().message);
        if (!read) throw std::runtime_error("no design");
        return *read;
    }
    DerivedChip chip(const Json& object) const { return deriveChip(design(object), technology_); }
    Problems refusal(const Json& object) const {
        Problems problems;
        EXPECT_FALSE(readAccelerator(Json{{"technology", object}}, catalog_, "/cluster/accelerator", problems)) << object.dump();
        return problems;
    }

    const Catalog catalog_ = shippedSpecifications();
    const Technology technology_ = technologyOf(catalog_);
};

/// A chip described by nothing but its own name is that chip.
TEST_F(TechnologyTest, AnAnchorGivesItself) {
    for (const TechnologyAnchor& anchor : technology_.anchors()) {
        SCOPED_TRACE(anchor.accelerator);
        const Accelerator& listed = *catalog_.accelerator(anchor.accelerator);
        Problems problems;
        const auto derived = readAccelerator(Json{{"technology", {{"anchor", anchor.accelerator}}}}, catalog_, "", problems);
        ASSERT_TRUE(derived);
        EXPECT_EQ(derived->multiprocessors, listed.multiprocessors);
        EXPECT_NEAR(derived->memoryBandwidth, listed.memoryBandwidth, 1e-6 * listed.memoryBandwidth);
        EXPECT_NEAR(derived->memoryBytes, listed.memoryBytes, 1);
        for (const auto& [precision, peak] : listed.peakDense) EXPECT_NEAR(derived->peakDense.at(precision), peak, 1e-6 * peak) << precision;
        EXPECT_EQ(derived->scaleUpBandwidth, listed.scaleUpBandwidth);
        EXPECT_EQ(derived->nicBandwidth, listed.nicBandwidth);
    }
}

/// TSMC's own sum from N7 to A14 (epium.com): 1.8 times the speed at the same power, 4.2 times the efficiency.
TEST_F(TechnologyTest, StepsMultiplyToWhatTsmcStatesOfThemTogether) {
    const TechnologyStep way = technology_.between(technology_.sets().front(), 7, 1.4);
    EXPECT_NEAR(way.speed, 1.8, 0.03 * 1.8);
    EXPECT_NEAR(1 / way.power, 4.2, 0.03 * 4.2);
    // The law of power gives the speed from the efficiency.
    EXPECT_NEAR(std::pow(1 / way.power, 1 / technology_.powerExponent()), 1.8, 0.03 * 1.8);
    EXPECT_NEAR(technology_.powerExponent(), 2.55, 0.005);
    // Back again is the inverse.
    const TechnologyStep back = technology_.between(technology_.sets().front(), 1.4, 7);
    EXPECT_NEAR(way.power * back.power, 1, 1e-12);
    EXPECT_NEAR(way.density * back.density, 1, 1e-12);
}

/// A chip of half logic, 30 % SRAM and 20 % analog from N5 to N3E: TSMC states 1.3. Logic 1.6 and bit cells as they were (0.021 µm²);
/// nobody was seen to state N3E's analog: that of the step before, 1.2.
TEST_F(TechnologyTest, TheMixOfAChipGivesItsDensity) {
    const double sram = technology_.node(5)->sramCell / technology_.node(3)->sramCell;
    const double mix = 1 / (0.5 / 1.6 + 0.3 / sram + 0.2 / 1.2);
    EXPECT_NEAR(mix, 1.3, 0.02 * 1.3);
    EXPECT_NEAR(technology_.between(technology_.sets().front(), 5, 3).density, mix, 0.02 * mix);
}

/// The fastest bf16 products of B200, B300, GB200 and GB300, TFLOP/s (ai-dynamo/aiconfigurator @095f58a5, 99th percentile).
TEST_F(TechnologyTest, OneDieAtOtherBudgetsRunsAtTheMeasuredRates) {
    const double base = 1616;
    const auto rate = [&](const Json& object) { return base * chip(object).flopsGain; };
    const double enabled = 152.0 / 160;
    EXPECT_NEAR(rate({{"anchor", "b200-sxm-180gb"}, {"power_w", 1100}}), 1767, 0.06 * 1767);
    EXPECT_NEAR(rate({{"anchor", "b200-sxm-180gb"}, {"power_w", 1200}, {"enabled_fraction", enabled}}), 1780, 0.06 * 1780);
    EXPECT_NEAR(rate({{"anchor", "b200-sxm-180gb"}, {"power_w", 1400}, {"enabled_fraction", enabled}}), 1983, 0.06 * 1983);
}

TEST_F(TechnologyTest, ChipsOfTheNextNodeComeWithinFifteenPercent) {
    // V100 to A100: no rate of the V100 was measured, so peaks are compared.
    const double a100 = chip({{"anchor", "v100-sxm2-32gb"}, {"node_nm", 7}, {"die_mm2", 826}, {"power_w", 400}, {"sram_mb", 40}, {"dram", {{"generation", "HBM2E"}, {"stacks", 5}, {"pin_gbps", 3.19}}}, {"links", "nvlink3"}, {"enabled_fraction", 108.0 / 128}}).flopsGain * 125;
    EXPECT_NEAR(a100, 312, 0.15 * 312);
    const double b200 = chip({{"node_nm", 4}, {"die_mm2", 1600}, {"power_w", 1000}, {"sram_mb", 126}, {"dram", {{"generation", "HBM3E"}, {"stacks", 8}, {"pin_gbps", 7.52}}}, {"links", "nvlink5"}, {"enabled_fraction", 148.0 / 160}}).flopsGain * 811;
    EXPECT_NEAR(b200, 1616, 0.15 * 1616);
    std::printf("V100 to A100: %.0f TFLOP/s, 312 stated (%+.1f %%). H100 to B200: %.0f, 1616 measured (%+.1f %%).\n", a100, 100 * (a100 / 312 - 1), b200, 100 * (b200 / 1616 - 1));
}

/// Hopper's multiprocessor multiplies twice as much a clock as Ampere's, in 1.31 times the area: no node says so. Stated, the rest follows.
TEST_F(TechnologyTest, A100ToH100MissesByWhatItsCoresGained) {
    Json object{{"anchor", "a100-sxm4-80gb"}, {"node_nm", 5}, {"die_mm2", 814}, {"power_w", 700}, {"sram_mb", 50}, {"dram", {{"generation", "HBM3"}, {"stacks", 5}, {"pin_gbps", 5.23}}}, {"links", "nvlink4"}, {"enabled_fraction", 132.0 / 144}};
    const double alone = chip(object).flopsGain * 271;
    EXPECT_NEAR(alone / 811 - 1, -0.30, 0.05);
    object["flops_per_core_clock"] = 4096;
    object["core_area"] = 1.31;
    const double told = chip(object).flopsGain * 271;
    EXPECT_NEAR(told, 811, 0.06 * 811);
    std::printf("A100 to H100: %.0f TFLOP/s of 811 measured from technology alone (%+.1f %%), for tensor FLOPs a core doubled; with them, %.0f (%+.1f %%).\n", alone, 100 * (alone / 811 - 1), told, 100 * (told / 811 - 1));
}

/// Parts add up to their budgets, whatever is asked.
TEST_F(TechnologyTest, BudgetsHoldAndFieldsGrowTheWayPhysicsSays) {
    std::mt19937 random(7);
    const auto between = [&random](double least, double most) { return std::uniform_real_distribution<double>(least, most)(random); };
    const std::vector<double> nodes{12, 10, 7, 5, 3, 2, 1.4, 1};
    for (int i = 0; i < 300; ++i) {
        Json object{{"node_nm", nodes[random() % nodes.size()]}, {"die_mm2", between(400, 1700)}, {"power_w", between(500, 2000)}, {"sram_mb", between(0, 60)}, {"dram", {{"generation", "HBM3E"}, {"stacks", 1 + random() % 6}, {"pin_gbps", between(6, 9)}}}, {"set", technology_.sets()[random() % technology_.sets().size()].id}};
        SCOPED_TRACE(object.dump());
        const TechnologyDesign one = design(object);
        const DerivedChip derived = deriveChip(one, technology_);
        EXPECT_NEAR(derived.memoryPower + derived.linkPower + derived.corePower, one.power, 1e-6 * one.power);
        EXPECT_NEAR(derived.sramArea + derived.coreArea, one.die, 1e-6 * one.die);
        // What the cores burn at their clock is what was left for them: from the anchor's by N k f^x.
        const Accelerator& h100 = *catalog_.accelerator("h100-sxm5-80gb");
        const double left = 700 - 3350e9 * 8 * 4.5e-12 - 900e9 * 8 * 5.5e-12;
        const double burnt = left * derived.cores / h100.multiprocessors * technology_.between(*one.set, 5, one.node->nm).power * std::pow(derived.clockGain, technology_.powerExponent());
        EXPECT_NEAR(burnt, derived.corePower, 1e-6 * derived.corePower);
        const auto with = [&](const char* key, double factor) {
            Json other = object;
            other[key] = other[key].get<double>() * factor;
            return chip(other);
        };
        EXPECT_GT(with("power_w", 1.1).flopsGain, derived.flopsGain);
        EXPECT_EQ(with("power_w", 1.1).cores, derived.cores);
        EXPECT_GE(with("die_mm2", 1.005).cores, derived.cores);
        EXPECT_GE(with("die_mm2", 1.005).flopsGain, derived.flopsGain * (1 - 1e-9));
        EXPECT_LE(with("sram_mb", 1.2).cores, derived.cores);
        Json more = object;
        more["dram"]["pin_gbps"] = object["dram"]["pin_gbps"].get<double>() * 1.1;
        EXPECT_GT(chip(more).bandwidth, derived.bandwidth);
        EXPECT_LT(chip(more).flopsGain, derived.flopsGain) << "memory's power is the cores' loss";
    }
}

TEST_F(TechnologyTest, EachNodeBringsMoreInEverySet) {
    for (const TechnologySet& set : technology_.sets()) {
        double before = 0;
        for (const double nm : {12.0, 10.0, 7.0, 5.0, 3.0, 2.0, 1.4, 1.0}) {
            const double gain = chip({{"node_nm", nm}, {"set", set.id}}).flopsGain;
            EXPECT_GT(gain, before) << set.id << " " << nm;
            before = gain;
        }
    }
    // At 1.4 nm the sets are apart by about two, and the report says so.
    for (const DerivedField& field : derivedFields(design({{"node_nm", 1.4}}), technology_))
        if (field.pointer == "/peak_dense_tflops/bf16") {
            EXPECT_NE(field.why.find("tsmc-mix"), std::string::npos) << field.why;
            EXPECT_NE(field.why.find("(deepflow)"), std::string::npos) << field.why;
        }
    const double low = chip({{"node_nm", 1.4}}).flopsGain, high = chip({{"node_nm", 1.4}, {"set", "deepflow"}}).flopsGain;
    EXPECT_NEAR(high / low, 2, 0.15);
    for (const DerivedField& field : derivedFields(design({{"node_nm", 1}}), technology_))
        if (field.pointer == "/peak_dense_tflops/bf16") {
            EXPECT_NE(field.why.find("no foundry"), std::string::npos) << field.why;
        }
}

/// Every split of one die and one power budget between cores, cache and memory: a million designs, each held against a kernel of so many
/// FLOPs a byte. On one core they take seconds, so that two minutes on two cores are far away.
TEST_F(TechnologyTest, AMillionDesignsTakeSeconds) {
    const auto begin = std::chrono::steady_clock::now();
    constexpr double flopsPerByte = 200;
    int designs = 0;
    double lastShare = 0;
    for (const double nm : {12.0, 7.0, 5.0, 3.0, 2.0, 1.4, 1.0}) {
        TechnologyDesign one = design({{"node_nm", nm}, {"die_mm2", 814}, {"power_w", 700}, {"dram", "hbm3ex1"}});
        double best = 0, bestShare = 0;
        for (int pin = 0; pin < 600; ++pin)
            for (int cache = 0; cache < 250; ++cache) {
                one.pinRate = (1 + pin) * 2e8;
                one.sram = cache * 4e5;
                const DerivedChip derived = deriveChip(one, technology_);
                ++designs;
                if (derived.cores < 1) continue;
                const double rate = std::min(989e12 * derived.flopsGain, derived.bandwidth * flopsPerByte);
                if (rate <= best) continue;
                best = rate;
                bestShare = derived.memoryPower / one.power;
                // No split spends more than there is.
                EXPECT_LE(derived.memoryPower + derived.linkPower + derived.corePower, one.power * (1 + 1e-6));
                EXPECT_LE(derived.sramArea + derived.coreArea, one.die * (1 + 1e-6));
            }
        // The better the logic, the more of the budget memory earns, until its own power is the limit.
        EXPECT_GT(bestShare, lastShare) << nm;
        lastShare = bestShare;
        std::printf("%g nm: %.0f TFLOP/s at %.0f FLOPs a byte, memory takes %.0f %% of 700 W\n", nm, best / 1e12, flopsPerByte, 100 * bestShare);
    }
    EXPECT_GE(designs, 1000000);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 120);
    RecordProperty("seconds", std::to_string(seconds));
    std::printf("%d designs: %.1f s\n", designs, seconds);
}

TEST_F(TechnologyTest, BothFormsOfMemoryAndLinksSayTheSame) {
    const DerivedChip a = chip({{"dram", "hbm3e x8"}, {"links", "NVLink-5 + XDR"}});
    const TechnologyDesign b = design({{"dram", {{"generation", "HBM3E"}, {"stacks", 8}}}, {"links", {{"scale_up", "nvlink5"}, {"scale_out", "xdr"}}}});
    EXPECT_EQ(a.bandwidth, deriveChip(b, technology_).bandwidth);
    EXPECT_EQ(a.linkPower, deriveChip(b, technology_).linkPower);
    EXPECT_EQ(design({{"links", Json::array({"xdr", "nvlink5"})}}).scaleOut, 100e9);
    EXPECT_EQ(b.scaleUp, 900e9);
}

TEST_F(TechnologyTest, WhatTheObjectStatesStays) {
    Problems problems;
    const auto made = readAccelerator(Json{{"memory_gb_per_s", 1234}, {"technology", {{"node_nm", 3}}}}, catalog_, "", problems);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->memoryBandwidth, 1234e9);
    EXPECT_GT(made->peakDense.at("bf16"), 989e12);
    for (const DerivedField& field : fieldsByTechnology(Json{{"memory_gb_per_s", 1234}, {"technology", {{"node_nm", 3}}}}, catalog_))
        EXPECT_NE(field.pointer, "/memory_gb_per_s");
}

TEST_F(TechnologyTest, BadInputSaysWhatWhereAndTheMend) {
    const std::vector<std::pair<Json, std::string>> bad{
        {{{"node_nm", 6}}, "/node_nm"},
        {{{"node_nm", "three"}}, "/node_nm"},
        {{{"node_nm", -3}}, "/node_nm"},
        {{{"set", "tsmc"}}, "/set"},
        {{{"anchor", "h100"}}, "/anchor"},
        {{{"die_mm2", 0}}, "/die_mm2"},
        {{{"die_mm2", 1600}, {"dies", 1}}, "/die_mm2"},
        {{{"die_mm2", 40}, {"sram_mb", 400}, {"dram", "hbm3x1"}}, "/die_mm2"},
        {{{"power_w", 0}}, "/power_w"},
        {{{"power_w", 100}}, "/power_w"},
        {{{"power_w", 1e9}}, "/power_w"},
        {{{"dram", "hbm9x5"}}, "/dram"},
        {{{"dram", "hbm3x99"}}, "/dram"},
        {{{"dram", {{"generation", "hbm3"}, {"stacks", 2.5}}}}, "/dram"},
        {{{"dram", {{"generation", "hbm3"}, {"pin_gbps", 100}}}}, "/dram/pin_gbps"},
        {{{"dram", "hbm4x16"}, {"power_w", 5000}}, "/dram"},
        {{{"dram", 5}}, "/dram"},
        {{{"links", "nvlink9"}}, "/links"},
        {{{"links", {{"scale_up", "ndr"}}}}, "/links/scale_up"},
        {{{"links", Json::array({1})}}, "/links/0"},
        {{{"enabled_fraction", 1.5}}, "/enabled_fraction"},
        {{{"core_area", 0}}, "/core_area"},
    };
    for (const auto& [object, at] : bad) {
        SCOPED_TRACE(object.dump());
        const Problems problems = refusal(object);
        ASSERT_FALSE(problems.empty());
        EXPECT_EQ(problems.front().pointer, "/cluster/accelerator/technology" + at) << problems.front().message;
        EXPECT_FALSE(problems.front().message.empty());
        EXPECT_FALSE(problems.front().mend.empty());
    }
    EXPECT_EQ(refusal(Json("n3")).front().pointer, "/cluster/accelerator/technology");
}

} // namespace
} // namespace orrery
