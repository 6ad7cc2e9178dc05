// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/case_model.hpp"

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/named_constants.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace orrery {
namespace {

constexpr double agreement = 1e-3;

bool severalDomains(const Cluster& cluster) {
    std::set<std::string> shared;
    std::size_t domains = 0;
    for (const TopologyNode& node : cluster.nodes) {
        if (node.kind != NodeKind::host) continue;
        if (node.domain.empty()) domains += static_cast<std::size_t>(node.replicas);
        else if (shared.insert(node.domain).second) ++domains;
    }
    return domains > 1;
}

} // namespace

CaseModel::CaseModel(Scenario scenario, const Catalog& plain, double measured, std::string group)
    : scenario_(std::move(scenario)), machine_(plain.kernels(scenario_.cluster.accelerator)), measured_(measured), group_(std::move(group)) {
    profile_ = scenario_.execution.profile;
    const FrameworkProfile* listed = plain.framework(profile_.id);
    for (const FittedConstant<FrameworkProfile>& constant : profileConstants())
        if (listed) profile_.*constant.member = listed->*constant.member;
}

bool CaseModel::feels(const FittedConstant<KernelConstants>& constant) const {
    if (scenario_.execution.calibration.count(constant.name) != 0) return false;
    if (constant.ofCatalogue && machine_.*constant.member == 0) return false;
    if (constant.member == &KernelConstants::sustainedFp8Share) return isEightBit(traitsOf(scenario_.training().precision).format);
    if (constant.member == &KernelConstants::sustainedFp4Share) return traitsOf(scenario_.training().precision).format == MatrixFormat::nvfp4;
    if (constant.member == &KernelConstants::scaleOutShare) return severalDomains(scenario_.cluster);
    if (constant.member == &KernelConstants::scaleUpShare) return scenario_.cluster.accelerators() > 1;
    if (constant.member == &KernelConstants::overlapSlowdown) return scenario_.cluster.accelerators() > 1;
    return true;
}

bool CaseModel::feels(const FittedConstant<FrameworkProfile>& constant) const {
    // Four a profile at most: where the host's time for experts is fitted, an iteration's stays as the catalogue says.
    if (constant.member == &FrameworkProfile::iterationOverhead && profile_.expertHost > 0) return false;
    return scenario_.execution.calibration.count(constant.name) == 0 && !(constant.ofCatalogue && profile_.*constant.member == 0);
}

CaseModel::Constants CaseModel::constants(const Calibration& calibration, const ConstantValues& held) const {
    Constants constants{machine_, profile_};
    calibrate(constants.machine, calibration);
    calibrate(constants.profile, calibration);
    applyCalibration(scenario_.execution.calibration, constants.machine, constants.profile);
    for (const auto& [name, value] : held) {
        if (const auto* machine = generationConstant(name)) constants.machine.*machine->member = value * machine->scale;
        else if (const auto* profile = profileConstant(name)) constants.profile.*profile->member = value * profile->scale;
    }
    return constants;
}

Scenario CaseModel::scenario(const Calibration& calibration, const ConstantValues& held) const {
    Constants fitted = constants(calibration, held);
    Scenario scenario = scenario_;
    scenario.kernels = std::move(fitted.machine);
    scenario.execution.profile = std::move(fitted.profile);
    return scenario;
}

double CaseModel::seconds(const Calibration& calibration, const ConstantValues& held) {
    const Constants fitted = constants(calibration, held);
    if (!estimator_) estimator_ = std::make_unique<Estimator>(scenario_);
    estimator_->recalibrate(fitted.machine, fitted.profile);
    return correction_ * estimator_->iterationTime(choiceOf(scenario_));
}

void CaseModel::agreeWith(double simulated, const Calibration& calibration, const ConstantValues& held) {
    correction_ = 1;
    const double ratio = simulated / seconds(calibration, held);
    if (std::abs(ratio - 1) > agreement) correction_ = ratio;
}

bool isMeasuredIteration(const std::string& metric) {
    return metric == "iteration_time_s" || metric == "tokens_per_s" || metric == "tokens_per_s_per_accelerator";
}

std::optional<double> measuredIteration(const MeasuredCase& measured, const Scenario& scenario) {
    const double tokens = double(scenario.training().globalBatch) * scenario.training().sequenceLength;
    for (const auto& [metric, value] : measured.measured) {
        if (!(value > 0)) continue;
        if (metric == "iteration_time_s") return value;
        if (metric == "tokens_per_s") return tokens / value;
        if (metric == "tokens_per_s_per_accelerator") return tokens / (value * scenario.parallelism.ranks());
    }
    return std::nullopt;
}

void agreeWithSimulation(std::vector<CaseModel>& cases, const Calibration& calibration, const ConstantValues& held, const RunControl& control) {
    forEachIndex(cases.size(), control.threads, [&](std::size_t index) {
        try {
            const Outcome outcome = simulate(cases[index].scenario(calibration, held));
            if (outcome.result && outcome.result->training()) cases[index].agreeWith(outcome.result->training()->iterationTime, calibration, held);
        } catch (const std::exception&) { // its validation names it; the others' fit goes on
        }
    });
}

std::vector<CaseModel> makeCaseModels(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile,
                                      const RunControl& control) {
    const Catalog plain = catalog.withCalibration({});
    std::vector<std::optional<CaseModel>> models(cases.size());
    const auto make = [&](std::size_t index) {
        const MeasuredCase& measured = cases[index];
        Json document = measured.scenario;
        if (!document.is_object()) return;
        for (const char* key : {"name", "notes"})
            if (document.contains(key)) document[key] = ""; // a case's file may write its id there
        ScenarioReading reading = readScenario(document, plain, readFile);
        if (!reading.scenario || hasErrors(reading.problems) || reading.scenario->recorded() || !reading.scenario->isTraining()) return;
        const std::optional<double> seconds = measuredIteration(measured, *reading.scenario);
        if (!seconds) return;
        Scenario& scenario = *reading.scenario;
        if (scenario.execution.recompute == RecomputeKind::automatic) {
            // What fits the memory does not depend on how long anything takes.
            const Outcome outcome = simulate(scenario);
            if (!outcome.result) return;
            scenario.execution.recompute = outcome.result->scenario.execution.recompute;
            scenario.execution.recomputeEvery = outcome.result->scenario.execution.recomputeEvery;
            scenario.execution.recomputeModules = outcome.result->scenario.execution.recomputeModules;
            scenario.execution.offload = outcome.result->scenario.execution.offload;
        }
        CaseModel model(std::move(scenario), plain, *seconds, measured.group);
        const double estimated = model.seconds(catalog.calibration());
        if (estimated > 0 && std::isfinite(estimated)) models[index].emplace(std::move(model));
    };
    forEachIndex(cases.size(), control.threads, [&](std::size_t index) {
        try {
            make(index);
        } catch (const std::exception&) { // a fault with one case is that case's alone: its validation names it
        }
    });
    std::vector<CaseModel> list;
    for (std::optional<CaseModel>& model : models)
        if (model) list.push_back(std::move(*model));
    return list;
}

} // namespace orrery
