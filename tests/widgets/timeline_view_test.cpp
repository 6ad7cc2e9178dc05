// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/lanes.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/text_recorder.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/format.hpp"
#include "widgets/timeline/names.hpp"
#include "widgets/timeline/timeline_export.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <QXmlStreamReader>

#include <algorithm>
#include <cmath>
#include <random>

using namespace orrery;

namespace {

ResultPtr resultOf(int stages, int microBatches, int layers, const std::string& prefix = {}) {
    test::SyntheticOptions options;
    options.stages = stages;
    options.microBatches = microBatches;
    options.layers = layers;
    options.operatorPrefix = prefix;
    return test::syntheticResult(options);
}

/// A view of its own with theme and selection.
struct Stand {
    Theme theme;
    Selection selection;
    TimelineView view{theme, selection};
    ResultPtr result;

    explicit Stand(ResultPtr shown = resultOf(2, 8, 16), QSize size = {1000, 420}) : result(std::move(shown)) {
        view.resize(size);
        view.show();
        if (result) view.setTimeline(result, buildRows(result->timeline));
        view.setFocus();
    }

    const Timeline& timeline() const { return result->timeline; }

    void wheel(QPoint position, QPoint angle, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(position, view.mapToGlobal(position), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&view, &event);
    }

    /// A point on the middle of an operator of this stage's compute lane whose bar is at least `width` pixels wide.
    QPoint pointOnOperator(int stage, double width, OperatorInstance* found = nullptr) const {
        const QRect lane = view.operatorArea(stage, StreamKind::compute);
        QPoint point;
        forEachOperator(timeline(), stage, StreamKind::compute, view.viewport().from, view.viewport().to, [&](const OperatorInstance& one) {
            const double from = view.xOf(one.start);
            const double to = view.xOf(one.end);
            if (!point.isNull() || to - from < width || from < lane.left() || to > lane.right()) return;
            point = {static_cast<int>((from + to) / 2), lane.center().y()};
            if (found != nullptr) *found = one;
        });
        return point;
    }
};

QString phaseWord(Phase phase) { return QString::fromStdString(std::string(toString(phase))); }

} // namespace

class TimelineViewTest : public QObject {
    Q_OBJECT
private slots:
    void emptyViewSaysWhatItWouldShow();
    void visibleIntervalsAreThoseOfTheResult();
    void sampledPixelsOfTheWidgetHaveTheirColour();
    void hoverTellsWhatHowLongAndWhy();
    void clickSelectsTheOperator();
    void clickOnNothingClears();
    void dragSelectsARange();
    void controlWheelZoomsAboutTheMouse();
    void shiftWheelPans();
    void wheelScrollsWhenStagesDoNotFit();
    void keysZoomPanAndFit();
    void arrowsWalkAlongAndAcrossRows();
    void doubleClickZoomsFromPassToOperator();
    void overviewMovesAndResizesTheRange();
    void findNextGoesRoundEveryMatch();
    void selectionFromElsewhereIsMarked();
    void replacingAResultKeepsTheZoom();
    void busyDims();
    void stageTitleSelectsTheStage();
    void stagesOfAnIterationFold();
    void aWaitBetweenPassesIsCalledABubble();
    void hoveringDoesNotRecompose();
    void drawingIsDeterministic();
    void exportsStaySmallAndWhole();
    void everyStageHasLabelsInExports();
    void csvHoldsEveryOperator();
    void labelsStayInsideTheirBars();
};

void TimelineViewTest::emptyViewSaysWhatItWouldShow() {
    Stand stand(nullptr);
    QVERIFY(!stand.view.accessibleName().isEmpty());
    QVERIFY(stand.view.accessibleDescription().contains(TimelineView::emptyHow()));
    const QImage image = stand.view.grab().toImage();
    int ink = 0;
    for (int y = 40; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) ink += image.pixelColor(x, y) != stand.theme.colors().panel ? 1 : 0;
    QVERIFY(ink > 200);
    QVERIFY(stand.view.csv().isEmpty());
    // Nothing to steer, and nothing breaks.
    QTest::keyClick(&stand.view, Qt::Key_W);
    QTest::keyClick(&stand.view, Qt::Key_Right);
    QTest::mouseMove(&stand.view, {500, 200});
    QTest::mouseClick(&stand.view, Qt::LeftButton, {}, {500, 200});
    QVERIFY(!stand.view.findNext(QStringLiteral("mlp")));
}

