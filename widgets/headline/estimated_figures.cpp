// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/figures.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace orrery {
namespace {

/// What an estimate has, by the figures' pointers; a cost follows from the rate.
constexpr std::array<const char*, 5> estimatedPointers{"/iteration_time_s", "/tokens_per_s_per_accelerator", "/mfu", "/memory/peak_bytes", "/run/cost"};

QString tr(const char* text) { return QCoreApplication::translate("HeadlineStrip", text); }

} // namespace

void showEstimate(std::vector<Figure>& figures, const Result& estimate, const Result* baseline, const QString& baselineName) {
    const std::vector<Figure> estimated = headlineFigures(&estimate, baseline, baselineName);
    if (figures.front().pointer != estimated.front().pointer) figures = headlineFigures(nullptr, nullptr, {});
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const bool isEstimated = std::find(estimatedPointers.begin(), estimatedPointers.end(), estimated[i].pointer) != estimatedPointers.end();
        if (!isEstimated) continue;
        figures[i] = estimated[i];
        figures[i].estimated = true;
        figures[i].number.prepend(QStringLiteral("≈ "));
        figures[i].meaning += tr(" About so much by estimate: the simulation is under way, and gives the number itself.");
    }
}

} // namespace orrery
