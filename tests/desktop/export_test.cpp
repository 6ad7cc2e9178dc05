// SPDX-License-Identifier: GPL-3.0-or-later
// Charts leaving the window through the dialog, as a user sets it.

#include "app/desktop/export/export_dialog.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/translations.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/exportable.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QXmlStreamReader>

#include <cmath>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::bytesOf;
using test::catalog;

ExportDialog* openDialog(Window& window, const QString& command = "file.export.charts") {
    window.trigger(command);
    QTest::qWait(20);
    for (auto* dialog : window->findChildren<ExportDialog*>())
        if (dialog->isVisible()) return dialog;
    return nullptr;
}

template <typename Field> Field* fieldOf(ExportDialog& dialog, const char* name) {
    auto* field = dialog.findChild<Field*>(QString::fromLatin1(name));
    if (!field) qFatal("no field %s", name);
    return field;
}

void pick(QComboBox* box, const QString& text) {
    const int place = box->findText(text, Qt::MatchContains);
    if (place < 0) qFatal("no choice %s", qPrintable(text));
    box->setCurrentIndex(place);
    emit box->activated(place);
}

QPushButton* button(ExportDialog& dialog, const QString& text) {
    for (auto* one : dialog.findChildren<QPushButton*>())
        if (QString(one->text()).remove('&') == text) return one;
    qFatal("no button %s", qPrintable(text));
}

QString titleOf(const QByteArray& svg) {
    QXmlStreamReader xml(svg);
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("title")) return xml.readElementText();
    return {};
}

} // namespace

class ExportTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void aFigureForAColumnIsAskedFor() {
        Window window(catalog());
        window->setThemeChoice(ThemeChoice::dark); // the window is dark, the paper is not
        QVERIFY(window.start());
        ExportDialog* dialog = openDialog(window, "file.export.roofline.dialog");
        QVERIFY(dialog);
        QCOMPARE(fieldOf<QComboBox>(*dialog, "export_chart")->currentData().toString(), QString("roofline"));
        pick(fieldOf<QComboBox>(*dialog, "export_preset"), "Column of a paper, 3.5 in");
        QCOMPARE(fieldOf<QDoubleSpinBox>(*dialog, "export_width")->value(), 3.5);
        fieldOf<QDoubleSpinBox>(*dialog, "export_points")->setValue(7);
        pick(fieldOf<QComboBox>(*dialog, "export_colours"), "Light");
        pick(fieldOf<QComboBox>(*dialog, "export_kind"), "PNG");
        fieldOf<QSpinBox>(*dialog, "export_dots")->setValue(300);
        window.fileAnswer = window.path("column"); // the ending is added
        QTest::mouseClick(button(*dialog, "Save…"), Qt::LeftButton);
        const QImage image(window.path("column.png"));
        QVERIFY2(!image.isNull(), qPrintable(dialog->statusText()));
        QCOMPARE(image.width(), 1050); // 3.5 in of 300 dots
        QCOMPARE(image.height(), 720);
        QVERIFY(std::abs(image.dotsPerMeterX() * 0.0254 - 300) < 0.5);
        QCOMPARE(image.pixelColor(2, image.height() - 3), Theme(ThemeVariant::light).colors().panel);
        QVERIFY(window->theme().isDark());
        QVERIFY(dialog->statusText().contains("column.png"));
        // The next one starts from there, also by the short way of the menu.
        dialog->close();
        window.fileAnswer = window.path("again.png");
        window.trigger("file.export.memory.png");
        QCOMPARE(QImage(window.path("again.png")).width(), 1050);
        QCOMPARE(QImage(window.path("again.png")).pixelColor(2, 715), Theme(ThemeVariant::light).colors().panel);
    }

    void lengthsCanBeMillimetres() {
        Window window(catalog());
        QVERIFY(window.start());
        ExportDialog* dialog = openDialog(window);
        QVERIFY(dialog);
        pick(fieldOf<QComboBox>(*dialog, "export_unit"), "mm");
        fieldOf<QDoubleSpinBox>(*dialog, "export_width")->setValue(89);
        fieldOf<QDoubleSpinBox>(*dialog, "export_height")->setValue(60);
        QVERIFY(std::abs(dialog->format().size.width() - 89 / 25.4 * 96) < 1e-9);
        pick(fieldOf<QComboBox>(*dialog, "export_unit"), "in");
        QVERIFY(std::abs(dialog->format().size.width() - 89 / 25.4 * 96) < 1e-9); // another unit is not another length
        QVERIFY(fieldOf<QComboBox>(*dialog, "export_preset")->currentText() == "Other");
    }

    void titlesAreGivenOrTakenAway() {
        Window window(catalog());
        QVERIFY(window.start());
        ExportDialog* dialog = openDialog(window, "file.export.memory.dialog");
        QVERIFY(dialog);
        pick(fieldOf<QComboBox>(*dialog, "export_kind"), "SVG");
        QVERIFY(!fieldOf<QLineEdit>(*dialog, "export_title")->isVisible());
        pick(fieldOf<QComboBox>(*dialog, "export_title_kind"), "Another");
        QVERIFY(fieldOf<QLineEdit>(*dialog, "export_title")->isVisible());
        QTest::keyClicks(fieldOf<QLineEdit>(*dialog, "export_title"), "Peak memory, 64 H100");
        window.fileAnswer = window.path("titled.svg");
        dialog->save();
        QCOMPARE(titleOf(bytesOf(window.fileAnswer)), QString("Peak memory, 64 H100"));
        QVERIFY(bytesOf(window.fileAnswer).contains(">Peak memory, 64 H100<"));
        QVERIFY(!bytesOf(window.fileAnswer).contains("by stage, at its peak"));
        pick(fieldOf<QComboBox>(*dialog, "export_title_kind"), "None");
        window.fileAnswer = window.path("untitled.svg");
        dialog->save();
        QVERIFY(!bytesOf(window.fileAnswer).contains(">Memory<"));
    }

    void allAtOnceLeavesOutWhatHasNothing() {
        Window window(catalog());
        QVERIFY(window.start());
        ExportDialog* dialog = openDialog(window);
        QVERIFY(dialog);
        QDir(window.folder.path()).mkdir("figures");
        window.fileAnswer = window.path("figures");
        pick(fieldOf<QComboBox>(*dialog, "export_kind"), "PDF");
        QTest::mouseClick(button(*dialog, "Save all…"), Qt::LeftButton);
        const QStringList files = QDir(window.path("figures")).entryList({"*.pdf"}, QDir::Files);
        std::size_t some = 0;
        for (const WindowViews::Chart& chart : window->views().charts()) some += chart.exportable->whyNothing().isEmpty();
        QCOMPARE(files.size(), static_cast<qsizetype>(some));
        // Jitter is off, one scenario has no difference, no record is open, nothing was explored (five), and three are of served requests.
        QVERIFY(some + 11 == window->views().charts().size());
        for (const char* left : {"jitter", "latency", "engine", "throughput", "difference", "recorded", "sweep", "front", "solve", "sensitivity"}) QVERIFY2(files.filter(left).isEmpty(), left);
        for (const QString& file : files) QVERIFY2(bytesOf(window.path("figures/" + file)).startsWith("%PDF-"), qPrintable(file));
        QVERIFY2(dialog->statusText().contains(QString::number(some)) && dialog->statusText().contains("nothing to show"), qPrintable(dialog->statusText()));
    }

    void whatHasNothingToShowSaysWhyAndIsNotWritten() {
        Window window(catalog());
        QVERIFY(window.start());
        window->commands().refresh();
        QVERIFY(!window->commands().action("file.export.jitter.svg")->isEnabled());
        ExportDialog* dialog = openDialog(window);
        QVERIFY(dialog);
        dialog->choose("jitter");
        QTRY_VERIFY(fieldOf<QLabel>(*dialog, "export_preview")->text().contains("Jitter"));
        QVERIFY(!button(*dialog, "Save…")->isEnabled());
        QVERIFY(!button(*dialog, "Copy")->isEnabled());
        window.fileAnswer = window.path("jitter.svg");
        dialog->save();
        QVERIFY(!QFile::exists(window.fileAnswer));
        QVERIFY2(dialog->statusText().contains("nothing to draw"), qPrintable(dialog->statusText()));
    }

    void theClipboardGetsPixelsAndVectors() {
        Window window(catalog());
        QVERIFY(window.start());
        ExportDialog* dialog = openDialog(window, "file.export.timeline.dialog");
        QVERIFY(dialog);
        pick(fieldOf<QComboBox>(*dialog, "export_preset"), "Page");
        QTest::mouseClick(button(*dialog, "Copy"), Qt::LeftButton);
        const QMimeData* mime = QApplication::clipboard()->mimeData();
        QVERIFY(mime && mime->hasImage());
        QCOMPARE(qvariant_cast<QImage>(mime->imageData()).width(), 1344); // 7 in of 192 dots
        QVERIFY(mime->data("image/svg+xml").contains("<svg"));
        QVERIFY(mime->data("application/pdf").startsWith("%PDF-"));
    }

    void thePreviewIsWhatComesOut() {
        Window window(catalog());
        QVERIFY(window.start());
        ExportDialog* dialog = openDialog(window, "file.export.memory.dialog");
        QVERIFY(dialog);
        auto* preview = fieldOf<QLabel>(*dialog, "export_preview");
        for (const char* colours : {"Light", "Dark"}) {
            pick(fieldOf<QComboBox>(*dialog, "export_colours"), QString::fromLatin1(colours));
            const QColor paper = Theme(qstrcmp(colours, "Dark") == 0 ? ThemeVariant::dark : ThemeVariant::light).colors().panel;
            QTRY_VERIFY(!preview->pixmap(Qt::ReturnByValue).isNull() && preview->pixmap(Qt::ReturnByValue).toImage().pixelColor(1, 100) == paper);
        }
    }
};

ORRERY_WIDGET_TEST(ExportTest)
#include "export_test.moc"
