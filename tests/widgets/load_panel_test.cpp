// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput against latency: what the panel shows is the curve it was given, and what the slider does is asked for.
#include "core/base/json.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/serving/load_chart.hpp"
#include "widgets/serving/load_figures.hpp"
#include "widgets/serving/load_panel.hpp"

#include <QSignalSpy>
#include <QSlider>
#include <QTest>

using namespace orrery;

namespace {

LoadPoint pointAt(double load, double ttft, std::optional<WaitsFor> waitsFor = {}) {
    LoadPoint point;
    point.load = load;
    point.outputTokensPerSecondPerAccelerator = 100 * std::min(load, 6.0);
    point.served.count = point.served.completed = 100;
    point.served.ttft.p50 = ttft / 2;
    point.served.ttft.p99 = ttft;
    point.served.tpot.p50 = point.served.tpot.p99 = 0.02;
    point.served.queue.p50 = waitsFor ? 0.4 * ttft : 0;
    if (waitsFor) {
        point.waits[static_cast<std::size_t>(*waitsFor)] = 0.4 * ttft;
        point.waitingShare = 0.8;
    }
    return point;
}

/// Requests at 4 a second; beyond 6 they wait for the cache.
LoadCurvePtr someCurve() {
    auto curve = std::make_shared<LoadCurve>();
    curve->present = {LoadKind::rate, 4};
    for (const double load : {1.0, 2.0, 4.0, 6.0}) curve->points.push_back(pointAt(load, 0.1));
    for (const double load : {7.0, 8.0}) curve->points.push_back(pointAt(load, 5, WaitsFor::cache));
    curve->knee = kneeOf(curve->points, curve->level);
    curve->complete = true;
    return curve;
}

ResultPtr servedAt(double rate, ArrivalProcess process = ArrivalProcess::poisson) {
    auto result = std::make_shared<Result>();
    ServingWorkload workload;
    RequestLaw law;
    law.process = process;
    law.ratePerSecond = rate;
    workload.requests = law;
    result->scenario.workload = workload;
    ServingReport report;
    report.served.count = report.served.completed = 1;
    report.requests = std::make_shared<RequestList>();
    result->metrics = report;
    result->fits = true;
    return result;
}

int pixelsOf(const QImage& image, const QColor& colour) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) found += image.pixelColor(x, y) == colour ? 1 : 0;
    return found;
}

} // namespace

class LoadPanelTest : public QObject {
    Q_OBJECT
private slots:
    void theKneeIsSaidWithItsReason() {
        const Theme theme;
        LoadPanel panel(theme);
        panel.setResult(servedAt(4));
        panel.setCurve(someCurve());
        QVERIFY(panel.hasLoad());
        QCOMPARE(kneeText(*someCurve()), QString("Knee at 7 requests/s"));
        QVERIFY(panel.chart()->accessibleDescription().contains("KV cache is full"));
        // The figures are those of the scenario's own load.
        QVERIFY2(panel.figures().words().contains("p99 100"), qPrintable(panel.figures().words()));
        // A row a point, and the knee marked in one.
        const QList<QByteArray> lines = panel.chart()->csv().trimmed().split('\n');
        QCOMPARE(lines.size(), qsizetype(7));
        QCOMPARE(std::count_if(lines.begin() + 1, lines.end(), [](const QByteArray& line) { return line.endsWith(",1"); }), 1);
        QVERIFY(lines[5].startsWith("7,") && lines[5].endsWith(",1"));
    }

    void theSliderTriesAndSettles() {
        const Theme theme;
        LoadPanel panel(theme);
        panel.resize(700, 300);
        panel.setResult(servedAt(4));
        panel.setCurve(someCurve());
        QCOMPARE(panel.load(), 4.0);
        QSignalSpy tried(&panel, &LoadPanel::loadTried);
        std::vector<ScenarioEdit> wanted;
        connect(&panel, &LoadPanel::editRequested, this, [&wanted](const QString&, const std::vector<ScenarioEdit>& edits) { wanted = edits; });
        QSlider& slider = *panel.slider();
        slider.setSliderDown(true);
        slider.setValue(slider.maximum()); // the right end is the last load of the curve
        QCOMPARE(tried.count(), qsizetype(1));
        QCOMPARE(tried.front().front().toDouble(), 8.0);
        QVERIFY(wanted.empty()); // a hand is still on it
        panel.setTried(pointAt(8, 5, WaitsFor::cache));
        QVERIFY(panel.chart()->tried());
        QVERIFY2(panel.figures().words().contains("p99 5"), qPrintable(panel.figures().words()));
        slider.setSliderDown(false);
        QCOMPARE(wanted.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(wanted.front().pointer), QString("/workload/requests/arrival/rate_per_s"));
        QCOMPARE(wanted.front().value->get<double>(), 8.0);
    }

    void aLowPanelStillHasItsCurve() {
        const Theme theme;
        LoadPanel panel(theme);
        panel.setResult(servedAt(4));
        panel.setCurve(someCurve());
        for (const int height : {190, 240, 400}) {
            panel.resize(620, height); // 190: what a window of 1067 × 667 leaves it
            panel.show();
            QCoreApplication::processEvents();
            QVERIFY2(pixelsOf(panel.chart()->grab().toImage(), theme.colors().forward) > 20, qPrintable(QString::number(height)));
        }
    }

    void untilTheCurveComesItSaysSo() {
        const Theme theme;
        LoadPanel panel(theme);
        panel.setResult(servedAt(4));
        QVERIFY2(panel.chart()->whyNothing().contains("simulated"), qPrintable(panel.chart()->whyNothing()));
    }

    void whatCannotVarySaysWhy() {
        const Theme theme;
        LoadPanel panel(theme);
        panel.setResult(servedAt(4, ArrivalProcess::all_at_once));
        QVERIFY(!panel.hasLoad());
        QVERIFY(!panel.slider()->isVisibleTo(&panel));
        QVERIFY(panel.chart()->whyNothing().contains("at once"));
        panel.setResult(nullptr);
        QVERIFY(panel.chart()->whyNothing().contains("serving"));
    }
};

ORRERY_WIDGET_TEST(LoadPanelTest)
#include "load_panel_test.moc"
