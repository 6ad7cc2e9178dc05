// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"
#include "resources/shipped_predictor.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <gtest/gtest.h>

// What a newcomer opens first: every shipped example that serves has figures that make sense.

namespace orrery::test {
namespace {

std::vector<std::string_view> servedExampleNames() {
    std::vector<std::string_view> names;
    for (const std::string_view name : resourceNames()) {
        if (!name.starts_with("examples/") || !name.ends_with(".orrery.json")) continue;
        const Json document = Json::parse(resourceText(name));
        if (document.contains("/workload/kind"_json_pointer) && document.at("/workload/kind"_json_pointer) == "serving") names.push_back(name);
    }
    return names;
}

/// The catalogue that the programs use: with the kernels' predictor.
Catalog predictingCatalog() {
    Catalog catalog = shippedCatalog();
    catalog.setOperatorTimes({shippedPredictor(), nullptr});
    return catalog;
}

TEST(ServedExamples, ThereIsOneOfEachSort) {
    bool prefix = false, split = false, wide = false;
    const std::vector<std::string_view> names = servedExampleNames();
    for (const std::string_view name : names) {
        const Json document = Json::parse(resourceText(name));
        const Json workload = document.at("workload");
        prefix = prefix || workload.at("requests").contains("shared_prefix_tokens");
        split = split || workload.at("engine").contains("disaggregation");
        wide = wide || document.at("/model/preset"_json_pointer) == "deepseek-v3";
    }
    EXPECT_GE(names.size(), 4U);
    EXPECT_TRUE(prefix && split && wide);
}

TEST(ServedExamples, NineOfTenRequestsHaveTheirFirstTokenInTimeAndMostKeepEveryLimit) {
    const Catalog catalog = predictingCatalog();
    for (const std::string_view name : servedExampleNames()) {
        SCOPED_TRACE(name);
        const ScenarioReading reading = readScenario(Json::parse(resourceText(name)), catalog);
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        EXPECT_TRUE(reading.problems.empty()) << listed(reading.problems);
        const Outcome outcome = simulate(*reading.scenario);
        ASSERT_TRUE(outcome.result) << listed(outcome.problems);
        EXPECT_TRUE(outcome.result->fits);
        const Json result = toJson(*outcome.result);
        EXPECT_EQ(result.at("requests").at("completed"), result.at("requests").at("count"));
        const Json limits = Json::parse(resourceText(name)).at("/workload/slo"_json_pointer);
        EXPECT_LE(result.at("/ttft_s/p90"_json_pointer).get<double>(), limits.at("ttft_s").get<double>());
        EXPECT_LE(result.at("/tpot_s/p50"_json_pointer).get<double>(), limits.at("tpot_s").get<double>());
        const double completedRate = result.at("requests").at("completed").get<double>() / result.at("duration_s").get<double>();
        EXPECT_GE(result.at("goodput_requests_per_s").get<double>(), completedRate / 2);
    }
}

} // namespace
} // namespace orrery::test
