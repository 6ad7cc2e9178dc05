// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/chart_checks.hpp"
#include "tests/support/synthetic_result.hpp"

#include "core/base/units.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_fold.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/memory/memory_over_time.hpp"
#include "widgets/memory/memory_panel.hpp"

#include <QBarSet>
#include <QChartView>
#include <QSignalSpy>
#include <QStackedBarSeries>
#include <QStackedWidget>
#include <QTest>
#include <QToolButton>

#include <random>

using namespace orrery;
using test::recordTexts;
using test::syntheticResult;

namespace {

QStackedBarSeries* seriesOf(const MemoryChart& chart) {
    return qobject_cast<QStackedBarSeries*>(chart.findChild<QChartView*>()->chart()->series().value(0));
}

bool anyText(const std::vector<test::DrawnText>& texts, const QString& beginning) {
    return std::any_of(texts.begin(), texts.end(), [&](const test::DrawnText& text) { return text.text.startsWith(beginning); });
}

QPointF centreOf(const std::vector<test::DrawnText>& texts, const QString& wanted) {
    for (const test::DrawnText& text : texts)
        if (text.text == wanted) return text.centre();
    qFatal("no label %s", qPrintable(wanted));
}

/// The first row of a column, from above, whose pixel is of this colour.
int topOf(const QImage& image, int x, const QColor& color) {
    for (int y = 0; y < image.height(); ++y)
        if (image.pixelColor(x, y) == color) return y;
    return -1;
}

} // namespace

class MemoryChartsTest : public QObject {
    Q_OBJECT

    Theme theme_;
    Selection selection_;

private slots:
    void init() { selection_.clear(); }

    void barsHoldTheResultsBytes() {
        const ResultPtr result = syntheticResult({.stages = 4});
        MemoryChart chart(theme_, selection_);
        chart.setResult(result);
        const QStackedBarSeries* series = seriesOf(chart);
        QVERIFY(series != nullptr);
        const QStringList order{"weights", "gradients", "optimizer", "activations", "temporary", "communication", "fragmentation", "framework"};
        const MemoryKind kinds[] = {MemoryKind::weights, MemoryKind::gradients, MemoryKind::optimizer_states, MemoryKind::activations,
                                    MemoryKind::temporary, MemoryKind::communication_buffers, MemoryKind::fragmentation, MemoryKind::framework};
        QCOMPARE(series->barSets().size(), order.size()); // no KV cache: it is zero on every stage
        for (std::size_t stage = 0; stage < 4; ++stage) {
            double sum = 0;
            for (int i = 0; i < order.size(); ++i) {
                const QBarSet* set = series->barSets()[i];
                QCOMPARE(set->label(), order[i]);
                QCOMPARE(set->at(static_cast<int>(stage)) * units::gibibyte, result->memory.stages[stage].bytes[static_cast<std::size_t>(kinds[i])]);
                sum += set->at(static_cast<int>(stage)) * units::gibibyte;
            }
            QCOMPARE(sum, result->memory.stages[stage].peakBytes);
        }
    }

    void aNewResultReplacesTheOld() {
        MemoryChart chart(theme_, selection_);
        chart.setResult(syntheticResult({.stages = 8}));
        chart.setResult(syntheticResult({.stages = 2}));
        QCOMPARE(chart.findChild<QChartView*>()->chart()->series().size(), 1);
        QCOMPARE(seriesOf(chart)->barSets().first()->count(), 2);
        chart.setResult(nullptr);
        QVERIFY(chart.findChild<QChartView*>()->chart()->series().isEmpty());
    }

    void barsStandWhereTheAxisSays() {
        const ResultPtr result = syntheticResult();
        MemoryChart chart(theme_, selection_);
        chart.setResult(result);
        const QSize size(900, 600);
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        chart.renderChart(painter, image.rect());
        painter.end();
        const auto texts = recordTexts(chart, size);
        const double zero = centreOf(texts, "0").y(), sixty = centreOf(texts, "60").y();
        for (const StageMemory& stage : result->memory.stages) {
            const int x = static_cast<int>(centreOf(texts, QString("stage %1").arg(stage.stage)).x());
            const int top = topOf(image, x, theme_.color(MemoryKind::framework)); // the topmost kind
            QVERIFY(top > 0);
            const double shown = (zero - top) / (zero - sixty) * 60;
            QVERIFY2(std::abs(shown - stage.peakBytes / units::gibibyte) < 0.4, qPrintable(QString::number(shown)));
        }
    }

