// SPDX-License-Identifier: GPL-3.0-or-later
// Why a stage waits, how long and for whom; what the timeline's colours mean; stages' own colours.

#include "core/answers/simulation/simulate.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/plan/lanes.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/format.hpp"
#include "widgets/timeline/gaps.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QFile>
#include <QtTest>

#include <array>
#include <cmath>
#include <set>

using namespace orrery;

namespace {

/// Two stages, one micro-batch: forward, transfer, forward, backward, transfer, backward, gradients, optimizer. Seconds are whole
/// or halves, so that every gap can be read off.
struct TwoStages {
    Timeline timeline;

    TwoStages() {
        timeline.duration = 10;
        const auto op = [this](const char* name, Phase phase) {
            TimedOperator timed;
            timed.op.name = name;
            timed.op.phase = phase;
            timeline.operators.push_back(timed);
        };
        op("mlp", Phase::forward);
        op("mlp.dgrad", Phase::backward);
        op("reduce-scatter", Phase::communication);
        op("adam", Phase::optimizer);
        const auto segment = [this](const char* name, Phase phase, double duration, std::uint32_t used) {
            timeline.segments.push_back({name, phase, duration, {{used, 0, duration, StreamKind::compute}}, false});
        };
        segment("layer", Phase::forward, 1, 0);
        segment("layer", Phase::backward, 2, 1);
        segment("transfer", Phase::communication, 0.5, 2);
        segment("gradients", Phase::communication, 1, 2);
        segment("optimizer", Phase::optimizer, 1, 3);
        timeline.streamNames = trainingStreamNames();
        timeline.stages.resize(2);
        timeline.stages[1].stage = 1;
        const auto span = [](double start, double end, std::uint32_t what, int microBatch, int layer) { return Span{start, end, what, microBatch, layer, 0}; };
        timeline.stages[0].streams = {{StreamKind::compute, {span(0, 1, 0, 0, 0), span(5, 7, 1, 0, 0), span(9, 10, 4, -1, -1)}},
                                      {TrainingStream::pipeline, {span(4.5, 5, 2, 0, -1)}},
                                      {TrainingStream::data, {span(7.5, 9, 3, -1, -1)}}};
        timeline.stages[1].streams = {{StreamKind::compute, {span(1.5, 2.5, 0, 0, 1), span(2.5, 4.5, 1, 0, 1), span(9, 10, 4, -1, -1)}},
                                      {TrainingStream::pipeline, {span(1, 1.5, 2, 0, -1)}}};
    }

    QString why(int stage, double time) const {
        const std::optional<Gap> gap = gapAt(timeline, stage, StreamKind::compute, time);
        return gap ? whyIdle(timeline, stage, *gap, time) : QStringLiteral("not idle");
    }
};

QString spaced(QString text) { return text.replace(QChar(0x2009), ' '); }

double deltaE(const QColor& first, const QColor& second) {
    // CIE 1976 over sRGB, D65.
    const auto lab = [](const QColor& colour) {
        const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
        const double r = linear(colour.redF()), g = linear(colour.greenF()), b = linear(colour.blueF());
        const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
        const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b), z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
        return std::array<double, 3>{116 * y - 16, 500 * (x - y), 200 * (y - z)};
    };
    const auto p = lab(first), q = lab(second);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

} // namespace

class GapsTest : public QObject {
    Q_OBJECT
private slots:
    void gapsAreAsLongAsNothingRuns() {
        const TwoStages two;
        const std::optional<Gap> first = gapAt(two.timeline, 0, StreamKind::compute, 2);
        QVERIFY(first);
        QCOMPARE(first->from, 1.0);
        QCOMPARE(first->to, 5.0);
        QVERIFY(!gapAt(two.timeline, 0, StreamKind::compute, 6));
        QVERIFY(!gapAt(two.timeline, 0, TrainingStream::data, 8));
        const std::optional<Gap> before = gapAt(two.timeline, 1, TrainingStream::pipeline, 0.5);
        QVERIFY(before);
        QCOMPARE(before->to, 1.0);
        const std::optional<Gap> after = gapAt(two.timeline, 1, TrainingStream::pipeline, 5);
        QVERIFY(after);
        QCOMPARE(after->to, 10.0);
    }

    void gapsSayForWhomTheyWait() {
        const TwoStages two;
        QCOMPARE(spaced(two.why(1, 0.25)), QString("next is forward 0; it waits for forward 0 of stage 0, done in 750.0 ms"));
        QCOMPARE(spaced(two.why(1, 1.25)), QString("next is forward 0; it waits for its transfer from stage 0, done in 250.0 ms"));
        QCOMPARE(spaced(two.why(0, 2.5)), QString("next is backward 0; it waits for backward 0 of stage 1, done in 2.000 s").replace("2.000", readableTime(2).number));
        QCOMPARE(spaced(two.why(0, 4.75)), QString("next is backward 0; it waits for its transfer from stage 1, done in 250.0 ms"));
        QCOMPARE(spaced(two.why(0, 8)), spaced(QString("waits for gradients over the data-parallel ranks, done in %1").arg(readableTime(1).text())));
        QVERIFY2(two.why(1, 5).contains("stage 0"), qPrintable(two.why(1, 5)));
    }

