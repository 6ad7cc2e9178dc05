// SPDX-License-Identifier: GPL-3.0-or-later
// What an author puts into a paper: charts of the shipped example in a column of 3.33 inches, nothing elided, cut or laid on another.

#include "app/desktop/explore/explore_panel.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "app/desktop/explore/search_page.hpp"
#include "app/desktop/explore/sensitivity_page.hpp"
#include "app/desktop/explore/sweep_page.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/text_recorder.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/compare/compare_panel.hpp"
#include "widgets/compare/waterfall_chart.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/heat_map.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/measure_box.hpp"
#include "widgets/explore/parallel_chart.hpp"
#include "widgets/explore/tornado_chart.hpp"

#include <QDir>
#include <QPushButton>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

/// What a reader would miss in the chart as it goes into a column; nothing when it is whole. The pictures go to ORRERY_SCREENSHOTS where that is set.
QString columnFaults(const Exportable& chart, const QString& called) {
    if (!chart.whyNothing().isEmpty()) return called + ": " + chart.whyNothing();
    ExportFormat column;
    column.size = QSizeF(3.33, 2.4) * ExportFormat::pixelsPerInch;
    column.pointSize = 7;
    column.dotsPerInch = 300;
    if (const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS"); !folder.isEmpty())
        for (const char* ending : {"png", "pdf", "svg"}) exportChart(chart, QDir(folder).filePath(QStringLiteral("column-%1.%2").arg(called, QLatin1String(ending))), column);
    const QSize size = column.layoutSize().toSize();
    const std::vector<test::DrawnText> texts = test::recordTexts(chart, size);
    QString faults = test::labelFaults(texts, size);
    if (texts.size() < 5) faults += "only few words; ";
    for (const test::DrawnText& text : texts)
        if (text.text.contains(QChar(0x2026)) || text.text.contains("...")) faults += QStringLiteral("“%1” is elided; ").arg(text.text);
    return faults.isEmpty() ? QString() : called + ": " + faults;
}

template <typename Page> bool endsWithCharts(Page& page) {
    QSignalSpy finished(&page, &Page::finished);
    page.bar()->runButton()->click();
    return finished.wait(120000);
}

} // namespace

class ColumnExportTest : public QObject {
    Q_OBJECT
private slots:
    /// Both directions, and a large and a small change: names, figures and the sides of bars differ.
    void waterfall() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("variants.new");
        QVERIFY(window.resultAfter([&] { window->document().edit("Network", {{"/cluster/scale_out/bandwidth_gb_s", 100}}); }));
        window.trigger("variants.compare");
        const WaterfallChart& chart = *window->views().compare()->waterfall();
        QTRY_VERIFY(chart.whyNothing().isEmpty());
        QString faults = columnFaults(chart, "waterfall");
        QVERIFY(window.resultAfter([&] { window->document().edit("Plan", {{"/parallelism/tensor", 4}, {"/workload/micro_batch_size", 2}, {"/execution/recompute", "full"}}); }));
        QTest::qWait(500);
        faults += columnFaults(chart, "waterfall-plan");
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }

    void searchSweepAndSensitivity() {
        Window window(catalog());
        QVERIFY(window.start());
        ExplorePanel& explore = *window->views().explore();
        QString faults;
        window.trigger("simulate.sensitivity");
        QVERIFY(endsWithCharts(*explore.sensitivityPage()));
        faults += columnFaults(*explore.sensitivityPage()->chart(), "sensitivity");
        window.trigger("simulate.sweep");
        SweepPage& sweep = *explore.sweepPage();
        sweep.firstKey()->set("/workload/global_batch_size", "128,256,512,1024");
        QVERIFY(endsWithCharts(sweep));
        faults += columnFaults(*sweep.lines(), "sweep-lines");
        sweep.addKeyButton()->click();
        sweep.secondKey()->set("/cluster/scale_out/bandwidth_gb_s", "25,50,100");
        QVERIFY(endsWithCharts(sweep));
        faults += columnFaults(*sweep.map(), "sweep-map");
        window.trigger("simulate.search");
        QVERIFY(endsWithCharts(*explore.searchPage()));
        faults += columnFaults(*explore.searchPage()->chart(), "search-front");
        faults += columnFaults(*explore.searchPage()->parallel(), "search-parallel");
        QVERIFY2(faults.isEmpty(), qPrintable(faults));
    }
};

ORRERY_WIDGET_TEST(ColumnExportTest)
#include "column_export_test.moc"
