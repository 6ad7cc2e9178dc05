// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/calibration_report.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <cmath>

namespace orrery {
namespace {

constexpr double free = 1e9; ///< a rate so high that what runs at it takes no time
constexpr double nothing = 1e-9;

AblationRow rowOf(const Ablation& ablation, std::vector<CaseModel>& cases, const Calibration& calibration, const ConstantValues& held,
                  const RunControl& control) {
    AblationRow row;
    row.ablation = ablation;
    for (const auto& [group, errors] : errorsByGroup(cases, calibration, held, control)) {
        double sum = 0;
        for (const double error : errors) sum += std::abs(error);
        row.groups.emplace_back(group, sum / double(errors.size()));
        row.all += row.groups.back().second;
    }
    if (!row.groups.empty()) row.all /= double(row.groups.size());
    return row;
}

} // namespace

std::vector<Ablation> ablations() {
    std::vector<Ablation> list;
    const auto unfitted = [&list](const char* name) {
        list.push_back({std::string("not fitted: ") + name, "stays as the catalogue says", {name}, {}, false});
    };
    for (const FittedConstant<KernelConstants>& constant : generationConstants()) unfitted(constant.name);
    for (const FittedConstant<FrameworkProfile>& constant : profileConstants()) unfitted(constant.name);
    list.push_back({"no operator tables", "every operator by its roofline, tables and predictor left out", {}, {}, true});
    list.push_back({"no attention core", "fused attention's arithmetic is free", {}, {{"attention_share", free}}, false});
    list.push_back({"no elementwise traffic", "kernels that are no products move nothing", {}, {{"elementwise_traffic", nothing}}, false});
    list.push_back({"no launch floor", "neither the device nor the host takes time to launch a kernel", {}, {{"host_launch_us", nothing}, {"kernel_launch_us", nothing}}, false});
    list.push_back({"no iteration overhead", "an iteration is its kernels", {}, {{"iteration_overhead_s", nothing}}, false});
    list.push_back({"no traffic within a domain", "the scale-up fabric carries everything at once; latencies stay", {}, {{"scale_up_share_of_library", free}}, false});
    list.push_back({"no traffic between domains", "the network carries everything at once; latencies stay", {}, {{"scale_out_share_of_library", free}}, false});
    list.push_back({"no interference", "communication slows nothing that runs beside it", {}, {{"overlap_slowdown", 1}}, false});
    list.push_back({"no clock under load", "matrix units keep the rates of short loops", {}, {{"sustained_share_of_burst", 1}, {"sustained_fp8_share_of_burst", 1}, {"sustained_fp4_share_of_burst", 1}}, false});
    list.push_back({"no recomputation", "backward finds everything that forward made", {}, {}, false, "recompute"});
    list.push_back({"no fusion", "every step of a layer is a kernel of its own", {}, {}, false, "fusion"});
    list.push_back({"no overlap", "communication and computation take turns", {}, {}, false, "overlap"});
    return list;
}

namespace {

std::vector<MeasuredCase> withoutPass(std::vector<MeasuredCase> cases, const std::string& pass) {
    for (MeasuredCase& measured : cases)
        if (measured.scenario->is_object()) {
            Json scenario = measured.scenario;
            scenario["execution"]["passes"][pass] = false;
            measured.scenario = std::move(scenario);
        }
    return cases;
}

} // namespace

std::vector<AblationRow> ablate(const std::vector<MeasuredCase>& measured, const Catalog& catalog, const FileReader& readFile,
                                const FitOptions& options, const RunControl& control) {
    std::vector<CaseModel> cases = makeCaseModels(measured, catalog, readFile, control);
    const ConstantFit whole = fitFromScratch(cases, catalog.calibration(), options, control);
    std::vector<AblationRow> rows{rowOf({}, cases, whole.calibration, {}, control)};
    for (const Ablation& ablation : ablations()) {
        FitOptions without = options;
        without.held = ablation.held;
        without.unfitted = ablation.unfitted;
        if (ablation.withoutTables || !ablation.pass.empty()) {
            Catalog other = catalog.withCalibration(whole.calibration);
            if (ablation.withoutTables) other.setOperatorTimes({});
            std::vector<CaseModel> others = makeCaseModels(ablation.pass.empty() ? measured : withoutPass(measured, ablation.pass), other, readFile, control);
            agreeWithSimulation(others, whole.calibration, {}, control);
            rows.push_back(rowOf(ablation, others, fitConstants(others, whole.calibration, without, control).calibration, {}, control));
            continue;
        }
        // Taking an effect away moves the slopes of the rest; a constant left alone does not.
        if (without.held.empty()) without.slopes = &whole.slopes;
        rows.push_back(rowOf(ablation, cases, fitConstants(cases, whole.calibration, without, control).calibration, without.held, control));
    }
    return rows;
}

Json constantDefinitions() {
    Json list = Json::array();
    const auto add = [&list](const auto& table, const char* of) {
        for (const auto& row : table)
            list.push_back({{"name", row.name}, {"of", of}, {"unit", row.unit}, {"low", row.low}, {"high", row.high}, {"meaning", row.meaning}});
    };
    add(generationConstants(), "generation");
    add(profileConstants(), "profile");
    add(servingConstants(), "serving profile");
    return list;
}

Json fitDocument(const Calibration& fitted, const Validation& before, const Validation& after) {
    return {{"format", "orrery-calibration-report/1"},
            {"constants", constantsDocument(fitted)},
            {"definitions", constantDefinitions()},
            {"before", toJson(before).at("groups")},
            {"after", toJson(after).at("groups")}};
}

Json leaveOutDocument(const LeaveOutValidation& leaveOut) {
    Json document = toJson(leaveOut.validation, leaveOut.whole.calibration);
    document["mean_over_groups_percent"] = meanOverGroups(leaveOut.validation);
    Json& folds = document["constants"]["left_out"] = Json::object();
    for (const LeftOutFit& fold : leaveOut.folds) folds[fold.group] = constantsDocument(fold.calibration);
    return document;
}

Json ablationDocument(const std::vector<AblationRow>& rows) {
    Json list = Json::array();
    for (const AblationRow& row : rows) {
        Json groups = Json::object();
        for (const auto& [group, error] : row.groups) groups[group] = error;
        list.push_back({{"name", row.ablation.name.empty() ? "everything" : row.ablation.name},
                        {"meaning", row.ablation.meaning},
                        {"mean_abs_error_percent", row.all},
                        {"groups", std::move(groups)}});
    }
    return {{"format", "orrery-ablation/1"}, {"rows", std::move(list)}};
}

Json ownClusterDocument(const OwnClusterFit& fit) {
    Json constants = Json::array(), cases = Json::array();
    for (const AdjustedConstant& constant : fit.constants)
        constants.push_back({{"name", constant.name}, {"unit", constant.unit}, {"meaning", constant.meaning}, {"low", constant.low}, {"high", constant.high}, {"before", constant.before}, {"after", constant.after}, {"determined", constant.determined}});
    for (std::size_t i = 0; i < fit.measured.size(); ++i)
        cases.push_back({{"measured_s", fit.measured[i]}, {"before_s", fit.before[i]}, {"after_s", fit.after[i]}});
    return {{"format", "orrery-cluster-calibration/1"},
            {"constants", std::move(constants)},
            {"cases", std::move(cases)},
            {"execution", {{"calibration", fit.fragment}}}};
}

} // namespace orrery