void TimelineViewTest::visibleIntervalsAreThoseOfTheResult() {
    Stand stand(resultOf(3, 6, 12));
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 100; ++i) {
        const double span = stand.timeline().duration * std::pow(10.0, -4 * unit(random));
        const double from = unit(random) * (stand.timeline().duration - span);
        stand.view.setVisibleRange(from, from + span);
        const Viewport shown = stand.view.viewport();
        for (int stage = 0; stage < 3; ++stage) {
            for (const StreamKind stream : {StreamKind::compute, StreamKind::within, TrainingStream::pipeline, TrainingStream::data}) {
                const std::vector<VisibleInterval> intervals = stand.view.visibleIntervals(stage, stream);
                std::size_t at = 0;
                // A scan of everything, so that no bisection is trusted.
                forEachOperator(stand.timeline(), stage, stream, -1, 1e9, [&](const OperatorInstance& one) {
                    if (one.end <= shown.from || one.start >= shown.to) return;
                    QVERIFY(at < intervals.size());
                    QVERIFY(intervals[at].start == one.start); // the same bits, not only close
                    QVERIFY(intervals[at].end == one.end);
                    QCOMPARE(intervals[at].op, one.op);
                    ++at;
                });
                QCOMPARE(at, intervals.size());
            }
        }
    }
}

void TimelineViewTest::sampledPixelsOfTheWidgetHaveTheirColour() {
    Stand stand(resultOf(2, 8, 16));
    std::mt19937 random(2);
    std::uniform_real_distribution<double> unit(0, 1);
    int sampled = 0;
    for (int zoom = 0; zoom < 40; ++zoom) {
        const double span = stand.timeline().duration * std::pow(10.0, -3 * unit(random));
        const double from = unit(random) * (stand.timeline().duration - span);
        stand.view.setVisibleRange(from, from + span);
        const QImage image = stand.view.grab().toImage();
        for (int i = 0; i < 20; ++i) {
            const int stage = static_cast<int>(random() % 2);
            const StreamKind stream = std::array{StreamKind::compute, StreamKind::within, TrainingStream::data}[random() % 3];
            const QRect lane = stand.view.operatorArea(stage, stream);
            const QPoint point(lane.left() + static_cast<int>(random() % static_cast<unsigned>(lane.width())), lane.top() + 1);
            const double left = stand.view.timeAtX(point.x());
            const double right = stand.view.timeAtX(point.x() + 1);
            for (const VisibleInterval& interval : stand.view.visibleIntervals(stage, stream)) {
                if (interval.start >= left || interval.end <= right) continue;
                QCOMPARE(image.pixelColor(point), stand.theme.color(stand.timeline().operators[interval.op]));
                ++sampled;
            }
        }
    }
    QVERIFY2(sampled >= 100, qPrintable(QString::number(sampled)));
}

void TimelineViewTest::hoverTellsWhatHowLongAndWhy() {
    Stand stand;
    const double middle = stand.timeline().duration * 0.6;
    stand.view.setVisibleRange(middle, middle + 0.02);
    OperatorInstance one;
    const QPoint point = stand.pointOnOperator(0, 10, &one);
    QVERIFY(!point.isNull());
    QSignalSpy hints(&stand.selection, &Selection::hintChanged);
    QTest::mouseMove(&stand.view, point);
    QVERIFY(!hints.isEmpty());
    const QString hint = hints.last().first().toString();
    const TimedOperator& timed = stand.timeline().operators[one.op];
    QVERIFY2(hint.contains(QString::fromStdString(timed.op.name)), qPrintable(hint));
    QVERIFY(hint.contains(QStringLiteral("stage 0")));
    QVERIFY(hint.contains(QStringLiteral("layer %1").arg(one.span->layer)));
    QVERIFY(hint.contains(QString::number(one.span->microBatch)));
    QVERIFY(hint.contains(boundName(timed.bound)));
    QVERIFY(hint.contains(sourceName(timed.source)));
    QCOMPARE(stand.view.describeAt(point), hint);
    QVERIFY(std::abs(stand.selection.cursor() - stand.view.timeAtX(point.x() + 0.5)) < 1e-12);
    QVERIFY(stand.view.describeAt(stand.view.memoryArea(1).center()).contains(QStringLiteral("GiB")));
}

