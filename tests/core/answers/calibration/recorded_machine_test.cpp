// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of machines: constants that kernels were made with come out again, whole steps are never fitted to, and what is no recording is refused with a mend.
#include "core/answers/calibration/recorded_machine.hpp"

#include "core/answers/calibration/recording.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

const Catalog& shipped() {
    static const Catalog catalog = shippedCatalog();
    return catalog;
}

Json gptOf(int layers, int hidden) {
    return {{"format", "orrery-scenario/1"},
            {"model", {{"config", {{"model_type", "gpt2"}, {"n_layer", layers}, {"n_embd", hidden}, {"n_head", 4}, {"n_positions", 128}, {"vocab_size", 2048}, {"activation_function", "gelu_new"}, {"tie_word_embeddings", false}, {"resid_pdrop", 0}, {"attn_pdrop", 0}, {"embd_pdrop", 0}}}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 128}, {"global_batch_size", 4}, {"micro_batch_size", 4}, {"precision", "bf16"}}},
            {"execution", {{"framework", "generic-2026"}, {"attention", "unfused"}, {"recompute", "none"}}}};
}

Json machineOf() { return {{"kind", "cpu"}, {"name", "A machine of the test (R)"}, {"memory_bytes", 16e9}, {"peak_tflops", 0.4}, {"memory_gb_per_s", 120.0}, {"vector_tflops", 0.04}}; }

/// What the machine takes, were these its constants: kernels a call, and the whole step.
Json resultWith(Json document, const Json& constants) {
    document["cluster"] = {{"accelerators_per_node", 1}, {"nodes", 1}, {"accelerator", {{"id", "x"}, {"name", "x"}, {"peak_dense_tflops", {{"bf16", 0.4}, {"fp16", 0.4}}}, {"vector_tflops", {{"fp32", 0.04}}}, {"memory_bytes", 16e9}, {"memory_gb_per_s", 120.0}, {"scale_up_domain_size", 1}}}};
    document["execution"]["calibration"] = constants;
    const ScenarioReading reading = readScenario(document, shipped());
    EXPECT_TRUE(reading.scenario) << (reading.problems.empty() ? "" : reading.problems.front().message);
    return toJson(*simulate(*reading.scenario).result);
}

Json recordingWith(const Json& constants) {
    Json runs = Json::array();
    for (const int hidden : {128, 512}) {
        Json operations = Json::array();
        const Json result = resultWith(gptOf(2, hidden), constants);
        for (const Json& row : result.at("operations"))
            operations.push_back({{"kinds", Json::array({row.at("kind")})}, {"phase", row.at("phase")}, {"seconds", row.at("time_s").get<double>() / row.at("count").get<double>()}});
        runs.push_back({{"name", "kernels"}, {"use", "fit"}, {"scenario", gptOf(2, hidden)}, {"operations", operations}});
    }
    runs.push_back({{"name", "step"}, {"use", "check"}, {"scenario", gptOf(4, 192)}, {"step_seconds", Json::array({resultWith(gptOf(4, 192), constants).at("iteration_time_s")})}});
    return {{"format", recordingFormat}, {"machine", machineOf()}, {"software", {{"torch", "1.13.1"}}}, {"runs", std::move(runs)}};
}

TEST(RecordedMachine, FindsTheRatesThatKernelsWereMadeWith) {
    const Json truth = {{"gemm_rate_of_peak", 0.5}, {"stream_rate_of_peak", 0.5}, {"kernel_launch_us", 9}, {"elementwise_traffic", 1.5}};
    const ProfileFit fit = calibrateMachine(recordingWith(truth), "", shipped(), {});
    ASSERT_TRUE(fit.problems.empty()) << fit.problems.front().message;
    std::map<std::string, double> found;
    for (const AdjustedConstant& constant : fit.constants) found[constant.name] = constant.after;
    EXPECT_NEAR(found.at("gemm_rate_of_peak"), 0.5, 0.01);
    EXPECT_NEAR(found.at("elementwise_traffic") / found.at("stream_rate_of_peak"), 3, 0.1);
    EXPECT_NEAR(found.at("vector_tflops"), 0.04, 0.002);
    EXPECT_NEAR(found.at("kernel_launch_us"), 9, 1);
    const CalibrationErrors steps = errorsOf(fit.figures, FigureUse::left_out), kernels = errorsOf(fit.figures, FigureUse::fitted);
    EXPECT_EQ(steps.count, 1);
    EXPECT_GT(steps.before, 15);
    EXPECT_LT(steps.after, 1.5);
    EXPECT_LT(kernels.after, kernels.before / 4);
}

