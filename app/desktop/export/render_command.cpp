// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/export/render_command.hpp"

#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "app/desktop/export/export_settings.hpp"
#include "app/desktop/export/scenario_charts.hpp"
#include "app/desktop/manners/theme_choice.hpp"
#include "app/desktop/report/result_report.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/simulation/simulate.hpp"
#include "resources/shipped_evidence.hpp"
#include "widgets/common/exportable.hpp"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <iostream>
#include <optional>
#include <thread>

namespace orrery {
namespace {

struct Render {
    Q_DECLARE_TR_FUNCTIONS(Render)
};

int refuse(const QString& message) {
    std::cerr << "orrery render: " << message.toStdString() << '\n';
    return exit_bad_input;
}

int refuse(const Problems& problems) {
    for (const Problem& problem : problems) std::cerr << toText(problem) << '\n';
    return exit_bad_input;
}

/// Which charts there are; each makes its view only when its file is asked for.
struct ChartOption {
    const char* name;
    QString help;
};

/// What the command line says of the drawing; an error text where it says it wrongly.
QString readFormat(const QCommandLineParser& parser, ExportFormat& format) {
    const std::optional<QSizeF> size = sizeFrom(parser.value("size"));
    if (!size) return Render::tr("“%1” is no size; write for example 1200x700 (200x150 to 20000x20000).").arg(parser.value("size"));
    format.size = *size;
    const double proportion = size->height() / size->width();
    for (const char* name : {"width", "height"}) {
        if (!parser.isSet(name)) continue;
        const std::optional<double> length = lengthFrom(parser.value(name));
        if (!length)
            return Render::tr("“%1” is no %2; write for example 3.5in, 89mm, 252pt or 1200px (0.5in to 200in).").arg(parser.value(name), QString::fromLatin1(name));
        if (qstrcmp(name, "width") == 0) format.size = {*length, *length * proportion};
        else format.size.setHeight(*length);
    }
    if (parser.isSet("point-size")) {
        bool isNumber = false;
        format.pointSize = parser.value("point-size").toDouble(&isNumber);
        if (!isNumber || format.pointSize < 4 || format.pointSize > 72)
            return Render::tr("“%1” is no size of letters; write points from 4 to 72, for example 7.5.").arg(parser.value("point-size"));
    }
    if (parser.isSet("dpi")) {
        bool isNumber = false;
        format.dotsPerInch = parser.value("dpi").toDouble(&isNumber);
        if (!isNumber || format.dotsPerInch < 36 || format.dotsPerInch > 2400)
            return Render::tr("“%1” is no resolution; write dots per inch from 36 to 2400, for example 300.").arg(parser.value("dpi"));
    }
    if (parser.isSet("title")) format.title = parser.value("title");
    return {};
}

} // namespace

int runRender(const QStringList& arguments) {
    const std::vector<ChartOption> charts = {{"gantt", Render::tr("The timeline of one iteration, a batch or served requests.")},
                                             {"memory", Render::tr("Memory by stage, at its peak.")},
                                             {"memory-over-time", Render::tr("Memory of the fullest stage, or of an engine's instance, over time.")},
                                             {"memory-by-tensor", Render::tr("What holds the fullest stage's memory at its peak, down to the tensor.")},
                                             {"roofline", Render::tr("Every operator under the accelerator's ceilings.")},
                                             {"jitter", Render::tr("What jitter costs, by the number of accelerators; the scenario's jitter is “expected”.")},
                                             {"latency", Render::tr("Latency of served requests: which share within which time.")},
                                             {"engine-over-time", Render::tr("Requests that run and wait, and blocks of the cache in use, over time.")},
                                             {"links", Render::tr("The links by load.")},
                                             {"cluster", Render::tr("The drawn cluster.")}};
    QCommandLineParser parser;
    parser.setApplicationDescription(Render::tr("Draws a scenario's charts as files: .svg, .pdf, .png or .csv by ending."));
    parser.addHelpOption();
    parser.addPositionalArgument("scenario", Render::tr("An .orrery.json file."));
    for (const ChartOption& chart : charts) parser.addOption({chart.name, chart.help, "file"});
    parser.addOption({"report", Render::tr("The figures, charts, assumptions and sources as one document: .pdf, .html or .md by ending."), "file"});
    parser.addOption({"all", Render::tr("Every chart that has something to show, into this folder."), "folder"});
    parser.addOption({"format", Render::tr("Kind of the files of --all: svg (default), pdf, png or csv."), "kind", "svg"});
    parser.addOption({"theme", Render::tr("light (default), dark, high-contrast or colour-safe."), "theme", "light"});
    parser.addOption({"size", Render::tr("Width and height in pixels of 1/96 inch (default 1200x700)."), "WxH", "1200x700"});
    parser.addOption({"width", Render::tr("Width on paper, for example 3.5in, 89mm, 252pt; the height follows unless given."), "length"});
    parser.addOption({"height", Render::tr("Height on paper."), "length"});
    parser.addOption({"point-size", Render::tr("Size of the axes' labels on paper, in points (default 7.8)."), "points"});
    parser.addOption({"title", Render::tr("Title in place of the chart's own; an empty one takes the line away."), "text"});
    parser.addOption({"dpi", Render::tr("Dots per inch of a .png (default 192)."), "number"});
    if (!parser.parse(QStringList{"orrery render"} + arguments)) return refuse(parser.errorText());
    if (parser.isSet("help")) {
        std::cout << parser.helpText().toStdString();
        return exit_done;
    }
    if (parser.positionalArguments().size() != 1) return refuse(Render::tr("Name one scenario file. “orrery render --help” says more."));
    const bool any = parser.isSet("all") || parser.isSet("report") || std::any_of(charts.begin(), charts.end(), [&parser](const ChartOption& chart) { return parser.isSet(chart.name); });
    if (!any) return refuse(Render::tr("Name at least one chart, for example --gantt gantt.svg."));
    const std::optional<ThemeChoice> choice = themeFromName(parser.value("theme"));
    if (!choice) return refuse(Render::tr("There is no theme “%1”; use light, dark, high-contrast or colour-safe.").arg(parser.value("theme")));
    ExportFormat format;
    if (const QString wrong = readFormat(parser, format); !wrong.isEmpty()) return refuse(wrong);
    const QString kind = parser.value("format");
    if (!QStringList{"svg", "pdf", "png", "csv"}.contains(kind)) return refuse(Render::tr("There is no kind of file “%1”; use svg, pdf, png or csv.").arg(kind));
    if (parser.isSet("all") && !QFileInfo(parser.value("all")).isDir()) return refuse(Render::tr("“%1” is no folder. Make it first, or name another.").arg(parser.value("all")));

    Problems unread;
    const Catalog catalog = userCatalog(unread);
    const LoadedDocument loaded = loadDocument(parser.positionalArguments().front().toStdString());
    if (!loaded.document || hasErrors(loaded.problems)) return refuse(loaded.problems);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems);
    RunControl control;
    control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    // How sure the figures are is told by a report alone; no chart shows it.
    const auto bars = parser.isSet("report") ? shippedErrorBars(catalog) : nullptr;
    const Outcome outcome = simulate(*reading.scenario, control, Folding::exact, [&bars](Result& result) {
        if (bars) addErrorBars(result, *bars);
    });
    if (!outcome.result) return refuse(outcome.problems);

    const Theme theme(variantFor(*choice, false));
    theme.applyToApplication();
    const ChartedScenario charted{catalog, theme, *loaded.document, outcome.result};
    for (const ChartOption& chart : charts) {
        if (!parser.isSet(chart.name)) continue;
        const QString error = writeScenarioChart(chart.name, charted, format, parser.value(chart.name));
        if (!error.isEmpty()) return refuse(error);
    }
    for (const ChartOption& chart : charts) {
        if (!parser.isSet("all") || isChartEmpty(chart.name, charted)) continue;
        const QString error = writeScenarioChart(chart.name, charted, format, QDir(parser.value("all")).filePath(QStringLiteral("%1.%2").arg(chart.name, kind)));
        if (!error.isEmpty()) return refuse(error);
    }
    if (parser.isSet("report")) {
        const Report report = reportOf(*outcome.result, *loaded.document, reportCharts(charted));
        if (const QString error = writeReport(report, parser.value("report")); !error.isEmpty()) return refuse(error);
    }
    if (!outcome.result->fits) {
        std::cerr << "orrery render: " << Render::tr("The scenario doesn't fit the memory; the charts show what it would need.").toStdString() << '\n';
        return exit_does_not_fit;
    }
    return exit_done;
}

} // namespace orrery