void TimelineViewTest::clickSelectsTheOperator() {
    Stand stand;
    const double middle = stand.timeline().duration * 0.6;
    stand.view.setVisibleRange(middle, middle + 0.02);
    OperatorInstance one;
    const QPoint point = stand.pointOnOperator(1, 10, &one);
    const QImage before = stand.view.grab().toImage();
    QTest::mouseClick(&stand.view, Qt::LeftButton, {}, point);
    const TimedOperator& timed = stand.timeline().operators[one.op];
    QCOMPARE(stand.selection.operatorName(), QString::fromStdString(timed.op.name));
    QCOMPARE(stand.selection.operatorPhase(), phaseWord(timed.op.phase));
    QVERIFY(stand.view.focusedBar().has_value());
    QCOMPARE(stand.view.instance(*stand.view.focusedBar()).start, one.start);
    QVERIFY(stand.view.grab().toImage() != before);
    QTest::keyClick(&stand.view, Qt::Key_Escape);
    QVERIFY(stand.selection.operatorName().isEmpty());
}

void TimelineViewTest::clickOnNothingClears() {
    Stand stand;
    stand.selection.setOperator(QStringLiteral("mlp.down"), QStringLiteral("forward"));
    stand.selection.setRange(0.1, 0.2);
    // Stage 1 waits for its first micro-batch at the start.
    stand.view.setVisibleRange(0, 1e-4);
    QTest::mouseClick(&stand.view, Qt::LeftButton, {}, stand.view.laneArea(1, StreamKind::compute).center());
    QVERIFY(stand.selection.operatorName().isEmpty());
    QCOMPARE(stand.selection.rangeEnd(), stand.selection.rangeStart());
}

void TimelineViewTest::dragSelectsARange() {
    Stand stand;
    const QRect lanes = stand.view.lanesArea();
    const QPoint from(lanes.left() + 500, lanes.center().y());
    const QPoint to(lanes.left() + 200, lanes.center().y());
    QTest::mousePress(&stand.view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&stand.view, (from + to) / 2);
    QTest::mouseMove(&stand.view, to);
    QTest::mouseRelease(&stand.view, Qt::LeftButton, {}, to);
    const double pixel = stand.view.viewport().secondsPerPixel();
    QVERIFY(std::abs(stand.selection.rangeStart() - stand.view.timeAtX(to.x())) <= pixel);
    QVERIFY(std::abs(stand.selection.rangeEnd() - stand.view.timeAtX(from.x())) <= pixel);
    QVERIFY(stand.selection.operatorName().isEmpty()); // a drag is not a click
}

void TimelineViewTest::controlWheelZoomsAboutTheMouse() {
    Stand stand;
    const QRect lanes = stand.view.lanesArea();
    const QPoint mouse(lanes.left() + 300, lanes.center().y());
    const double time = stand.view.timeAtX(mouse.x());
    const double span = stand.view.viewport().span();
    for (int i = 0; i < 10; ++i) stand.wheel(mouse, {0, 120}, Qt::ControlModifier);
    QVERIFY(stand.view.viewport().span() < span / 5);
    QVERIFY(std::abs(stand.view.xOf(time) - mouse.x()) < 1e-6);
    for (int i = 0; i < 200; ++i) stand.wheel(mouse, {0, 120}, Qt::ControlModifier);
    QVERIFY(stand.view.viewport().span() <= 2e-9);
    QVERIFY(!stand.view.grab().isNull());
    for (int i = 0; i < 300; ++i) stand.wheel(mouse, {0, -120}, Qt::ControlModifier);
    QCOMPARE(stand.view.viewport().span(), stand.timeline().duration);
}

void TimelineViewTest::shiftWheelPans() {
    Stand stand;
    stand.view.setVisibleRange(0.1, 0.2);
    const QPoint mouse = stand.view.lanesArea().center();
    stand.wheel(mouse, {0, -120}, Qt::ShiftModifier);
    QVERIFY(stand.view.viewport().from > 0.1);
    QVERIFY(std::abs(stand.view.viewport().span() - 0.1) < 1e-12);
    stand.wheel(mouse, {0, 120}, Qt::ShiftModifier);
    QVERIFY(std::abs(stand.view.viewport().from - 0.1) < 1e-12);
    stand.wheel(mouse, {-120, 0}, Qt::NoModifier); // a trackpad's sideways
    QVERIFY(stand.view.viewport().from > 0.1);
}

