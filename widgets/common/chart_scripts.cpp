// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/chart_scripts.hpp"

#include "core/base/json.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace orrery {
namespace {

using Mark = ChartPlot::Mark;

/// Okabe and Ito 2008, "Color Universal Design", black last.
constexpr std::array<const char*, 8> okabeIto{"0072B2", "E69F00", "009E73", "D55E00", "56B4E9", "CC79A7", "F0E442", "000000"};
constexpr std::array<const char*, 8> hatches{"", "///", "\\\\\\", "xxx", "...", "---", "+++", "ooo"};
constexpr std::array<const char*, 8> markers{"*", "square*", "triangle*", "diamond*", "o", "square", "triangle", "diamond"};

QString number(double value) { return QString::number(value, 'g', 9); }

/// What TeX reads as a mark of its own is written as a letter.
QString texText(const QString& text) {
    QString safe;
    for (const QChar letter : text) {
        if (QStringLiteral("&%$#_{}").contains(letter)) safe += QLatin1Char('\\') + letter;
        else if (letter == u'\\') safe += QStringLiteral("\\textbackslash{}");
        else if (letter == u'~') safe += QStringLiteral("\\textasciitilde{}");
        else if (letter == u'^') safe += QStringLiteral("\\textasciicircum{}");
        else if (letter == u'<' || letter == u'>') safe += QLatin1Char('$') + letter + QLatin1Char('$');
        else if (letter == u'µ' || letter == u'μ') safe += QStringLiteral("$\\mu$");
        else if (letter == u'×') safe += QStringLiteral("$\\times$");
        else if (letter == u'−') safe += QStringLiteral("$-$");
        else if (letter == u'→') safe += QStringLiteral("$\\rightarrow$");
        else if (letter == QChar(0x2009) || letter == QChar(0x202f)) safe += QStringLiteral("\\,");
        else safe += letter;
    }
    return safe;
}

/// A text in quotes as Python and JSON both read it.
QString quoted(const QString& text) { return QString::fromStdString(Json(text.toStdString()).dump()); }

QString numbers(const std::vector<double>& values) {
    QStringList texts;
    for (const double value : values) texts << number(value);
    return QLatin1Char('[') + texts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString comment(const ScriptedPlot& plot, const char* mark) {
    return QString::fromLatin1(mark) + QLatin1Char(' ') + altTextOf(plot.data, plot.title.isEmpty() ? plot.data.plot.yTitle : plot.title) + QLatin1Char('\n') + QString::fromLatin1(mark) + QLatin1Char(' ') + plot.source + QLatin1Char('\n');
}

bool isLongAxis(const PlotData& data) {
    return data.categories.size() > 6 || std::any_of(data.categories.begin(), data.categories.end(), [](const QString& word) { return word.size() > 10; });
}

QString texSeries(const PlotData& data, const PlotSeries& series, std::size_t index) {
    const QString colour = QStringLiteral("series%1").arg(index % okabeIto.size());
    if (data.plot.mark == Mark::ranges) {
        QString text = QStringLiteral("\\addlegendimage{area legend, fill=%1, draw=none}\n").arg(colour);
        for (std::size_t i = 0; i < series.x.size(); ++i)
            text += QStringLiteral("\\fill[%1] (axis cs:%2,%3) rectangle (axis cs:%4,%5);\n").arg(colour, number(series.x[i]), number(series.y[i] - 0.4), number(series.end[i]), number(series.y[i] + 0.4));
        return text;
    }
    QString options = colour;
    if (data.plot.mark == Mark::points) options += QStringLiteral(", only marks, mark=%1, mark size=1.4pt").arg(QString::fromLatin1(markers[index % markers.size()]));
    if (data.plot.mark == Mark::lines) options += series.x.size() > 60 ? QStringLiteral(", thick, no marks") : QStringLiteral(", thick, mark=%1, mark size=1.4pt").arg(QString::fromLatin1(markers[index % markers.size()]));
    if (data.hasCategories()) options = QStringLiteral("fill=%1, draw=black, line width=0.2pt").arg(colour);
    QString text = QStringLiteral("\\addplot[%1] coordinates {").arg(options);
    for (std::size_t i = 0; i < series.x.size(); ++i) text += QStringLiteral(" (%1,%2)").arg(number(series.x[i]), number(series.y[i]));
    return text + QStringLiteral(" };\n");
}

/// The category's ticks, on the axis that has them.
QString texTicks(const PlotData& data) {
    const bool rows = data.plot.mark == Mark::ranges;
    QStringList places, words;
    for (qsizetype i = 0; i < data.categories.size(); ++i) {
        places << QString::number(i);
        words << QLatin1Char('{') + texText(data.categories[i]) + QLatin1Char('}');
    }
    const QString axis = rows ? QStringLiteral("y") : QStringLiteral("x");
    QString text = QStringLiteral("  %1tick={%2}, %1ticklabels={%3},\n").arg(axis, places.join(u','), words.join(u','));
    if (rows) text += QStringLiteral("  y dir=reverse, ymin=-0.6, ymax=%1,\n").arg(number(double(data.categories.size()) - 0.4));
    else if (isLongAxis(data)) text += QStringLiteral("  x tick label style={rotate=45, anchor=north east},\n");
    return text;
}

Json rowsOf(const PlotData& data) {
    Json rows = Json::array();
    for (const PlotSeries& series : data.series)
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            Json row{{"series", series.name.toStdString()}};
            const auto word = [&](double place) { return data.categories[static_cast<qsizetype>(place)].toStdString(); };
            if (data.plot.mark == Mark::ranges) row.update({{"row", word(series.y[i])}, {"from", series.x[i]}, {"to", series.end[i]}});
            else if (data.hasCategories()) row.update({{"x", word(series.x[i])}, {"y", series.y[i]}});
            else row.update({{"x", series.x[i]}, {"y", series.y[i]}});
            rows.push_back(std::move(row));
        }
    return rows;
}

} // namespace

