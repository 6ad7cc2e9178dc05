// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace orrery::test {
namespace {

Calibration calibrationOf(const std::string& generations, const std::string& profiles) {
    return Calibration::fromText(R"({"format": "orrery-calibration/1", "generations": [)" + generations + R"(], "profiles": [)" + profiles + "]}");
}

/// What reading it throws; empty when it is accepted.
std::string refusal(const std::string& generations, const std::string& profiles = {}) {
    try {
        calibrationOf(generations, profiles);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

TEST(ShippedCalibration, KeepsToTheLimitsAndKnowsEveryAcceleratorAndProfileItNames) {
    EXPECT_LE(generationConstants().size(), 12u);
    EXPECT_LE(profileConstants().size(), 5u); // of which a profile has four at most
    const Catalog catalog = shippedCatalog();
    for (const CalibrationEntry& generation : catalog.calibration().generations) {
        SCOPED_TRACE(generation.id);
        EXPECT_LE(generation.constants.size(), mostGenerationConstants);
        EXPECT_FALSE(generation.accelerators.empty());
        for (const std::string& accelerator : generation.accelerators) EXPECT_NE(catalog.accelerator(accelerator), nullptr) << accelerator;
    }
    for (const CalibrationEntry& profile : catalog.calibration().profiles) {
        SCOPED_TRACE(profile.id);
        EXPECT_LE(profile.constants.size(), mostProfileConstants);
        EXPECT_NE(catalog.framework(profile.id), nullptr);
    }
    for (const Accelerator& accelerator : catalog.accelerators())
        EXPECT_NE(catalog.calibration().generationOf(accelerator.id), nullptr) << accelerator.id;
}

TEST(ShippedCalibration, EveryConstantHasANameItsUnitARangeAndAMeaningThatTheCatalogueKeepsTo) {
    std::set<std::string> names;
    const auto check = [&](const auto& table) {
        for (const auto& constant : table) {
            SCOPED_TRACE(constant.name);
            EXPECT_TRUE(names.insert(constant.name).second);
            EXPECT_LT(constant.low, constant.high);
            EXPECT_GT(constant.low, 0);
            EXPECT_GT(constant.spread, 0);
            EXPECT_GT(std::string(constant.meaning).size(), 20u);
            const std::string name = constant.name, unit = constant.unit;
            EXPECT_TRUE(unit == "1" || name.ends_with("_" + unit));
        }
    };
    check(generationConstants());
    check(profileConstants());
    const Catalog catalog = shippedCatalog();
    for (const Accelerator& accelerator : catalog.accelerators())
        for (const FittedConstant<KernelConstants>& constant : generationConstants()) {
            const double value = catalog.kernels(accelerator).*constant.member / constant.scale;
            EXPECT_GE(value, constant.low) << accelerator.id << ' ' << constant.name;
            EXPECT_LE(value, constant.high) << accelerator.id << ' ' << constant.name;
        }
    for (const FrameworkProfile& profile : catalog.frameworks())
        for (const FittedConstant<FrameworkProfile>& constant : profileConstants()) {
            const double value = profile.*constant.member / constant.scale;
            EXPECT_TRUE(value == 0 || (value >= constant.low && value <= constant.high)) << profile.id << ' ' << constant.name << ' ' << value;
        }
}

TEST(Calibration, AnOwnValueComesBeforeThePooledOneAndThatBeforeTheCatalogues) {
    const Catalog plain = shippedCatalog().withCalibration({});
    const Accelerator& a100 = *plain.accelerator("a100-sxm4-80gb");
    const Accelerator& h100 = *plain.accelerator("h100-sxm5-80gb");
    const Catalog catalog = plain.withCalibration(calibrationOf(
        R"({"id": "one", "accelerators": ["a100-sxm4-80gb"], "constants": {"kernel_launch_us": 4, "attention_rate_of_burst": 0.9}},
           {"id": "default", "constants": {"kernel_launch_us": 1.5, "scale_out_share_of_library": 0.7, "attention_rate_of_burst": 0.8}})",
        R"({"id": "megatron-2021", "constants": {"host_launch_us": 12}}, {"id": "default", "constants": {"host_launch_us": 2}})"));
    const KernelConstants own = catalog.kernels(a100), other = catalog.kernels(h100);
    EXPECT_DOUBLE_EQ(own.kernelLaunch, 4e-6);
    EXPECT_DOUBLE_EQ(own.attentionShare, 0.9);
    EXPECT_DOUBLE_EQ(own.scaleOutShare, 0.7) << "left out, so pooled";
    EXPECT_EQ(own.generation, "one");
    EXPECT_EQ(own.fitted, (std::map<std::string, FittedOn>{{"kernel_launch_us", FittedOn::own},
                                                           {"attention_rate_of_burst", FittedOn::own},
                                                           {"scale_out_share_of_library", FittedOn::others}}));
    EXPECT_DOUBLE_EQ(other.kernelLaunch, 1.5 * plain.kernels(h100).kernelLaunch) << "a ratio to what was measured on it";
    EXPECT_DOUBLE_EQ(other.attentionShare, 0.8);
    EXPECT_EQ(other.generation, "");
    EXPECT_DOUBLE_EQ(other.streamRate, plain.kernels(h100).memoryRateOfPeak) << "neither own nor pooled";
    EXPECT_DOUBLE_EQ(catalog.framework("megatron-2021")->hostLaunch, 12e-6);
    EXPECT_DOUBLE_EQ(catalog.framework("torchtitan-2025")->hostLaunch, 2 * plain.framework("torchtitan-2025")->hostLaunch);
    EXPECT_EQ(catalog.framework("maxtext-2025")->hostLaunch, 0) << "one program an iteration: there is nothing to launch";
}

/// What training keeps of 8-bit products says what it keeps of 16-bit ones: hardware that was measured at the one is as far from the others'
/// middle at the other.
TEST(Calibration, WhatIsKnownOfOneFormatCarriesOverToAnother) {
    const Catalog catalog = shippedCatalog().withCalibration(calibrationOf(
        R"({"id": "one", "accelerators": ["a100-sxm4-80gb"], "constants": {"sustained_fp8_share_of_burst": 0.6}},
           {"id": "two", "accelerators": ["h100-sxm5-80gb"], "constants": {"sustained_share_of_burst": 0.9}},
           {"id": "default", "constants": {"sustained_share_of_burst": 0.8, "sustained_fp8_share_of_burst": 0.75, "sustained_fp4_share_of_burst": 0.5}})",
        R"({"id": "default", "constants": {}})"));
    const auto kernelsOf = [&](const char* id) { return catalog.kernels(*catalog.accelerator(id)); };
    EXPECT_DOUBLE_EQ(kernelsOf("a100-sxm4-80gb").sustainedShare, 0.6 * 0.8 / 0.75);
    EXPECT_DOUBLE_EQ(kernelsOf("a100-sxm4-80gb").sustainedFp4Share, 0.6 * 0.5 / 0.75);
    EXPECT_DOUBLE_EQ(kernelsOf("h100-sxm5-80gb").sustainedFp8Share, 0.9 * 0.75 / 0.8);
    EXPECT_DOUBLE_EQ(kernelsOf("mi300x").sustainedShare, 0.8) << "nothing is known of it";
}

/// A profile without measured runs that runs another's kernels has what was fitted of those, and nothing of its host.
TEST(Calibration, OfTheSameKernelsHoldsForBoth) {
    const Catalog catalog = shippedCatalog().withCalibration(calibrationOf(
        R"({"id": "default", "constants": {}})",
        R"({"id": "megatron-2021", "constants": {"elementwise_traffic": 1.1, "host_launch_us": 12}}, {"id": "deepspeed-2021", "constants": {}},
           {"id": "default", "constants": {"elementwise_traffic": 2, "attention_share": 0.8, "host_launch_us": 3}})"));
    const FrameworkProfile& deepspeed = *catalog.framework("deepspeed-2021");
    ASSERT_EQ(deepspeed.kernelsAs, "megatron-2021");
    EXPECT_DOUBLE_EQ(deepspeed.elementwiseTraffic, 1.1);
    EXPECT_DOUBLE_EQ(deepspeed.attentionShare, 0.8) << "megatron-2021 has none of its own";
    EXPECT_DOUBLE_EQ(deepspeed.hostLaunch, 3 * 30e-6);
    EXPECT_NE(deepspeed.sources.at("elementwise_traffic").find("megatron-2021"), std::string::npos);
    EXPECT_DOUBLE_EQ(catalog.framework("maxtext-2025")->elementwiseTraffic, 2);
    for (const FrameworkProfile& profile : catalog.frameworks()) {
        EXPECT_TRUE(profile.kernelsAs.empty() || catalog.framework(profile.kernelsAs)) << profile.id;
    }
}

TEST(Calibration, WhatIsWrittenIsReadBackTheSame) {
    const Calibration calibration = calibrationOf(
        R"({"id": "one", "accelerators": ["a100-sxm4-80gb", "a100-sxm4-40gb"], "constants": {"kernel_launch_us": 4.25}, "cases": 12},
           {"id": "default", "constants": {"overlap_slowdown": 1.25}})",
        R"({"id": "megatron-2021", "constants": {"elementwise_traffic": 1.1}}, {"id": "default", "constants": {}})");
    const Json written = toJson(calibration);
    EXPECT_EQ(toJson(Calibration::fromText(written.dump())), written);
    EXPECT_EQ(calibration.generations[0].cases, 12);
    EXPECT_DOUBLE_EQ(Calibration::fromText(written.dump()).pooledGeneration.at("overlap_slowdown"), 1.25);
}

TEST(Calibration, MistakesAreNamedWithTheirEntry) {
    const auto expectNames = [](const std::string& message, const std::string& part) {
        EXPECT_NE(message.find(part), std::string::npos) << '"' << message << '"';
    };
    expectNames(refusal(R"({"id": "one", "accelerators": [], "constants": {"luck": 1}})"), "generation \"one\": unknown constant luck");
    expectNames(refusal(R"({"id": "one", "accelerators": [], "constants": {"overlap_slowdown": 0.5}})"), "overlap_slowdown is out of its range");
    expectNames(refusal(R"({"id": "one", "constants": {}}, {"id": "one", "constants": {}})"), "is there twice");
    expectNames(refusal(R"({"id": "a", "accelerators": ["x"], "constants": {}}, {"id": "b", "accelerators": ["x"], "constants": {}})"),
                "accelerator x is in two generations");
    expectNames(refusal("", R"({"id": "p", "constants": {"kernel_launch_us": 2}})"), "unknown constant kernel_launch_us");
    EXPECT_THROW(Calibration::fromText("{}"), std::runtime_error);
    EXPECT_EQ(refusal(R"({"id": "default", "constants": {"kernel_launch_us": 0.2}})"), "") << "pooled, it is a ratio";
}

} // namespace
} // namespace orrery::test
