// SPDX-License-Identifier: GPL-3.0-or-later
// The headline strip: what the seven figures say, and that they are never cut.

#include "tests/support/form_support.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"

#include <QSignalSpy>
#include <QTest>

using namespace orrery;
using namespace orrery::test;

namespace {

/// A result whose figures can be worked out by hand.
Result roundResult() {
    Result result = *syntheticResult();
    TrainingMetrics& metrics = *result.training();
    metrics.iterationTime = 10;
    metrics.tokensPerSecond = 64000;
    metrics.tokensPerSecondPerAccelerator = 1000;
    metrics.modelTflopsPerAccelerator = 494.5;
    metrics.mfu = 0.5;
    metrics.bubbleFraction = 0.054;
    metrics.bubbleTime = 0.5;
    metrics.breakdown = {};
    metrics.breakdown[std::size_t(TimePart::tensor_exposed)] = 0.7;
    metrics.breakdown[std::size_t(TimePart::data_exposed)] = 0.2;
    metrics.breakdown[std::size_t(TimePart::pipeline_exposed)] = 0.05;
    metrics.breakdown[std::size_t(TimePart::bubble)] = 0.6;
    result.memory.peakBytes = 70.0 * 1073741824;
    result.memory.capacityBytes = 79.6 * 1073741824;
    return result;
}

ResultPtr shared(const Result& result) { return std::make_shared<const Result>(result); }

} // namespace

class HeadlineTest : public QObject {
    Q_OBJECT

private slots:
    void figuresFollowFromTheResult() {
        Result result = roundResult();
        result.scenario.economics.pricePerAcceleratorHour = 3.6; // $ 0.001 a second
        std::get<TrainingMetrics>(result.metrics).costPerBillionTokens = 1e9 / 1000 * 0.001;
        const std::vector<Figure> figures = headlineFigures(&result, nullptr, {});
        QCOMPARE(figures.size(), std::size_t{7});
        const auto expect = [&](std::size_t i, const char* number, const char* unit, const char* detail) {
            QCOMPARE(figures[i].number, QString::fromUtf8(number));
            QCOMPARE(figures[i].unit, QString::fromUtf8(unit));
            QCOMPARE(QString(figures[i].detail).replace(QChar(0x2009), QLatin1Char(' ')), QString::fromUtf8(detail));
            QVERIFY(figures[i].change.isEmpty());
        };
        expect(0, "10.00", "s", "32 micro-batches");
        expect(1, "1,000", "", "64,000 over 64");
        expect(2, "50.0", "%", "495 of 989 TFLOP/s · bf16");
        expect(3, "70.0", "of 79.6 GiB", "fits · 9.6 GiB left");
        expect(4, "5.4", "%", "500.0 ms mean · 600.0 ms last"); // the closing stage's is what a comparison divides
        QVERIFY2(QString(figures[4].meaning).replace(QChar(0x2009), ' ').contains("waits 600.0 ms, 6.0 % of it"), qPrintable(figures[4].meaning));
        expect(5, "9.5", "%", "tensor 7.0 · data 2.0 · pipeline 0.5");
        expect(6, "$ 1,000", "", "at $ 3.60 per hour"); // 10^9 tokens take 10^6 accelerator-seconds
    }

    void changesKnowBetterFromWorse() {
        const Result before = roundResult();
        Result now = before;
        now.training()->iterationTime = 9.39;
        now.training()->tokensPerSecondPerAccelerator = 950;
        now.training()->mfu = 0.512;
        now.memory.peakBytes = before.memory.peakBytes;
        const std::vector<Figure> figures = headlineFigures(&now, &before, QStringLiteral("Interleaved ×5"));
        QCOMPARE(figures[0].change, QStringLiteral("−6.1 %"));
        QVERIFY(figures[0].verdict == Verdict::better);
        QCOMPARE(figures[0].detail, QStringLiteral("against Interleaved ×5"));
        // A name of any length leaves the other figures their room.
        const std::vector<Figure> longNamed = headlineFigures(&now, &before, QString(200, u'x'));
        QVERIFY2(longNamed[0].detail.size() < 50, qPrintable(longNamed[0].detail));
        QCOMPARE(figures[1].change, QStringLiteral("−5.0 %"));
        QVERIFY(figures[1].verdict == Verdict::worse);
        QCOMPARE(figures[2].change, QStringLiteral("+1.2 pp"));
        QVERIFY(figures[2].verdict == Verdict::better);
        QVERIFY(figures[3].verdict == Verdict::neutral);
    }