QString writtenBy() {
    const QString version = QCoreApplication::applicationVersion();
    return version.isEmpty() ? QStringLiteral("Written by Orrery.") : QStringLiteral("Written by Orrery %1.").arg(version);
}

ScriptedPlot scriptedPlot(PlotData data, const QString& title, const ExportFormat& format) {
    return {std::move(data), title, format.size / ExportFormat::pixelsPerInch, format.pointSize > 0 ? format.pointSize : ExportFormat::screenPointSize,
            writtenBy()};
}

QByteArray plotAsTex(const ScriptedPlot& scripted) {
    const PlotData& data = scripted.data;
    QString text = comment(scripted, "%") + QStringLiteral("\\IfFileExists{standalone.cls}{\\documentclass{standalone}}{\\documentclass{article}\\pagestyle{empty}}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.17}\n");
    for (std::size_t i = 0; i < okabeIto.size(); ++i) text += QStringLiteral("\\definecolor{series%1}{HTML}{%2}\n").arg(i).arg(QString::fromLatin1(okabeIto[i]));
    text += QStringLiteral("\\begin{document}\\fontsize{%1}{%2}\\selectfont\n\\begin{tikzpicture}\n\\begin{axis}[\n  width=%3in, height=%4in, font=\\fontsize{%1}{%2}\\selectfont,\n")
                .arg(number(scripted.points), number(1.2 * scripted.points), number(scripted.inches.width()), number(scripted.inches.height()));
    if (!scripted.title.isEmpty()) text += QStringLiteral("  title={%1},\n").arg(texText(scripted.title));
    text += QStringLiteral("  xlabel={%1}, ylabel={%2},\n").arg(texText(data.plot.xTitle), texText(data.plot.yTitle));
    if (data.plot.logarithmic) text += QStringLiteral("  xmode=log, ymode=log,\n");
    if (data.hasCategories()) text += texTicks(data);
    if (data.plot.mark == Mark::bars) text += QStringLiteral("  ybar,\n");
    if (data.plot.mark == Mark::stacked_bars) text += QStringLiteral("  ybar stacked,\n");
    if (data.plot.mark == Mark::ranges && !data.series.empty()) {
        double least = data.series.front().x.front(), most = least;
        for (const PlotSeries& series : data.series)
            for (std::size_t i = 0; i < series.x.size(); ++i) {
                least = std::min({least, series.x[i], series.end[i]});
                most = std::max({most, series.x[i], series.end[i]});
            }
        text += QStringLiteral("  xmin=%1, xmax=%2,\n").arg(number(least), number(most));
    }
    const bool named = data.series.size() > 1 || (data.series.size() == 1 && data.plot.series >= 0);
    if (named) text += QStringLiteral("  legend style={draw=none, at={(1.02,1)}, anchor=north west},\n");
    text += QStringLiteral("  axis lines=left, grid=major, grid style={black!10}]\n");
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        text += texSeries(data, data.series[i], i);
        if (named) text += QStringLiteral("\\addlegendentry{%1}\n").arg(texText(data.series[i].name));
    }
    return (text + QStringLiteral("\\end{axis}\n\\end{tikzpicture}\n\\end{document}\n")).toUtf8();
}

