// SPDX-License-Identifier: GPL-3.0-or-later
// A server's rate from the other side: where the time between two of its tokens goes, and what makes two servers differ.
#include "core/results/comparison/compare.hpp"
#include "core/results/report/result.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::test {
namespace {

Json ratedServer(const char* precision, Json arrival, int count = 200) {
    return {{"format", "orrery-scenario/1"},
            {"name", "rated"},
            {"model", {{"preset", "llama-3.1-8b"}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}},
            {"workload", {{"kind", "serving"}, {"precision", precision}, {"requests", {{"count", count}, {"arrival", std::move(arrival)}, {"input_tokens", 300}, {"output_tokens", 200}, {"seed", 1}}}}},
            {"parallelism", {{"data", 2}}}};
}

Json closed(int users) { return {{"process", "closed_loop"}, {"concurrency", users}}; }

double sumOfRate(const Json& result) {
    double sum = 0;
    for (const auto& [key, seconds] : result["output_token_breakdown_s"].items()) {
        EXPECT_GE(seconds.get<double>(), -1e-9 * result["seconds_per_output_token"].get<double>()) << key;
        sum += seconds.get<double>();
    }
    return sum;
}

TEST(ServedRate, ItsPartsSumToOneOverIt) {
    Json apart = ratedServer("bf16", {{"process", "poisson"}, {"rate_per_s", 20}});
    apart.erase("parallelism");
    apart["workload"]["engine"] = {{"disaggregation", {{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 2}}}}}};
    for (const Json& document : {ratedServer("bf16", {{"process", "poisson"}, {"rate_per_s", 1}}, 20), ratedServer("bf16", closed(64)), ratedServer("fp8", {{"process", "all_at_once"}}), apart}) {
        const Json result = toJson(*run(document));
        EXPECT_NEAR(sumOfRate(result) * result["output_tokens_per_s"].get<double>(), 1, 1e-9);
    }
}

TEST(ServedRate, AQuietServerIdlesAndAFullOneDoesNot) {
    const Json quiet = toJson(*run(ratedServer("bf16", {{"process", "uniform"}, {"rate_per_s", 0.1}}, 10))), full = toJson(*run(ratedServer("bf16", {{"process", "all_at_once"}}, 1000)));
    const auto idle = [](const Json& result) { return result["output_token_breakdown_s"]["idle"].get<double>() / result["seconds_per_output_token"].get<double>(); };
    EXPECT_GT(idle(quiet), 0.8);
    EXPECT_LT(idle(full), 0.1);
}

TEST(ServedRate, ADifferenceIsToldByPartsThatSumToIt) {
    const Json wide = toJson(*run(ratedServer("bf16", closed(8)))), narrow = toJson(*run(ratedServer("fp8", closed(8))));
    for (const char* metric : {"/output_tokens_per_s", "/output_tokens_per_s_per_accelerator"}) {
        Problems problems;
        const auto comparison = compareResults(wide, narrow, problems, metric);
        ASSERT_TRUE(comparison) << listed(problems);
        ASSERT_GT(comparison->parts.size(), 3u);
        double sum = 0;
        for (const Comparison::Part& part : comparison->parts) sum += part.delta;
        EXPECT_NEAR(sum, comparison->difference, 1e-9 * std::abs(comparison->difference));
        const auto largest = std::max_element(comparison->parts.begin(), comparison->parts.end(), [](const auto& a, const auto& b) { return a.delta < b.delta; });
        EXPECT_EQ(largest->name, "decode_weights") << "few users wait for weights, and these are half as large";
    }
}

} // namespace
} // namespace orrery::test
