// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/export/render_command.hpp"

#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "app/desktop/export/answer_charts.hpp"
#include "app/desktop/export/export_settings.hpp"
#include "app/desktop/export/scenario_charts.hpp"
#include "app/desktop/manners/theme_choice.hpp"
#include "app/desktop/report/result_report.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/comparison/compare.hpp"
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

RunControl allThreads() {
    RunControl control;
    control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return control;
}

/// A result's document: of a file that holds one, or of a scenario that is simulated.
std::optional<Json> resultOf(const QString& path, const Catalog& catalog, Problems& problems) {
    LoadedDocument loaded = loadDocument(path.toStdString());
    problems = loaded.problems;
    if (!loaded.document || hasErrors(problems)) return std::nullopt;
    if (loaded.document->is_object() && loaded.document->value("format", Json()) == "orrery-result/1") return std::move(loaded.document);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    problems = reading.problems;
    if (!reading.scenario || hasErrors(problems)) return std::nullopt;
    const Outcome outcome = simulate(*reading.scenario, allThreads());
    problems = outcome.problems;
    return outcome.result ? std::optional(toJson(*outcome.result)) : std::nullopt;
}

/// What `--compare A B` shows.
std::optional<Json> comparisonOf(const QStringList& paths, const Catalog& catalog, Problems& problems) {
    std::vector<Json> results;
    for (const QString& path : paths) {
        std::optional<Json> result = resultOf(path, catalog, problems);
        if (!result) return std::nullopt;
        results.push_back(std::move(*result));
    }
    const std::optional<Comparison> comparison = compareResults(results[0], results[1], problems);
    return comparison ? std::optional(toJson(*comparison)) : std::nullopt;
}

/// Charts of what was asked of several scenarios: each of the document that orrery-cli printed, a comparison also of two scenarios.
int renderAnswer(const QCommandLineParser& parser, const QString& name, const ExportFormat& format, const Theme& theme) {
    const QStringList paths = parser.positionalArguments();
    Problems problems;
    std::optional<Json> document;
    if (name == QLatin1String("compare") && paths.size() == 2) {
        Problems unread;
        document = comparisonOf(paths, userCatalog(unread), problems);
    } else {
        if (paths.size() != 1) return refuse(Render::tr("Name the one document that orrery-cli %1 printed with --json%2.").arg(name == QLatin1String("front") ? QStringLiteral("search") : name, name == QLatin1String("compare") ? Render::tr(", or two scenarios") : QString()));
        LoadedDocument loaded = loadDocument(paths.front().toStdString());
        problems = loaded.problems;
        document = std::move(loaded.document);
        if (document && answerChartOf(*document) != name) return refuse(Render::tr("%1 is no document that --%2 draws. Give what orrery-cli %3 printed with --json.").arg(paths.front(), name, name == QLatin1String("front") ? QStringLiteral("search") : name));
    }
    if (!document || hasErrors(problems)) return refuse(problems);
    if (const QString error = writeAnswerChart(*document, theme, format, parser.value(name)); !error.isEmpty()) return refuse(error);
    return exit_done;
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
    parser.setApplicationDescription(Render::tr("Draws a scenario's charts as files: .svg, .pdf, .png, .csv, .tex (PGFPlots), .vl.json (Vega-Lite) or .py (matplotlib) by ending."));
    parser.addHelpOption();
    parser.addPositionalArgument("scenario", Render::tr("An .orrery.json file."));
    for (const ChartOption& chart : charts) parser.addOption({chart.name, chart.help, "file"});
    parser.addOption({"compare", Render::tr("Where a difference comes from: of two scenarios or results, or of what orrery-cli compare --json printed."), "file"});
    parser.addOption({"front", Render::tr("The plans that no other beats: of what orrery-cli search --json printed."), "file"});
    parser.addOption({"sweep", Render::tr("A figure over a key: of what orrery-cli sweep --json printed."), "file"});
    parser.addOption({"sensitivity", Render::tr("What a figure hangs on: of what orrery-cli sensitivity --json printed."), "file"});
    parser.addOption({"report", Render::tr("The figures, charts, assumptions and sources as one document: .pdf, .html or .md by ending."), "file"});
    parser.addOption({"all", Render::tr("Every chart that has something to show, into this folder."), "folder"});
    parser.addOption({"format", Render::tr("Kind of the files of --all: svg (default), pdf, png, csv, tex, vl.json or py."), "kind", "svg"});
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
    QStringList answers;
    for (const QString& name : answerCharts())
        if (parser.isSet(name)) answers << name;
    if (answers.isEmpty() && parser.positionalArguments().size() != 1) return refuse(Render::tr("Name one scenario file. “orrery render --help” says more."));
    const bool any = parser.isSet("all") || parser.isSet("report") || std::any_of(charts.begin(), charts.end(), [&parser](const ChartOption& chart) { return parser.isSet(chart.name); });
    if (!any && answers.isEmpty()) return refuse(Render::tr("Name at least one chart, for example --gantt gantt.svg."));
    const std::optional<ThemeChoice> choice = themeFromName(parser.value("theme"));
    if (!choice) return refuse(Render::tr("There is no theme “%1”; use light, dark, high-contrast or colour-safe.").arg(parser.value("theme")));
    ExportFormat format;
    if (const QString wrong = readFormat(parser, format); !wrong.isEmpty()) return refuse(wrong);
    const QString kind = parser.value("format");
    if (!chartEndings().contains(kind)) return refuse(Render::tr("There is no kind of file “%1”; use svg, pdf, png, csv, tex, vl.json or py.").arg(kind));
    if (parser.isSet("all") && !QFileInfo(parser.value("all")).isDir()) return refuse(Render::tr("“%1” is no folder. Make it first, or name another.").arg(parser.value("all")));
    if (!answers.isEmpty()) {
        if (any || answers.size() > 1) return refuse(Render::tr("--%1 draws another document than the other charts; ask for it by itself.").arg(answers.front()));
        const Theme theme(variantFor(*choice, false));
        theme.applyToApplication();
        return renderAnswer(parser, answers.front(), format, theme);
    }

    Problems unread;
    const Catalog catalog = userCatalog(unread);
    const LoadedDocument loaded = loadDocument(parser.positionalArguments().front().toStdString());
    if (!loaded.document || hasErrors(loaded.problems)) return refuse(loaded.problems);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems);
    // How sure the figures are is told by a report alone; no chart shows it.
    const auto bars = parser.isSet("report") ? shippedErrorBars(catalog) : nullptr;
    const Outcome outcome = simulate(*reading.scenario, allThreads(), Folding::exact, [&bars](Result& result) {
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
        if (!parser.isSet("all") || !canWriteChart(chart.name, charted, kind)) continue;
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
