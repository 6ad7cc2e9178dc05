// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/calibration_report.hpp"

#include "core/base/json.hpp"

namespace orrery {

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
