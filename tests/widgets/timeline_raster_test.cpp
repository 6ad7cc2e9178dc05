// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/synthetic_result.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/timeline/columns.hpp"
#include "widgets/timeline/composer.hpp"
#include "widgets/timeline/raster.hpp"

#include <QTest>

#include <cmath>
#include <random>

using namespace orrery;

namespace {

ResultPtr rasterResult(int stages, int microBatches, int layers) {
    test::SyntheticOptions options;
    options.stages = stages;
    options.microBatches = microBatches;
    options.layers = layers;
    return test::syntheticResult(options);
}

/// Bars of random lengths, gaps and styles over 10 s; some touch, some are tiny.
BarColumns randomBars(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    BarColumns bars;
    double time = 0.05;
    for (std::size_t i = 0; i < count; ++i) {
        if (unit(random) < 0.4) time += unit(random) * unit(random) * 8.0 / static_cast<double>(count);
        if (unit(random) < 0.001) time += 0.05; // a bubble
        const double length = std::pow(unit(random), 4) * 20.0 / static_cast<double>(count);
        bars.start.push_back(time);
        bars.end.push_back(time + length);
        bars.style.push_back(static_cast<BarStyle>(static_cast<int>(unit(random) * 4)));
        bars.label.push_back(static_cast<std::uint32_t>(i));
        time += length;
    }
    bars.mips = buildCoverageMips(bars.start, bars.end, bars.style, {});
    return bars;
}

struct NaiveColumn {
    std::array<double, barStyleCount> seconds{};
    double sum = 0;
    int touching = 0;
    std::size_t bar = 0;
};

NaiveColumn naive(const BarColumns& bars, double from, double to) {
    NaiveColumn column;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double inside = std::min(bars.end[i], to) - std::max(bars.start[i], from);
        if (inside <= 0) continue;
        column.seconds[static_cast<std::size_t>(bars.style[i])] += inside;
        column.sum += inside;
        column.bar = i;
        ++column.touching;
    }
    return column;
}

double covered(const BarColumns& bars, BarStyle style) {
    double sum = 0;
    for (std::size_t i = 0; i < bars.size(); ++i)
        if (bars.style[i] == style) sum += bars.end[i] - bars.start[i];
    return sum;
}

Viewport randomViewport(std::mt19937& random, double duration, double width) {
    std::uniform_real_distribution<double> unit(0, 1);
    const double span = duration * std::pow(10.0, -5 * unit(random));
    const double from = unit(random) * (duration - span);
    return {from, from + span, width};
}

} // namespace

class TimelineRasterTest : public QObject {
    Q_OBJECT
private slots:
    void levelsConserveCoveredTime();
    void rasterConservesCoveredTimeAtEveryZoom();
    void singleBarsAreExactAtEveryZoom();
    void dominantStyleIsTheNaiveOne();
    void touchingBarsThatOverlapByRoundingHarmNothing();
    void peaksAreThoseOfAScan();
    void memoryColumnsAreThoseOfAScan();
    void rowsHoldExactlyTheOperators();
    void rowsStayWithinTheirMemory();
    void buildingStopsWhenAsked();
    void passesGroupMicroBatches();
    void sampledPixelsHaveTheColourOfTheirInterval();
    void markedOperatorsKeepTheirColour();
};

void TimelineRasterTest::levelsConserveCoveredTime() {
    const BarColumns bars = randomBars(20000, 1);
    QVERIFY(bars.mips.levels.size() >= 4);
    for (std::size_t level = 0; level < bars.mips.levels.size(); ++level) {
        for (std::size_t style = 0; style < bars.mips.styles.size(); ++style) {
            double sum = 0;
            for (std::size_t bucket = 0; bucket < bars.mips.buckets(level); ++bucket)
                sum += static_cast<double>(bars.mips.levels[level].seconds[bucket * bars.mips.styles.size() + style]);
            const double expected = covered(bars, bars.mips.styles[style]);
            QVERIFY(std::abs(sum / expected - 1) < 1e-5);
        }
    }
}

void TimelineRasterTest::rasterConservesCoveredTimeAtEveryZoom() {
    const BarColumns bars = randomBars(20000, 2);
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        const Viewport viewport = randomViewport(random, 11, 700);
        std::vector<PixelColumn> columns;
        rasterBars(bars, viewport, columns);
        double sum = 0;
        for (const PixelColumn& column : columns) sum += static_cast<double>(column.coverage) * viewport.secondsPerPixel();
        const double expected = naive(bars, viewport.from, viewport.to).sum;
        // Buckets cut by the view's two edges may be counted in part; nothing else may differ.
        QVERIFY2(std::abs(sum - expected) <= viewport.secondsPerPixel() + 1e-5 * expected,
                 qPrintable(QStringLiteral("%1 s instead of %2 s").arg(sum).arg(expected)));
    }
}

