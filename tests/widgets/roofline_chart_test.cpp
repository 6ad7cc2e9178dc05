// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/catalog.hpp"
#include "tests/support/chart_checks.hpp"
#include "tests/support/synthetic_result.hpp"

#include "tests/support/widget_test.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/roofline/roofline_plot.hpp"
#include "widgets/roofline/roofline_points.hpp"

#include <QSignalSpy>
#include <QTest>

#include <map>
#include <random>

using namespace orrery;
using test::recordTexts;
using test::syntheticResult;

namespace {

/// The marks as QCustomPlot holds them: intensity and TFLOP/s by "operator · phase".
std::map<std::string, std::pair<double, double>> marksOf(const RooflineChart& chart) {
    std::map<std::string, std::pair<double, double>> marks;
    for (int i = 0; i < chart.plot()->graphCount(); ++i) {
        const QCPGraph* graph = chart.plot()->graph(i);
        if (graph->lineStyle() == QCPGraph::lsNone)
            marks[graph->name().toStdString()] = {graph->data()->at(0)->key, graph->data()->at(0)->value};
    }
    return marks;
}

const QCPGraph* roofOf(const RooflineChart& chart, const QString& name) {
    for (int i = 0; i < chart.plot()->graphCount(); ++i)
        if (chart.plot()->graph(i)->name() == name) return chart.plot()->graph(i);
    return nullptr;
}

void show(RooflineChart& chart, const QSize& size) {
    chart.resize(size);
    chart.show();
    QApplication::processEvents();
    chart.plot()->replot();
}

} // namespace

class RooflineChartTest : public QObject {
    Q_OBJECT

    Theme theme_;
    Selection selection_;

private slots:
    void init() { selection_.clear(); }

    void everyOperatorWithFlopsIsAMark() {
        const ResultPtr result = syntheticResult();
        RooflineChart chart(theme_, selection_);
        chart.setResult(result);
        const auto marks = marksOf(chart);
        std::size_t expected = 0;
        double omittedTime = 0;
        for (const OperationRow& row : result->operations) {
            const auto mark = marks.find(row.kind + " · " + row.phase);
            if (row.flops == 0) {
                QVERIFY(mark == marks.end());
                omittedTime += row.time;
                continue;
            }
            ++expected;
            QVERIFY(mark != marks.end());
            QCOMPARE(mark->second.first, row.flops / row.bytes);
            QCOMPARE(mark->second.second, row.flops / row.time / 1e12);
        }
        QCOMPARE(marks.size(), expected);
        QVERIFY(expected > 15 && expected < result->operations.size());
        QVERIFY2(chart.plot()->note().startsWith(QString::number(result->operations.size() - expected) + " operators"), qPrintable(chart.plot()->note()));
        QCOMPARE(chart.plot()->data().omittedTime, omittedTime);
    }

    void roofsAreTheAcceleratorsOwn() {
        RooflineChart chart(theme_, selection_);
        chart.setResult(syntheticResult());
        const QCPGraph* compute = roofOf(chart, "compute roof");
        const QCPGraph* memory = roofOf(chart, "memory roof");
        const QCPGraph* l2 = roofOf(chart, "L2 roof");
        QVERIFY(compute && memory && l2);
        for (const auto& point : *compute->data()) QCOMPARE(point.value, 989.0);
        for (const auto& point : *memory->data()) QCOMPARE(point.value / point.key, 3.35); // TFLOP/s over FLOP/byte = TB/s
        for (const auto& point : *l2->data()) QCOMPARE(point.value / point.key, 5.5);
        QCOMPARE(compute->data()->at(0)->key, 989.0 / 3.35); // the ridge
        Result bare = *syntheticResult();
        bare.scenario.cluster.accelerator.l2Bandwidth = 0;
        bare.scenario.training().precision = Precision::fp8;
        chart.setResult(std::make_shared<const Result>(bare));
        QVERIFY(roofOf(chart, "L2 roof") == nullptr);
        QCOMPARE(roofOf(chart, "compute roof")->data()->at(0)->value, 1978.0);
    }

