// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/shipped_predictor.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>
#include <map>

// A number that a scenario states replaces that number and nothing else: stated as it is by default it changes no byte, a little more
// changes a little, and more of a rate or less latency is never slower.

namespace orrery::test {
namespace {

constexpr double tolerance = 1.001; ///< kernels that overlap differently may gain and lose a little

/// Reads the catalogue the program's way: with the kernels' predictor.
const Catalog& fullCatalog() {
    static const Catalog full = [] {
        Catalog made = shippedCatalog();
        made.setOperatorTimes({shippedPredictor(), nullptr});
        return made;
    }();
    return full;
}

double seconds(const Json& document) {
    const ScenarioReading reading = readScenario(document, fullCatalog());
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return reading.scenario ? simulate(*reading.scenario).result->training()->iterationTime : 0;
}

Json example(const char* name) { return Json::parse(readWholeFile(sourcePath(std::string("resources/examples/") + name))); }

Json with(Json document, const std::string& pointer, Json value) {
    document[Json::json_pointer(pointer)] = std::move(value);
    return document;
}

/// GPT-3 175B on 1,024 A100: 0.0001 µs more than the platform's 1.1 made it 5 % faster.
TEST(StatedNumbers, ALatencyReplacesThatNumberAndNothingElse) {
    const Json plain = example("gpt3-175b-1024xa100.orrery.json");
    const double asAssumed = seconds(plain);
    EXPECT_EQ(seconds(with(plain, "/cluster/scale_up/latency_us", 1.1)), asAssumed);
    EXPECT_EQ(seconds(with(plain, "/cluster/scale_out/latency_us", 1.34)), asAssumed);
    EXPECT_NEAR(seconds(with(plain, "/cluster/scale_up/latency_us", 1.1001)) / asAssumed, 1, 1e-4);
    EXPECT_NEAR(seconds(with(plain, "/cluster/scale_out/latency_us", 1.3401)) / asAssumed, 1, 1e-4);
    // What must wait for a hop: two sends a border of 8 stages as the pipeline fills and drains; and for each of 96 micro-batches, in each of
    // a stage's 12 layers, two collectives of the tensor group forward and two backward.
    const std::map<std::string, double> hops{{"scale_out", 2 * 7}, {"scale_up", 96 * 12 * 4}};
    for (const auto& [fabric, count] : hops) {
        double before = 0;
        for (const double latency : {0.0, 0.5, 2.0, 10.0, 50.0}) {
            const double now = seconds(with(plain, "/cluster/" + fabric + "/latency_us", latency));
            EXPECT_GE(now * tolerance, before) << fabric << ' ' << latency;
            before = now;
        }
        EXPECT_GT(before - asAssumed, count * 48e-6) << fabric << ": 50 us a hop are felt";
    }
}

TEST(StatedNumbers, MoreBandwidthIsNeverSlower) {
    for (const char* name : {"gpt3-175b-1024xa100.orrery.json", "llama-3-8b-dgx-h100.orrery.json"})
        for (const char* fabric : {"scale_up", "scale_out"}) {
            double before = 1e9;
            for (const double rate : {10.0, 25.0, 50.0, 100.0, 300.0, 301.0, 450.0, 900.0}) {
                const double now = seconds(with(example(name), std::string("/cluster/") + fabric + "/bandwidth_gb_s", rate));
                EXPECT_LE(now, before * tolerance) << name << ' ' << fabric << ' ' << rate;
                before = now;
            }
        }
}

/// Chips of the catalogue with figures of their own: an H20 with 6,000 GB/s used to become another chip's relative, and 11 % slower.
TEST(StatedNumbers, AFasterChipIsNeverSlower) {
    RandomSource random(20261122);
    Json document = example("llama-3-8b-dgx-h100.orrery.json");
    const auto h20 = [&](double memory) { return seconds(with(document, "/cluster/accelerator", {{"id", "h20-96gb"}, {"memory_gb_per_s", memory}})); };
    EXPECT_LT(h20(6000), h20(4400));
    for (int i = 0; i < 60; ++i) {
        const Accelerator& chip = fullCatalog().accelerators()[random.below(fullCatalog().accelerators().size())];
        if (chip.peakDense.count("bf16") == 0) continue;
        document["cluster"]["accelerator"] = chip.id;
        const double as = seconds(document);
        const double factor = random.pick<double>({1.01, 1.2, 1.5, 2.5});
        Json memory{{"id", chip.id}, {"memory_gb_per_s", chip.memoryBandwidth / 1e9 * factor}}, arithmetic{{"id", chip.id}}, links{{"id", chip.id}};
        for (const auto& [format, rate] : chip.peakDense) arithmetic["peak_dense_tflops"][format] = rate / 1e12 * factor;
        links["scale_up"] = {{"gb_per_s_per_direction", chip.scaleUpBandwidth / 1e9 * factor}};
        for (const Json& faster : {memory, arithmetic, links})
            EXPECT_LE(seconds(with(document, "/cluster/accelerator", faster)), as * tolerance) << faster.dump();
    }
}

/// The same of chips that no catalogue lists: whose relative they are does not follow from a rate.
TEST(StatedNumbers, AFasterChipOfOnesOwnIsNeverSlower) {
    Json chip{{"id", "mine"}, {"vendor", "NVIDIA"}, {"release_year", 2023}, {"peak_dense_tflops", {{"bf16", 300}, {"fp8", 600}}}, {"memory_gb", 80}, {"memory_gb_per_s", 1000}, {"scale_up", {{"gb_per_s_per_direction", 200}}}, {"typical_nic_gbps_per_accelerator", 200}, {"sm_or_cu_count", 120}};
    Json document = example("llama-3-8b-dgx-h100.orrery.json");
    double before = 1e9;
    for (int step = 0; step < 8; ++step) {
        for (const char* rate : {"/memory_gb_per_s", "/peak_dense_tflops/bf16", "/peak_dense_tflops/fp8", "/scale_up/gb_per_s_per_direction"}) {
            Json& value = chip[Json::json_pointer(rate)];
            value = value.get<double>() * 1.35;
            document["cluster"]["accelerator"] = chip;
            const double now = seconds(document);
            EXPECT_LE(now, before * tolerance) << chip.dump();
            before = now;
        }
    }
}

} // namespace
} // namespace orrery::test