void TimelineViewTest::wheelScrollsWhenStagesDoNotFit() {
    Stand stand(resultOf(8, 8, 16), {900, 360});
    const QScrollBar* bar = stand.view.findChild<QScrollBar*>();
    QVERIFY(bar->isVisible());
    const int top = stand.view.laneArea(3, StreamKind::compute).top();
    stand.wheel(stand.view.lanesArea().center(), {0, -240}, Qt::NoModifier);
    QVERIFY(stand.view.laneArea(3, StreamKind::compute).top() < top);
    stand.wheel(stand.view.lanesArea().center(), {0, -100000}, Qt::NoModifier);
    QVERIFY(stand.view.lanesArea().contains(stand.view.memoryArea(7)));
    Stand roomy(resultOf(2, 8, 16), {900, 600});
    QVERIFY(!roomy.view.findChild<QScrollBar*>()->isVisible());
}

void TimelineViewTest::keysZoomPanAndFit() {
    Stand stand;
    const double whole = stand.view.viewport().span();
    stand.selection.setCursor(whole / 2);
    QTest::keyClick(&stand.view, Qt::Key_W);
    QTest::keyClick(&stand.view, Qt::Key_W);
    QVERIFY(stand.view.viewport().span() < whole / 2);
    QVERIFY(stand.view.viewport().from < whole / 2 && stand.view.viewport().to > whole / 2);
    const double from = stand.view.viewport().from;
    QTest::keyClick(&stand.view, Qt::Key_D);
    QVERIFY(stand.view.viewport().from > from);
    QTest::keyClick(&stand.view, Qt::Key_A);
    QVERIFY(std::abs(stand.view.viewport().from - from) < 1e-12);
    QTest::keyClick(&stand.view, Qt::Key_S);
    QVERIFY(stand.view.viewport().span() > whole / 2);
    QTest::keyClick(&stand.view, Qt::Key_F);
    QCOMPARE(stand.view.viewport().span(), whole);
    // Shortcuts with modifiers are the window's.
    QTest::keyClick(&stand.view, Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(stand.view.viewport().span(), whole);
}

void TimelineViewTest::arrowsWalkAlongAndAcrossRows() {
    Stand stand;
    std::vector<OperatorInstance> all;
    forEachOperator(stand.timeline(), 0, StreamKind::compute, -1, 1e9, [&](const OperatorInstance& one) { all.push_back(one); });
    stand.view.setFocus();
    QTest::keyClick(&stand.view, Qt::Key_Home);
    for (std::size_t i = 0; i < 30; ++i) {
        QCOMPARE(stand.view.instance(*stand.view.focusedBar()).start, all[i].start);
        QVERIFY(stand.view.xOf(all[i].start) >= stand.view.lanesArea().left() - 1);
        QVERIFY(stand.view.xOf(all[i].end) <= stand.view.lanesArea().right() + 2);
        QTest::keyClick(&stand.view, Qt::Key_Right);
    }
    QTest::keyClick(&stand.view, Qt::Key_Left);
    QCOMPARE(stand.view.instance(*stand.view.focusedBar()).start, all[29].start);
    QTest::keyClick(&stand.view, Qt::Key_Down);
    QVERIFY(stand.view.focusedBar()->row == 1);
    QTest::keyClick(&stand.view, Qt::Key_Up);
    QVERIFY(stand.view.focusedBar()->row == 0);
    QTest::keyClick(&stand.view, Qt::Key_End);
    QCOMPARE(stand.view.instance(*stand.view.focusedBar()).start, all.back().start);
    QTest::keyClick(&stand.view, Qt::Key_Right);
    QCOMPARE(stand.view.instance(*stand.view.focusedBar()).start, all.back().start);
    QTest::keyClick(&stand.view, Qt::Key_Return);
    QVERIFY(stand.view.viewport().span() < 2 * (all.back().end - all.back().start));
}

void TimelineViewTest::doubleClickZoomsFromPassToOperator() {
    Stand stand;
    const QRect lane = stand.view.laneArea(0, StreamKind::compute);
    const double time = stand.timeline().duration * 0.55;
    const auto spanNow = [&] { return stand.view.viewport().span(); };
    double before = spanNow();
    OperatorInstance under;
    for (int i = 0; i < 3; ++i) {
        // The middle of an operator that stays under the mouse at every zoom.
        forEachOperator(stand.timeline(), 0, StreamKind::compute, time, time + 0.1, [&](const OperatorInstance& one) {
            if (under.span == nullptr && one.end - one.start > 5e-4) under = one;
        });
        QVERIFY(under.span != nullptr);
        const int x = static_cast<int>(stand.view.xOf((under.start + under.end) / 2));
        QTest::mouseDClick(&stand.view, Qt::LeftButton, {}, {x, lane.bottom() - 2});
        QVERIFY(spanNow() < before);
        before = spanNow();
    }
    QVERIFY(spanNow() < 1.3 * (under.end - under.start));
}

void TimelineViewTest::overviewMovesAndResizesTheRange() {
    Stand stand;
    const double whole = stand.timeline().duration;
    stand.view.setVisibleRange(whole * 0.4, whole * 0.6);
    const QRect strip = stand.view.overviewArea();
    const auto at = [&](double share) { return QPoint(strip.left() + static_cast<int>(share * strip.width()), strip.center().y()); };
    const auto drag = [&](QPoint from, QPoint to) {
        QTest::mousePress(&stand.view, Qt::LeftButton, {}, from);
        QTest::mouseMove(&stand.view, to);
        QTest::mouseRelease(&stand.view, Qt::LeftButton, {}, to);
    };
    const double tolerance = 2 * whole / strip.width();
    drag(at(0.5), at(0.6));
    QVERIFY(std::abs(stand.view.viewport().from - whole * 0.5) < tolerance);
    QVERIFY(std::abs(stand.view.viewport().span() - whole * 0.2) < 1e-9);
    drag(at(0.7), at(0.9));
    QVERIFY(std::abs(stand.view.viewport().to - whole * 0.9) < tolerance);
    QVERIFY(std::abs(stand.view.viewport().from - whole * 0.5) < tolerance);
    QTest::mouseClick(&stand.view, Qt::LeftButton, {}, at(0.2));
    QVERIFY(std::abs(stand.view.viewport().from - 0) < tolerance);
}

void TimelineViewTest::findNextGoesRoundEveryMatch() {
    Stand stand(resultOf(2, 2, 4));
    // Every backward instance of one name, in order of time and then of stage.
    std::vector<std::pair<double, int>> expected;
    for (int stage = 0; stage < 2; ++stage)
        forEachOperator(stand.timeline(), stage, StreamKind::compute, -1, 1e9, [&](const OperatorInstance& one) {
            if (stand.timeline().operators[one.op].op.name == "attention.qkv") expected.emplace_back(one.start, stage);
        });
    std::sort(expected.begin(), expected.end());
    QVERIFY(expected.size() >= 8);
    for (std::size_t i = 0; i < expected.size() + 2; ++i) {
        QVERIFY(stand.view.findNext(QStringLiteral("Attention.QKV")));
        const BarReference bar = *stand.view.focusedBar();
        QCOMPARE(stand.view.instance(bar).start, expected[i % expected.size()].first);
        QCOMPARE(bar.stage, expected[i % expected.size()].second);
        QVERIFY(stand.view.lanesArea().left() <= stand.view.xOf(stand.view.instance(bar).start) + 1);
    }
    QVERIFY(!stand.view.findNext(QStringLiteral("no such operator")));
    QVERIFY(stand.view.findNext(QStringLiteral("b1")));
    const OperatorInstance first = stand.view.instance(*stand.view.focusedBar());
    QCOMPARE(first.span->microBatch, 1);
    QVERIFY(stand.timeline().segments[first.span->segment].phase != Phase::forward);
}

void TimelineViewTest::selectionFromElsewhereIsMarked() {
    Stand stand;
    const double middle = stand.timeline().duration * 0.6;
    stand.view.setVisibleRange(middle, middle + 0.02);
    const QImage plain = stand.view.grab().toImage();
    stand.selection.setOperator(QStringLiteral("mlp.gate_up"), QStringLiteral("backward"));
    const QImage marked = stand.view.grab().toImage();
    QVERIFY(plain != marked);
    const QRect lane = stand.view.operatorArea(0, StreamKind::compute);
    int same = 0;
    for (const VisibleInterval& interval : stand.view.visibleIntervals(0, StreamKind::compute)) {
        const int x = static_cast<int>(stand.view.xOf((interval.start + interval.end) / 2));
        if (!lane.contains(x, lane.top()) || stand.view.xOf(interval.end) - stand.view.xOf(interval.start) < 3) continue;
        const TimedOperator& timed = stand.timeline().operators[interval.op];
        const bool chosen = timed.op.name == "mlp.gate_up" && timed.op.phase == Phase::backward;
        QCOMPARE(marked.pixelColor(x, lane.top() + 1) == plain.pixelColor(x, lane.top() + 1), chosen);
        same += chosen ? 1 : 0;
    }
    QVERIFY(same > 0);
    stand.selection.setOperator({}, {});
    QCOMPARE(stand.view.grab().toImage(), plain);
}

void TimelineViewTest::replacingAResultKeepsTheZoom() {
    Stand stand;
    const ResultPtr longer = resultOf(2, 12, 16);
    stand.view.setTimeline(longer, buildRows(longer->timeline));
    QCOMPARE(stand.view.viewport().to, longer->timeline.duration); // all was in view, all is in view
    stand.view.setVisibleRange(0.1, 0.2);
    stand.view.setTimeline(stand.result, buildRows(stand.timeline()));
    QVERIFY(std::abs(stand.view.viewport().from - 0.1) < 1e-12);
    QVERIFY(std::abs(stand.view.viewport().to - 0.2) < 1e-12);
    stand.view.setTimeline(nullptr, nullptr);
    QVERIFY(stand.view.visibleIntervals(0, StreamKind::compute).empty());
    QVERIFY(!stand.view.grab().isNull());
}

void TimelineViewTest::busyDims() {
    Stand stand;
    const QPoint point(static_cast<int>(stand.view.xOf(stand.timeline().duration / 2)), stand.view.laneArea(0, StreamKind::compute).top() + 1);
    const QColor lit = stand.view.grab().toImage().pixelColor(point);
    stand.view.setBusy(true);
    const QColor dimmed = stand.view.grab().toImage().pixelColor(point);
    const QColor panel = stand.theme.colors().panel;
    QVERIFY(contrastRatio(dimmed, panel) < contrastRatio(lit, panel));
    stand.view.setTimeline(stand.result, buildRows(stand.timeline()));
    QVERIFY(!stand.view.isBusy());
    QCOMPARE(stand.view.grab().toImage().pixelColor(point), lit);
}

void TimelineViewTest::stageTitleSelectsTheStage() {
    Stand stand;
    const QPoint title(20, stand.view.laneArea(1, StreamKind::compute).center().y());
    QTest::mouseClick(&stand.view, Qt::LeftButton, {}, title);
    QCOMPARE(stand.selection.stage(), 1);
    QTest::mouseClick(&stand.view, Qt::LeftButton, {}, title);
    QCOMPARE(stand.selection.stage(), -1);
}

/// By its triangle one stage folds to its compute lane, by the key the chosen one, else all; what lies below moves up.
void TimelineViewTest::stagesOfAnIterationFold() {
    Stand stand(resultOf(4, 8, 16), {1000, 700});
    TimelineView& view = stand.view;
    for (int stage = 0; stage < 4; ++stage) QVERIFY(!view.isFolded(stage) && !view.foldArea(stage).isEmpty() && !view.memoryArea(stage).isEmpty());
    const int below = view.laneArea(2, StreamKind::compute).top() - view.laneArea(1, StreamKind::compute).top();
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.foldArea(1).center());
    QVERIFY(view.isFolded(1) && !view.isFolded(2));
    QVERIFY(view.memoryArea(1).isEmpty() && view.laneArea(1, TrainingStream::pipeline).isEmpty());
    QVERIFY(!view.laneArea(1, StreamKind::compute).isEmpty() && !view.memoryArea(2).isEmpty());
    QVERIFY(view.laneArea(2, StreamKind::compute).top() - view.laneArea(1, StreamKind::compute).top() < below);
    QCOMPARE(stand.selection.stage(), -1); // the triangle chooses no stage
    stand.selection.setStage(2);
    QTest::keyClick(&view, Qt::Key_O);
    QVERIFY(view.isFolded(2) && !view.isFolded(0));
    QTest::keyClick(&view, Qt::Key_O);
    QVERIFY(!view.isFolded(2));
    stand.selection.setStage(-1);
    QTest::keyClick(&view, Qt::Key_O);
    for (int stage = 0; stage < 4; ++stage) QVERIFY(view.isFolded(stage));
    QTest::keyClick(&view, Qt::Key_O);
    for (int stage = 0; stage < 4; ++stage) QVERIFY(!view.isFolded(stage) && !view.memoryArea(stage).isEmpty());
}

