// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/figures.hpp"

#include "widgets/headline/figure_maker.hpp"

namespace orrery {

namespace {

struct MakeFigures {
    const Result& result;
    const Result* baseline;
    const QString& baselineName;

    std::vector<Figure> operator()(const TrainingMetrics&) const { return trainingFigures(&result, baseline, baselineName); }
    std::vector<Figure> operator()(const InferenceMetrics&) const { return inferenceFigures(result, baseline, baselineName); }
    std::vector<Figure> operator()(const ServingReport&) const { return servingFigures(result, baseline, baselineName); }
};

} // namespace

std::vector<Figure> headlineFigures(const Result* result, const Result* baseline, const QString& baselineName) {
    if (result == nullptr) return trainingFigures(nullptr, baseline, baselineName);
    return std::visit(MakeFigures{*result, baseline, baselineName}, result->metrics);
}

} // namespace orrery
