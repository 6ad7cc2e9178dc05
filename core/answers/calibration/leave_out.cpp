// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/leave_out.hpp"

#include "core/answers/calibration/serving_fit.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace orrery {

std::vector<LeftOutFit> fitWithoutEachGroup(std::vector<CaseModel>& cases, const ConstantFit& whole, const FitOptions& options,
                                            const RunControl& control) {
    std::vector<LeftOutFit> folds;
    for (const CaseModel& model : cases) {
        const auto known = std::find_if(folds.begin(), folds.end(), [&](const LeftOutFit& fold) { return fold.group == model.group(); });
        if (known == folds.end()) folds.push_back({model.group(), {}});
    }
    // Constants begin where all groups had them, which moves no minimum; the middle of them is found anew.
    Calibration start = whole.calibration;
    start.pooledGeneration.clear();
    start.pooledProfile.clear();
    for (LeftOutFit& fold : folds) {
        FitOptions without = options;
        without.leftOut = fold.group;
        without.slopes = &whole.slopes;
        fold.calibration = fitConstants(cases, start, without, control).calibration;
    }
    return folds;
}

double meanOverGroups(const Validation& validation) {
    double sum = 0;
    int groups = 0;
    for (const auto& [group, summaries] : validation.groups) {
        double errors = 0;
        std::size_t scored = 0;
        for (const auto& [metric, summary] : summaries.metrics) {
            if (metric == "peak_memory_bytes" || !summary.meanAbs) continue;
            errors += *summary.meanAbs * double(summary.scored);
            scored += summary.scored;
        }
        if (scored == 0) continue;
        sum += errors / double(scored);
        ++groups;
    }
    return groups > 0 ? sum / groups : 0;
}

LeaveOutValidation validateLeavingOutGroups(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile,
                                            const FitOptions& options, const RunControl& control) {
    LeaveOutValidation result;
    {
        std::vector<CaseModel> models = makeCaseModels(cases, catalog, readFile, control);
        if (models.empty()) result.whole.calibration = catalog.calibration();
        else result.whole = fitFromScratch(models, catalog.calibration(), options, control);
        result.folds = fitWithoutEachGroup(models, result.whole, options, control);
    }
    for (LeftOutFit& fold : fitServingWithoutEachGroup(cases, catalog, readFile, control)) result.folds.push_back(std::move(fold));
    struct Fold {
        Catalog catalog;
        Predictor predict;
    };
    std::map<std::string, std::unique_ptr<Fold>> folds;
    const auto add = [&](const std::string& group, const Calibration& calibration) {
        auto fold = std::make_unique<Fold>(Fold{catalog.withCalibration(calibration), {}});
        fold->predict = scenarioPredictor(fold->catalog, readFile, control.memoryCeiling);
        folds[group] = std::move(fold);
    };
    for (const LeftOutFit& fold : result.folds) add(fold.group, fold.calibration);
    for (const MeasuredCase& measured : cases)
        if (folds.count(measured.group) == 0) add(measured.group, result.whole.calibration);
    result.validation = validateByGroup(
        cases, [&](const std::string& group) -> const Predictor& { return folds.at(group)->predict; }, control);
    return result;
}

} // namespace orrery