    void saysByHowMuchItDoesNotFit() {
        MemoryChart chart(theme_, selection_);
        chart.setResult(syntheticResult());
        QVERIFY(!anyText(recordTexts(chart, {900, 700}), "over by"));
        QVERIFY(anyText(recordTexts(chart, {900, 700}), "capacity 79.6"));
        const ResultPtr tight = syntheticResult({.capacityGib = 48});
        QVERIFY(!tight->fits);
        chart.setResult(tight);
        const QString excess = QString::number(tight->memory.peakBytes / units::gibibyte - 48, 'f', 2);
        QString all;
        for (const auto& text : recordTexts(chart, {900, 700})) all += text.text + ' ';
        QVERIFY2(all.contains("over by " + excess), qPrintable(all));
    }

    void clickChoosesTheStage() {
        MemoryChart chart(theme_, selection_);
        chart.resize(340, 260);
        chart.setResult(syntheticResult());
        chart.show();
        QWidget* viewport = chart.findChild<QChartView*>()->viewport();
        QTest::qWait(1);
        const QRectF plot = chart.findChild<QChartView*>()->chart()->plotArea();
        const QPoint second(static_cast<int>(plot.left() + plot.width() * 0.75), static_cast<int>(plot.bottom()) - 5);
        QTest::mouseClick(viewport, Qt::LeftButton, {}, second);
        QCOMPARE(selection_.stage(), 1);
        QTest::mouseClick(viewport, Qt::LeftButton, {}, second);
        QCOMPARE(selection_.stage(), -1);
        QSignalSpy hints(&selection_, &Selection::hintChanged);
        QTest::mouseMove(viewport, second);
        QTRY_VERIFY(!hints.isEmpty());
        QVERIFY2(hints.last().first().toString().startsWith("Stage 1 · weights · 8.2"), qPrintable(hints.last().first().toString()));
    }

    void csvSumsToThePeaks() {
        const ResultPtr result = syntheticResult({.stages = 4});
        MemoryChart chart(theme_, selection_);
        chart.setResult(result);
        const auto lines = test::parseCsv(chart.csv());
        QCOMPARE(lines.size(), 5);
        const qsizetype peak = lines[0].indexOf("peak_bytes");
        QCOMPARE(peak, 10);
        for (qsizetype i = 1; i < lines.size(); ++i) {
            QCOMPARE(lines[i].size(), lines[0].size());
            double sum = 0;
            for (qsizetype kind = 1; kind < peak; ++kind) sum += lines[i][kind].toDouble();
            QCOMPARE(sum, lines[i][peak].toDouble());
            QCOMPARE(sum, result->memory.stages[static_cast<std::size_t>(i - 1)].peakBytes);
        }
    }

    void labelsKeepClear_data() {
        QTest::addColumn<int>("stages");
        QTest::addColumn<double>("capacity");
        QTest::newRow("one stage") << 1 << 140.0;
        QTest::newRow("fits") << 2 << 79.6;
        QTest::newRow("nearly full") << 2 << 58.0;
        QTest::newRow("one over") << 2 << 54.0;
        QTest::newRow("all over") << 2 << 48.0;
        QTest::newRow("four over") << 4 << 20.0;
        QTest::newRow("forty") << 40 << 80.0;
        QTest::newRow("eighty over") << 80 << 6.0;
    }
    void labelsKeepClear() {
        QFETCH(int, stages);
        QFETCH(double, capacity);
        const ResultPtr result = syntheticResult({.stages = stages, .microBatches = 16, .capacityGib = capacity});
        for (const ThemeVariant variant : test::checkedThemes) {
            Theme theme(variant);
            MemoryChart byStage(theme, selection_);
            MemoryOverTime overTime(theme, selection_);
            byStage.setResult(result);
            overTime.setResult(result);
            for (const QSize& size : test::checkedSizes) {
                for (const Exportable* chart : {static_cast<const Exportable*>(&byStage), static_cast<const Exportable*>(&overTime)}) {
                    const auto texts = recordTexts(*chart, size);
                    QVERIFY(texts.size() > 6);
                    const QString faults = test::labelFaults(texts, size);
                    QVERIFY2(faults.isEmpty(), qPrintable(QString("%1 at %2×%3: %4").arg(chart->exportName()).arg(size.width()).arg(size.height()).arg(faults)));
                }
            }
        }
    }