    void noLineLeavesTheAxes() {
        // SVG knows no clipping as Qt writes it: what is drawn beyond the axes is seen beyond the axes.
        RooflineChart chart(theme_, selection_);
        chart.setResult(syntheticResult());
        for (const bool levels : {false, true}) {
            chart.levelsButton()->setChecked(levels);
            const QCPRange x = chart.plot()->xAxis->range(), y = chart.plot()->yAxis->range();
            for (int i = 0; i < chart.plot()->graphCount(); ++i)
                for (const auto& point : *chart.plot()->graph(i)->data()) {
                    const QByteArray name = chart.plot()->graph(i)->name().toUtf8();
                    QVERIFY2(point.key >= x.lower * (1 - 1e-9) && point.key <= x.upper * (1 + 1e-9), name.constData());
                    QVERIFY2(point.value >= y.lower * (1 - 1e-9) && point.value <= y.upper * (1 + 1e-9), name.constData());
                }
        }
    }

    void cachesShowTheirCeilingsAndWhatProductsGetFromThem() {
        Result result = *syntheticResult();
        result.scenario.kernels.physics = test::catalog().physics();
        for (TimedOperator& timed : result.timeline.operators) {
            if (timed.op.name != "mlp.down" || timed.op.phase != Phase::forward) continue;
            timed.op.shape = {4096, 4096, 14336, 1};
            timed.op.flops = 2.0 * 4096 * 4096 * 14336;
        }
        RooflineChart chart(theme_, selection_);
        chart.setResult(std::make_shared<const Result>(result));
        QVERIFY(roofOf(chart, "shared memory roof") == nullptr);
        const int before = chart.plot()->graphCount();
        chart.levelsButton()->setChecked(true);
        const QCPGraph* l2 = roofOf(chart, "L2 roof");
        const QCPGraph* shared = roofOf(chart, "shared memory roof");
        QVERIFY(l2 && shared);
        const double l2Slope = l2->data()->at(0)->value / l2->data()->at(0)->key, sharedSlope = shared->data()->at(0)->value / shared->data()->at(0)->key;
        QVERIFY2(l2Slope > 3.35 && sharedSlope > l2Slope, "each level is faster than the one before");
        int products = 0;
        for (const RooflinePoint& point : chart.plot()->data().points) {
            if (point.row.kind != "mlp.down" || point.row.phase != "forward") {
                continue;
            }
            ++products;
            // Tiles of 256 × 256 at most, of two bytes an element, whatever the machine: no more than 128 FLOP a byte from L2's cluster of four.
            QVERIFY(point.l2Intensity > 16 && point.l2Intensity < 200);
            QVERIFY(point.sharedIntensity > 4 && point.sharedIntensity < point.l2Intensity);
        }
        QCOMPARE(products, 1);
        QVERIFY(chart.plot()->graphCount() > before + 1);
        chart.levelsButton()->setChecked(false);
        QCOMPARE(chart.plot()->graphCount(), before);
    }

    void everyMarkLiesInsideTheAxes() {
        for (const int stages : {1, 8}) {
            RooflineChart chart(theme_, selection_);
            chart.setResult(syntheticResult({.stages = stages}));
            show(chart, {340, 350});
            const QRectF axes = chart.plot()->axisRect()->rect();
            for (std::size_t i = 0; i < chart.plot()->data().points.size(); ++i) QVERIFY(axes.contains(chart.plot()->pixelOf(i)));
        }
    }

    void clickChoosesTheOperator() {
        const ResultPtr result = syntheticResult();
        RooflineChart chart(theme_, selection_);
        chart.setResult(result);
        show(chart, {700, 600});
        const RooflinePoint& first = chart.plot()->data().points.front();
        // The one that takes longest, by the result's own numbers.
        for (const OperationRow& row : result->operations)
            if (row.flops > 0) QVERIFY(row.time <= first.row.time);
        QTest::mouseClick(chart.plot(), Qt::LeftButton, {}, chart.plot()->pixelOf(0).toPoint() + QPoint(8, 0));
        QCOMPARE(selection_.operatorName().toStdString(), first.row.kind);
        QCOMPARE(selection_.operatorPhase().toStdString(), first.row.phase);
        QTest::mouseClick(chart.plot(), Qt::LeftButton, {}, chart.plot()->axisRect()->rect().bottomRight() - QPoint(4, 4));
        QVERIFY(selection_.operatorName().isEmpty());
    }

