// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario from somebody else: its names are shown letter by letter, nothing is loaded by them, and files outside its folder are read after a yes alone.

#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/own_markup.hpp"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QToolTip>
#include <QUrl>

#include <sys/stat.h>

using namespace orrery;
using orrery::test::Window;

namespace {

QLabel* shownTip() {
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (widget->inherits("QTipLabel") && widget->isVisible()) return static_cast<QLabel*>(widget);
    return nullptr;
}

} // namespace

class StrangersTest : public QObject {
    Q_OBJECT

private slots:
    void tooltipsShowNamesLetterByLetter();
    void noTextReadsAFileByItsName();
    void filesOutsideTheFolderAreReadAfterAYes();
};

void StrangersTest::tooltipsShowNamesLetterByLetter() {
    Window window(test::catalog(), simulationSteps(test::catalog()));
    QVERIFY(window.start());
    const QString name = QStringLiteral("<h1>BIG</h1><b>bold</b>");
    QToolTip::showText(QPoint(200, 200), name, window.window.get());
    QTRY_VERIFY(shownTip() != nullptr && shownTip()->textFormat() == Qt::PlainText);
    QCOMPARE(shownTip()->text(), name);
    // What the program marked up itself is laid out, in the same label: one short line.
    QToolTip::showText(QPoint(210, 210), ownMarkup(QStringLiteral("<b>ours</b>")), window.window.get());
    QTRY_VERIFY(shownTip() != nullptr && isOwnMarkup(shownTip()->text()) && shownTip()->width() < 100);
    // And a name after it is plain again.
    QToolTip::showText(QPoint(220, 220), name, window.window.get());
    QTRY_COMPARE(shownTip()->text(), name);
    QCOMPARE(shownTip()->textFormat(), Qt::PlainText);
    QToolTip::hideText();
    auto* label = new QLabel(name, window.window.get());
    label->show();
    QTRY_COMPARE(label->textFormat(), Qt::PlainText);
    delete label;
}

void StrangersTest::noTextReadsAFileByItsName() {
    Window window(test::catalog(), simulationSteps(test::catalog()));
    QVERIFY(window.start());
    const QString pipe = window.path("probe.fifo");
    QVERIFY(mkfifo(pipe.toUtf8().constData(), 0600) == 0);
    QElapsedTimer clock;
    clock.start();
    const QString name = QStringLiteral("<img src=\"%1\"><h1>host</h1>").arg(QUrl::fromLocalFile(pipe).toString());
    QLabel label(name);
    label.show();
    QToolTip::showText(QPoint(200, 200), ownMarkup(QStringLiteral("<b>ours</b>")), window.window.get());
    QTRY_VERIFY(shownTip() != nullptr);
    QToolTip::showText(QPoint(210, 210), name, window.window.get());
    QTRY_COMPARE(shownTip()->text(), name);
    QToolTip::hideText();
    QVERIFY(clock.elapsed() < 20000); // opening the pipe would wait for ever
}

void StrangersTest::filesOutsideTheFolderAreReadAfterAYes() {
    Window window(test::catalog(), simulationSteps(test::catalog()));
    QVERIFY(QDir(window.folder.path()).mkdir("inside"));
    QFile log(window.path("log.jsonl"));
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("{\"arrival_s\": 0, \"input_tokens\": 100, \"output_tokens\": 10}\n");
    log.close();
    const Json document = {{"format", "orrery-scenario/1"}, {"model", {{"preset", "llama-3-8b"}}}, {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 1}, {"nodes", 1}}}, {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"file", "../log.jsonl"}}}}}};
    QFile scenario(window.path("inside/a.orrery.json"));
    QVERIFY(scenario.open(QIODevice::WriteOnly));
    scenario.write(QByteArray::fromStdString(document.dump()));
    scenario.close();
    QVERIFY(window.start());
    QStringList asked;
    bool answer = false;
    window->dialogs().readOutside = [&](const QStringList& paths) {
        asked << paths;
        return answer;
    };
    window.fileAnswer = scenario.fileName();
    window.trigger("file.open");
    QTRY_COMPARE(asked, QStringList{QFileInfo(log.fileName()).canonicalFilePath()});
    answer = true;
    QVERIFY(window.resultAfter([&] { window.trigger("file.open"); }));
    QCOMPARE(asked.size(), 2); // another document is another question
}

ORRERY_WIDGET_TEST(StrangersTest)
#include "strangers_test.moc"