    void missingMemoryAndPriceAreSaid() {
        SyntheticOptions options;
        options.capacityGib = 40;
        const ResultPtr result = syntheticResult(options);
        QVERIFY(!result->fits);
        const std::vector<Figure> figures = headlineFigures(result.get(), nullptr, {});
        QVERIFY(figures[3].alarm);
        QVERIFY(figures[3].detail.startsWith(QStringLiteral("does not fit")));
        QCOMPARE(figures[6].number, QStringLiteral("–"));
        QVERIFY(figures[6].detail.contains(QStringLiteral("set a price")));
        QCOMPARE(headlineFigures(nullptr, nullptr, {}).size(), std::size_t{7});
    }

    void clickingAsksWhy() {
        const Theme theme;
        HeadlineStrip strip(theme);
        strip.setResult(syntheticResult());
        strip.resize(1280, strip.heightForWidth(1280));
        strip.show();
        QSignalSpy why(&strip, &HeadlineStrip::askedWhy);
        QTest::mouseClick(strip.tiles()[2], Qt::LeftButton);
        strip.tiles()[4]->setFocus();
        QTest::keyClick(strip.tiles()[4], Qt::Key_Space);
        QCOMPARE(why.count(), 2);
        QCOMPARE(why[0][0].toString(), QStringLiteral("/mfu"));
        QCOMPARE(why[1][0].toString(), QStringLiteral("/bubble_fraction"));
    }

    void tooltipsCarryTheFormula() {
        const Theme theme;
        HeadlineStrip strip(theme);
        strip.setResult(syntheticResult());
        QVERIFY(!strip.tiles()[4]->toolTip().contains(QStringLiteral("(p - 1)/(m + p - 1)")));
        strip.setExplainers(
            [](const Result&, std::string_view pointer) -> std::optional<Quantity> {
                if (pointer != "/bubble_fraction") return std::nullopt;
                return Quantity{"bubble_fraction", 0.03, "1", Source::derived, "(p - 1)/(m + p - 1)", "Narayanan et al. 2021", {}};
            },
            {});
        QVERIFY(strip.tiles()[4]->toolTip().contains(QStringLiteral("(p - 1)/(m + p - 1)")));
        QVERIFY(strip.tiles()[4]->toolTip().contains(QStringLiteral("Narayanan")));
    }

    void anEstimateStandsInUntilTheResultIsThere() {
        const Theme theme;
        HeadlineStrip strip(theme);
        const auto ofEstimate = [](const Result&, std::string_view) { return std::optional(Quantity{"x", 1, "1", Source::derived, "played step by step", "", {}}); };
        strip.setExplainers({}, ofEstimate);
        strip.setResult(shared(roundResult()));
        strip.setBusy(true);
        Result estimate = roundResult();
        estimate.training()->iterationTime = 20;
        estimate.training()->tokensPerSecondPerAccelerator = 500;
        strip.setBaseline(shared(roundResult()), "before");
        strip.setEstimate(shared(estimate));
        const auto figure = [&strip](std::size_t i) { return strip.tiles()[i]->figure(); };
        QCOMPARE(figure(0).number, QStringLiteral("≈ 20.00"));
        QCOMPARE(figure(0).change, QStringLiteral("+100.0 %"));
        QCOMPARE(figure(1).number, QStringLiteral("≈ 500"));
        QVERIFY(figure(0).estimated && figure(1).estimated && figure(2).estimated && figure(3).estimated);
        QVERIFY(!figure(4).estimated && !figure(5).estimated); // of these it says nothing: they stay, dimmed
        QCOMPARE(figure(4).number, QStringLiteral("5.4"));
        QVERIFY(strip.tiles()[0]->toolTip().contains(QStringLiteral("played step by step")));
        QVERIFY(strip.tiles()[0]->toolTip().contains(QStringLiteral("by estimate")));
        strip.setResult(shared(roundResult()));
        QCOMPARE(figure(0).number, QStringLiteral("10.00"));
        QVERIFY(!figure(0).estimated);
    }

