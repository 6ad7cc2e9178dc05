// SPDX-License-Identifier: GPL-3.0-or-later
// Fits to runs whose constants are known, because the event simulation made them.
#include "core/base/json.hpp"
#include "tests/core/answers/calibration/synthetic_runs.hpp"

#include "core/answers/calibration/leave_out.hpp"
#include "core/answers/calibration/own_cluster.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace orrery::test {
namespace {

constexpr const char* machine = "h100-sxm5-80gb";
constexpr const char* framework = "megatron-core-2024";

const ConstantValues trueMachine{{"sustained_share_of_burst", 0.7}, {"stream_rate_of_peak", 0.7}, {"scale_up_share_of_library", 0.6}, {"scale_out_share_of_library", 0.5}};
const ConstantValues trueSoftware{{"host_launch_us", 11}, {"iteration_overhead_s", 0.03}};

Calibration truth() { return withConstants("hopper", trueMachine, framework, trueSoftware); }

FitOptions firm() {
    FitOptions options;
    options.squares.priorWeight = 1e-7; // the runs are exact
    options.squares.iterations = 40;
    options.squares.enough = 1e-7;
    return options;
}

double worstError(std::vector<CaseModel>& cases, const Calibration& calibration) {
    double worst = 0;
    for (const auto& [group, errors] : errorsByGroup(cases, calibration, {}, {}))
        for (const double error : errors) worst = std::max(worst, std::abs(error));
    return worst;
}

const CalibrationEntry& entry(const std::vector<CalibrationEntry>& list, const std::string& id) {
    for (const CalibrationEntry& one : list)
        if (one.id == id) return one;
    throw std::runtime_error("no entry " + id);
}

TEST(CaseModel, ChangedConstantsGiveTheBytesOfAnEstimatorMadeWithThem) {
    std::vector<CaseModel> cases = makeCaseModels(simulatedRuns("a", machine, framework, truth()), plainCatalog(), {}, {});
    for (CaseModel& model : cases) {
        const double plain = model.seconds(plainCatalog().calibration());
        const double changed = model.seconds(truth());
        const Scenario scenario = model.scenario(truth());
        EXPECT_EQ(changed, model.correction() * Estimator(scenario).iterationTime(choiceOf(scenario)));
        EXPECT_EQ(Estimator(scenario).iterationTime(choiceOf(scenario)), Estimator(scenario).estimate(choiceOf(scenario)).iterationTime);
        EXPECT_EQ(model.seconds(plainCatalog().calibration()), plain);
        EXPECT_NE(plain, changed);
    }
}

TEST(CaseModel, AScenarioUnderAnotherCalibrationIsTheOneReadWithIt) {
    Json one = document({2, 4, 1, 1, 32, 2048, "none"}, machine, framework);
    one["execution"]["calibration"] = Json{{"gemm_rate_of_peak", 0.5}, {"memory_rate_of_peak", 0.6}, {"host_launch_us", 7}};
    MeasuredCase run;
    run.id = run.group = "a";
    run.scenario = one;
    run.measured = {{"tokens_per_s_per_accelerator", 1000}};
    const std::vector<CaseModel> cases = makeCaseModels({run}, plainCatalog(), {}, {});
    ASSERT_EQ(cases.size(), 1u);
    EXPECT_DOUBLE_EQ(cases[0].measured(), 32.0 * 2048 / (1000 * 16));
    const Scenario later = cases[0].scenario(truth());
    const ScenarioReading read = readScenario(one, plainCatalog().withCalibration(truth()));
    ASSERT_TRUE(read.scenario.has_value());
    for (const auto& constant : generationConstants())
        EXPECT_EQ(later.kernels.*constant.member, read.scenario->kernels.*constant.member) << constant.name;
    for (const auto& constant : profileConstants())
        EXPECT_EQ(later.execution.profile.*constant.member, read.scenario->execution.profile.*constant.member) << constant.name;
    EXPECT_EQ(later.kernels.statedProductRate, read.scenario->kernels.statedProductRate);
    EXPECT_EQ(later.kernels.statedProductRate[0], 0.5 / plainCatalog().kernels(*plainCatalog().accelerator(machine)).gemmRateOfPeak);
    EXPECT_EQ(simulate(later).result->training()->iterationTime, simulate(*read.scenario).result->training()->iterationTime);
}

TEST(FitFromScratch, DoesNotDependOnWhatWasFittedBefore) {
    std::vector<MeasuredCase> runs = simulatedRuns("a", machine, framework, truth());
    const auto fitted = [&](const Calibration& shipped) {
        const Catalog catalog = plainCatalog().withCalibration(shipped);
        std::vector<CaseModel> cases = makeCaseModels(runs, catalog, {}, {});
        return toJson(fitFromScratch(cases, catalog.calibration(), {}, {}).calibration).dump();
    };
    EXPECT_EQ(fitted(plainCatalog().calibration()), fitted(truth()));
}

TEST(FitConstants, FindsTheConstantsThatTheRunsWereMadeWith) {
    std::vector<CaseModel> cases = makeCaseModels(simulatedRuns("a", machine, framework, truth()), plainCatalog(), {}, {});
    ASSERT_EQ(cases.size(), variedShapes().size());
    ASSERT_GT(worstError(cases, plainCatalog().calibration()), 10) << "there must be something to find";
    FitOptions options = firm();
    for (const auto& table : {generationConstants()})
        for (const auto& constant : table)
            if (trueMachine.count(constant.name) == 0) options.unfitted.push_back(constant.name);
    for (const auto& constant : profileConstants())
        if (trueSoftware.count(constant.name) == 0) options.unfitted.push_back(constant.name);
    const ConstantFit fit = fitFromScratch(cases, plainCatalog().calibration(), options, {});
    EXPECT_LE(worstError(cases, fit.calibration), 0.5);
    for (const auto& [name, value] : trueMachine) {
        ASSERT_EQ(entry(fit.calibration.generations, "hopper").constants.count(name), 1u) << name;
        EXPECT_NEAR(entry(fit.calibration.generations, "hopper").constants.at(name) / value, 1, 0.03) << name;
    }
    for (const auto& [name, value] : trueSoftware) {
        ASSERT_EQ(entry(fit.calibration.profiles, framework).constants.count(name), 1u) << name;
        EXPECT_NEAR(entry(fit.calibration.profiles, framework).constants.at(name) / value, 1, 0.03) << name;
    }
}

TEST(FitConstants, WithAllConstantsFreeTheTimesAreFoundThoughNotEveryConstantIs) {
    std::vector<CaseModel> cases = makeCaseModels(simulatedRuns("a", machine, framework, truth()), plainCatalog(), {}, {});
    const ConstantFit fit = fitConstants(cases, plainCatalog().calibration(), firm(), {});
    EXPECT_LE(worstError(cases, fit.calibration), 1);
    EXPECT_LE(entry(fit.calibration.generations, "hopper").constants.size(), mostGenerationConstants);
    EXPECT_LE(entry(fit.calibration.profiles, framework).constants.size(), mostProfileConstants);
    EXPECT_TRUE(entry(fit.calibration.generations, "ampere").constants.empty()) << "no run says anything of it";
    EXPECT_EQ(entry(fit.calibration.generations, "hopper").constants.count("sustained_fp8_share_of_burst"), 0u) << "nothing ran in 8 bit";
    EXPECT_EQ(entry(fit.calibration.generations, "hopper").cases, static_cast<int>(cases.size()));
}

TEST(FitConstants, StaysWithinRangesWhateverIsMeasured) {
    for (const double factor : {0.1, 10.0}) {
        std::vector<MeasuredCase> runs = simulatedRuns("a", machine, framework, truth());
        for (MeasuredCase& run : runs) run.measured.front().second *= factor;
        std::vector<CaseModel> cases = makeCaseModels(runs, plainCatalog(), {}, {});
        FitOptions options;
        options.squares.priorWeight = 1e-8;
        const Calibration fitted = fitConstants(cases, plainCatalog().calibration(), options, {}).calibration;
        // Reading it back checks every range.
        EXPECT_NO_THROW(Calibration::fromText(toJson(fitted).dump()));
        const auto& own = entry(fitted.generations, "hopper").constants;
        const FittedConstant<KernelConstants>* sustained = generationConstant("sustained_share_of_burst");
        EXPECT_NEAR(own.at("sustained_share_of_burst"), factor < 1 ? sustained->high : sustained->low, 1e-3);
    }
}

TEST(FitConstants, GivesTheSameBytesAtAnyNumberOfThreadsAndWhateverTheRunsAreCalled) {
    std::vector<MeasuredCase> runs = simulatedRuns("a", machine, framework, truth());
    const auto fitted = [&](int threads) {
        RunControl control;
        control.threads = threads;
        std::vector<CaseModel> cases = makeCaseModels(runs, plainCatalog(), {}, control);
        return toJson(fitConstants(cases, plainCatalog().calibration(), {}, control).calibration).dump();
    };
    const std::string one = fitted(1);
    EXPECT_EQ(fitted(2), one);
    for (MeasuredCase& run : runs) {
        run.id = "x", run.group = "another";
        Json scenario = run.scenario;
        scenario["name"] = run.id, scenario["notes"] = "measured 3 s";
        run.scenario = std::move(scenario);
    }
    EXPECT_EQ(fitted(2), one);
}

TEST(FitConstants, WhatAScenarioStatesOfItsMachineIsNotFitted) {
    std::vector<MeasuredCase> runs = simulatedRuns("a", machine, framework, truth());
    for (MeasuredCase& run : runs) {
        Json scenario = run.scenario;
        scenario["execution"]["calibration"] = Json{{"sustained_share_of_burst", 0.7}};
        run.scenario = std::move(scenario);
    }
    std::vector<CaseModel> cases = makeCaseModels(runs, plainCatalog(), {}, {});
    const Calibration fitted = fitConstants(cases, plainCatalog().calibration(), {}, {}).calibration;
    EXPECT_EQ(entry(fitted.generations, "hopper").constants.count("sustained_share_of_burst"), 0u);
    EXPECT_LE(worstError(cases, fitted), worstError(cases, plainCatalog().calibration()) / 3) << "the others make up for it";
}

TEST(LeaveOut, AProfileThatNoOtherGroupUsesTakesThePooledValueAndOthersDoNotChangeTheirs) {
    const Calibration all = withConstants("hopper", trueMachine, "nemo-2024", {{"host_launch_us", 4}}, truth());
    std::vector<MeasuredCase> runs = simulatedRuns("one", machine, framework, all), others = simulatedRuns("two", machine, "nemo-2024", all);
    runs.insert(runs.end(), others.begin(), others.end());
    RunControl control;
    control.threads = 2;
    const LeaveOutValidation result = validateLeavingOutGroups(runs, plainCatalog(), {}, {}, control);
    ASSERT_EQ(result.folds.size(), 2u);
    for (const LeftOutFit& fold : result.folds) {
        const bool first = fold.group == "one";
        EXPECT_TRUE(entry(fold.calibration.profiles, first ? framework : "nemo-2024").constants.empty());
        EXPECT_FALSE(entry(fold.calibration.profiles, first ? "nemo-2024" : framework).constants.empty());
        EXPECT_FALSE(entry(fold.calibration.generations, "hopper").constants.empty()) << "the other group ran on it";
        EXPECT_FALSE(fold.calibration.pooledProfile.empty());
    }
    // The other group's runs know the machine; what is left is the software's constants.
    ASSERT_EQ(result.validation.rows.size(), runs.size());
    double knowing = 0, plain = 0;
    std::vector<CaseModel> cases = makeCaseModels(runs, plainCatalog(), {}, control);
    for (const auto& [group, errors] : errorsByGroup(cases, plainCatalog().calibration(), {}, control))
        for (const double error : errors) plain += std::abs(error);
    for (const ScoredRow& row : result.validation.rows) knowing += std::abs(row.errorPercent.value());
    EXPECT_LT(knowing, plain / 2);
}

TEST(LeaveOut, AGroupsOwnRunsHaveNoSayInItsFold) {
    std::vector<MeasuredCase> runs = simulatedRuns("one", machine, framework, truth()), others = simulatedRuns("two", machine, "nemo-2024", truth());
    runs.insert(runs.end(), others.begin(), others.end());
    const auto foldOfOne = [&](double factor) {
        std::vector<MeasuredCase> changed = runs;
        for (MeasuredCase& run : changed)
            if (run.group == "one") run.measured.front().second *= factor;
        std::vector<CaseModel> cases = makeCaseModels(changed, plainCatalog(), {}, {});
        FitOptions options = firm();
        options.leftOut = "one";
        return toJson(fitConstants(cases, plainCatalog().calibration(), options, {}).calibration).dump();
    };
    EXPECT_EQ(foldOfOne(1), foldOfOne(1.3));
}

TEST(OwnCluster, AFewIterationsAdjustTheConstantsAndTheScenarioThenPredictsThem) {
    std::vector<MeasuredCase> runs = simulatedRuns("mine", machine, framework, truth());
    runs.resize(6);
    const Json scenario = document({2, 4, 1, 1, 32, 2048, "none"}, machine, framework);
    const OwnClusterFit fit = calibrateToCluster(runs, scenario, plainCatalog(), {}, {});
    ASSERT_TRUE(fit.problems.empty());
    ASSERT_EQ(fit.measured.size(), 6u);
    double before = 0, after = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        before += std::abs(fit.before[i] / fit.measured[i] - 1) / 6;
        after += std::abs(fit.after[i] / fit.measured[i] - 1) / 6;
    }
    EXPECT_GT(before, 0.08);
    EXPECT_LT(after, 0.03);
    for (const AdjustedConstant& constant : fit.constants) {
        EXPECT_GE(constant.after, constant.low) << constant.name;
        EXPECT_LE(constant.after, constant.high) << constant.name;
        EXPECT_DOUBLE_EQ(fit.fragment.at(constant.name).get<double>(), constant.after);
    }
    // Another run of the same machine, read with the fragment, is nearer to what it would take than without.
    Json with = scenario;
    with["execution"]["calibration"] = fit.fragment;
    const ScenarioReading calibrated = readScenario(with, plainCatalog()), plain = readScenario(scenario, plainCatalog());
    const ScenarioReading real = readScenario(scenario, plainCatalog().withCalibration(truth()));
    ASSERT_TRUE(calibrated.scenario && plain.scenario && real.scenario);
    const auto time = [](const ScenarioReading& reading) { return simulate(*reading.scenario).result->training()->iterationTime; };
    EXPECT_LT(std::abs(time(calibrated) / time(real) - 1), std::abs(time(plain) / time(real) - 1));
}