/// Later stages of 1F1B wait for their first forward, earlier ones between their passes as well: that alone is a bubble.
void TimelineViewTest::aWaitBetweenPassesIsCalledABubble() {
    Stand stand(resultOf(4, 8, 16), {1000, 700});
    int bubbles = 0, others = 0;
    for (int stage = 0; stage < 4; ++stage) {
        const auto& streams = stand.timeline().stages[static_cast<std::size_t>(stage)].streams;
        const auto compute = std::find_if(streams.begin(), streams.end(), [](const Stream& stream) { return stream.kind == StreamKind::compute; });
        QVERIFY(compute != streams.end());
        std::vector<Span> passes;
        for (const Span& span : compute->spans)
            if (span.microBatch >= 0) passes.push_back(span);
        QVERIFY(!passes.empty());
        for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
            const double from = passes[i].end, to = passes[i + 1].start;
            if (to - from < 1e-3 * stand.timeline().duration) continue;
            stand.view.setVisibleRange(from, to);
            const QRect lane = stand.view.operatorArea(stage, StreamKind::compute);
            const QString said = stand.view.describeAt({static_cast<int>(stand.view.xOf((from + to) / 2)), lane.center().y()});
            QVERIFY2(said.contains("bubble of ") && said.contains("compute idle"), qPrintable(said));
            QVERIFY2(said.contains(readableTime(to - from).text()), qPrintable(said));
            ++bubbles;
        }
        if (const double first = passes.front().start; first > 1e-3 * stand.timeline().duration) {
            stand.view.setVisibleRange(0, first);
            const QRect lane = stand.view.operatorArea(stage, StreamKind::compute);
            const QString said = stand.view.describeAt({static_cast<int>(stand.view.xOf(first / 2)), lane.center().y()});
            QVERIFY2(!said.contains("bubble") && said.contains("idle"), qPrintable(said));
            ++others;
        }
    }
    QVERIFY2(bubbles > 2 && others > 1, qPrintable(QStringLiteral("%1 bubbles, %2 others").arg(bubbles).arg(others)));
}

