// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/widget_test.hpp"
#include "widgets/timeline/viewport.hpp"

#include <QTest>

#include <cmath>
#include <random>

using namespace orrery;

class TimelineViewportTest : public QObject {
    Q_OBJECT
private slots:
    void pixelsAndTimesAreInverse_data();
    void pixelsAndTimesAreInverse();
    void zoomKeepsTheTimeUnderTheMouse_data();
    void zoomKeepsTheTimeUnderTheMouse();
    void viewStaysInsideTheIteration();
    void zoomEndsAtNanoseconds();
    void ticksAreRoundAndApart_data();
    void ticksAreRoundAndApart();
    void deepTicksCountFromARoundTime();
};

void TimelineViewportTest::pixelsAndTimesAreInverse_data() {
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::addColumn<double>("pixel");
    QTest::addColumn<double>("time");
    QTest::newRow("left") << 2.0 << 4.0 << 0.0 << 2.0;
    QTest::newRow("middle") << 2.0 << 4.0 << 500.0 << 3.0;
    QTest::newRow("right") << 2.0 << 4.0 << 1000.0 << 4.0;
    QTest::newRow("left of the view") << 2.0 << 4.0 << -250.0 << 1.5;
    QTest::newRow("microseconds") << 1.0 << 1.000001 << 100.0 << 1.0000001;
}

void TimelineViewportTest::pixelsAndTimesAreInverse() {
    QFETCH(double, from);
    QFETCH(double, to);
    QFETCH(double, pixel);
    QFETCH(double, time);
    const Viewport viewport{from, to, 1000};
    QVERIFY(std::abs(timeAt(viewport, pixel) - time) < 1e-15);
    QVERIFY(std::abs(pixelAt(viewport, time) - pixel) < 1e-6);
}

void TimelineViewportTest::zoomKeepsTheTimeUnderTheMouse_data() {
    QTest::addColumn<double>("pixel");
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("span");
    QTest::newRow("in, left third") << 300.0 << 2.0 << 1.0;
    QTest::newRow("in, right") << 990.0 << 4.0 << 0.5;
    QTest::newRow("out") << 500.0 << 0.5 << 4.0;
}

void TimelineViewportTest::zoomKeepsTheTimeUnderTheMouse() {
    QFETCH(double, pixel);
    QFETCH(double, factor);
    QFETCH(double, span);
    const Viewport before{4, 6, 1000};
    const Viewport after = zoomedAbout(before, pixel, factor, 10);
    QCOMPARE(after.span(), span);
    QVERIFY(std::abs(timeAt(after, pixel) - timeAt(before, pixel)) < 1e-12);
}

void TimelineViewportTest::viewStaysInsideTheIteration() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    Viewport viewport = fitted(10, 1200);
    for (int step = 0; step < 2000; ++step) {
        if (step % 2 == 0) viewport = zoomedAbout(viewport, unit(random) * 1200, std::exp(unit(random) * 4 - 2), 10);
        else viewport = panned(viewport, (unit(random) - 0.5) * 5000, 10);
        QVERIFY(viewport.from >= 0);
        QVERIFY(viewport.to <= 10 * (1 + 1e-12));
        QVERIFY(viewport.span() >= shortestSpan * 0.99);
    }
    const Viewport out = zoomedAbout(viewport, 600, 1e-9, 10);
    QCOMPARE(out.from, 0.0);
    QCOMPARE(out.to, 10.0);
}

void TimelineViewportTest::zoomEndsAtNanoseconds() {
    Viewport viewport = fitted(10, 1000);
    for (int i = 0; i < 200; ++i) viewport = zoomedAbout(viewport, 333, 2, 10);
    QVERIFY(viewport.span() < 1.1e-9);
    QVERIFY(viewport.from < viewport.to);
    QVERIFY(std::abs(timeAt(viewport, 333) - 3.33) < 1e-9);
}

void TimelineViewportTest::ticksAreRoundAndApart_data() {
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<double>("step");
    QTest::addColumn<int>("decimals");
    QTest::newRow("11.84 s") << 0.0 << 11.84 << "s" << 2.0 << 0;
    QTest::newRow("a second") << 5.0 << 6.0 << "s" << 0.1 << 1;
    QTest::newRow("20 ms") << 0.0 << 0.02 << "ms" << 0.002 << 0;
    QTest::newRow("700 us") << 0.0 << 0.0007 << "ms" << 0.0001 << 1;
    QTest::newRow("30 us") << 0.0 << 3e-5 << "µs" << 5e-6 << 0;
    QTest::newRow("50 ns") << 0.0 << 5e-8 << "ns" << 5e-9 << 0;
}

void TimelineViewportTest::ticksAreRoundAndApart() {
    QFETCH(double, from);
    QFETCH(double, to);
    QFETCH(QString, unit);
    QFETCH(double, step);
    QFETCH(int, decimals);
    const Viewport viewport{from, to, 1000};
    const TickSet set = ticksFor(viewport, 100);
    QCOMPARE(QString::fromUtf8(set.unit.symbol.data(), static_cast<int>(set.unit.symbol.size())), unit);
    QVERIFY(std::abs(set.step / step - 1) < 1e-9);
    QCOMPARE(set.decimals, decimals);
    QVERIFY(set.ticks.size() >= 4);
    for (std::size_t i = 0; i < set.ticks.size(); ++i) {
        const double x = pixelAt(viewport, set.ticks[i].time);
        QVERIFY(x >= -1e-6 && x <= 1000 + 1e-6);
        if (i > 0) QVERIFY(x - pixelAt(viewport, set.ticks[i - 1].time) >= 100 - 1e-6);
        // What is written is the tick's time, to the digits that are written.
        const double shown = QString::number(set.ticks[i].value, 'f', set.decimals).toDouble() * set.unit.seconds + set.anchor;
        QVERIFY(std::abs(shown - set.ticks[i].time) < 1e-6 * set.step);
    }
}

void TimelineViewportTest::deepTicksCountFromARoundTime() {
    const TickSet set = ticksFor({1.284013, 1.284043, 1000}, 100);
    QCOMPARE(set.anchor, 1.284);
    QCOMPARE(set.anchorDecimals, 3);
    QCOMPARE(set.ticks.front().value, 15.0);
    const TickSet shallow = ticksFor({1.2, 4.2, 1000}, 100);
    QCOMPARE(shallow.anchor, 0.0);
}

ORRERY_WIDGET_TEST(TimelineViewportTest)
#include "timeline_viewport_test.moc"