void TimelineRasterTest::singleBarsAreExactAtEveryZoom() {
    const BarColumns bars = randomBars(3000, 4);
    std::mt19937 random(5);
    int checked = 0;
    for (int i = 0; i < 200; ++i) {
        const Viewport viewport = randomViewport(random, 11, 400);
        std::vector<PixelColumn> columns;
        rasterBars(bars, viewport, columns);
        for (std::size_t x = 0; x < columns.size(); x += 7) {
            const double from = timeAt(viewport, static_cast<double>(x));
            const double to = timeAt(viewport, static_cast<double>(x + 1));
            const NaiveColumn expected = naive(bars, from, to);
            const bool alone = expected.touching == 1 && bars.start[expected.bar] < from && bars.end[expected.bar] > to;
            if (!alone) continue;
            ++checked;
            QCOMPARE(columns[x].style, bars.style[expected.bar]);
            QVERIFY(inkFor(columns[x].coverage) == 1);
            QVERIFY(!columns[x].edge);
        }
    }
    QVERIFY(checked > 1000);
}

void TimelineRasterTest::dominantStyleIsTheNaiveOne() {
    const BarColumns bars = randomBars(20000, 6);
    std::mt19937 random(7);
    int checked = 0;
    for (int i = 0; i < 12; ++i) {
        const Viewport viewport = randomViewport(random, 11, 300);
        std::vector<PixelColumn> columns;
        rasterBars(bars, viewport, columns);
        for (std::size_t x = 0; x < columns.size(); x += 11) {
            const NaiveColumn expected = naive(bars, timeAt(viewport, static_cast<double>(x)), timeAt(viewport, static_cast<double>(x + 1)));
            std::array<double, barStyleCount> sorted = expected.seconds;
            std::sort(sorted.rbegin(), sorted.rend());
            if (expected.sum <= 0) {
                // An empty pixel may share a bucket with a bar next to it, but then it is nearly empty.
                QVERIFY(columns[x].coverage < 0.5F);
                continue;
            }
            if (sorted[0] < 2 * sorted[1] || sorted[0] < 0.5 * viewport.secondsPerPixel()) continue; // too close to call
            ++checked;
            QCOMPARE(expected.seconds[static_cast<std::size_t>(columns[x].style)], sorted[0]);
        }
    }
    QVERIFY(checked > 50);
}

void TimelineRasterTest::touchingBarsThatOverlapByRoundingHarmNothing() {
    BarColumns bars;
    bars.start = {0, std::nextafter(1.0, 0.0)};
    bars.end = {std::nextafter(1.0, 2.0), 2};
    bars.style = {BarStyle::forward, BarStyle::backward};
    bars.label = {0, 1};
    std::vector<PixelColumn> columns;
    rasterBars(bars, {0, 2, 20}, columns);
    for (std::size_t x = 0; x < 20; ++x) {
        if (x == 10) continue; // holds the seam
        QCOMPARE(columns[x].style, x < 10 ? BarStyle::forward : BarStyle::backward);
        QCOMPARE(columns[x].coverage, 1.0F);
    }
}

void TimelineRasterTest::peaksAreThoseOfAScan() {
    std::mt19937 random(8);
    std::vector<float> values(5000);
    for (float& value : values) value = static_cast<float>(random() % 100000);
    const PeakMips mips{std::span<const float>(values)};
    for (int i = 0; i < 2000; ++i) {
        std::size_t first = random() % values.size();
        std::size_t last = random() % values.size();
        if (first > last) std::swap(first, last);
        ++last;
        QCOMPARE(mips.peak(values, first, last),
                 *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first), values.begin() + static_cast<std::ptrdiff_t>(last)));
    }
}

