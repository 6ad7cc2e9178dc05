// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/examples.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/notices/fit_banner.hpp"
#include "app/desktop/notices/notice_place.hpp"
#include "app/desktop/pages/accuracy_window.hpp"
#include "app/desktop/pages/study_window.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/accuracy/accuracy_page.hpp"
#include "widgets/study/study_chart.hpp"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QStyleOptionButton>
#include <QTableView>
#include <QTextDocument>
#include <QToolButton>

#include <cmath>
#include <vector>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

QString nameOf(const QWidget& widget) {
    QString path;
    for (const QWidget* w = &widget; w && path.size() < 160; w = w->parentWidget()) {
        path = QString::fromLatin1(w->metaObject()->className()) + (w->objectName().isEmpty() ? QString() : '#' + w->objectName()) + ' ' + path;
    }
    return path;
}

/// The part of a widget that the eye sees: scroll areas and docks cut what sticks out, and scrolling brings it back.
QRect visiblePart(const QWidget& widget) { return widget.visibleRegion().boundingRect(); }

bool isRich(const QLabel& label) { return label.textFormat() == Qt::RichText || (label.textFormat() == Qt::AutoText && Qt::mightBeRichText(label.text())); }

/// Room that a label's text takes at its width, and what it has.
QString labelFault(const QLabel& label) {
    const QRect room = label.contentsRect();
    QSizeF needed;
    if (isRich(label)) {
        QTextDocument words;
        words.setDefaultFont(label.font());
        words.setDocumentMargin(0);
        words.setHtml(label.text());
        words.setTextWidth(label.wordWrap() ? room.width() : -1);
        needed = {words.idealWidth(), words.size().height()};
    } else {
        const QFontMetrics metrics(label.font());
        const int flags = label.wordWrap() ? Qt::TextWordWrap : 0;
        // The label of a field shows its mnemonic as an underline, not as a letter.
        const QString shown = label.buddy() ? QString(label.text()).remove('&') : label.text();
        needed = metrics.boundingRect(QRect(0, 0, label.wordWrap() ? room.width() : 100000, 100000), flags, shown).size();
    }
    if (needed.width() <= room.width() + 1 && needed.height() <= room.height() + 2) return {};
    return QStringLiteral("“%1” needs %2×%3, has %4×%5: %6")
        .arg(label.text())
        .arg(needed.width())
        .arg(needed.height())
        .arg(room.width())
        .arg(room.height())
        .arg(nameOf(label));
}

QString buttonFault(const QAbstractButton& button) {
    if (button.text().isEmpty()) return {};
    const QString text = QString(button.text()).remove('&');
    const QSize needed = QFontMetrics(button.font()).size(0, text);
    if (needed.width() <= button.width() && needed.height() <= button.height() + 2) return {};
    return QStringLiteral("“%1” needs %2 px, has %3: %4").arg(text).arg(needed.width()).arg(button.width()).arg(nameOf(button));
}

bool isText(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) return !label->text().isEmpty();
    return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QComboBox*>(&widget);
}

bool isNotice(const QWidget& widget) {
    for (const QWidget* w = &widget; w; w = w->parentWidget())
        if (qobject_cast<const NoticePlace*>(w)) return true;
    return false;
}

/// What is wrong with the texts of a window: cut, or lying on one another.
QStringList faultsOf(const QWidget& window, int* checked) {
    QStringList faults;
    std::vector<const QWidget*> texts;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || visiblePart(*widget).isEmpty() || !isText(*widget)) continue;
        if (widget->window() != &window) continue;
        texts.push_back(widget);
        ++*checked;
        QString fault;
        if (const auto* label = qobject_cast<const QLabel*>(widget)) fault = labelFault(*label);
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) fault = buttonFault(*button);
        if (!fault.isEmpty()) faults << fault;
    }
    const auto areaOf = [&window](const QWidget* widget) {
        const QRect part = visiblePart(*widget);
        return QRect(widget->mapTo(&window, part.topLeft()), part.size());
    };
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            if (texts[i]->isAncestorOf(texts[j]) || texts[j]->isAncestorOf(texts[i])) continue; // a stepper inside its field
            if (isNotice(*texts[i]) != isNotice(*texts[j])) continue;                           // notices lie over the page
            const QRect both = areaOf(texts[i]).intersected(areaOf(texts[j]));
            if (both.width() > 1 && both.height() > 1) faults << QStringLiteral("%1 lies on %2").arg(nameOf(*texts[i]), nameOf(*texts[j]));
        }
    }
    return faults;
}

} // namespace

class GeometryTest : public QObject {
    Q_OBJECT