    void selectionFromElsewhereRingsThePoint() {
        RooflineChart chart(theme_, selection_);
        chart.setResult(syntheticResult());
        show(chart, {700, 600});
        const auto accented = [&] {
            const QImage image = chart.plot()->grab().toImage();
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == theme_.colors().accent ? 1 : 0;
            return count;
        };
        QCOMPARE(accented(), 0);
        selection_.setOperator("mlp.swiglu", "forward");
        QApplication::processEvents();
        QVERIFY(chart.plot()->selected().has_value());
        QCOMPARE(chart.plot()->data().points[*chart.plot()->selected()].row.kind, std::string("mlp.swiglu"));
        chart.plot()->replot();
        QVERIFY(accented() > 10);
        selection_.setOperator("no such operator", "forward");
        QVERIFY(!chart.plot()->selected().has_value());
    }

    void arrowKeysStepThroughThePoints() {
        RooflineChart chart(theme_, selection_);
        chart.setResult(syntheticResult());
        show(chart, {400, 400});
        const auto& points = chart.plot()->data().points;
        QTest::keyClick(chart.plot(), Qt::Key_Right);
        QCOMPARE(selection_.operatorName().toStdString(), points[0].row.kind);
        QTest::keyClick(chart.plot(), Qt::Key_Right);
        QCOMPARE(selection_.operatorName().toStdString(), points[1].row.kind);
        QTest::keyClick(chart.plot(), Qt::Key_Left);
        QTest::keyClick(chart.plot(), Qt::Key_Left);
        QCOMPARE(selection_.operatorName().toStdString(), points.back().row.kind);
        QTest::keyClick(chart.plot(), Qt::Key_Escape);
        QVERIFY(selection_.operatorName().isEmpty());
    }

    void hoverTellsWhatAndWhy() {
        const ResultPtr result = syntheticResult();
        RooflineChart chart(theme_, selection_);
        chart.setResult(result);
        show(chart, {700, 600});
        QSignalSpy hints(&selection_, &Selection::hintChanged);
        QTest::mouseMove(chart.plot(), chart.plot()->pixelOf(0).toPoint() + QPoint(8, 0)); // the rim of the largest: a smaller one lies on its middle
        QTRY_VERIFY(!hints.isEmpty());
        QVERIFY(hints.last().first().toString().startsWith("mlp.gate_up · backward"));
        const QString text = chart.describe(0);
        for (const char* part : {"1,280 × ", "of the iteration", "FLOP per byte", "78.0", "bound by compute", "roofline"})
            QVERIFY2(text.contains(part), qPrintable(text));
    }

    void csvSumsToTheResult() {
        const ResultPtr result = syntheticResult();
        RooflineChart chart(theme_, selection_);
        chart.setResult(result);
        const auto lines = test::parseCsv(chart.csv());
        QCOMPARE(static_cast<std::size_t>(lines.size()), result->operations.size() + 1);
        double time = 0, flops = 0, bytes = 0;
        for (qsizetype i = 1; i < lines.size(); ++i) {
            QCOMPARE(lines[i].size(), lines[0].size());
            time += lines[i][lines[0].indexOf("time_s")].toDouble();
            flops += lines[i][lines[0].indexOf("flops")].toDouble();
            bytes += lines[i][lines[0].indexOf("bytes")].toDouble();
        }
        double expectedTime = 0, expectedFlops = 0, expectedBytes = 0;
        for (const OperationRow& row : result->operations) {
            expectedTime += row.time;
            expectedFlops += row.flops;
            expectedBytes += row.bytes;
        }
        QCOMPARE(time, expectedTime);
        QCOMPARE(flops, expectedFlops);
        QCOMPARE(bytes, expectedBytes);
        QVERIFY(lines[1][0] == result->operations[0].kind.c_str());
    }