void TimelineRasterTest::memoryColumnsAreThoseOfAScan() {
    const ResultPtr result = rasterResult(2, 6, 8);
    const TimelineRowsPtr rows = buildRows(result->timeline);
    std::mt19937 random(9);
    for (int i = 0; i < 50; ++i) {
        const Viewport viewport = randomViewport(random, result->timeline.duration, 200);
        for (std::size_t stage = 0; stage < 2; ++stage) {
            std::vector<MemoryColumn> columns;
            rasterMemory(rows->stages[stage].memory, viewport, columns);
            const std::vector<MemorySample>& samples = result->timeline.stages[stage].memory;
            for (std::size_t x = 0; x < columns.size(); x += 3) {
                const double from = timeAt(viewport, static_cast<double>(x));
                const double to = timeAt(viewport, static_cast<double>(x + 1));
                double most = 0;
                for (std::size_t s = 0; s < samples.size(); ++s) {
                    const double until = s + 1 < samples.size() ? samples[s + 1].time : 1e9;
                    if (samples[s].time < to && until > from) most = std::max(most, samples[s].activations + samples[s].temporary);
                }
                QVERIFY(std::abs(static_cast<double>(columns[x].total) - most) <= 1e-6 * most);
            }
        }
    }
}

void TimelineRasterTest::rowsHoldExactlyTheOperators() {
    const ResultPtr result = rasterResult(3, 5, 12);
    const Timeline& timeline = result->timeline;
    const TimelineRowsPtr rows = buildRows(timeline);
    std::size_t total = 0;
    for (int stage = 0; stage < 3; ++stage) {
        for (const StreamRow& row : rows->stages[static_cast<std::size_t>(stage)].streams) {
            std::size_t bar = 0;
            const Stream& carrier = timeline.stages[static_cast<std::size_t>(stage)].streams[row.stream];
            forEachOperator(timeline, stage, row.kind, -1, 1e9, [&](const OperatorInstance& expected) {
                QVERIFY(bar < row.bars.size());
                QVERIFY(row.bars.start[bar] == expected.start); // the same bits, not only close
                QVERIFY(row.bars.end[bar] == expected.end);
                QCOMPARE(row.bars.label[bar], expected.op);
                QCOMPARE(&carrier.spans[row.spanOf(bar)], expected.span);
                ++bar;
            });
            QCOMPARE(bar, row.bars.size());
            QCOMPARE(bar, operatorCount(timeline, stage, row.kind));
            QVERIFY(bar > 0);
            QVERIFY(std::is_sorted(row.bars.start.begin(), row.bars.start.end()));
            QVERIFY(std::is_sorted(row.bars.end.begin(), row.bars.end.end()));
            total += bar;
        }
    }
    QCOMPARE(rows->barCount, total);
}

void TimelineRasterTest::rowsStayWithinTheirMemory() {
    const ResultPtr result = rasterResult(4, 64, 80);
    const TimelineRowsPtr rows = buildRows(result->timeline);
    QVERIFY(rows->barCount > 100000);
    std::size_t bars = 0;
    for (const StageRows& stage : rows->stages)
        for (const StreamRow& row : stage.streams) bars += row.bars.byteSize();
    const double perBar = static_cast<double>(bars) / static_cast<double>(rows->barCount);
    QVERIFY2(perBar <= 24, qPrintable(QStringLiteral("%1 bytes a bar").arg(perBar)));
    // With spans, passes and memory samples.
    QVERIFY(static_cast<double>(rows->byteSize()) / static_cast<double>(rows->barCount) <= 30);
}

void TimelineRasterTest::buildingStopsWhenAsked() {
    const ResultPtr result = test::syntheticResult();
    std::stop_source source;
    source.request_stop();
    QVERIFY(buildRows(result->timeline, source.get_token()) == nullptr);
}

void TimelineRasterTest::passesGroupMicroBatches() {
    const int microBatches = 7;
    const ResultPtr result = rasterResult(2, microBatches, 8);
    const TimelineRowsPtr rows = buildRows(result->timeline);
    for (const StageRows& stage : rows->stages) {
        std::vector<int> forward(microBatches), backward(microBatches);
        for (const Pass& pass : stage.passes.passes) {
            if (pass.microBatch < 0) continue;
            if (pass.phase == Phase::forward) ++forward[static_cast<std::size_t>(pass.microBatch)];
            // Layers are recomputed one by one between backward layers: part of the backward pass.
            else if (pass.phase == Phase::backward) ++backward[static_cast<std::size_t>(pass.microBatch)];
            else QFAIL("a pass that is neither forward nor backward");
        }
        QCOMPARE(forward, std::vector<int>(microBatches, 1));
        QCOMPARE(backward, std::vector<int>(microBatches, 1));
        QVERIFY(stage.passes.passes.back().phase == Phase::optimizer);
    }
}