QByteArray plotAsVegaLite(const ScriptedPlot& scripted) {
    const PlotData& data = scripted.data;
    const ChartPlot& plot = data.plot;
    Json colours = Json::array();
    for (const char* colour : okabeIto) colours.push_back(std::string("#") + colour);
    Json document{{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"}, {"description", altTextOf(data, scripted.title.isEmpty() ? plot.yTitle : scripted.title).toStdString()}, {"width", scripted.inches.width() * 72}, {"height", scripted.inches.height() * 72}, {"data", {{"values", rowsOf(data)}}}};
    if (!scripted.title.isEmpty()) document["title"] = scripted.title.toStdString();
    const Json colour{{"field", "series"}, {"type", "nominal"}, {"scale", {{"range", colours}}}, {"title", nullptr}};
    const auto quantity = [&](const char* field, const QString& title) {
        Json axis{{"field", field}, {"type", "quantitative"}, {"title", title.toStdString()}};
        if (plot.logarithmic) axis["scale"] = {{"type", "log"}};
        return axis;
    };
    Json encoding;
    if (plot.mark == Mark::ranges) {
        document["mark"] = "bar";
        encoding = {{"y", {{"field", "row"}, {"type", "nominal"}, {"sort", nullptr}, {"title", plot.yTitle.toStdString()}}}, {"x", quantity("from", plot.xTitle)}, {"x2", {{"field", "to"}}}};
    } else if (data.hasCategories()) {
        document["mark"] = "bar";
        encoding = {{"x", {{"field", "x"}, {"type", "nominal"}, {"sort", nullptr}, {"title", plot.xTitle.toStdString()}}}, {"y", quantity("y", plot.yTitle)}};
    } else {
        document["mark"] = plot.mark == Mark::points ? Json{{"type", "point"}, {"filled", true}} : Json{{"type", "line"}, {"point", data.points() <= 120}};
        encoding = {{"x", quantity("x", plot.xTitle)}, {"y", quantity("y", plot.yTitle)}};
    }
    encoding["color"] = colour;
    document["encoding"] = encoding;
    document["config"] = {{"axis", {{"labelFontSize", scripted.points}, {"titleFontSize", scripted.points}}}, {"legend", {{"labelFontSize", scripted.points}}}};
    return QByteArray::fromStdString(document.dump(1) + "\n");
}

QByteArray plotAsPython(const ScriptedPlot& scripted) {
    const PlotData& data = scripted.data;
    const ChartPlot& plot = data.plot;
    QString text = QStringLiteral("#!/usr/bin/env python3\n") + comment(scripted, "#");
    text += QStringLiteral("import pathlib\n\nimport matplotlib\n\nmatplotlib.use(\"Agg\")\nimport matplotlib.pyplot as plt\n\nplt.rcParams.update({\"font.size\": %1, \"pdf.fonttype\": 42, \"svg.fonttype\": \"none\", \"hatch.linewidth\": 0.4})\n").arg(number(scripted.points));
    text += QStringLiteral("figure, axes = plt.subplots(figsize=(%1, %2), layout=\"constrained\")\n").arg(number(scripted.inches.width()), number(scripted.inches.height()));
    if (data.hasCategories()) {
        QStringList words;
        for (const QString& word : data.categories) words << quoted(word);
        text += QStringLiteral("categories = [%1]\n").arg(words.join(QStringLiteral(", ")));
    }
    if (plot.mark == Mark::stacked_bars) text += QStringLiteral("bottom = [0.0] * len(categories)\n");
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        const PlotSeries& series = data.series[i];
        const QString colour = QStringLiteral("\"#%1\"").arg(QString::fromLatin1(okabeIto[i % okabeIto.size()])), name = quoted(series.name);
        const QString hatch = quoted(QString::fromLatin1(hatches[i % hatches.size()]));
        text += QStringLiteral("x = %1\ny = %2\n").arg(numbers(series.x), numbers(series.y));
        if (plot.mark == Mark::ranges) {
            text += QStringLiteral("end = %1\naxes.barh(y, [b - a for a, b in zip(x, end)], left=x, height=0.8, color=%2, hatch=%3, edgecolor=\"white\", linewidth=0.2, label=%4)\n").arg(numbers(series.end), colour, hatch, name);
        } else if (plot.mark == Mark::stacked_bars) {
            text += QStringLiteral("axes.bar(x, y, bottom=[bottom[int(at)] for at in x], color=%1, hatch=%2, edgecolor=\"black\", linewidth=0.2, label=%3)\nfor at, height in zip(x, y):\n    bottom[int(at)] += height\n").arg(colour, hatch, name);
        } else if (plot.mark == Mark::bars) {
            text += QStringLiteral("axes.bar(x, y, color=%1, hatch=%2, edgecolor=\"black\", linewidth=0.2, label=%3)\n").arg(colour, hatch, name);
        } else if (plot.mark == Mark::points) {
            text += QStringLiteral("axes.plot(x, y, linestyle=\"none\", marker=\"%1\", markersize=3, color=%2, label=%3)\n").arg(QLatin1Char("os^DvPX*"[i % 8])).arg(colour, name);
        } else {
            text += QStringLiteral("axes.plot(x, y, color=%1, linewidth=1%2, label=%3)\n").arg(colour, series.x.size() <= 60 ? QStringLiteral(", marker=\"%1\", markersize=3").arg(QLatin1Char("os^DvPX*"[i % 8])) : QString(), name);
        }
    }
    if (plot.logarithmic) text += QStringLiteral("axes.set_xscale(\"log\")\naxes.set_yscale(\"log\")\n");
    if (plot.mark == Mark::ranges) text += QStringLiteral("axes.set_yticks(range(len(categories)), categories)\naxes.invert_yaxis()\n");
    else if (data.hasCategories()) text += QStringLiteral("axes.set_xticks(range(len(categories)), categories%1)\n").arg(isLongAxis(data) ? QStringLiteral(", rotation=45, ha=\"right\"") : QString());
    text += QStringLiteral("axes.set_xlabel(%1)\naxes.set_ylabel(%2)\n").arg(quoted(plot.xTitle), quoted(plot.yTitle));
    if (!scripted.title.isEmpty()) text += QStringLiteral("axes.set_title(%1, wrap=True)\n").arg(quoted(scripted.title));
    text += QStringLiteral("axes.spines[[\"top\", \"right\"]].set_visible(False)\n");
    const bool beside = plot.mark == Mark::ranges || plot.mark == Mark::stacked_bars;
    if (data.series.size() > 1) text += beside ? QStringLiteral("axes.legend(frameon=False, loc=\"upper left\", bbox_to_anchor=(1, 1))\n") : QStringLiteral("axes.legend(frameon=False)\n");
    text += QStringLiteral("figure.savefig(pathlib.Path(__file__).with_suffix(\".pdf\"))\n");
    return text.toUtf8();
}

} // namespace orrery