    /// Numbers of requests are none of an iteration's.
    void anEstimateNeverStandsBesideFiguresOfAnotherWorkload() {
        const Theme theme;
        HeadlineStrip strip(theme);
        Result served = *syntheticResult();
        served.scenario.workload = InferenceWorkload{};
        served.metrics = InferenceMetrics{0.1, 0.02, 2, 100, 10, {}};
        strip.setResult(shared(served));
        strip.setEstimate(shared(roundResult()));
        QCOMPARE(strip.tiles()[0]->figure().number, QStringLiteral("≈ 10.00"));
        for (std::size_t i : {4, 5}) QCOMPARE(strip.tiles()[i]->figure().number, QStringLiteral("–"));
    }

    void busyDimsTheNumbers() {
        const Theme theme;
        theme.applyToApplication();
        HeadlineStrip strip(theme);
        strip.setResult(syntheticResult());
        strip.resize(1280, strip.heightForWidth(1280));
        const auto darkest = [&] {
            const QImage image = strip.grab().toImage();
            int least = 255;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) least = std::min(least, qGray(image.pixel(x, y)));
            return least;
        };
        const int plain = darkest();
        strip.setBusy(true);
        const int busy = darkest();
        QVERIFY(busy > plain + 60);
        strip.setBusy(false);
        QCOMPARE(darkest(), plain);
        strip.setStale(true);
        QCOMPARE(darkest(), busy);
        QVERIFY(strip.tiles()[0]->toolTip().contains(QStringLiteral("cannot run")));
    }

    void nothingIsCut_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("compared");
        for (const int variant : {int(ThemeVariant::light), int(ThemeVariant::dark)})
            for (const int width : {420, 800, 1280, 1600, 3840})
                for (const bool compared : {false, true})
                    QTest::addRow("theme %d, %d px%s", variant, width, compared ? ", compared" : "") << variant << width << compared;
    }
    void nothingIsCut() {
        QFETCH(int, variant);
        QFETCH(int, width);
        QFETCH(bool, compared);
        const Theme theme(static_cast<ThemeVariant>(variant));
        theme.applyToApplication();
        HeadlineStrip strip(theme);
        Result result = *syntheticResult();
        result.scenario.economics.pricePerAcceleratorHour = 2.05;
        strip.setResult(shared(result));
        Result before = result;
        before.training()->iterationTime *= 1.064;
        before.training()->tokensPerSecondPerAccelerator /= 1.064;
        before.training()->mfu -= 0.031;
        before.training()->bubbleFraction += 0.02;
        before.memory.peakBytes *= 0.9;
        if (compared) strip.setBaseline(shared(before), QStringLiteral("Interleaved ×5"));
        strip.resize(width, strip.heightForWidth(width));
        strip.show();
        // The example in one row on the smallest screen that is promised, compared or not.
        if (width >= 1280) QCOMPARE(strip.rowCount(), 1);
        QRegion covered;
        for (const FigureTile* tile : strip.tiles()) {
            QVERIFY2(tile->sizeHint().width() <= tile->width() + 1, qPrintable(tile->figure().title));
            QVERIFY(tile->lineHeights() <= tile->height());
            QVERIFY(strip.rect().contains(tile->geometry()));
            QVERIFY(!covered.intersects(tile->geometry()));
            covered += tile->geometry();
        }
        picture(strip, QStringLiteral("headline-%1-%2%3").arg(QLatin1String(variant == int(ThemeVariant::dark) ? "dark" : "light")).arg(width).arg(compared ? QStringLiteral("-compared") : QString()));
    }
};

ORRERY_WIDGET_TEST(HeadlineTest)
#include "headline_test.moc"