void TimelineRasterTest::sampledPixelsHaveTheColourOfTheirInterval() {
    const ResultPtr result = rasterResult(2, 16, 16);
    const Timeline& timeline = result->timeline;
    const TimelineRowsPtr rows = buildRows(timeline);
    const LaneLayout layout = layoutLanes(*rows);
    std::mt19937 random(10);
    int sampled = 0;
    for (const ThemeVariant variant : {ThemeVariant::light, ThemeVariant::dark, ThemeVariant::high_contrast, ThemeVariant::colour_safe}) {
        Theme theme(variant);
        TimelineComposer composer;
        for (const double ratio : {1.0, 2.0}) {
            composer.setLook(theme, ratio, TimelineKind::iteration);
            for (int zoom = 0; zoom < 30; ++zoom) {
                const Viewport viewport = randomViewport(random, timeline.duration, 640);
                const QImage image = composer.compose({&timeline, rows.get(), &layout, nullptr, viewport, layout.height, 0});
                const bool operators = showsOperators(*rows, viewport);
                for (int sample = 0; sample < 60; ++sample) {
                    const TimelineLane& lane = layout.lanes[random() % layout.lanes.size()];
                    if (lane.kind != LaneKind::bars) continue;
                    const int x = static_cast<int>(random() % static_cast<unsigned>(image.width()));
                    // Two rows above the middle of the operators: clear of texts, and of the hatching below.
                    const int top = lane.top + (operators && lane.stream == StreamKind::compute ? lane::passStrip : 0);
                    const int y = static_cast<int>((top + 1) * ratio);
                    const double from = timeAt(viewport, x / ratio);
                    const double to = timeAt(viewport, (x + 1) / ratio);
                    std::vector<OperatorInstance> under;
                    forEachOperator(timeline, lane.stage, lane.stream, from, to, [&](const OperatorInstance& one) { under.push_back(one); });
                    if (under.size() == 1 && under[0].start < from && under[0].end > to) {
                        QCOMPARE(QColor::fromRgb(image.pixel(x, y)), theme.color(timeline.operators[under[0].op]));
                        ++sampled;
                    }
                }
            }
        }
    }
    QVERIFY2(sampled >= 1000, qPrintable(QString::number(sampled)));
}

void TimelineRasterTest::markedOperatorsKeepTheirColour() {
    const ResultPtr result = rasterResult(2, 4, 8);
    const Timeline& timeline = result->timeline;
    const TimelineRowsPtr rows = buildRows(timeline);
    const LaneLayout layout = layoutLanes(*rows);
    const MarkedOperators marked(timeline, operatorsNamed(timeline, "mlp.down", "backward"));
    QVERIFY(marked.any());
    Theme theme;
    TimelineComposer composer;
    composer.setLook(theme, 1, TimelineKind::iteration);
    const PassRow& passes = rows->stages[0].passes;
    std::size_t backward = 0;
    while (passes.passes[backward].phase != Phase::backward) ++backward;
    const Viewport viewport{passes.bars.start[backward], passes.bars.end[backward], 1000};
    QVERIFY(showsOperators(*rows, viewport));
    const QImage image = composer.compose({&timeline, rows.get(), &layout, &marked, viewport, layout.height, 0});
    const TimelineLane* lane = layout.find(0, StreamKind::compute);
    int kept = 0;
    int receded = 0;
    forEachOperator(timeline, 0, StreamKind::compute, viewport.from, viewport.to, [&](const OperatorInstance& one) {
        const double from = pixelAt(viewport, one.start);
        const double to = pixelAt(viewport, one.end);
        if (to - from < 4 || from < 0 || to > 1000) return;
        const QColor colour = QColor::fromRgb(image.pixel(static_cast<int>((from + to) / 2), lane->top + lane::passStrip + 1));
        const TimedOperator& timed = timeline.operators[one.op];
        if (timed.op.name == "mlp.down" && timed.op.phase == Phase::backward) {
            QCOMPARE(colour, theme.color(timed));
            ++kept;
        } else {
            QVERIFY(colour != theme.color(timed));
            QVERIFY(contrastRatio(colour, theme.colors().panel) < contrastRatio(theme.color(timed), theme.colors().panel));
            ++receded;
        }
    });
    QVERIFY(kept > 2 && receded > 10);
}

ORRERY_WIDGET_TEST(TimelineRasterTest)
#include "timeline_raster_test.moc"
