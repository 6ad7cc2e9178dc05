// SPDX-License-Identifier: GPL-3.0-or-later
// What jitter costs by the number of accelerators: what the chart shows of it, by mouse and as files.
#include "tests/support/chart_checks.hpp"

#include "tests/support/widget_test.hpp"
#include "widgets/jitter/jitter_chart.hpp"

#include <QTest>

using namespace orrery;

namespace {

/// 8 to 16,384 accelerators, each octave half a percent more; 10 s without jitter. `own` stands among them.
ResultPtr spreadResult(int own) {
    auto result = std::make_shared<Result>();
    JitterReport jitter;
    jitter.without = 10;
    for (int octave = 3; octave <= 14; ++octave) {
        const double mean = 10 * (1 + 0.005 * octave);
        jitter.curve.push_back({1 << octave, mean, mean - 0.1, mean - 0.01, mean + 0.2, 0.02 * octave});
        if (1 << octave == own) jitter.own = jitter.curve.back();
    }
    result->jitter = jitter;
    return result;
}

} // namespace

class JitterChartTest : public QObject {
    Q_OBJECT

private slots:
    void pointsAreFoundWhereTheirRanksAre() {
        Theme theme;
        JitterChart chart(theme);
        chart.resize(700, 400);
        chart.setResult(spreadResult(1024));
        std::size_t last = 0;
        for (double x = 0; x < 700; ++x)
            if (const auto point = chart.pointAt({x, 200})) {
                QVERIFY(*point >= last); // more to the right
                QVERIFY(*point <= last + 1);
                last = *point;
            }
        QCOMPARE(last, std::size_t{11});
        QVERIFY(!chart.pointAt({2, 200}));
        QVERIFY(chart.describe(7).contains(QStringLiteral("5.0")));  // 1,024: 5 % over none
        QVERIFY(chart.describe(7).contains(QStringLiteral("10.5"))); // s
    }

    void labelsAreWholeAndApart() {
        for (const ThemeVariant variant : test::checkedThemes) {
            Theme theme(variant);
            for (const int own : {8, 1024, 16384}) {
                JitterChart chart(theme);
                chart.setResult(spreadResult(own));
                for (const QSize& size : test::checkedSizes) {
                    const QString faults = test::labelFaults(test::recordTexts(chart, size), size);
                    QVERIFY2(faults.isEmpty(), qPrintable(faults));
                }
            }
        }
    }

    void leavesTheWindow() {
        Theme theme;
        JitterChart chart(theme);
        chart.setResult(spreadResult(64));
        QCOMPARE(test::exportFaults(chart), QString());
        const QList<QList<QByteArray>> cells = test::parseCsv(chart.csv());
        QCOMPARE(cells.size(), 13);
        QCOMPARE(cells[0][0], QByteArray("accelerators"));
        QCOMPARE(cells[8][0].toInt(), 1024);
        QCOMPARE(cells[8][1].toDouble(), 10.5);
        QCOMPARE(cells[8][6].toDouble(), 10.0);
    }

    void saysHowToGetThereWithout() {
        Theme theme;
        JitterChart chart(theme);
        chart.setResult(std::make_shared<const Result>());
        const auto texts = test::recordTexts(chart, {420, 300});
        QVERIFY(std::any_of(texts.begin(), texts.end(), [](const test::DrawnText& text) { return text.text.contains(QStringLiteral("Execution")); }));
        QVERIFY(!chart.pointAt({200, 150}));
        QVERIFY(chart.whyNothing().contains(QStringLiteral("Execution")));
        QVERIFY2(test::exportFaults(chart).contains(QStringLiteral("nothing to draw")), "a page of hints is no chart");
        QCOMPARE(test::parseCsv(chart.csv()).size(), 1);
    }
};

ORRERY_WIDGET_TEST(JitterChartTest)
#include "jitter_chart_test.moc"
