// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/export/answer_charts.hpp"

#include "core/answers/explore/sensitivity.hpp"
#include "core/base/json.hpp"
#include "core/results/comparison/compare.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/compare/waterfall_chart.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/tornado_chart.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

namespace orrery {
namespace {

struct AnswerText {
    Q_DECLARE_TR_FUNCTIONS(AnswerText)
};

/// What each is called, and the format of the documents that it shows.
constexpr std::array<std::pair<const char*, const char*>, 4> charts{{{"compare", "orrery-comparison/1"}, {"front", "orrery-search/1"}, {"sweep", "orrery-sweep/1"}, {"sensitivity", "orrery-sensitivity/1"}}};

std::optional<double> numberAt(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

QString writeComparison(const Json& document, const Theme& theme, const ExportFormat& format, const QString& fileName) {
    Comparison comparison;
    comparison.metric = document.at("metric").get<std::string>();
    comparison.a = document.at("a").get<double>();
    comparison.b = document.at("b").get<double>();
    comparison.difference = comparison.b - comparison.a;
    for (const Json& part : document.at("parts")) comparison.parts.push_back({part.at("name").get<std::string>(), part.at("delta").get<double>()});
    WaterfallChart chart(theme);
    chart.setComparison(std::move(comparison), AnswerText::tr("A"), AnswerText::tr("B"));
    return exportChart(chart, fileName, format);
}

/// Edits of a plan, as words: those that not all plans share.
std::vector<ScenarioEdit> editsOf(const Json& plan) {
    std::vector<ScenarioEdit> edits;
    for (const auto& [pointer, value] : plan.at("changes").items()) edits.push_back({pointer, value});
    return edits;
}

std::string objectiveOf(const Json& objective, bool& most) {
    most = objective.contains("maximize");
    return objective.at(most ? "maximize" : "minimize").get<std::string>();
}

QString writeFront(const Json& document, const Theme& theme, const ExportFormat& format, const QString& fileName) {
    FrontChartData data;
    data.yFigure = objectiveOf(document.at("objective"), data.mostOfY);
    data.xFigure = objectiveOf(document.at("second_objective"), data.mostOfX);
    std::vector<Json> seen;
    for (const char* list : {"pareto", "best"}) {
        for (const Json& plan : document.at(list)) {
            const auto x = numberAt(plan.at("metrics"), data.xFigure.c_str()), y = numberAt(plan.at("metrics"), data.yFigure.c_str());
            if (!x || !y || std::find(seen.begin(), seen.end(), plan.at("changes")) != seen.end()) continue;
            seen.push_back(plan.at("changes"));
            data.plans.push_back({*x, *y, data.plans.size(), plan.value("fits", Json(true)) != Json(false), list == std::string("pareto"), planWords(editsOf(plan))});
        }
    }
    FrontChart chart(theme);
    chart.setData(std::move(data));
    return exportChart(chart, fileName, format);
}

/// The first key along the axis, a line for each combination of the others; the first figure, or the one that the file's name ends in.
QString writeSweep(const Json& document, const Theme& theme, const ExportFormat& format, const QString& fileName) {
    const Json& axes = document.at("axes");
    const Json& points = document.at("points");
    if (axes.empty() || points.empty()) return AnswerText::tr("The sweep has no points.");
    LineChartData data;
    data.key = axes.front().at("pointer").get<std::string>();
    for (const Json& value : axes.front().at("values")) data.xs.emplace_back(value);
    for (const Json& point : points)
        if (point.at("metrics").is_object() && !point.at("metrics").empty()) {
            data.figure = point.at("metrics").begin().key();
            break;
        }
    const std::size_t lines = points.size() / data.xs.size();
    for (std::size_t line = 0; line < lines; ++line) {
        LineChartData::Line one;
        for (std::size_t x = 0; x < data.xs.size(); ++x) {
            const std::size_t index = x * lines + line; // the last axis changes fastest
            const Json& point = points.at(index);
            if (x == 0) {
                std::vector<ScenarioEdit> edits = editsOf(point);
                std::erase_if(edits, [&data](const ScenarioEdit& edit) { return edit.pointer == data.key; });
                one.name = edits.empty() ? QString() : planWords(edits);
            }
            LineChartData::Place place;
            place.point = index;
            if (point.at("metrics").is_object()) place.figure = numberAt(point.at("metrics"), data.figure.c_str());
            if (const Json fits = point.value("fits", Json()); fits.is_boolean()) place.fits = fits.get<bool>();
            one.places.push_back(place);
        }
        data.lines.push_back(std::move(one));
    }
    LineChart chart(theme, {}, {});
    chart.setData(std::move(data));
    return exportChart(chart, fileName, format);
}

QString writeSensitivity(const Json& document, const Theme& theme, const ExportFormat& format, const QString& fileName) {
    Sensitivity sensitivity;
    sensitivity.measure.name = sensitivity.measure.pointer = document.at("metric").get<std::string>();
    sensitivity.base = document.at("value").get<double>();
    sensitivity.byPercent = document.at("by_percent").get<double>();
    for (const Json& row : document.at("rows")) sensitivity.rows.push_back({row.at("input").get<std::string>(), numberAt(row, "value").value_or(0), numberAt(row, "low"), numberAt(row, "high")});
    TornadoChart chart(theme);
    chart.setSensitivity(std::move(sensitivity));
    return exportChart(chart, fileName, format);
}

} // namespace

const QStringList& answerCharts() {
    static const QStringList names = [] {
        QStringList all;
        for (const auto& chart : charts) all << QString::fromLatin1(chart.first);
        return all;
    }();
    return names;
}

QString answerChartOf(const Json& document) {
    const Json format = document.is_object() ? document.value("format", Json()) : Json();
    for (const auto& [name, shows] : charts)
        if (format == Json(shows)) return QString::fromLatin1(name);
    return {};
}

QString writeAnswerChart(const Json& document, const Theme& theme, const ExportFormat& format, const QString& fileName) {
    const QString chart = answerChartOf(document);
    try {
        if (chart == QLatin1String("compare")) return writeComparison(document, theme, format, fileName);
        if (chart == QLatin1String("front")) return writeFront(document, theme, format, fileName);
        if (chart == QLatin1String("sweep")) return writeSweep(document, theme, format, fileName);
        if (chart == QLatin1String("sensitivity")) return writeSensitivity(document, theme, format, fileName);
    } catch (const Json::exception& fault) {
        return AnswerText::tr("The document is not as orrery-cli writes it: %1").arg(QString::fromUtf8(fault.what()));
    }
    return AnswerText::tr("No chart shows this document. Give what orrery-cli compare, search, sweep or sensitivity printed with --json.");
}

} // namespace orrery
