// SPDX-License-Identifier: GPL-3.0-or-later
// The charts and tables of sweeps, searches and sensitivity: what they show, by mouse, keyboard and as files.
#include "core/base/json.hpp"
#include "tests/support/chart_checks.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/export_format.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/form_keys.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/heat_map.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/parallel_chart.hpp"
#include "widgets/explore/points_table.hpp"
#include "widgets/explore/tornado_chart.hpp"
#include "widgets/explore/value_axis.hpp"

#include <QLineEdit>
#include <QSignalSpy>
#include <QStringListModel>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace orrery;

namespace {

/// Three rows by four columns; the time of a cell is its index + 1 seconds; the last column does not fit, and the first cell is no plan.
HeatMapData mapOfTwelve() {
    HeatMapData data{"/parallelism/tensor", "/parallelism/pipeline", "/iteration_time_s", {1, 2, 4}, {1, 2, 4, 8}, {}};
    for (int i = 0; i < 12; ++i) data.cells.push_back({i + 1.0, i % 4 != 3, {}});
    data.cells[0] = {std::nullopt, std::nullopt, "No such plan."};
    return data;
}

LineChartData threeLines() {
    LineChartData data;
    data.key = "/workload/micro_batch_size";
    data.figure = "/mfu";
    for (const int x : {1, 2, 4, 8, 16, 32}) data.xs.emplace_back(x);
    for (int line = 0; line < 3; ++line) {
        LineChartData::Line one;
        one.name = QStringLiteral("tensor %1").arg(1 << line);
        for (std::size_t i = 0; i < 6; ++i) one.places.push_back({0.3 + 0.001 * line + 0.01 * static_cast<double>(i), i < 4, static_cast<std::size_t>(line) * 6 + i});
        data.lines.push_back(one);
    }
    return data;
}

/// A front of five plans that lie close together, and others that each of them beats.
FrontChartData frontOfFive() {
    FrontChartData data{"/memory/peak_bytes", "/iteration_time_s", false, false, {}};
    for (std::size_t i = 0; i < 5; ++i) {
        const double memory = (40.0 + static_cast<double>(i)) * 1073741824.0, time = 12 - static_cast<double>(i);
        data.plans.push_back({memory, time, i, true, true, QStringLiteral("t%1 p8 mb2 selective").arg(1 << i)});
        data.plans.push_back({memory * 1.2, time * 1.3, 10 + i, true, false, "beaten"});
    }
    data.plans.push_back({900.0 * 1073741824.0, 2, 99, false, false, "too large"});
    return data;
}

/// Nine plans of three by three values; those of the last value don't fit.
ParallelPlans nineLines() {
    ParallelPlans plans;
    plans.axes = {{"/parallelism/tensor", "tensor", {1, 2, 4}}, {"/execution/recompute", "recompute", {"none", "selective", "full"}}, {"/iteration_time_s", "iteration time", {}, false}, {"/mfu", "mfu", {}, true}};
    for (std::size_t i = 0; i < 9; ++i)
        plans.plans.push_back({{double(i / 3), double(i % 3), 10 - double(i), 0.3 + 0.02 * double(i)}, i, i % 3 != 2, i == 0 || i == 7, QStringLiteral("t%1 full").arg(1 << (i / 3))});
    plans.plans[4].at[3].reset(); // no such figure
    return plans;
}

Sensitivity threeInputs() {
    Sensitivity all{{"/iteration_time_s", "/iteration_time_s"}, 10, 10, {}};
    all.rows.push_back({"/cluster/scale_out/bandwidth_gb_s", 50, 12.0, 9.0});
    all.rows.push_back({"/cluster/scale_up/latency_us", 2, 9.5, 10.5});
    all.rows.push_back({"/execution/calibration/gemm_rate", 0.7, 10.0, std::nullopt});
    return all;
}

} // namespace