    void labelsKeepClear_data() {
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<QString>("chosen");
        QTest::newRow("plain") << ""
                               << "";
        QTest::newRow("chosen") << ""
                                << "attention.core";
        QTest::newRow("long names") << "model.decoder.layers.self_attention_and_feed_forward."
                                    << "";
        QTest::newRow("a long one chosen") << "model.decoder.layers."
                                           << "model.decoder.layers.mlp.down";
    }
    void labelsKeepClear() {
        QFETCH(QString, prefix);
        QFETCH(QString, chosen);
        const ResultPtr result = syntheticResult({.operatorPrefix = prefix.toStdString()});
        selection_.setOperator(chosen, "backward");
        for (const ThemeVariant variant : test::checkedThemes) {
            Theme theme(variant);
            RooflineChart chart(theme, selection_);
            chart.setResult(result);
            for (const QSize& size : test::checkedSizes) {
                const auto texts = recordTexts(chart, size);
                const QString faults = test::labelFaults(texts, size);
                QVERIFY2(faults.isEmpty(), qPrintable(QString("%1×%2: %3").arg(size.width()).arg(size.height()).arg(faults)));
                QStringList all;
                for (const auto& text : texts) all << text.text;
                for (const char* wanted : {"0.1", "1", "10", "100", "1k", "10k", "TFLOP/s", "989 TFLOP/s bf16", "HBM 3.35 TB/s"})
                    QVERIFY2(all.contains(wanted), qPrintable(QString(wanted) + " is missing of " + all.join('|')));
                const auto named = std::count_if(all.begin(), all.end(), [](const QString& text) { return text.contains("mlp.") || text.contains("core"); });
                QVERIFY2(named >= 2, qPrintable(all.join('|'))); // the largest have names
            }
        }
    }

    void exportsAreWhole() {
        RooflineChart chart(theme_, selection_);
        chart.setResult(syntheticResult());
        QCOMPARE(test::exportFaults(chart), QString());
    }

    void placedLabelsCoverNothing() {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> x(20, 380), y(20, 280);
        for (int round = 0; round < 40; ++round) {
            LabelObstacles obstacles;
            obstacles.bounds = QRectF(0, 0, 400, 300);
            obstacles.lines = {QLineF(0, 300, 300, 20), QLineF(300, 20, 400, 20)};
            std::vector<LabelRequest> requests;
            for (int i = 0; i < 25; ++i) {
                const QPointF at(x(random), y(random));
                obstacles.discs.push_back({at, 5});
                requests.push_back({at, 5, QSizeF(40 + i * 3, 13)});
            }
            const auto places = placeLabels(requests, obstacles);
            QCOMPARE(places.size(), requests.size());
            QVERIFY(places.front().has_value());
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (!places[i]) continue;
                QCOMPARE(places[i]->rect.size(), requests[i].size);
                QVERIFY(obstacles.bounds.contains(places[i]->rect));
                for (const QLineF& line : obstacles.lines) // sampled, not by the code's own clipping
                    for (int step = 0; step <= 1000; ++step) QVERIFY(!places[i]->rect.contains(line.pointAt(step / 1000.0)));
                for (const auto& disc : obstacles.discs) QVERIFY(!places[i]->rect.contains(disc.centre));
                for (std::size_t j = i + 1; j < places.size(); ++j) {
                    if (!places[j]) continue;
                    QVERIFY(!places[i]->rect.intersects(places[j]->rect));
                    for (const auto& [text, leader] : {std::pair(places[i]->rect, places[j]->leader), std::pair(places[j]->rect, places[i]->leader)})
                        for (int step = 0; leader && step <= 200; ++step) QVERIFY(!text.contains(leader->pointAt(step / 200.0)));
                }
            }
        }
    }

    void withoutAResultItSaysWhatItWouldShow() {
        RooflineChart chart(theme_, selection_);
        chart.resize(340, 350);
        const auto texts = recordTexts(chart.size(), [&](QPainter& painter) { chart.render(&painter); });
        QVERIFY(std::any_of(texts.begin(), texts.end(), [](const auto& text) { return text.text.startsWith("Every operator"); }));
        chart.setResult(syntheticResult());
        chart.setResult(nullptr);
        QCOMPARE(marksOf(chart).size(), std::size_t(0));
    }
};

ORRERY_WIDGET_TEST(RooflineChartTest)
#include "roofline_chart_test.moc"