    void everyLongGapOfARunIsExplained() {
        QFile file(QString::fromStdString(test::sourcePath("resources/examples/llama-3.1-70b-8xdgx-h100.orrery.json")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        static const Catalog shipped = shippedCatalog();
        for (const char* schedule : {"1f1b", "gpipe", "zb-h1"}) {
            Json document = Json::parse(file.readAll().toStdString());
            file.seek(0);
            document["parallelism"]["pipeline"] = 4;
            document["parallelism"]["schedule"] = schedule;
            const ScenarioReading reading = readScenario(document, shipped);
            QVERIFY(reading.scenario);
            const Outcome outcome = simulate(*reading.scenario);
            QVERIFY(outcome.result);
            const Timeline& timeline = outcome.result->timeline;
            int gaps = 0;
            for (int stage = 0; stage < static_cast<int>(timeline.stages.size()); ++stage) {
                for (int i = 0; i < 400; ++i) {
                    const double time = timeline.duration * (i + 0.5) / 400;
                    const std::optional<Gap> gap = gapAt(timeline, stage, StreamKind::compute, time);
                    if (!gap || gap->to - gap->from < 0.005 * timeline.duration) continue;
                    ++gaps;
                    QVERIFY(gap->from <= time && time <= gap->to);
                    const QString why = whyIdle(timeline, stage, *gap, time);
                    QVERIFY2(why.contains("waits for"), qPrintable(QStringLiteral("%1, stage %2 at %3 s: “%4”").arg(schedule).arg(stage).arg(time).arg(why)));
                }
            }
            QVERIFY(gaps > 0);
        }
    }

    void theTimelineSaysWhatItsColoursMean() {
        Theme theme;
        Selection selection;
        TimelineView view(theme, selection);
        view.resize(900, 400);
        QVERIFY(view.legendArea().height() == 0);
        view.setTimeline(test::syntheticResult(), nullptr);
        QVERIFY(view.legendArea().height() > 0);
        QVERIFY(!view.legendArea().intersects(view.lanesArea()));
        QVERIFY(view.rect().contains(view.legendArea()));
        // Every colour of it is on the picture, where it says.
        const QImage image = view.grab().toImage();
        const TimelineRowsPtr rows = buildRows(test::syntheticResult()->timeline);
        const std::vector<LegendEntry> entries = timelineLegend(*rows, theme);
        QVERIFY(entries.size() >= 6);
        std::set<QRgb> seen;
        for (int x = view.legendArea().left(); x <= view.legendArea().right(); ++x)
            for (int y = view.legendArea().top(); y <= view.legendArea().bottom(); ++y) seen.insert(image.pixel(x, y));
        for (const LegendEntry& entry : entries) QVERIFY2(seen.contains(entry.colour.rgb()), qPrintable(entry.text));
        // A narrow one wraps instead of dropping any.
        view.resize(380, 400);
        QVERIFY(view.legendArea().height() > 16);
    }

    void noStageLooksLikeAPhase() {
        for (const ThemeVariant variant : {ThemeVariant::light, ThemeVariant::dark, ThemeVariant::high_contrast, ThemeVariant::colour_safe}) {
            const Theme theme(variant);
            const ThemeColors& c = theme.colors();
            for (const int count : {1, 2, 4, 8, 16}) {
                for (int stage = 0; stage < count; ++stage) {
                    const QColor own = theme.stageColor(stage, count);
                    for (const QColor& phase : {c.forward, c.backward, c.backwardWeights, c.recompute, c.tensor, c.pipeline, c.data, c.optimizer})
                        QVERIFY2(deltaE(own, phase) > 10, qPrintable(QStringLiteral("variant %1: stage %2 of %3 is %4, a phase %5, ΔE %6")
                                                                         .arg(static_cast<int>(variant))
                                                                         .arg(stage)
                                                                         .arg(count)
                                                                         .arg(own.name(), phase.name())
                                                                         .arg(deltaE(own, phase))));
                    QVERIFY(contrastRatio(own, c.panel) >= 2.5);
                    QVERIFY(contrastRatio(theme.textOn(own), own) >= 4.5); // its number is written on it
                }
            }
            QVERIFY(deltaE(theme.stageColor(0, 2), theme.stageColor(1, 2)) > 20);
        }
    }
};

ORRERY_WIDGET_TEST(GapsTest)
#include "gaps_test.moc"
