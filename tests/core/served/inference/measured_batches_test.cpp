// SPDX-License-Identifier: GPL-3.0-or-later
// Static batches against measured ones. Scenarios are read by hand: only what an engine needs.
#include "tests/core/served/inference/engines.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

namespace orrery {
namespace {

using Errors = std::map<std::string, std::vector<double>>; ///< by "group metric", percent, + is too slow

Errors errorsOf(const std::string& file) {
    Errors errors;
    const Json document = Json::parse(test::readWholeFile(test::sharedPath(file)));
    for (const Json& entry : document.at("cases")) {
        const Json& scenario = entry.at("scenario");
        const Json& workload = scenario.at("workload");
        if (workload.at("kind") != "inference") continue;
        const Json& model = scenario.at("model");
        const Architecture architecture = test::architectureOf(model.contains("config") ? model.at("config") : static_cast<const Json&>(test::catalog().model(model.at("preset").get<std::string>())->config));
        const Json plan = scenario.value("parallelism", Json::object());
        EngineModel engine = test::engineOn(architecture, scenario.at("cluster").at("accelerator").get<std::string>(), scenario.at("execution").at("framework").get<std::string>(), plan.value("tensor", 1));
        engine.parallelism.pipeline = plan.value("pipeline", 1);
        engine.parallelism.expert = plan.value("expert", 1);
        engine.precision = fromText<Precision>(workload.value("precision", "bf16")).value();
        engine.cachePrecision = fromText<Precision>(workload.value("kv_cache_precision", "bf16")).value_or(Precision::bf16);
        const StaticEstimate estimate = estimateStatic(StepModel(engine), {workload.at("batch_size").get<int>(), workload.at("input_length").get<int>(), workload.at("output_length").get<int>()});
        const std::map<std::string, double> predicted{{"ttft_s", estimate.ttft}, {"tpot_s", estimate.tpot}, {"request_latency_s", estimate.latency}, {"output_tokens_per_s", 1 / estimate.outputRate}};
        for (const auto& [metric, value] : entry.at("measured").items()) {
            const double measured = metric == "output_tokens_per_s" ? 1 / value.get<double>() : value.get<double>();
            errors[entry.at("group").get<std::string>() + " " + metric].push_back(100 * (predicted.at(metric) / measured - 1));
        }
    }
    return errors;
}

double medianOf(std::vector<double> errors) {
    for (double& error : errors) error = std::abs(error);
    std::sort(errors.begin(), errors.end());
    return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

TEST(MeasuredBatches, AreMetInTheMedian) {
    ORRERY_REQUIRE_SHARED("reference/inference.json");
    const Errors errors = errorsOf("reference/inference.json");
    for (const auto& [name, list] : errors) std::cout << name << ": median error " << medianOf(list) << " % of " << list.size() << '\n';
    EXPECT_LT(medianOf(errors.at("nvidia-llama2 request_latency_s")), 10.5);
    EXPECT_LT(medianOf(errors.at("trtllm-0.9-static output_tokens_per_s")), 12);
    EXPECT_LT(medianOf(errors.at("trtllm-0.9-static ttft_s")), 8);
    EXPECT_LT(medianOf(errors.at("splitwise tpot_s")), 9);
    // From 8,192 tokens on a prompt step of these runs took 1.2 to 1.7 times as long a token as up to 2,048, batched or not: unexplained.
    // Rates of the continuous load that an H100 was measured to keep (0.87 of the short one) leave a little more of it unexplained than 0.81 did.
    EXPECT_LT(medianOf(errors.at("splitwise ttft_s")), 31);
}

TEST(MeasuredBatches, DecodeStepsOfALaterEngine) {
    ORRERY_REQUIRE_SHARED("reference/inference_ml_energy.json");
    const Errors errors = errorsOf("reference/inference_ml_energy.json");
    for (const auto& [name, list] : errors) std::cout << name << ": median error " << medianOf(list) << " % of " << list.size() << '\n';
    EXPECT_LT(medianOf(errors.at("ml-energy-h100 tpot_s")), 12);
    EXPECT_LT(medianOf(errors.at("ml-energy-b200 tpot_s")), 15);
}

} // namespace
} // namespace orrery
