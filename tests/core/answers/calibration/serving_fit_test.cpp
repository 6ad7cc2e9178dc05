// SPDX-License-Identifier: GPL-3.0-or-later
// What hosts do beside a step, found again from batches that were simulated with known constants.
#include "core/answers/calibration/serving_fit.hpp"
#include "core/answers/validation/predictor.hpp"
#include "tests/core/answers/calibration/synthetic_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

Json batch(const std::string& framework, int size, int output) {
    return {{"format", "orrery-scenario/1"},
            {"name", ""},
            {"model", {{"preset", "llama-2-7b"}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 1}, {"nodes", 1}}},
            {"workload", {{"kind", "inference"}, {"batch_size", size}, {"input_length", 128}, {"output_length", output}, {"precision", "fp16"}}},
            {"execution", {{"framework", framework}}}};
}

std::vector<MeasuredCase> simulatedBatches(const std::string& group, const std::string& framework, const Catalog& truth) {
    std::vector<MeasuredCase> cases;
    const Predictor predict = scenarioPredictor(truth, {});
    for (const int size : {1, 8, 64}) {
        MeasuredCase one;
        one.id = group + std::to_string(size);
        one.group = group;
        one.scenario = batch(framework, size, 32);
        one.measured = {{"tpot_s", predict(one.scenario).result->at("tpot_s").get<double>()}};
        cases.push_back(std::move(one));
    }
    return cases;
}

double constantOf(const Calibration& calibration, const std::string& profile, const char* name) { return calibration.profile(profile)->constants.find(name)->second; }

TEST(ServingFit, FindsTheHostsOfOtherGroupsAndKnowsNothingOfItsOwn) {
    constexpr double stepHost = 6000, sequenceHost = 40; // us
    const Catalog truth = test::plainCatalog().withCalibration([&] {
        Calibration calibration = test::plainCatalog().calibration();
        for (const char* profile : {"vllm-2023", "vllm-2024"}) calibration.profiles.push_back({profile, {}, {{"step_host_us", stepHost}, {"sequence_host_us", sequenceHost}}, 0});
        return calibration;
    }());
    ASSERT_NEAR(truth.framework("vllm-2023")->serving.stepHost, 6e-3, 1e-12);
    std::vector<MeasuredCase> cases;
    for (const char* group : {"a", "b", "c", "d", "e", "f"})
        for (MeasuredCase& one : simulatedBatches(group, "vllm-2023", truth)) cases.push_back(std::move(one));
    for (MeasuredCase& one : simulatedBatches("alone", "vllm-2024", truth)) cases.push_back(std::move(one));
    RunControl control;
    const std::vector<LeftOutFit> folds = fitServingWithoutEachGroup(cases, test::plainCatalog(), {}, control);
    ASSERT_EQ(folds.size(), 7u);

    const auto distance = [](double value, double to) { return std::abs(std::log(value / to)); };
    const double unknowing = constantOf(folds.back().calibration, "vllm-2024", "step_host_us");
    EXPECT_EQ(folds.back().group, "alone");
    // The priors pull a little; what five groups say outweighs them.
    EXPECT_LT(distance(constantOf(folds.front().calibration, "vllm-2023", "step_host_us"), stepHost), 0.25 * distance(unknowing, stepHost));
    // The middle of the catalogue's profiles, whatever this group measured.
    for (MeasuredCase& one : cases)
        if (one.group == "alone") one.measured.front().second *= 3;
    EXPECT_EQ(constantOf(fitServingWithoutEachGroup(cases, test::plainCatalog(), {}, control).back().calibration, "vllm-2024", "step_host_us"), unknowing);
}

TEST(ServingFit, LeavesTrainingAlone) {
    RunControl control;
    const std::vector<MeasuredCase> training = test::simulatedRuns("t", "a100-sxm4-80gb", "megatron-2022", test::plainCatalog().calibration());
    EXPECT_TRUE(fitServingWithoutEachGroup(training, test::plainCatalog(), {}, control).empty());
}

} // namespace
} // namespace orrery