class ExploreChartsTest : public QObject {
    Q_OBJECT

private slots:
    void figuresReadAsPeopleWriteThem() {
        QCOMPARE(figureName("/iteration_time_s"), QString("iteration time"));
        QCOMPARE(figureName("/mfu"), QString("MFU"));
        QCOMPARE(figureName("/memory/peak_bytes"), QString("peak memory"));
        QCOMPARE(figureName("/model_tflops_per_accelerator"), QString("model TFLOP/s per accelerator"));
        QVERIFY(figureName("/cost_per_million_output_tokens").contains("$"));
        QCOMPARE(figureName("/ttft_s/p99"), QString("TTFT, p99"));
        QCOMPARE(keyName("/parallelism/zero_stage"), QString("ZeRO stage"));
        QCOMPARE(keyTitle("/cluster/scale_up/bandwidth_gb_s"), QString("scale up bandwidth, GB/s"));
        QCOMPARE(keyTitle("/cluster/scale_out/latency_us"), QString::fromUtf8("scale out latency, µs"));
        QCOMPARE(keyTitle("/parallelism/tensor"), QString("tensor"));
        QCOMPARE(keyName("/workload/micro_batch_size"), QString("micro-batch")); // as the form has it
        QCOMPARE(keyTitle("/cluster/scale_out/bandwidth_gb_s"), QString("network speed, GB/s"));
        QVERIFY(figureWords("/iteration_time_s", 0.0125).startsWith("12.5") && figureWords("/iteration_time_s", 0.0125).endsWith("ms"));
        QVERIFY(figureWords("/mfu", 0.5).startsWith("50.0"));
        QVERIFY(figureWords("/memory/peak_bytes", 64.0 * 1073741824.0).contains("GiB"));
        QVERIFY(!figureWords("/tokens_per_s", 64.0).contains("ms") && !figureWords("/tokens_per_s_per_accelerator", 64.0).contains(" s"));
        QVERIFY(lessIsBetter("/memory/peak_bytes") && lessIsBetter("/ttft_s/p50") && !lessIsBetter("/mfu") && !lessIsBetter("/tokens_per_s_per_accelerator"));
        const std::pair<const char*, double> typed[] = {{"0.5", 0.5}, {"50 %", 0.5}, {"50%", 0.5}, {"120 ms", 0.12}, {"60 GiB", 60 * 1073741824.0}, {"1,500", 1500}, {"-2 s", -2}};
        for (const auto& [text, value] : typed) {
            QVERIFY2(figureFromText(text).has_value(), text);
            QVERIFY2(std::abs(*figureFromText(text) - value) <= 1e-12 * std::abs(value), text);
        }
        for (const char* text : {"", "fast", "3 parsecs", "%"}) QVERIFY2(!figureFromText(text), text);
        QCOMPARE(planWords({{"/parallelism/tensor", 4}, {"/parallelism/pipeline", 8}, {"/workload/micro_batch_size", 2}}), QString("t4 p8 mb2"));
    }

    void axesHaveRoundTicksInside() {
        for (const ValueAxis& axis : {ValueAxis::around(3.2, 9.7, true), ValueAxis::around(9.1, 9.3, true), ValueAxis::around(5, 5, false), ValueAxis::aroundSpread(0.01, 40), ValueAxis::aroundSpread(2, 3)}) {
            const auto ticks = axis.ticks(6, 1);
            QVERIFY(!ticks.empty());
            for (const double tick : ticks) {
                QVERIFY(tick >= axis.low * (1 - 1e-9) - 1e-12 && tick <= axis.high * (1 + 1e-9));
                const double digits = tick == 0 ? 0 : tick / std::pow(10, std::floor(std::log10(std::abs(tick))) - 3);
                QVERIFY(std::abs(digits - std::round(digits)) < 1e-6); // four digits at most
            }
            QVERIFY(std::is_sorted(ticks.begin(), ticks.end()));
            QCOMPARE(axis.share(axis.low), 0.0);
            QVERIFY(std::abs(axis.share(axis.high) - 1) < 1e-12);
        }
        QVERIFY(ValueAxis::aroundSpread(0.01, 40).logarithmic && !ValueAxis::aroundSpread(2, 3).logarithmic);
    }

    void theMapKnowsTheBestThatFits() {
        Theme theme;
        HeatMap map(theme);
        map.resize(500, 320);
        map.setData(mapOfTwelve());
        QCOMPARE(map.best().value(), std::size_t(1)); // the first is no plan
        HeatMapData most = mapOfTwelve();
        most.figure = "/mfu";
        map.setData(most);
        QCOMPARE(map.best().value(), std::size_t(10)); // the largest lies in the column that does not fit
        for (HeatMapData::Cell& cell : most.cells) cell.fits = false;
        map.setData(most);
        QVERIFY(!map.best());
    }