    /// Another language is as wide in both: it is looked at in one.
    static std::vector<const char*> themes() {
        if (QLocale().language() == QLocale::Chinese) return {"light"};
        return {"light", "dark"};
    }
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void nothingIsCutOrOverlaps_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<QString>("state");
        for (const QSize& size : {QSize(1024, 700), QSize(1280, 720), QSize(1600, 1000), QSize(3840, 2160)}) {
            for (const char* theme : themes()) {
                for (const char* state : {"result", "drawing", "timeline", "memory", "problem", "findings", "no_fit", "tensors", "jitter", "serve"}) {
                    QTest::addRow("%dx%d %s %s", size.width(), size.height(), theme, state) << size << QString(theme) << QString(state);
                }
            }
        }
    }
    void nothingIsCutOrOverlaps() {
        QFETCH(QSize, size);
        QFETCH(QString, theme);
        QFETCH(QString, state);
        Window window(catalog(), theme);
        QVERIFY(window.start({}, size));
        if (state == "drawing") {
            window.trigger("cluster.draw");
            window.trigger("edit.select_all");
        }
        if (state == "timeline" || state == "memory") window.trigger("view.workspace." + state);
        if (state == "findings") window.trigger("view.panel.findings");
        if (state == "problem") {
            QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
            window->document().edit("Tensor", {{"/parallelism/tensor", 7}});
            QVERIFY(failed.wait(20000));
            QVERIFY(window->banner().isVisible());
        }
        if (state == "jitter") {
            window->document().edit("Jitter", {{"/execution/jitter", Json{{"sigma", 0.02}, {"method", "analytic"}}}});
            QTRY_VERIFY_WITH_TIMEOUT(window->windowLayout().isPanelShown("jitter"), 20000);
        }
        if (state == "serve") {
            const auto examples = shippedExamples();
            const auto chat = std::find_if(examples.begin(), examples.end(), [](const Example& one) { return one.fileName.contains("chat"); });
            QVERIFY(chat != examples.end());
            QVERIFY(window.resultAfter([&] { window->files().openExample(*chat); }));
            window.trigger("view.workspace.serve");
        }
        if (state == "tensors") window.trigger("view.memory_by_tensor");
        if (state == "no_fit") {
            QSignalSpy mended(&window->worker(), &SimulationWorker::mendsReady);
            window->document().edit("Recompute", {{"/execution/recompute", "none"}, {"/workload/micro_batch_size", 4}});
            QVERIFY(mended.wait(60000));
            QTRY_VERIFY(!window->fitBanner().buttons().empty());
            QVERIFY(window->fitBanner().isVisible());
        }
        QTest::qWait(100);
        QCOMPARE(window->size(), size); // nothing makes the window larger than the screen
        int checked = 0;
        const QStringList faults = faultsOf(*window.window, &checked);
        // A small window shows less of the form, and the other workspaces show none of it.
        const int least = !window->windowLayout().isPanelShown("scenario") ? 15 : size.height() < 720 ? 30
                                                                                                      : 60;
        QVERIFY2(checked > least, qPrintable(QString::number(checked)));
        const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
        if (!folder.isEmpty()) window->grab().save(QStringLiteral("%1/%2-%3-%4.png").arg(folder).arg(size.width()).arg(theme, state));
        QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
    }

    void dialogsFit() {
        Window window(catalog());
        QVERIFY(window.start());
        QApplication::clipboard()->setText("torchrun --nnodes $SLURM_NNODES pretrain_gpt.py --num-layers 40 --hidden-size 5120 --num-attention-heads 40 "
                                           "--seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 128 --bf16 --frobnicate 3");
        for (const char* command : {"help.shortcuts", "help.about", "edit.paste_launch", "file.export.charts", "records.communication"}) {
            window.trigger(command);
            QTest::qWait(50);
            QDialog* dialog = nullptr;
            for (auto* each : window->findChildren<QDialog*>()) {
                if (each->isVisible()) dialog = each;
            }
            QVERIFY2(dialog, command);
            int checked = 0;
            const QStringList faults = faultsOf(*dialog, &checked);
            QVERIFY(checked >= 3);
            QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
            const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
            if (!folder.isEmpty()) dialog->grab().save(QStringLiteral("%1/%2.png").arg(folder, QString::fromLatin1(command)));
            const QByteArray size = QStringLiteral("%1 is %2×%3").arg(command).arg(dialog->width()).arg(dialog->height()).toUtf8();
            QVERIFY2(dialog->width() < 1280 && dialog->height() < 720, size.constData());
            dialog->close();
            QTest::qWait(20);
        }
    }

    void studiesFit_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("theme");
        for (const QSize& size : {QSize(720, 560), QSize(1000, 720), QSize(1900, 1000)})
            for (const char* theme : themes()) QTest::addRow("%dx%d %s", size.width(), size.height(), theme) << size << QString(theme);
    }
    void studiesFit() {
        QFETCH(QSize, size);
        QFETCH(QString, theme);
        Window window(catalog(), theme);
        QVERIFY(window.start());
        window.trigger("learn.study.activation-recomputation");
        auto* study = window->findChild<StudyWindow*>();
        study->resize(size);
        QSignalSpy finished(study, &StudyWindow::finished);
        QVERIFY(finished.wait(120000));
        study->chart()->choose(6);
        QTest::qWait(50);
        QCOMPARE(study->size(), size);
        int checked = 0;
        const QStringList faults = faultsOf(*study, &checked);
        QVERIFY(checked >= 6);
        const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
        if (!folder.isEmpty()) study->grab().save(QStringLiteral("%1/study-%2-%3.png").arg(folder).arg(size.width()).arg(theme));
        QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
    }

    void accuracyFits_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("theme");
        for (const QSize& size : {QSize(820, 560), QSize(1280, 720), QSize(3840, 2160)})
            for (const char* theme : themes()) QTest::addRow("%dx%d %s", size.width(), size.height(), theme) << size << QString(theme);
    }
    void accuracyFits() {
        QFETCH(QSize, size);
        QFETCH(QString, theme);
        Window window(catalog(), theme);
        QVERIFY(window.start());
        window.trigger("simulate.accuracy");
        auto* accuracy = window->findChild<AccuracyWindow*>();
        accuracy->resize(size);
        accuracy->page()->groups()->selectRow(1);
        QTest::qWait(50);
        QCOMPARE(accuracy->size(), size);
        int checked = 0;
        const QStringList faults = faultsOf(*accuracy, &checked);
        QVERIFY(checked >= 8);
        const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
        if (!folder.isEmpty()) accuracy->grab().save(QStringLiteral("%1/accuracy-%2-%3.png").arg(folder).arg(size.width()).arg(theme));
        QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
    }
};

ORRERY_WIDGET_TEST(GeometryTest)
#include "geometry_test.moc"
