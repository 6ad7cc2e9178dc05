// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/profile_fit.hpp"

#include "core/base/json.hpp"

#include <cmath>
#include <utility>

namespace orrery {
namespace {

Json errorsJson(const CalibrationErrors& errors, const char* what) {
    if (errors.count == 0) return nullptr;
    return {{"what", what}, {"count", errors.count}, {"mean_abs_error_percent_before", errors.before}, {"mean_abs_error_percent_after", errors.after}};
}

} // namespace

const char* wordOf(FigureUse use) {
    switch (use) {
    case FigureUse::fitted: return "fitted";
    case FigureUse::left_out: return "left_out";
    case FigureUse::beside: return "beside";
    }
    return "fitted";
}

CalibrationErrors errorsOf(const std::vector<CalibratedFigure>& figures, FigureUse use) {
    CalibrationErrors errors;
    for (const CalibratedFigure& figure : figures) {
        if (figure.use != use) continue;
        errors.before += std::abs(figure.errorBefore);
        errors.after += std::abs(figure.errorAfter);
        ++errors.count;
    }
    if (errors.count > 0) {
        errors.before /= errors.count;
        errors.after /= errors.count;
    }
    return errors;
}

void describeFigures(Json& profile, const std::vector<CalibratedFigure>& figures, FigureUse notFitted, const char* rest) {
    Json list = Json::array();
    for (const CalibratedFigure& figure : figures)
        list.push_back({{"run", figure.run + 1}, {"metric", figure.metric}, {"use", wordOf(figure.use)}, {"measured", figure.measured}, {"before", figure.before}, {"after", figure.after}, {"error_percent_before", figure.errorBefore}, {"error_percent_after", figure.errorAfter}});
    profile["figures"] = std::move(list);
    profile["errors"] = {{"fitted", errorsJson(errorsOf(figures, FigureUse::fitted), "figures that the constants were fitted to")}, {"not_fitted", errorsJson(errorsOf(figures, notFitted), rest)}};
}

} // namespace orrery
