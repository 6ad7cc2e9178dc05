// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/study/study_bars.hpp"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr std::size_t mostInLegend = 16; ///< series with a name and a colour each

/// Points of a group follow each other: the first axis is the slowest.
std::size_t barsOfAGroup(const Study& study) {
    std::size_t bars = 1;
    for (std::size_t axis = 1; axis < study.axes.size(); ++axis) bars *= study.axes[axis].values.size();
    return bars;
}

QString seriesName(const Study& study, const StudyPoint& point) {
    QString name;
    for (std::size_t axis = 1; axis < study.axes.size(); ++axis) {
        if (!name.isEmpty()) name += QStringLiteral(" · ");
        name += QString::fromStdString(study.axes[axis].values[point.choice[axis]].name);
    }
    return name;
}

std::optional<std::size_t> baselineIndex(const Study& study, const StudyPlot& plot) {
    const std::vector<StudyValue>& values = study.axes.back().values;
    const auto found = std::find_if(values.begin(), values.end(), [&](const StudyValue& value) { return value.name == plot.baseline; });
    if (plot.baseline.empty() || found == values.end()) return std::nullopt;
    return static_cast<std::size_t>(found - values.begin());
}

const StudyNumber* numberOf(const StudyResult& result, std::size_t point, std::size_t plot) {
    return point < result.outcomes.size() ? &result.outcomes[point].numbers[plot] : nullptr;
}

} // namespace

StudyBars studyBars(const StudyResult& result, std::size_t plotIndex, bool shares) {
    const Study& study = result.study;
    const StudyPlot& plot = study.plots[plotIndex];
    const std::optional<std::size_t> baseline = shares ? baselineIndex(study, plot) : std::nullopt;
    StudyBars chart;
    chart.unit = baseline ? QStringLiteral("1") : QString::fromStdString(plot.unit);
    const std::size_t each = barsOfAGroup(study);
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const StudyPoint& point = result.points[i];
        if (i % each == 0) chart.groups.push_back({QString::fromStdString(study.axes.front().values[point.choice.front()].name), {}});
        if (i < each) chart.series.push_back(seriesName(study, point));
        StudyBar bar{i, i % each, i < result.outcomes.size(), {}, {}};
        if (const StudyNumber* number = numberOf(result, i, plotIndex)) {
            bar.value = number->value;
            bar.formula = number->formula;
        }
        if (baseline) {
            // The last axis is the fastest: its values stand side by side.
            const StudyNumber* whole = numberOf(result, i - point.choice.back() + *baseline, plotIndex);
            const double base = whole && whole->value && *whole->value != 0 ? *whole->value : std::nan("");
            for (std::optional<double>* value : {&bar.value, &bar.formula}) {
                if (*value && std::isfinite(base)) **value /= base;
                else value->reset();
            }
        }
        for (const std::optional<double>& value : {bar.value, bar.formula}) chart.largest = std::max(chart.largest, value.value_or(0));
        chart.groups.back().bars.push_back(bar);
    }
    // More series than anybody tells apart by colour: the last axis, whose values stand side by side, has the colours, and the order of the
    // others is said once.
    chart.legend = chart.series;
    if (chart.series.size() > mostInLegend && study.axes.size() > 1) {
        chart.legend.clear();
        const bool named = study.axes.size() > 2 && study.axes.back().values.size() <= mostInLegend; // else all bars have one colour
        if (named)
            for (const StudyValue& value : study.axes.back().values) chart.legend.push_back(QString::fromStdString(value.name));
        QStringList others;
        for (std::size_t axis = 1; axis + (named ? 1 : 0) < study.axes.size(); ++axis) others << QString::fromStdString(study.axes[axis].name);
        chart.order = others.join(QStringLiteral(", "));
    }
    return chart;
}

std::optional<double> largestDifference(const StudyResult& result) {
    std::optional<double> largest;
    for (const StudyOutcome& outcome : result.outcomes)
        for (const StudyNumber& number : outcome.numbers) {
            if (!number.value || !number.formula) continue;
            const double scale = std::max(std::abs(*number.value), std::abs(*number.formula));
            const double difference = scale > 0 ? std::abs(*number.value - *number.formula) / scale : 0;
            largest = std::max(largest.value_or(0), difference);
        }
    return largest;
}

} // namespace orrery
