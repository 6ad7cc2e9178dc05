// Theme contrast, number formats, chart export and the shared selection.

#include "widgets/common/exportable.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"

#include <QDir>
#include <QFile>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
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
    QString exportName() const override { return QStringLiteral("one line"); }
    void renderChart(QPainter& painter, const QRectF& area) const override {
        painter.setPen(QPen(Qt::red, 3));
        painter.drawLine(area.topLeft(), area.bottomRight());
        painter.drawText(area, Qt::AlignCenter, QStringLiteral("a label"));
    }
    QByteArray csv() const override { return "time_s,bytes\n1,2\n"; }
};

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

        QCOMPARE(exportChart(chart, path("a.PNG"), {100, 50}), QString());
        const QImage image(path("a.PNG"));
        QCOMPARE(image.width(), 200);
        QCOMPARE(image.pixelColor(1, 1), QColor(Qt::red)); // the line begins in the corner

        QCOMPARE(exportChart(chart, path("a.csv")), QString());
        QCOMPARE(contentOf(path("a.csv")), chart.csv());
    }

    void whatCannotBeWrittenSaysWhy() {
        QTemporaryDir folder;
        const OneLine chart;
        QVERIFY(exportChart(chart, folder.filePath(QStringLiteral("a.bmp"))).contains(QStringLiteral(".svg, .pdf, .png or .csv")));
        QDir(folder.path()).mkdir(QStringLiteral("b.svg"));
        QVERIFY(exportChart(chart, folder.filePath(QStringLiteral("b.svg"))).contains(QStringLiteral("folder")));
        const QString below = folder.filePath(QStringLiteral("file.csv"));
        QCOMPARE(exportChart(chart, below), QString());
        const QString error = exportChart(chart, below + QStringLiteral("/x.csv"));
        QVERIFY2(error.contains(QStringLiteral("x.csv")), qPrintable(error));
        QCOMPARE(contentOf(below), chart.csv());
    }
};

QTEST_MAIN(CommonTest)
#include "common_test.moc"