void TimelineViewTest::hoveringDoesNotRecompose() {
    Stand stand;
    stand.view.grab();
    const int before = stand.view.composedFrames();
    for (int x = 200; x < 600; x += 20) {
        QTest::mouseMove(&stand.view, {x, stand.view.laneArea(0, StreamKind::compute).center().y()});
        stand.view.grab();
    }
    QCOMPARE(stand.view.composedFrames(), before);
    QTest::keyClick(&stand.view, Qt::Key_W);
    stand.view.grab();
    QCOMPARE(stand.view.composedFrames(), before + 1);
}

void TimelineViewTest::drawingIsDeterministic() {
    const ResultPtr result = resultOf(3, 16, 12);
    Stand one(result);
    Stand other(result);
    one.view.setVisibleRange(0.2, 0.3); // a detour leaves no trace
    one.view.grab();
    one.view.fit();
    QCOMPARE(one.view.grab().toImage(), other.view.grab().toImage());
}

void TimelineViewTest::exportsStaySmallAndWhole() {
    QTemporaryDir folder;
    for (const auto& [stages, microBatches] : {std::pair(2, 8), std::pair(16, 128)}) {
        Stand stand(resultOf(stages, microBatches, 32));
        for (const double share : {1.0, 0.05, 0.001}) {
            const double middle = stand.timeline().duration / 2;
            stand.view.setVisibleRange(middle * (1 - share), middle * (1 + share));
            const QString name = folder.filePath(QStringLiteral("timeline.svg"));
            QCOMPARE(exportChart(stand.view, name), QString());
            const qint64 size = QFileInfo(name).size();
            QVERIFY2(size < 1'000'000, qPrintable(QString::number(size)));
            QFile file(name);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QXmlStreamReader xml(&file);
            QSet<QString> fills;
            QString texts;
            while (!xml.atEnd()) {
                xml.readNext();
                if (xml.isStartElement()) fills.insert(xml.attributes().value(QLatin1String("fill")).toString());
                if (xml.isCharacters()) texts += xml.text().toString() + QLatin1Char('\n');
            }
            QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
            for (int stage = 0; stage < stages; ++stage) QVERIFY(texts.contains(QStringLiteral("Stage %1").arg(stage)));
            QVERIFY(texts.contains(QStringLiteral("Timeline")));
            QVERIFY(texts.contains(QStringLiteral("time ")));
            // At least one bar has the exact colour of its meaning.
            QVERIFY(fills.contains(stand.theme.colors().forward.name()) || fills.contains(stand.theme.colors().backward.name()));
        }
    }
}

