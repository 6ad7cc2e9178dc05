#include "app/desktop/render_command.hpp"

#include "app/cli/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "app/desktop/theme_choice.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/simulation/simulate.hpp"
#include "widgets/cluster/cluster_canvas.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/memory/memory_over_time.hpp"
#include "widgets/memory/memory_treemap.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

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

std::optional<QSizeF> sizeFrom(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^([0-9]{2,5})x([0-9]{2,5})$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    const QSizeF size(match.captured(1).toInt(), match.captured(2).toInt());
    const bool sensible = size.width() >= 200 && size.height() >= 150 && size.width() <= 20000 && size.height() <= 20000;
    return sensible ? std::optional(size) : std::nullopt;
}

/// Which charts there are; each makes its view only when its file is asked for.
struct ChartOption {
    const char* name;
    QString help;
};

struct Drawing {
    const Catalog& catalog;
    const Theme& theme;
    const Json& document;
    ResultPtr result;
};

QString write(const QString& chart, const Drawing& drawing, const QString& fileName, const QSizeF& size) {
    Selection selection;
    if (chart == QStringLiteral("gantt")) {
        TimelineView view(drawing.theme, selection);
        view.resize(size.toSize());
        view.setTimeline(drawing.result, buildRows(drawing.result->timeline));
        return exportChart(view, fileName, size);
    }
    if (chart == QStringLiteral("memory")) {
        MemoryChart view(drawing.theme, selection);
        view.setResult(drawing.result);
        return exportChart(view, fileName, size);
    }
    if (chart == QStringLiteral("memory-over-time")) {
        MemoryOverTime view(drawing.theme, selection);
        view.setResult(drawing.result);
        return exportChart(view, fileName, size);
    }
    if (chart == QStringLiteral("memory-by-tensor")) {
        MemoryHolders holders(selection, holdersAt);
        MemoryTreemap view(drawing.theme, holders);
        holders.setResult(drawing.result);
        return exportChart(view, fileName, size);
    }
    if (chart == QStringLiteral("roofline")) {
        RooflineChart view(drawing.theme, selection);
        view.resize(size.toSize());
        view.setResult(drawing.result);
        return exportChart(view, fileName, size);
    }
    ClusterCanvas view(drawing.theme, selection, drawing.catalog);
    view.resize(size.toSize());
    view.setDocument(drawing.document);
    view.setResult(drawing.result);
    return exportChart(view, fileName, size);
}

} // namespace

int runRender(const QStringList& arguments) {
    const std::vector<ChartOption> charts = {{"gantt", Render::tr("The timeline of one iteration.")},
                                             {"memory", Render::tr("Memory by stage, at its peak.")},
                                             {"memory-over-time", Render::tr("Memory of the fullest stage over the iteration.")},
                                             {"memory-by-tensor", Render::tr("What holds the fullest stage's memory at its peak, down to the tensor.")},
                                             {"roofline", Render::tr("Every operator under the accelerator's ceilings.")},
                                             {"cluster", Render::tr("The drawn cluster.")}};
    QCommandLineParser parser;
    parser.setApplicationDescription(Render::tr("Draws a scenario's charts as files: .svg, .pdf, .png or .csv by ending."));
    parser.addHelpOption();
    parser.addPositionalArgument("scenario", Render::tr("An .orrery.json file."));
    for (const ChartOption& chart : charts) parser.addOption({chart.name, chart.help, "file"});
    parser.addOption({"theme", Render::tr("light (default), dark, high-contrast or colour-safe."), "theme", "light"});
    parser.addOption({"size", Render::tr("Width and height in pixels (default 1200x700)."), "WxH", "1200x700"});
    if (!parser.parse(QStringList{"orrery render"} + arguments)) return refuse(parser.errorText());
    if (parser.isSet("help")) {
        std::cout << parser.helpText().toStdString();
        return exit_done;
    }
    if (parser.positionalArguments().size() != 1) return refuse(Render::tr("Name one scenario file. “orrery render --help” says more."));
    const bool any = std::any_of(charts.begin(), charts.end(), [&parser](const ChartOption& chart) { return parser.isSet(chart.name); });
    if (!any) return refuse(Render::tr("Name at least one chart, for example --gantt gantt.svg."));
    const std::optional<ThemeChoice> choice = themeFromName(parser.value("theme"));
    if (!choice) return refuse(Render::tr("There is no theme “%1”; use light, dark, high-contrast or colour-safe.").arg(parser.value("theme")));
    const std::optional<QSizeF> size = sizeFrom(parser.value("size"));
    if (!size) return refuse(Render::tr("“%1” is no size; write for example 1200x700 (200x150 to 20000x20000).").arg(parser.value("size")));

    Problems unread;
    const Catalog catalog = userCatalog(unread);
    const LoadedDocument loaded = loadDocument(parser.positionalArguments().front().toStdString());
    if (!loaded.document || hasErrors(loaded.problems)) return refuse(loaded.problems);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems);
    RunControl control;
    control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const Outcome outcome = simulate(*reading.scenario, control);
    if (!outcome.result) return refuse(outcome.problems);

    const Theme theme(variantFor(*choice, false));
    theme.applyToApplication();
    const Drawing drawing{catalog, theme, *loaded.document, outcome.result};
    for (const ChartOption& chart : charts) {
        if (!parser.isSet(chart.name)) continue;
        const QString error = write(chart.name, drawing, parser.value(chart.name), *size);
        if (!error.isEmpty()) return refuse(error);
    }
    if (!outcome.result->fits) {
        std::cerr << "orrery render: " << Render::tr("The scenario doesn't fit the memory; the charts show what it would need.").toStdString() << '\n';
        return exit_does_not_fit;
    }
    return exit_done;
}

} // namespace orrery
