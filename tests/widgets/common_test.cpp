// SPDX-License-Identifier: GPL-3.0-or-later
// Theme contrast, number formats, chart export and the shared selection.

#include "tests/support/widget_test.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"

#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QMimeData>
#include <QPainter>
#include <QScreen>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>

using namespace orrery;

namespace {

constexpr ThemeVariant variants[] = {ThemeVariant::light, ThemeVariant::dark, ThemeVariant::high_contrast, ThemeVariant::colour_safe};

class OneLine : public Exportable {
public:
    explicit OneLine(ThemeVariant variant = ThemeVariant::light) : theme(variant) {}
    QString exportName() const override { return QStringLiteral("one line"); }
    const Theme& chartTheme() const override { return theme; }
    ChartHeading heading() const override { return {QStringLiteral("One line"), QStringLiteral("of a test")}; }
    QString whyNothing() const override { return empty ? QStringLiteral("Draw a line first.") : QString(); }
    void renderBody(QPainter& painter, const QRectF& area) const override {
        painter.setPen(QPen(theme.isDark() ? Qt::yellow : Qt::red, 3));
        painter.drawLine(area.topLeft(), area.bottomRight());
        painter.setFont(theme.axisFont());
        painter.drawText(area, Qt::AlignCenter, QStringLiteral("a label"));
    }
    QByteArray csv() const override { return "time_s,bytes\n1,2\n"; }

    Theme theme;
    bool empty = false;
};

/// Letters of a text as it stands in an SVG, in points on paper: its font's size times what its group is scaled by.
double pointsInSvg(const QByteArray& svg, const QString& wanted) {
    QXmlStreamReader xml(svg);
    std::vector<double> scales{1};
    double perUnit = 0; // points of a unit of the view box
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::EndElement) scales.pop_back();
        if (token != QXmlStreamReader::StartElement) continue;
        const QXmlStreamAttributes attributes = xml.attributes();
        double scale = scales.back();
        if (xml.name() == QLatin1String("svg")) {
            const double millimetres = attributes.value("width").toString().remove("mm").toDouble();
            perUnit = millimetres / 25.4 * 72 / attributes.value("viewBox").toString().section(' ', 2, 2).toDouble();
        }
        const QString matrix = attributes.value("transform").toString();
        if (matrix.startsWith("matrix(")) scale *= matrix.mid(7).section(',', 0, 0).toDouble();
        scales.push_back(scale);
        if (xml.name() != QLatin1String("text")) continue;
        // Qt writes a font's size in pixels of the device.
        const double pixels = attributes.value("font-size").toString().remove("px").toDouble();
        const QString text = xml.readElementText();
        scales.pop_back();
        if (text == wanted) return pixels * scale * perUnit;
    }
    return 0;
}