void TimelineViewTest::everyStageHasLabelsInExports() {
    static const QRegularExpression pass(QStringLiteral("^[FBRO]?[0-9]+(\\.[0-9]+)?$"));
    for (const auto& [stages, microBatches] : {std::pair(4, 16), std::pair(8, 64), std::pair(16, 48)}) {
        Stand stand(resultOf(stages, microBatches, 32));
        const QSize size(1200, 700);
        const auto texts = test::recordTexts(stand.view, size);
        std::vector<double> heights;
        for (const test::DrawnText& text : texts)
            if (pass.match(text.text).hasMatch() && text.centre().x() > 110) heights.push_back(text.centre().y());
        std::sort(heights.begin(), heights.end());
        int labelled = 0; // lanes: labels of one are at one height
        for (std::size_t i = 0; i < heights.size(); ++i) labelled += i == 0 || heights[i] - heights[i - 1] > 5;
        QVERIFY2(labelled >= stages, qPrintable(QStringLiteral("%1 of %2 stages with labels").arg(labelled).arg(stages)));
    }
    // Operators named as in the window: whole, or most of it.
    Stand stand(resultOf(2, 8, 16));
    stand.view.setVisibleRange(stand.timeline().duration * 0.4, stand.timeline().duration * 0.404);
    const auto texts = test::recordTexts(stand.view, {1200, 700});
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const test::DrawnText& text) { return text.text.contains(QStringLiteral("attention")) || text.text.contains(QStringLiteral("mlp")); }));
    for (const test::DrawnText& text : texts)
        if (text.text.endsWith(QChar(0x2026))) QVERIFY2(text.text.size() > 4, qPrintable(text.text));
}

