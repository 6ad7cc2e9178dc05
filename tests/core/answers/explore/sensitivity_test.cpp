// SPDX-License-Identifier: GPL-3.0-or-later
// A tornado's rows are single simulations, and their signs are what physics says.
#include "core/answers/explore/sensitivity.hpp"
#include "core/base/json.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace orrery {
namespace {

using test::catalog;

const Measure iteration{"/iteration_time_s", "/iteration_time_s"};

TEST(Sensitivity, RowsAreTheScenarioWithOneInputLessAndMore) {
    const Trials trials(test::smallTraining(), catalog());
    const SensitivityRun run = sensitivity(trials, iteration, 10);
    ASSERT_TRUE(run.sensitivity);
    const auto& rows = run.sensitivity->rows;
    ASSERT_GT(rows.size(), 4U);
    const auto row = std::find_if(rows.begin(), rows.end(), [](const SensitivityRow& one) { return one.input == "/cluster/scale_up/bandwidth_gb_s"; });
    ASSERT_NE(row, rows.end());
    for (const auto& [factor, figure] : {std::pair(0.9, row->low), std::pair(1.1, row->high)}) {
        const Trial trial = trials.run({{row->input, row->value * factor}});
        ASSERT_TRUE(trial.result && figure);
        EXPECT_EQ(measured(*trial.result, iteration), *figure);
    }
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i - 1].swing(run.sensitivity->base), rows[i].swing(run.sensitivity->base));
}

TEST(Sensitivity, MoreRateIsNeverSlowerAndMoreLatencyNeverFaster) {
    for (const Json& document : {test::smallTraining(), test::smallInference()}) {
        const Trials trials(document, catalog());
        const bool training = document["workload"]["kind"] == "training";
        const Measure measure = training ? iteration : Measure{"/request_latency_s", "/request_latency_s"};
        const SensitivityRun run = sensitivity(trials, measure, 10);
        ASSERT_TRUE(run.sensitivity);
        constexpr double rounding = 1e-12;
        for (const SensitivityRow& row : run.sensitivity->rows) {
            const bool isLatency = row.input.ends_with("latency_us");
            const bool isRate = row.input.find("gb_") != std::string::npos || row.input.find("tflops") != std::string::npos;
            if (!row.low || !row.high || !(isLatency || isRate)) continue;
            if (isLatency) EXPECT_LE(*row.low, *row.high * (1 + rounding)) << row.input;
            else EXPECT_GE(*row.low * (1 + rounding), *row.high) << row.input;
        }
    }
}

TEST(Sensitivity, TheFigureAsItIsLiesBetweenLessAndMore) {
    Json document = test::smallTraining();
    document["cluster"]["accelerator"] = "h100-sxm5-80gb";
    const Trials trials(document, catalog());
    const SensitivityRun run = sensitivity(trials, iteration, 1), wide = sensitivity(trials, iteration, 10);
    ASSERT_TRUE(run.sensitivity && wide.sensitivity);
    const double base = run.sensitivity->base;
    const auto ofProducts = [](const SensitivityRow& row) { return row.input.ends_with("/gemm_rate_of_peak"); };
    std::vector<SensitivityRow> rows;
    std::copy_if(run.sensitivity->rows.begin(), run.sensitivity->rows.end(), std::back_inserter(rows), [&](const SensitivityRow& row) { return !ofProducts(row); });
    // A rate that was measured on a machine holds the traffic of adding up gradients, which the catalogue's has beside it: 0.4 % of this time.
    std::copy_if(wide.sensitivity->rows.begin(), wide.sensitivity->rows.end(), std::back_inserter(rows), ofProducts);
    for (const SensitivityRow& row : rows) {
        if (!row.low || !row.high) continue;
        EXPECT_LE((*row.low - base) * (*row.high - base), 0) << row.input << ": stating a number by itself must change nothing: " << *row.low << ' ' << base << ' ' << *row.high;
    }
}

TEST(Sensitivity, ThreadsChangeNothing) {
    const Trials trials(test::smallTraining(), catalog());
    RunControl three;
    three.threads = 3;
    EXPECT_EQ(sensitivityDocument(*sensitivity(trials, iteration, 25).sensitivity).dump(), sensitivityDocument(*sensitivity(trials, iteration, 25, three).sensitivity).dump());
}

TEST(Sensitivity, AFigureThatIsNoNumberIsRefused) {
    const Trials trials(test::smallTraining(), catalog());
    EXPECT_EQ(sensitivity(trials, {"/kind", "/kind"}, 10).problems.front().code, "not-a-number");
    EXPECT_EQ(sensitivity(trials, {"/no", "/no"}, 10).problems.front().code, "no-such-figure");
}

} // namespace
} // namespace orrery