    void theContourLiesBetweenWhatFitsAndWhatDoesNot() {
        Theme theme;
        HeatMap map(theme);
        map.resize(500, 320);
        map.setData(mapOfTwelve());
        const QImage image = map.grab().toImage();
        const auto isLine = [&](const QPointF& at) {
            int found = 0;
            for (int dx = -1; dx <= 1; ++dx) found += QColor(image.pixel(static_cast<int>(at.x()) + dx, static_cast<int>(at.y()))) == theme.colors().data;
            return found > 0;
        };
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 1; column < 4; ++column) {
                const QRectF cell = map.cellRect(row * 4 + column);
                QCOMPARE(isLine(QPointF(cell.left(), cell.top() + 0.25 * cell.height())), column == 3);
            }
    }

    void cellsAreChosenAndOpened() {
        Theme theme;
        HeatMap map(theme);
        map.resize(500, 320);
        map.setData(mapOfTwelve());
        QSignalSpy chosen(&map, &HeatMap::pointChosen), opened(&map, &HeatMap::openRequested);
        QTest::mouseClick(&map, Qt::LeftButton, {}, map.cellRect(6).center().toPoint());
        QCOMPARE(map.chosen().value(), std::size_t(6));
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.chosen().value(), std::size_t(11));
        QTest::keyClick(&map, Qt::Key_Return);
        QTest::mouseDClick(&map, Qt::LeftButton, {}, map.cellRect(2).center().toPoint());
        QCOMPARE(opened.count(), 2);
        QCOMPARE(opened[0][0].value<std::size_t>(), std::size_t(11));
        QCOMPARE(opened[1][0].value<std::size_t>(), std::size_t(2));
        QVERIFY(chosen.count() >= 3);
    }

    void linesHaveTheirNamesAtTheirEnds() {
        Theme theme;
        LineChart chart(theme, "what", "how");
        chart.resize(600, 360);
        chart.setData(threeLines());
        for (std::size_t line = 0; line < 3; ++line)
            for (std::size_t x = 1; x < 6; ++x) {
                QVERIFY(chart.placeOf(line, x).x() > chart.placeOf(line, x - 1).x());
                QVERIFY(chart.placeOf(line, x).y() < chart.placeOf(line, x - 1).y()); // more is higher
            }
        // Doublings stand evenly apart.
        const double step = chart.placeOf(0, 1).x() - chart.placeOf(0, 0).x();
        QVERIFY(std::abs(chart.placeOf(0, 5).x() - chart.placeOf(0, 4).x() - step) < 0.01);
        const auto texts = test::recordTexts(chart, QSize(600, 360));
        for (const char* name : {"tensor 1", "tensor 2", "tensor 4"}) {
            const auto found = std::find_if(texts.begin(), texts.end(), [&](const test::DrawnText& text) { return text.text == name; });
            QVERIFY2(found != texts.end(), name);
            QVERIFY(found->area.boundingRect().left() > chart.placeOf(0, 5).x());
        }
        QSignalSpy opened(&chart, &LineChart::openRequested);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.placeOf(2, 3).toPoint());
        QCOMPARE(chart.chosen().value(), std::size_t(15));
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(opened.takeFirst()[0].value<std::size_t>(), std::size_t(16));
    }

    void labelsNeitherOverlapNorLeaveTheDrawing_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize& size : test::checkedSizes) QTest::addRow("%dx%d", size.width(), size.height()) << size;
    }
    void labelsNeitherOverlapNorLeaveTheDrawing() {
        QFETCH(QSize, size);
        Theme theme;
        HeatMap map(theme);
        map.setData(mapOfTwelve());
        LineChart lines(theme, "what", "how");
        lines.setData(threeLines());
        FrontChart front(theme);
        front.setData(frontOfFive());
        TornadoChart tornado(theme);
        tornado.setSensitivity(threeInputs());
        ParallelChart parallel(theme);
        QVERIFY(!parallel.whyNothing().isEmpty());
        parallel.setData(nineLines());
        for (const Exportable* chart : std::initializer_list<const Exportable*>{&map, &lines, &front, &tornado, &parallel}) {
            const QString faults = test::labelFaults(test::recordTexts(*chart, size), size);
            QVERIFY2(faults.isEmpty(), qPrintable(chart->exportName() + ": " + faults));
        }
    }

    /// A column of a page is 3.33 inches wide: what is on it is whole.
    void aColumnOfAPageCutsNothing() {
        const Theme theme(ThemeVariant::light);
        ExportFormat column;
        column.size = {3.33 * ExportFormat::pixelsPerInch, 3 * ExportFormat::pixelsPerInch};
        column.pointSize = 8;
        FrontChart front(theme);
        front.setData(frontOfFive());
        LineChart lines(theme, "what", "how");
        lines.setData(threeLines());
        HeatMap map(theme);
        map.setData(mapOfTwelve());
        TornadoChart bars(theme);
        Sensitivity sensitivity = threeInputs();
        sensitivity.rows.push_back({"/execution/calibration/elementwise_rate_of_memory_bandwidth", 0.7, 10.4, 9.8});
        bars.setSensitivity(sensitivity);
        for (const Exportable* chart : {static_cast<const Exportable*>(&front), static_cast<const Exportable*>(&lines), static_cast<const Exportable*>(&map), static_cast<const Exportable*>(&bars)}) {
            const QString drawn = QString::fromUtf8(chartSvg(*chart, column));
            QVERIFY2(drawn.contains("<text"), qPrintable(chart->exportName()));
            QVERIFY2(!drawn.contains(QChar(0x2026)) && !drawn.contains("&#8230;"), qPrintable(chart->exportName()));
        }
    }

    /// Keys are called as the form calls them; a pointer may be typed, and rates in bits.
    void keysHaveTheFormsNames() {
        const Theme theme(ThemeVariant::light);
        QStringListModel keys(QStringList{"/parallelism/tensor", "/cluster/scale_out/bandwidth_gb_s"});
        KeyEdit edit(theme, "Vary", "values", keys);
        edit.set("/parallelism/tensor", "1,2,4");
        QCOMPARE(edit.keyLine()->text(), QString("Tensor"));
        QCOMPARE(edit.key(), QString("/parallelism/tensor"));
        QVERIFY(edit.keyLine()->toolTip().contains("/parallelism/tensor"));
        edit.keyLine()->setText("network speed");
        QCOMPARE(edit.key(), QString("/cluster/scale_out/bandwidth_gb_s"));
        edit.valuesLine()->setText("200, 400, 800 Gb/s");
        QCOMPARE(edit.values(), QString("25, 50, 100"));
        edit.valuesLine()->setText("log:200..1600:4 Gb/s");
        QCOMPARE(edit.values(), QString("log:25..200:4"));
        edit.valuesLine()->setText("25..100 GB/s");
        QCOMPARE(edit.values(), QString("25..100"));
        edit.keyLine()->setText("/workload/seed");
        QCOMPARE(edit.key(), QString("/workload/seed"));
        std::set<QString> names;
        for (const FormKey& key : formKeys()) QVERIFY2(names.insert(key.name.toLower()).second, qPrintable(key.name));
    }

    void chartsLeaveTheWindow() {
        Theme theme;
        HeatMap map(theme);
        QVERIFY(!map.whyNothing().isEmpty());
        map.setData(mapOfTwelve());
        LineChart lines(theme, "what", "how");
        lines.setData(threeLines());
        FrontChart front(theme);
        front.setData(frontOfFive());
        TornadoChart tornado(theme);
        Sensitivity many = threeInputs();
        for (int i = 1; i <= 6; ++i) many.rows.insert(many.rows.begin() + 2, {"/execution/calibration/rate_" + std::to_string(i), 1.0, 10 - 0.01 * i, 10 + 0.01 * i});
        tornado.setSensitivity(many);
        for (const Exportable* chart : std::initializer_list<const Exportable*>{&map, &lines, &front, &tornado}) {
            QVERIFY(chart->whyNothing().isEmpty());
            const QString faults = test::exportFaults(*chart);
            QVERIFY2(faults.isEmpty(), qPrintable(faults));
        }
        QCOMPARE(test::parseCsv(map.csv()).size(), 13);
        QCOMPARE(test::parseCsv(front.csv()).size(), 12);
    }

    void theFrontIsWalkedFromEndToEnd() {
        Theme theme;
        FrontChart chart(theme);
        chart.resize(700, 420);
        chart.setData(frontOfFive());
        QSignalSpy chosen(&chart, &FrontChart::pointChosen);
        for (std::size_t i = 0; i < 5; ++i) {
            QTest::keyClick(&chart, Qt::Key_Right);
            QCOMPARE(chart.chosen().value(), i); // by memory
        }
        // What is too large squeezes nothing: the front keeps most of the width.
        QVERIFY(chart.placeOf(4).x() - chart.placeOf(0).x() > 0.25 * chart.width());
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.placeOf(12).toPoint());
        QCOMPARE(chart.chosen().value(), std::size_t(12));
        FrontChartData shorter = frontOfFive();
        std::erase_if(shorter.plans, [](const FrontChartData::Plan& plan) { return plan.point == 12; });
        chart.setData(shorter);
        QVERIFY(!chart.chosen());
    }

    void limitsOfAxesLeaveWhatLiesInAllOfThem() {
        Theme theme;
        ParallelChart chart(theme);
        chart.resize(700, 420);
        chart.setData(nineLines());
        QSignalSpy brushed(&chart, &ParallelChart::brushed);
        // Keys choose the first axis, its first value and its second, then a limit of the third axis beside it.
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Up);
        QCOMPARE(chart.within(), (std::vector<std::size_t>{0, 1, 2}));
        QTest::keyClick(&chart, Qt::Key_Up);
        QCOMPARE(chart.within(), (std::vector<std::size_t>{3, 4, 5}));
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Right);
        for (int i = 0; i < 9; ++i) QTest::keyClick(&chart, Qt::Key_Down); // a little above the middle of what takes 2 to 10 s
        QCOMPARE(chart.within(), (std::vector<std::size_t>{4, 5}));
        // A plan without a figure lies in no limit of it.
        chart.setBrush(3, Brush{0, 1});
        QCOMPARE(chart.within(), (std::vector<std::size_t>{5}));
        QTest::keyClick(&chart, Qt::Key_Escape);
        QCOMPARE(chart.within().size(), std::size_t(9));
        QVERIFY(brushed.count() >= 5);
        // Limits outlast other plans of the same axes, and not other axes.
        chart.setBrush(0, Brush{-0.3, 0.3});
        ParallelPlans fewer = nineLines();
        fewer.plans.resize(4);
        chart.setData(fewer);
        QCOMPARE(chart.within(), (std::vector<std::size_t>{0, 1, 2}));
        fewer.axes[0].values.emplace_back(8);
        chart.setData(fewer);
        QCOMPARE(chart.within().size(), std::size_t(4));
        // A brush is dragged along; at the end of the axis it stops.
        chart.setData(nineLines());
        chart.setBrush(2, Brush{5.6, 7.4});
        const QPoint from = chart.placeOf(2, 6.5).toPoint(), to = chart.placeOf(2, 7.5).toPoint();
        QTest::mousePress(&chart, Qt::LeftButton, {}, from);
        QTest::mouseMove(&chart, to);
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, to);
        QCOMPARE(chart.within(), (std::vector<std::size_t>{2, 3}));
        // A line is chosen and opened by the mouse.
        chart.clearBrushes();
        QSignalSpy opened(&chart, &ParallelChart::openRequested);
        const QPointF middle = (chart.placeOf(2, 10 - 7) + chart.placeOf(3, 0.3 + 0.02 * 7)) / 2;
        QTest::mouseClick(&chart, Qt::LeftButton, {}, middle.toPoint());
        QVERIFY(chart.chosen().has_value());
        QTest::mouseDClick(&chart, Qt::LeftButton, {}, middle.toPoint());
        QCOMPARE(opened.count(), 1);
        QCOMPARE(test::parseCsv(chart.csv()).size(), 10);
    }

    void plansThatFellAreGreyLinesThatNobodyChooses() {
        Theme theme;
        ParallelChart chart(theme);
        chart.resize(900, 400);
        ParallelPlans plans = nineLines();
        plans.plans.push_back({{2.0, 2.0, 40.0, std::nullopt}, 9, false, false, QStringLiteral("t4 none"), QStringLiteral("does not fit by its estimate")});
        const auto inkOf = [&] {
            const QImage image = chart.grab().toImage();
            int ink = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) ink += image.pixelColor(x, y) == theme.colors().panel ? 0 : 1;
            return ink;
        };
        chart.setData(nineLines());
        const int before = inkOf();
        chart.setData(plans);
        QVERIFY(inkOf() > before + 100); // a line more, and its word in the legend
        QCOMPARE(chart.within().size(), std::size_t(9));
        // The axis is the simulated plans': what lies beyond is at its end.
        QVERIFY(chart.placeOf(2, 40.0).y() <= chart.placeOf(2, 10.0).y());
        const QPointF middle = (chart.placeOf(1, 2.0) + chart.placeOf(2, 40.0)) / 2;
        QTest::mouseClick(&chart, Qt::LeftButton, {}, middle.toPoint());
        QVERIFY(chart.chosen() != std::optional<std::size_t>(9));
        QCOMPARE(test::parseCsv(chart.csv()).size(), 11);
        QVERIFY(chart.csv().contains("simulated"));
    }

    void barsAskForASweep() {
        Theme theme;
        TornadoChart chart(theme);
        chart.resize(700, 300);
        chart.setSensitivity(threeInputs());
        QCOMPARE(chart.barCount(), std::size_t(2)); // the third changes nothing
        QVERIFY(chart.barRect(0).width() > chart.barRect(1).width());
        QVERIFY(chart.barRect(0).bottom() <= chart.barRect(1).top());
        QSignalSpy asked(&chart, &TornadoChart::sweepRequested);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.barRect(1).center().toPoint());
        QTest::keyClick(&chart, Qt::Key_Up);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(asked.count(), 2);
        QCOMPARE(asked[0][0].value<std::size_t>(), std::size_t(1));
        QCOMPARE(asked[1][0].value<std::size_t>(), std::size_t(0));
    }

    void theTableSaysWhyAPointHasNoResult() {
        Theme theme;
        PointsTable table(theme, "points");
        SweepQuestion question{{{"/parallelism/tensor", {1, 2, 3}}, {"/workload/precision", {"bf16", "a,b"}}}, {{"time", "/iteration_time_s"}}};
        table.model().setQuestion(question, {0}, false);
        std::vector<PointsModel::Listed> rows;
        for (std::size_t i = 0; i < 6; ++i) {
            auto point = std::make_shared<SweptPoint>();
            if (i == 4) {
                point->metrics.emplace_back();
                point->problem = "3 does not divide 8.";
            } else {
                point->metrics.emplace_back(6.0 - static_cast<double>(i));
                point->fits = i != 0;
            }
            rows.push_back({i, i == 5 ? nullptr : std::shared_ptr<const SweptPoint>(point), {}});
        }
        table.model().setRows(rows);
        const PointsModel& model = table.model();
        QCOMPARE(model.columnCount(), 4);
        QCOMPARE(model.index(4, 3).data().toString(), QString("3 does not divide 8."));
        QCOMPARE(model.index(0, 3).data().toString(), QString("no"));
        QCOMPARE(model.index(5, 2).data().toString(), QString::fromUtf8("…"));
        QCOMPARE(model.headerData(2, Qt::Horizontal).toString(), QString("time"));
        const auto cells = test::parseCsv(QByteArray::fromStdString(csvText(model.plain())));
        QCOMPARE(cells.size(), 7);
        QCOMPARE(cells[0][0], QByteArray("/parallelism/tensor"));
        QCOMPARE(cells[2][1], QByteArray("a,b"));
        QCOMPARE(cells[1][2].toDouble(), 6.0);
        QCOMPARE(cells[5][3], QByteArray("3 does not divide 8."));
        // Sorted by time, the row that is chosen is still the one it was.
        table.view()->sortByColumn(2, Qt::AscendingOrder);
        table.choose(std::size_t(1));
        QCOMPARE(table.chosen().value(), std::size_t(1));
    }
};

ORRERY_WIDGET_TEST(ExploreChartsTest)
#include "explore_charts_test.moc"
