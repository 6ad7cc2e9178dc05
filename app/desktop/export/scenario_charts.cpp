// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/export/scenario_charts.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/jitter/jitter_chart.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/memory/memory_over_time.hpp"
#include "widgets/memory/memory_treemap.hpp"
#include "widgets/network/link_load_table.hpp"
#include "widgets/network/network_traffic.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/serving/counter_chart.hpp"
#include "widgets/serving/latency_chart.hpp"
#include "widgets/timeline/timeline_view.hpp"

namespace orrery {
namespace {

/// Makes the chart's view, `size` where its content follows that, and hands it on.
template <typename Visit>
auto withChart(const QString& chart, const ChartedScenario& charted, const QSize& size, Visit&& visit) {
    Selection selection;
    if (chart == QStringLiteral("gantt")) {
        TimelineView view(charted.theme, selection);
        view.resize(size);
        view.setTimeline(charted.result, buildRows(charted.result->timeline));
        return visit(view);
    }
    if (chart == QStringLiteral("memory")) {
        MemoryChart view(charted.theme, selection);
        view.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("memory-over-time")) {
        MemoryOverTime view(charted.theme, selection);
        view.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("memory-by-tensor")) {
        MemoryHolders holders(selection, holdersAt);
        MemoryTreemap view(charted.theme, holders);
        holders.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("roofline")) {
        RooflineChart view(charted.theme, selection);
        view.resize(size);
        view.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("jitter")) {
        JitterChart view(charted.theme);
        view.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("latency")) {
        LatencyChart view(charted.theme);
        view.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("engine-over-time")) {
        CounterChart view(charted.theme, selection);
        view.setResult(charted.result);
        return visit(view);
    }
    if (chart == QStringLiteral("links")) {
        NetworkTraffic traffic(selection);
        LinkLoadTable view(charted.theme, traffic);
        traffic.setResult(charted.result, NetworkReportPtr(charted.result, &charted.result->network));
        return visit(view);
    }
    ClusterCanvas view(charted.theme, selection, charted.catalog);
    view.resize(size);
    view.setDocument(charted.document);
    view.setResult(charted.result);
    return visit(view);
}

} // namespace

QString writeScenarioChart(const QString& chart, const ChartedScenario& charted, const ExportFormat& format, const QString& fileName) {
    return withChart(chart, charted, format.layoutSize().toSize(), [&](const Exportable& view) { return exportChart(view, fileName, format); });
}

bool canWriteChart(const QString& chart, const ChartedScenario& charted, const QString& ending) {
    return withChart(chart, charted, ExportFormat{}.size.toSize(), [&ending](const Exportable& view) { return canWrite(view, ending); });
}

std::vector<ReportChart> reportCharts(const ChartedScenario& charted) {
    ExportFormat format;
    format.size = {960, 480};
    std::vector<ReportChart> charts;
    for (const char* name : {"cluster", "gantt", "latency", "engine-over-time", "memory", "roofline"}) {
        withChart(QString::fromLatin1(name), charted, format.size.toSize(), [&](const Exportable& view) {
            if (view.whyNothing().isEmpty()) charts.push_back({QString::fromLatin1(name), view.heading().title, chartSvg(view, format)});
        });
    }
    return charts;
}

} // namespace orrery