TEST(OwnCluster, WithoutAMeasuredIterationItSaysWhatIsMissing) {
    std::vector<MeasuredCase> runs = simulatedRuns("mine", machine, framework, truth());
    runs.resize(1);
    runs[0].measured = {{"peak_memory_bytes", 1e9}};
    const OwnClusterFit fit = calibrateToCluster(runs, runs[0].scenario, plainCatalog(), {}, {});
    ASSERT_EQ(fit.problems.size(), 1u);
    EXPECT_EQ(fit.problems[0].code, "no-measured-iteration");
    EXPECT_FALSE(fit.problems[0].mend.empty());
}

/// Reading one case throws, as any fault of Orrery's own may: the others are fitted and scored as if it were not there.
TEST(LeaveOut, AFaultWithOneCaseIsThatCasesAlone) {
    std::vector<MeasuredCase> runs = simulatedRuns("a", machine, framework, truth());
    for (MeasuredCase& other : simulatedRuns("b", machine, framework, truth())) runs.push_back(other);
    std::vector<MeasuredCase> withFault = runs;
    MeasuredCase fault = runs.front();
    fault.group = "b";
    fault.id = "fault";
    Json scenario = fault.scenario;
    scenario["model"] = {{"config_file", "x.json"}};
    fault.scenario = std::move(scenario);
    withFault.insert(withFault.begin(), fault);
    const FileReader throwing = [](const std::string&, std::string&) -> std::optional<std::string> { throw std::runtime_error("out of something"); };
    for (const int threads : {1, 3}) {
        RunControl control;
        control.threads = threads;
        EXPECT_EQ(makeCaseModels(withFault, plainCatalog(), throwing, control).size(), runs.size());
        const LeaveOutValidation whole = validateLeavingOutGroups(withFault, plainCatalog(), throwing, {}, control);
        ASSERT_EQ(whole.validation.rows.size(), withFault.size());
        EXPECT_EQ(whole.validation.rows.front().status, CaseStatus::failed);
        EXPECT_EQ(whole.validation.rows.front().message, "out of something");
        for (std::size_t i = 1; i < whole.validation.rows.size(); ++i) EXPECT_EQ(whole.validation.rows[i].status, CaseStatus::ok);
        EXPECT_EQ(toJson(whole.whole.calibration), toJson(validateLeavingOutGroups(runs, plainCatalog(), {}, {}, control).whole.calibration));
    }
}

} // namespace
} // namespace orrery::test