TEST(RecordedMachine, WhatIsCheckedIsNeverFittedTo) {
    Json recording = recordingWith({{"gemm_rate_of_peak", 0.5}});
    const ProfileFit one = calibrateMachine(recording, "", shipped(), {});
    recording["runs"].back()["step_seconds"] = Json::array({1000.0});
    const ProfileFit other = calibrateMachine(recording, "", shipped(), {});
    ASSERT_EQ(one.constants.size(), other.constants.size());
    for (std::size_t i = 0; i < one.constants.size(); ++i) EXPECT_EQ(one.constants[i].after, other.constants[i].after) << one.constants[i].name;
    // A step that is nothing like its kernels is not hidden.
    EXPECT_GT(errorsOf(other.figures, FigureUse::left_out).after, 99);
}

TEST(RecordedMachine, ItsProfileServesAScenarioThatNamesTheMachine) {
    const ProfileFit fit = calibrateMachine(recordingWith({{"gemm_rate_of_peak", 0.5}}), "", shipped(), {});
    const std::string id = fit.profile->at("machine").at("accelerator").get<std::string>();
    EXPECT_EQ(id, "a-machine-of-the-test-r");
    Json document = gptOf(4, 192);
    document["cluster"] = {{"accelerator", id}, {"accelerators_per_node", 1}, {"nodes", 1}};
    EXPECT_FALSE(readScenario(document, shipped()).scenario);
    document["execution"]["profile"] = "my.orrery-profile.json";
    const ScenarioReading reading = readScenario(document, shipped(), [&](const std::string&, std::string&) { return std::optional(fit.profile->dump()); });
    ASSERT_TRUE(reading.scenario) << reading.problems.front().message;
    const double step = fit.figures.back().after;
    EXPECT_DOUBLE_EQ(simulate(*reading.scenario).result->training()->iterationTime, step);
    bool told = false;
    for (const Assumption& one : reading.scenario->assumed) told |= one.pointer == "/cluster/accelerator" && one.why.find("my.orrery-profile.json") != std::string::npos;
    EXPECT_TRUE(told);
    // Another machine's id is as unknown as ever.
    document["cluster"]["accelerator"] = "another-machine";
    EXPECT_FALSE(readScenario(document, shipped(), [&](const std::string&, std::string&) { return std::optional(fit.profile->dump()); }).scenario);
}

TEST(RecordedMachine, HoldsTheUsersOwnJobBeside) {
    const Json truth = {{"gemm_rate_of_peak", 0.5}};
    Json recording = recordingWith(truth);
    recording["job"] = {{"file", "train.py"}, {"step_seconds", {1.0, 3.0}}};
    EXPECT_EQ(errorsOf(calibrateMachine(recording, "", shipped(), {}).figures, FigureUse::left_out).count, 1); // nothing says what it is
    recording["job"]["scenario"] = gptOf(3, 256);
    const ProfileFit fit = calibrateMachine(recording, "", shipped(), {});
    ASSERT_EQ(errorsOf(fit.figures, FigureUse::left_out).count, 2);
    EXPECT_EQ(fit.figures.back().measured, 2.0);
    EXPECT_NEAR(fit.figures.back().after / resultWith(gptOf(3, 256), truth).at("iteration_time_s").get<double>(), 1, 0.02);
}

TEST(RecordedMachine, OnAChipOfTheCatalogueNothingIsDescribed) {
    const ProfileFit fit = calibrateMachine(recordingWith({{"gemm_rate_of_peak", 0.5}}), "h100-sxm5-80gb", shipped(), {});
    ASSERT_FALSE(fit.profile->is_null());
    EXPECT_EQ(fit.profile->at("machine").at("accelerator"), "h100-sxm5-80gb");
    EXPECT_FALSE(fit.profile->at("machine").contains("described"));
}

TEST(RecordedMachine, WhatIsNoRecordingIsRefusedWithAMend) {
    const Json whole = recordingWith(Json::object());
    Problems none;
    EXPECT_TRUE(saysRecording(whole.dump()));
    EXPECT_TRUE(readRecording(whole.dump(), "r.json", none));
    test::RandomSource random(46);
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
        std::string text = whole.dump();
        for (std::size_t more = 1 + random.below(3); more > 0; --more) {
            const std::size_t at = random.below(text.size());
            switch (random.below(3)) {
            case 0: text[at] = static_cast<char>(random.below(256)); break;
            case 1: text.erase(at, 1 + random.below(8)); break;
            default: text.resize(std::max<std::size_t>(1, at)); break;
            }
        }
        Problems problems;
        if (readRecording(text, "r.json", problems)) continue;
        ++refused;
        ASSERT_FALSE(problems.empty());
        for (const Problem& problem : problems) {
            EXPECT_EQ(problem.file, "r.json");
            EXPECT_FALSE(problem.mend.empty()) << problem.message;
        }
    }
    EXPECT_GT(refused, 100);
    Json impossible = whole;
    impossible["runs"][0]["scenario"]["workload"]["precision"] = "fp33";
    const ProfileFit fit = calibrateMachine(impossible, "", shipped(), {});
    ASSERT_TRUE(hasErrors(fit.problems));
    EXPECT_FALSE(fit.problems.front().mend.empty());
}

} // namespace
} // namespace orrery