void TimelineViewTest::csvHoldsEveryOperator() {
    Stand stand(resultOf(2, 3, 4, "with, comma \"quoted\" "));
    const QList<QByteArray> lines = stand.view.csv().split('\n');
    std::size_t count = 0;
    for (int stage = 0; stage < 2; ++stage)
        for (const StreamKind stream : {StreamKind::compute, StreamKind::within, TrainingStream::pipeline, TrainingStream::data})
            count += operatorCount(stand.timeline(), stage, stream);
    QCOMPARE(static_cast<std::size_t>(lines.size()), count + 2); // header, and what follows the last newline
    QVERIFY(lines.first().startsWith("level,stage,stream,start_s,end_s,duration_s,name"));
    OperatorInstance first;
    forEachOperator(stand.timeline(), 0, StreamKind::compute, -1, 1e9, [&](const OperatorInstance& one) {
        if (first.span == nullptr) first = one;
    });
    const QList<QByteArray> cells = lines[1].split(',');
    QCOMPARE(cells[3].toDouble(), first.start);
    QCOMPARE(cells[4].toDouble(), first.end);
    QVERIFY(lines[1].contains("\"with, comma \"\"quoted\"\" "));
    stand.selection.setRange(stand.timeline().duration * 0.5, stand.timeline().duration * 0.6);
    QVERIFY(stand.view.csv().size() < lines.size() * 20);
}

void TimelineViewTest::labelsStayInsideTheirBars() {
    BarLabels labels;
    labels.setFont(Theme().axisFont(), 1);
    const QString name = QStringLiteral("attention.core_and_a_long_tail");
    for (double width = 5; width < 300; width += 1.5) {
        const QString shown = labels.elided(name, width);
        QVERIFY(shown.isEmpty() || labels.widthOf(shown) <= width + 0.01);
        QVERIFY(shown.isEmpty() || shown == name || shown.endsWith(QChar(0x2026)));
        if (width > 60) QVERIFY(!shown.isEmpty());
    }
}

ORRERY_WIDGET_TEST(TimelineViewTest)
#include "timeline_view_test.moc"