QByteArray contentOf(const QString& fileName) {
    QFile file(fileName);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class CommonTest : public QObject {
    Q_OBJECT

private slots:
    void contrastIsWcags() {
        QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
        // #767676 on white is the textbook's lightest grey that passes AA.
        QVERIFY(std::abs(contrastRatio(QColor(0x767676), Qt::white) - 4.54) < 0.01);
    }

    void textReadsOnItsBackground() {
        for (const ThemeVariant variant : variants) {
            const Theme theme(variant);
            const ThemeColors& c = theme.colors();
            for (const QColor& ground : {c.background, c.panel, c.field})
                for (const QColor& text : {c.ink, c.secondary, c.accent, c.good, c.warning, c.error})
                    QVERIFY2(contrastRatio(text, ground) >= 4.5,
                             qPrintable(QStringLiteral("theme %1: %2 on %3 has %4").arg(int(variant)).arg(text.name(), ground.name()).arg(contrastRatio(text, ground))));
            const QPalette palette = theme.palette();
            QVERIFY(contrastRatio(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)) >= 4.5);
            QVERIFY(contrastRatio(palette.color(QPalette::PlaceholderText), palette.color(QPalette::Base)) >= 4.5);
            QVERIFY(contrastRatio(palette.color(QPalette::Link), palette.color(QPalette::Window)) >= 4.5);
        }
    }

    void meaningsOfATableDiffer() {
        for (const ThemeVariant variant : variants) {
            const Theme theme(variant);
            const ThemeColors& c = theme.colors();
            const QColor hues[] = {c.forward, c.backward, c.backwardWeights, c.recompute, c.tensor, c.pipeline, c.data, c.optimizer};
            for (const QColor& a : hues)
                for (const QColor& b : hues) QVERIFY(&a == &b || a != b);
            for (const QColor& fill : hues) QVERIFY(contrastRatio(theme.textOn(fill), fill) >= 3.0);
        }
    }

    void themeSpeaksOfChanges() {
        Theme theme(ThemeVariant::light);
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setVariant(ThemeVariant::light);
        QCOMPARE(changed.count(), 0);
        theme.setVariant(ThemeVariant::dark);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(theme.colors().panel, QColor(0x1e222a));
    }

    void styleSheetHasNoOpenNames() {
        for (const ThemeVariant variant : variants) {
            const QString sheet = Theme(variant).styleSheet();
            QVERIFY2(!sheet.contains(QLatin1Char('@')), qPrintable(sheet.mid(sheet.indexOf(QLatin1Char('@')), 40)));
            // Every image that it names is there.
            int from = 0;
            while ((from = sheet.indexOf(QStringLiteral("url("), from)) >= 0) {
                const QString name = sheet.mid(from + 4, sheet.indexOf(QLatin1Char(')'), from) - from - 4);
                QVERIFY2(QFile::exists(name), qPrintable(name));
                from += 4;
            }
        }
    }

    void fontsHaveTheSizesOfTheLook() {
        const Theme theme;
        const auto pixels = [](const QFont& font) { return QFontInfo(font).pointSizeF() * QGuiApplication::primaryScreen()->logicalDotsPerInchY() / 72; };
        // Half pixels are rounded on a screen of one pixel a point.
        QVERIFY(std::abs(pixels(theme.bodyFont()) - 12.5) <= 0.5);
        QVERIFY(std::abs(pixels(theme.secondaryFont()) - 11.5) <= 0.5);
        QVERIFY(std::abs(pixels(theme.axisFont()) - 10.5) <= 0.5);
        QVERIFY(std::abs(pixels(theme.figureFont()) - 21) <= 0.5);
        QVERIFY(theme.titleFont().weight() >= QFont::DemiBold);
        // Digits of one width: a number that changes does not dance.
        const QFontMetricsF metrics(theme.figureFont());
        for (char digit = '0'; digit <= '9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(QLatin1Char('0')));
    }

    void numbersReadWell_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const QString& written, const char* expected) {
            QTest::newRow(name) << QString(written).replace(QChar(0x2009), QLatin1Char(' ')) << QString::fromUtf8(expected);
        };
        row("seconds", readableTime(11.8423).text(), "11.84 s");
        row("many seconds", readableTime(1184.23).text(), "1,184 s");
        row("milliseconds", readableTime(0.64e-1).text(), "64.00 ms");
        row("microseconds", readableTime(6.66e-4).text(), "666.0 µs");
        row("rounds up to the next unit", readableTime(0.9999996).text(), "1.000 s");
        row("zero", readableTime(0).text(), "0 s");
        row("not a number", readableTime(std::nan("")).text(), "–");
        row("GiB", readableBytes(67.9 * 1073741824).text(), "67.9 GiB");
        row("over a TiB still compares with devices", readableBytes(1500.0 * 1073741824).text(), "1,500 GiB");
        row("TiB", readableBytes(20.0 * 1099511627776).text(), "20.0 TiB");
        row("bytes", readableBytes(512).text(), "512 B");
        row("TFLOP/s", readableRate(989e12, QStringLiteral("FLOP/s")).text(), "989 TFLOP/s");
        row("GB/s", readableRate(3.35e12, QStringLiteral("B/s")).text(), "3.35 TB/s");
        row("billions", readableCount(70.553706e9).text(), "70.6 B");
        row("thousands", readableCount(1384).text(), "1,384");
        row("small", readableCount(0.00654321).text(), "0.00654");
        row("below one", readableCount(0.62).text(), "0.620");
        row("just below a million", readableCount(999999.7).text(), "1.00 M");
        row("percent", readablePercent(0.6118).text(), "61.2 %");
        row("grouped", grouped(1234567.891, 1), "1,234,567.9");
    }
    void numbersReadWell() {
        QFETCH(QString, written);
        QFETCH(QString, expected);
        QCOMPARE(written, expected);
    }

    void selectionTellsChangesOnly() {
        Selection selection;
        QSignalSpy range(&selection, &Selection::rangeChanged);
        QSignalSpy stage(&selection, &Selection::stageChanged);
        selection.setRange(3, 1);
        QCOMPARE(selection.rangeStart(), 1.0);
        QCOMPARE(selection.rangeEnd(), 3.0);
        selection.setRange(1, 3);
        QCOMPARE(range.count(), 1);
        selection.setStage(2);
        selection.clear();
        QCOMPARE(stage.count(), 2);
        QCOMPARE(selection.stage(), -1);
        QCOMPARE(range.count(), 2);
    }

    void chartsAreWrittenByEnding() {
        QTemporaryDir folder;
        const OneLine chart;
        const auto path = [&](const char* name) { return folder.filePath(QLatin1String(name)); };

        QCOMPARE(exportChart(chart, path("a.svg")), QString());
        const QByteArray svg = contentOf(path("a.svg"));
        QXmlStreamReader xml(svg);
        int texts = 0, lines = 0, images = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement) continue;
            texts += xml.name() == QLatin1String("text");
            lines += xml.name() == QLatin1String("polyline") || xml.name() == QLatin1String("path") || xml.name() == QLatin1String("line");
            images += xml.name() == QLatin1String("image");
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(texts >= 1 && lines >= 1);
        QCOMPARE(images, 0); // vectors, not a picture of them

        QCOMPARE(exportChart(chart, path("a.pdf")), QString());
        const QByteArray pdf = contentOf(path("a.pdf"));
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(!pdf.contains("/Subtype /Image"));
        QVERIFY(pdf.contains("/MediaBox [0 0 900.000000 525.000000]")); // 1200 × 700 px at 96 dpi, in points

        QCOMPARE(exportChart(chart, path("a.PNG"), {.size = {100, 50}, .title = QString()}), QString());
        const QImage image(path("a.PNG"));
        QCOMPARE(image.width(), 200);
        QCOMPARE(image.pixelColor(1, 13), QColor(Qt::red)); // the line begins in the corner, below a little air

        QCOMPARE(exportChart(chart, path("a.csv")), QString());
        QCOMPARE(contentOf(path("a.csv")), chart.csv());
    }

    void lettersHaveTheirSizeOnPaper() {
        QTemporaryDir folder;
        const OneLine chart;
        const QString file = folder.filePath(QStringLiteral("a.svg"));
        for (const auto& [inches, points] : {std::pair(3.5, 7.0), std::pair(7.0, 7.0), std::pair(12.5, 14.0), std::pair(3.5, 0.0)}) {
            QCOMPARE(exportChart(chart, file, {.size = QSizeF(inches, inches * 0.7) * 96, .pointSize = points}), QString());
            const double expected = points > 0 ? points : ExportFormat::screenPointSize;
            const double found = pointsInSvg(contentOf(file), QStringLiteral("a label"));
            // A font of whole pixels is the nearest that Qt has: half a pixel of the layout.
            QVERIFY2(std::abs(found / expected - 1) < 0.06, qPrintable(QStringLiteral("%1 pt for %2 at %3 in").arg(found).arg(expected).arg(inches)));
            QVERIFY(contentOf(file).contains(QStringLiteral("width=\"%1mm\"").arg(inches * 25.4).toUtf8()));
        }
        QCOMPARE(exportChart(chart, folder.filePath(QStringLiteral("a.pdf")), {.size = QSizeF(3.5, 2) * 96, .pointSize = 7}), QString());
        QVERIFY(contentOf(folder.filePath(QStringLiteral("a.pdf"))).contains("/MediaBox [0 0 252.000000 144.000000]"));
        QCOMPARE(exportChart(chart, folder.filePath(QStringLiteral("a.png")), {.size = QSizeF(3.5, 2) * 96, .pointSize = 7, .dotsPerInch = 600}), QString());
        const QImage image(folder.filePath(QStringLiteral("a.png")));
        QCOMPARE(image.size(), QSize(2100, 1200));
        QVERIFY(std::abs(image.dotsPerMeterX() * 0.0254 - 600) < 0.5);
    }

    void aPictureOfAnyResolutionHoldsTheWholeChart() {
        const OneLine chart;
        for (const double dots : {24.0, 48.0, 96.0, 192.0}) {
            const QImage image = chartImage(chart, {.size = {400, 200}, .title = QString(), .dotsPerInch = dots});
            QCOMPARE(image.size(), (QSizeF(400, 200) * dots / 96).toSize());
            // The line runs from corner to corner, below a little air.
            const QColor end = image.pixelColor(image.width() - 1, image.height() - 1), beside = image.pixelColor(image.width() - 1, image.height() / 3);
            QVERIFY2(end.red() - end.green() > 60, qPrintable(QStringLiteral("%1 dots: %2").arg(dots).arg(end.name())));
            QCOMPARE(beside, Theme(ThemeVariant::light).colors().panel);
        }
    }

    void paperHasItsOwnColours() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.png"));
        for (const ThemeVariant window : variants) {
            OneLine chart(window);
            QSignalSpy changed(&chart.theme, &Theme::changed);
            for (const ThemeVariant paper : variants) {
                QCOMPARE(exportChart(chart, file, {.size = {200, 150}, .colours = paper}), QString());
                const QImage image(file);
                QCOMPARE(image.pixelColor(3, 290), Theme(paper).colors().panel);
                QCOMPARE(image.pixelColor(397, 297), QColor(paper == ThemeVariant::dark ? Qt::yellow : Qt::red));
            }
            QCOMPARE(chart.theme.variant(), window);
            QCOMPARE(chart.theme.colors().panel, Theme(window).colors().panel);
            QCOMPARE(changed.count(), 0); // the window does not flicker
            QCOMPARE(exportChart(chart, file, {.size = {200, 150}}), QString());
            QCOMPARE(QImage(file).pixelColor(3, 290), Theme(window).colors().panel);
        }
    }

    void titlesAreTheChartsOrTheUsers() {
        QTemporaryDir folder;
        const OneLine chart;
        const QString file = folder.filePath(QStringLiteral("a.svg"));
        const auto has = [&](const char* text) { return contentOf(file).contains(QByteArray(">") + text + "<"); };
        QCOMPARE(exportChart(chart, file), QString());
        QVERIFY(has("One line") && has("of a test"));
        QCOMPARE(exportChart(chart, file, {.title = QStringLiteral("Mine")}), QString());
        QVERIFY(has("Mine") && !has("One line") && !has("of a test"));
        QCOMPARE(exportChart(chart, file, {.title = QString()}), QString());
        QVERIFY(has("a label") && !contentOf(file).contains("One line"));
    }

    void whatHasNothingToDrawIsNoFile() {
        QTemporaryDir folder;
        OneLine chart;
        chart.empty = true;
        for (const char* ending : {"svg", "pdf", "png", "csv"}) {
            const QString file = folder.filePath(QStringLiteral("a.") + QLatin1String(ending));
            const QString error = exportChart(chart, file);
            QVERIFY2(error.contains(QStringLiteral("Draw a line first.")), qPrintable(error));
            QVERIFY(!QFile::exists(file));
        }
        QVERIFY(chartForClipboard(chart, {}) == nullptr);
    }

    void figuresDoNotJumpInWhateverFamilyIsChosen() {
        const auto isEven = [](QFont font) {
            for (const double points : {9.0, 16.0, 96.0}) {
                font.setPointSizeF(points);
                const QFontMetricsF metrics(font);
                for (char digit = '1'; digit <= '9'; ++digit)
                    if (metrics.horizontalAdvance(QLatin1Char(digit)) != metrics.horizontalAdvance(QLatin1Char('0'))) return false;
            }
            return true;
        };
        // Whatever the first family's name is: where its digits are uneven it is passed over.
        const QString plain = familyWithEvenDigits({QStringLiteral("No such family"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
        QVERIFY(isEven(QFont(plain)));
        int passedOver = 0;
        for (const QString& family : QFontDatabase::families()) {
            if (!QFontDatabase::isSmoothlyScalable(family) || !QFontDatabase::hasFamily(family)) continue;
            const QString chosen = familyWithEvenDigits({family, plain});
            QVERIFY2(isEven(QFont(chosen)), qPrintable(family));
            if (isEven(QFont(family))) continue;
            QCOMPARE(chosen, plain);
            ++passedOver;
        }
        qInfo("%d families of uneven digits passed over", passedOver);
    }

    void placesAreSaidInWords() {
        QCOMPARE(placeWords("/execution/cuda_graphs"), QString::fromUtf8("execution › CUDA graphs"));
        QCOMPARE(placeWords("/parallelism/zero_stage"), QString::fromUtf8("parallelism › ZeRO stage"));
        QCOMPARE(placeWords("/cluster/topology/links/3/bandwidth_gb_s"), QString::fromUtf8("cluster › topology › link 3 › bandwidth"));
        QCOMPARE(inWords("sequence_length must be at least 1.", "/workload/sequence_length"), std::string("Sequence length must be at least 1."));
        QCOMPARE(placeWords("/execution/calibration/gemm_rate_of_peak"), QString::fromUtf8("execution › calibration › GEMM rate of peak"));
        QCOMPARE(placeWords("/cluster/accelerator/memory_gb_per_s"), QString::fromUtf8("cluster › accelerator › memory bandwidth"));
        QCOMPARE(placeWords("/execution/calibration/attention_share"), QString::fromUtf8("execution › calibration › attention share"));
        QCOMPARE(placeWords(""), QString());
        const std::string place = "/cluster/topology/links/0/bandwidth_gb_s";
        QCOMPARE(inWords("bandwidth_gb_s must be greater than 0, but is 0.", place), std::string("Bandwidth must be greater than 0, but is 0."));
        QCOMPARE(inWords("The node my_host_bandwidth_gb_s has no such key.", place), std::string("The node my_host_bandwidth_gb_s has no such key."));
    }

    void whatCannotBeWrittenSaysWhy() {
        QTemporaryDir folder;
        const OneLine chart;
        QVERIFY(exportChart(chart, folder.filePath(QStringLiteral("a.bmp"))).contains(QStringLiteral(".svg, .pdf, .png, .csv, .tex, .vl.json or .py")));
        QDir(folder.path()).mkdir(QStringLiteral("b.svg"));
        QVERIFY(exportChart(chart, folder.filePath(QStringLiteral("b.svg"))).contains(QStringLiteral("folder")));
        const QString below = folder.filePath(QStringLiteral("file.csv"));
        QCOMPARE(exportChart(chart, below), QString());
        const QString error = exportChart(chart, below + QStringLiteral("/x.csv"));
        QVERIFY2(error.contains(QStringLiteral("x.csv")), qPrintable(error));
        QCOMPARE(contentOf(below), chart.csv());
    }
};

ORRERY_WIDGET_TEST(CommonTest)
#include "common_test.moc"