    void exportsAreWhole() {
        MemoryChart byStage(theme_, selection_);
        MemoryOverTime overTime(theme_, selection_);
        const ResultPtr result = syntheticResult({.stages = 4, .microBatches = 64});
        byStage.setResult(result);
        overTime.setResult(result);
        QCOMPARE(test::exportFaults(byStage), QString());
        QCOMPARE(test::exportFaults(overTime), QString());
    }

    void foldedColumnsAreTheLowAndHighOfTheirTime() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> anywhere(0, 1);
        std::vector<MemorySample> samples;
        for (int i = 0; i < 400; ++i) samples.push_back({anywhere(random), std::floor(anywhere(random) * 100), std::floor(anywhere(random) * 10)});
        std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
        const double from = 0.2, to = 0.9;
        for (const int columns : {1, 7, 100, 3000}) {
            const auto folded = foldMemory(samples, from, to, columns);
            QCOMPARE(static_cast<int>(folded.size()), columns);
            for (int i = 0; i < columns; ++i) {
                const double start = from + (to - from) * i / columns;
                const double end = i + 1 == columns ? to : from + (to - from) * (i + 1) / columns;
                // Every sample whose time in force touches the column, looked for one by one.
                double low = 1e9, high = -1, totalHigh = -1;
                for (std::size_t s = 0; s < samples.size(); ++s) {
                    const double until = s + 1 < samples.size() ? samples[s + 1].time : 2;
                    if (samples[s].time >= end || until <= start) continue;
                    low = std::min(low, samples[s].activations);
                    high = std::max(high, samples[s].activations);
                    totalHigh = std::max(totalHigh, samples[s].activations + samples[s].temporary);
                }
                QCOMPARE(folded[static_cast<std::size_t>(i)].activationsLow, low);
                QCOMPARE(folded[static_cast<std::size_t>(i)].activationsHigh, high);
                QCOMPARE(folded[static_cast<std::size_t>(i)].totalHigh, totalHigh);
            }
        }
    }

    void aQuarterOfAMillionSamplesPaintQuickly() {
        Result result = *syntheticResult();
        auto& samples = result.timeline.stages[0].memory;
        samples.clear();
        for (int i = 0; i < 250'000; ++i) samples.push_back({result.timeline.duration * i / 250'000, 1e9 * (i % 13), 1e8 * (i % 7)});
        selection_.setStage(0);
        MemoryOverTime chart(theme_, selection_);
        chart.resize(900, 400);
        chart.setResult(std::make_shared<const Result>(result));
        QImage image(chart.size(), QImage::Format_ARGB32_Premultiplied);
        const std::clock_t before = std::clock(); // the thread's work, not the machine's mood
        for (int frame = 0; frame < 10; ++frame) {
            chart.setBusy(frame % 2 == 1);
            chart.render(&image);
        }
        const double perFrame = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / 10;
        QVERIFY2(perFrame < 0.05, qPrintable(QString::number(perFrame)));
    }

    void overTimeEndsAtThePeak() {
        const ResultPtr result = syntheticResult();
        MemoryOverTime chart(theme_, selection_);
        chart.setResult(result);
        for (const StageMemory& stage : result->memory.stages) {
            selection_.setStage(stage.stage);
            QCOMPARE(chart.shownStage(), stage.stage);
            const auto lines = test::parseCsv(chart.csv());
            const qsizetype total = lines[0].indexOf("total_bytes");
            double highest = 0;
            for (qsizetype i = 1; i < lines.size(); ++i) highest = std::max(highest, lines[i][total].toDouble());
            QCOMPARE(highest, stage.peakBytes);
        }
        selection_.setStage(-1);
        QCOMPARE(chart.shownStage(), 0); // the fullest
    }

    void overTimeSharesCursorAndRange() {
        const ResultPtr result = syntheticResult();
        MemoryOverTime chart(theme_, selection_);
        chart.resize(600, 300);
        chart.setResult(result);
        chart.show();
        // Where 5 s and 10 s are is read off the axis as a user would.
        const auto texts = recordTexts(chart.size(), [&](QPainter& painter) { chart.render(&painter); });
        const auto tick = [&](const QString& number) {
            for (const auto& text : texts)
                if (text.text == number || text.text.startsWith(number + QChar(0x2009))) return text.area.boundingRect();
            return QRectF();
        };
        QVERIFY(tick("4").isValid() && tick("8").isValid());
        const double four = tick("4").center().x(), eight = tick("8").center().x();
        const int y = 150;
        QTest::mouseMove(&chart, QPoint(static_cast<int>(four), y));
        QTRY_VERIFY(selection_.cursor() >= 0);
        const double slack = result->timeline.duration * 12 / 500; // a number's middle is not quite its text's with the unit
        QVERIFY2(std::abs(selection_.cursor() - 4) < slack, qPrintable(QString::number(selection_.cursor())));
        QTest::mousePress(&chart, Qt::LeftButton, {}, QPoint(static_cast<int>(eight), y));
        QTest::mouseMove(&chart, QPoint(static_cast<int>(four), y));
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, QPoint(static_cast<int>(four), y));
        QVERIFY(std::abs(selection_.rangeStart() - 4) < slack && std::abs(selection_.rangeEnd() - 8) < slack);
        const QImage ranged = chart.grab().toImage();
        QTest::mouseDClick(&chart, Qt::LeftButton, {}, QPoint(static_cast<int>(four), y));
        QCOMPARE(selection_.rangeEnd(), 0.0);
        QVERIFY(ranged != chart.grab().toImage()); // the range was marked
    }

    void theSwitchShowsTheOtherChart() {
        MemoryHolders holders(selection_, [](const Result&, int, double) { return std::vector<MemoryHolder>{}; });
        MemoryPanel panel(theme_, selection_, holders);
        panel.setResult(syntheticResult());
        QVERIFY(panel.page() == MemoryPanel::Page::by_stage);
        for (auto* button : panel.findChildren<QToolButton*>())
            if (button->text() == "Over time") QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(panel.page() == MemoryPanel::Page::over_time);
        QCOMPARE(panel.findChild<QStackedWidget*>()->currentWidget(), static_cast<QWidget*>(panel.overTime()));
    }

    void aClickPutsTheMomentDownAndTheKeysMoveIt() {
        const ResultPtr result = syntheticResult();
        MemoryOverTime chart(theme_, selection_);
        chart.resize(600, 300);
        chart.setResult(result);
        chart.show();
        const QPoint place(300, 150);
        QTest::mouseMove(&chart, place);
        QTRY_VERIFY(selection_.cursor() >= 0);
        const double there = selection_.cursor();
        QTest::mouseClick(&chart, Qt::LeftButton, {}, place);
        QCOMPARE(selection_.moment(), there);
        QCOMPARE(selection_.stage(), chart.shownStage());
        QCOMPARE(selection_.rangeEnd(), 0.0); // a click is no range
        // To the next event of the stage, and back before the first one.
        const auto& samples = result->timeline.stages[static_cast<std::size_t>(chart.shownStage())].memory;
        QTest::keyClick(&chart, Qt::Key_Right);
        const double next = selection_.moment();
        QVERIFY(next > there);
        QVERIFY(std::none_of(samples.begin(), samples.end(), [&](const MemorySample& s) { return s.time > there && s.time < next; }));
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(selection_.moment() <= there);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(selection_.moment(), result->memory.stages[static_cast<std::size_t>(chart.shownStage())].peakTime);
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(selection_.moment() < 0);
    }

    void withoutAResultItSaysWhatItWouldShow() {
        MemoryOverTime overTime(theme_, selection_);
        overTime.resize(340, 240);
        QVERIFY(anyText(recordTexts(overTime.size(), [&](QPainter& painter) { overTime.render(&painter); }), "Memory over time"));
        MemoryChart byStage(theme_, selection_);
        byStage.resize(340, 240);
        QVERIFY(anyText(recordTexts(byStage.size(), [&](QPainter& painter) { byStage.render(&painter); }), "Memory of every"));
    }

    void aThemeChangeRecoloursTheBars() {
        Theme theme;
        MemoryChart chart(theme, selection_);
        chart.setResult(syntheticResult());
        const QColor light = seriesOf(chart)->barSets().first()->color();
        theme.setVariant(ThemeVariant::dark);
        QCOMPARE(seriesOf(chart)->barSets().first()->color(), theme.color(MemoryKind::weights));
        QVERIFY(light != theme.color(MemoryKind::weights));
    }
};

ORRERY_WIDGET_TEST(MemoryChartsTest)
#include "memory_charts_test.moc"
