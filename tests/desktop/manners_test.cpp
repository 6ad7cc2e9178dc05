// SPDX-License-Identifier: GPL-3.0-or-later
// What a person trips over in the window: notices, titles, messages, studies, searches.

#include "app/desktop/commands/command_palette.hpp"
#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/title_row.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/scale_choice.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/notices/fit_banner.hpp"
#include "app/desktop/notices/notice_place.hpp"
#include "app/desktop/pages/study_window.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/insight/difference_bars.hpp"
#include "widgets/insight/operator_table.hpp"
#include "widgets/insight/why_panel.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/roofline/roofline_plot.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

Json exampleDocument() { return firstExample().document; }

QString written(Window& window, const QString& name, const Json& document) {
    QFile file(window.path(name));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no temporary file");
    file.write(QByteArray::fromStdString(document.dump()));
    return window.path(name);
}

/// The widget that a mouse at this place of the screen would reach.
QWidget* under(MainWindow& window, const QPoint& onScreen) { return window.childAt(window.mapFromGlobal(onScreen)); }

/// Where everything is that is no notice.
std::map<QString, QRect> placesOf(MainWindow& window) {
    std::map<QString, QRect> places;
    for (const QWidget* widget : {static_cast<QWidget*>(window.views().headline()), window.views().formPanel(), window.views().clusterPanel(),
                                  window.views().timelinePanel(), window.views().memoryPanel(), static_cast<QWidget*>(&window.statusRow())})
        places[QString::fromLatin1(widget->metaObject()->className())] = QRect(widget->mapTo(&window, QPoint(0, 0)), widget->size());
    return places;
}

bool makeTooLarge(Window& window) {
    QSignalSpy mended(&window->worker(), &SimulationWorker::mendsReady);
    window->document().edit("Recompute", {{"/execution/recompute", "none"}, {"/workload/micro_batch_size", 4}});
    return mended.wait(60000) && QTest::qWaitFor([&] { return window->fitBanner().isVisible() && !window->fitBanner().buttons().empty(); });
}

} // namespace

class MannersTest : public QObject {
    Q_OBJECT
private slots:
    void theSizeOfEverythingIsKeptForTheNextStart() {
        Window window(catalog());
        QVERIFY(window.start());
        QCOMPARE(scaleIn(*window.settings), 100);
        window.trigger("view.scale.150");
        QCOMPARE(scaleIn(*window.settings), 150);
        QVERIFY(window->commands().action("view.scale.150")->isChecked());
        QVERIFY2(window->banner().message().contains("starts again"), qPrintable(window->banner().message()));
        window.settings->setValue("scale", "much");
        QCOMPARE(scaleIn(*window.settings), 100);
    }

    void aSizeThatTheEnvironmentStatesStands() {
        const QByteArray before = qgetenv("QT_SCALE_FACTOR");
        qputenv("QT_SCALE_FACTOR", "1.1");
        applyScale(200);
        QCOMPARE(qgetenv("QT_SCALE_FACTOR"), QByteArray("1.1"));
        qunsetenv("QT_SCALE_FACTOR");
        applyScale(100);
        QVERIFY(qEnvironmentVariableIsEmpty("QT_SCALE_FACTOR"));
        applyScale(200);
        QCOMPARE(qgetenv("QT_SCALE_FACTOR"), QByteArray("2"));
        before.isNull() ? qunsetenv("QT_SCALE_FACTOR") : qputenv("QT_SCALE_FACTOR", before);
    }

    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void noticesMoveNothing() {
        Window window(catalog());
        QVERIFY(window.start());
        const auto before = placesOf(*window.window);
        window->banner().showMessage(Banner::Tone::note, "A note.", "And what would do.", {}, true);
        QTest::qWait(30);
        QVERIFY(window->banner().isVisible());
        QVERIFY(placesOf(*window.window) == before);
        QVERIFY(makeTooLarge(window));
        QTest::qWait(30);
        QVERIFY(placesOf(*window.window) == before);
        // Both can be read: nothing of them lies outside the window or on the row below.
        const QRect place(window->banner().mapTo(&*window.window, QPoint(0, 0)), window->fitBanner().mapTo(&*window.window, QPoint(window->fitBanner().width(), window->fitBanner().height())));
        QVERIFY(window->rect().contains(place));
        QVERIFY(place.bottom() <= window->statusRow().mapTo(&*window.window, QPoint(0, 0)).y());
        QVERIFY(place.width() > 500);
    }

    void aSecondClickOnAMendHitsNothingElse() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(makeTooLarge(window));
        QTest::qWait(30);
        QPushButton* mend = window->fitBanner().buttons().front();
        const QPoint spot = mend->mapToGlobal(mend->rect().center());
        QCOMPARE(under(*window.window, spot), mend);
        const int steps = window->document().undoStack().count();
        QVERIFY(window.resultAfter([&] { QTest::mouseClick(mend, Qt::LeftButton); }));
        QVERIFY(window->result()->fits);
        QVERIFY(!window->fitBanner().isVisible());
        QCOMPARE(window->document().undoStack().count(), steps + 1);
        // The hand has not moved: what it finds there takes the click and does nothing.
        QWidget* there = under(*window.window, spot);
        auto* place = window->findChild<NoticePlace*>();
        QVERIFY(place && place->isHeld());
        QVERIFY2(there == place || place->isAncestorOf(there), there->metaObject()->className());
        QTest::mouseClick(there, Qt::LeftButton, {}, there->mapFromGlobal(spot));
        QTest::qWait(20);
        QCOMPARE(window->document().undoStack().count(), steps + 1);
        QVERIFY(window->views().cluster()->selection().empty());
        // A moment later the place is given back.
        QTRY_VERIFY_WITH_TIMEOUT(!place->isVisible(), 5000);
    }

    void aNoticeIsGoneWhenTheMouseMovesOn() {
        Window window(catalog());
        QVERIFY(window.start());
        window->banner().showMessage(Banner::Tone::note, "A note.", {}, {}, true);
        QTest::qWait(30);
        auto* place = window->findChild<NoticePlace*>();
        auto* dismiss = window->banner().findChild<QPushButton*>();
        QVERIFY(place->isVisible() && dismiss);
        QTest::mouseClick(dismiss, Qt::LeftButton);
        QVERIFY(place->isHeld());
        QTest::mouseMove(window->views().cluster(), QPoint(60, 60));
        QTRY_VERIFY_WITH_TIMEOUT(!place->isVisible(), 500);
    }

    void aFaultyFileShowsNoOtherScenariosNumbers() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(window->result());
        Json faulty = exampleDocument();
        faulty["name"] = "Faulty";
        faulty["parallelism"]["tensor"] = 7;
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        QVERIFY(window->files().openPath(written(window, "faulty.orrery.json", faulty)));
        QVERIFY(failed.wait(20000));
        QVERIFY(window->document().displayName().contains("faulty"));
        QVERIFY(!window->result());
        for (const FigureTile* tile : window->views().headline()->tiles())
            QVERIFY2(!tile->figure().number.contains(QRegularExpression("[0-9]")), qPrintable(tile->figure().number));
        QVERIFY(window->views().timeline()->csv().isEmpty());
        QVERIFY(!window->commands().action("file.export.trace")->isEnabled());
        // An edit of one's own that can't run keeps the last picture: it is of this scenario.
        QVERIFY(window.resultAfter([&] { window->document().edit("Tensor", {{"/parallelism/tensor", 8}}); }));
        const ResultPtr own = window->result();
        failed.clear();
        window->document().edit("Tensor", {{"/parallelism/tensor", 7}});
        QVERIFY(failed.wait(20000));
        QVERIFY(window->result() == own);
    }

    void whatDoesNotFitIsAProblem() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(window->statusRow().problemsButton()->text().contains("No problems"));
        QVERIFY(makeTooLarge(window));
        QVERIFY2(!window->statusRow().problemsButton()->text().contains("No problems"), qPrintable(window->statusRow().problemsButton()->text()));
        QVERIFY2(window->statusRow().problemsButton()->text().contains("Doesn't fit"), qPrintable(window->statusRow().problemsButton()->text()));
        bool listed = false;
        for (const QTableView* list : window->views().findingsPanel()->findChildren<QTableView*>())
            for (int column = 0; list->model()->rowCount() > 0 && column < list->model()->columnCount(); ++column)
                listed = listed || list->model()->index(0, column).data().toString().startsWith("Does not fit");
        QVERIFY(listed);
        QVERIFY(window.resultAfter([&] { window.trigger("edit.undo"); }));
        QVERIFY(window->statusRow().problemsButton()->text().contains("No problems"));
    }

    void theRowAtTheBottomIsPlainText() {
        Window window(catalog());
        QVERIFY(window.start());
        ClusterCanvas& canvas = *window->views().cluster();
        int told = 0;
        for (int y = 40; y < canvas.height(); y += 3)
            for (int x = 4; x < canvas.width(); x += 9) {
                const QString rich = canvas.describe(QPointF(x, y));
                if (!rich.contains(QStringLiteral("GB/s each way ("))) continue; // a cable
                QTest::mouseMove(&canvas, QPoint(2, canvas.height() - 2));
                QTest::mouseMove(&canvas, QPoint(x, y));
                const QString hint = window->statusRow().hint();
                if (hint.isEmpty()) continue; // a handle lies over it
                ++told;
                QVERIFY2(!hint.contains('<') && !hint.contains('&') && !hint.contains('\n'), qPrintable(hint));
                QVERIFY2(hint.contains("GB/s"), qPrintable(hint));
                y += 40;
                break;
            }
        QVERIFY(told >= 1);
    }

    void aCableTakenDownShowsTheDifference() {
        Window window(catalog());
        QVERIFY(window.start());
        ClusterCanvas& canvas = *window->views().cluster();
        const auto delta = [&] { return window->views().headline()->tiles().front()->figure().change; };
        QVERIFY(delta().isEmpty());
        const double asDrawn = window->result()->training()->iterationTime;
        canvas.setSelection({{}, {canvas.document().keyOf(canvas.document().links().front())}});
        // Lines are softened at their edges: near the colour of what is wrong is enough.
        const auto wrongPixels = [&] {
            const QColor error = window->theme().colors().error;
            const QImage drawn = canvas.grab().toImage();
            int count = 0;
            for (int y = 40; y < drawn.height(); ++y)
                for (int x = 0; x < drawn.width() - 260; ++x) { // the list of what-ifs is at the right
                    const QColor pixel = drawn.pixelColor(x, y);
                    count += std::abs(pixel.red() - error.red()) + std::abs(pixel.green() - error.green()) + std::abs(pixel.blue() - error.blue()) < 120;
                }
            return count;
        };
        const int beforeIt = wrongPixels();
        QVERIFY(window.resultAfter([&] { canvas.takeSelectionDown(); }));
        const double now = window->result()->training()->iterationTime;
        QVERIFY(now > asDrawn);
        // Still chosen, it is drawn as down: the drawing has the colour of what is wrong.
        QVERIFY(!canvas.selection().links.empty());
        canvas.setProblems({});
        QVERIFY2(wrongPixels() > beforeIt + 20, qPrintable(QString("%1, before %2").arg(wrongPixels()).arg(beforeIt)));
        QVERIFY2(delta().contains(QLocale(QLocale::English).toString((now / asDrawn - 1) * 100, 'f', 1).left(3)), qPrintable(delta()));
        // Another number changed as well: no longer the same work, nothing to compare with.
        QVERIFY(window.resultAfter([&] { window->document().edit("Batch", {{"/workload/sequence_length", 4096}}); }));
        QVERIFY(delta().isEmpty());
        QVERIFY(window.resultAfter([&] { canvas.restoreEverything(); }));
        QVERIFY(delta().isEmpty());
        canvas.setSelection({{}, {canvas.document().keyOf(canvas.document().links().front())}});
        QVERIFY(window.resultAfter([&] { canvas.takeSelectionDown(); }));
        QVERIFY(!delta().isEmpty());
    }

    void aPinnedBaselineStaysUntilItIsTakenOff() {
        Window window(catalog());
        QVERIFY(window.start());
        const auto delta = [&] { return window->views().headline()->tiles().front()->figure().change; };
        const auto ghosts = [&] { return window->views().roofline()->plot()->ghosts(); };
        const auto against = [&] { return window->views().why()->differenceText(); };
        const double pinned = window->result()->training()->iterationTime;
        QVERIFY(delta().isEmpty() && against().isEmpty() && ghosts() == 0);
        QTest::keyClick(window.window.get(), Qt::Key_F9);
        QVERIFY(against().contains("the same"));
        QVERIFY(window->views().why()->difference().parts().empty());
        QVERIFY(ghosts() > 3);
        for (const int tensor : {4, 2}) {
            QVERIFY(window.resultAfter([&] { window->document().edit("Tensor", {{"/parallelism/tensor", tensor}}); }));
            const double now = window->result()->training()->iterationTime;
            const QString percent = QLocale(QLocale::English).toString(std::abs(now / pinned - 1) * 100, 'f', 1);
            QVERIFY2(delta().contains(percent), qPrintable(delta() + " for " + percent));
            QVERIFY2(against().contains(percent), qPrintable(against()));
            // What is shown of the parts adds up to nearly all of the difference.
            double shown = 0, all = 0;
            for (const auto& part : window->views().why()->difference().parts()) {
                shown += part.delta;
                all += std::abs(part.delta);
            }
            QVERIFY2(std::abs(shown - (now - pinned)) <= 0.05 * all, qPrintable(QString::number(shown)));
        }
        QVERIFY(window.resultAfter([&] { window->document().undoStack().undo(); }));
        QVERIFY(!delta().isEmpty());
        window.trigger("simulate.pin");
        QVERIFY(delta().isEmpty() && against().isEmpty() && ghosts() == 0);
    }

    void messagesCallNodesAsTheDrawingDoes() {
        Window window(catalog());
        QVERIFY(window.start());
        ClusterCanvas& canvas = *window->views().cluster();
        const DrawnLink& link = canvas.document().links().front();
        const DrawnNode leaf = canvas.document().nodes()[static_cast<std::size_t>(link.to)];
        QVERIFY(!leaf.label.empty() && leaf.label != leaf.id);
        const QString label = QString::fromStdString(leaf.label), id = QString::fromStdString(leaf.id);
        canvas.setSelection({{}, {canvas.document().keyOf(link)}});
        QVERIFY(window.resultAfter([&] { canvas.takeSelectionDown(); }));
        QVERIFY2(canvas.whatIfs().front().text.contains(label) && !canvas.whatIfs().front().text.contains(id), qPrintable(canvas.whatIfs().front().text));
        const QString step = window->document().undoStack().undoText();
        QVERIFY2(step.contains(label) && !step.contains(id), qPrintable(step));
        // The reader's own messages name both: the drawing's name, and the id that links refer to.
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        canvas.restoreEverything();
        Json broken = window->document().json();
        broken["cluster"]["topology"]["links"].push_back({{"from", id.toStdString()}, {"to", id.toStdString()}, {"bandwidth_gb_s", 50}});
        window->document().edit("Broken", {{"", broken}});
        QVERIFY(failed.wait(20000));
        QVERIFY2(window->banner().message().contains(label), qPrintable(window->banner().message()));
    }

    void aSearchWithoutAFindSaysSo() {
        Window window(catalog());
        QVERIFY(window.start());
        auto* search = window->views().timeline()->findChild<QLineEdit*>();
        search->setFocus();
        QTest::keyClicks(search, "frobnicate");
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY2(window->statusRow().hint().contains("frobnicate"), qPrintable(window->statusRow().hint()));
        QVERIFY(!search->accessibleDescription().isEmpty());
        search->clear();
        QVERIFY(search->accessibleDescription().isEmpty());

        auto* filter = window->views().operators()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "frobnicate");
        auto* nothing = window->views().operators()->findChild<QLabel*>("no_match");
        QVERIFY(nothing && nothing->isVisible() && nothing->text().contains("frobnicate"));
        filter->clear();
        QVERIFY(!nothing->isVisible());

        window.trigger("view.palette");
        auto* palette = window->findChild<CommandPalette*>();
        QTest::keyClicks(palette->input(), "frobnicate");
        QVERIFY(palette->shownIds().isEmpty());
        QTest::keyClick(palette->input(), Qt::Key_Return); // the line that says so is no command
        QVERIFY(palette->isVisible());
    }

    void deletingTheLastHostSaysSo() {
        Window window(catalog());
        QVERIFY(window.start());
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        window->views().cluster()->selectAll();
        window->views().cluster()->deleteSelection();
        QVERIFY2(window->statusRow().hint().contains("host"), qPrintable(window->statusRow().hint()));
        QVERIFY(failed.wait(20000));
        QVERIFY2(window->banner().isVisible() && window->banner().message().contains("host"), qPrintable(window->banner().message()));
    }

    void aStudyOpensOnceAndInFront() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString command = "learn.study.activation-recomputation";
        window.trigger(command);
        auto studies = window->findChildren<StudyWindow*>(QString(), Qt::FindDirectChildrenOnly);
        QCOMPARE(studies.size(), 1);
        QTRY_VERIFY(QApplication::activeWindow() == studies.front());
        window->activateWindow();
        QTRY_VERIFY(QApplication::activeWindow() == &*window.window);
        window.trigger(command);
        QCOMPARE(window->findChildren<StudyWindow*>(QString(), Qt::FindDirectChildrenOnly).size(), 1);
        QTRY_VERIFY(QApplication::activeWindow() == studies.front());
        window.trigger("learn.study.llama-2-gemm-bounds"); // another study has its own
        QCOMPARE(window->findChildren<StudyWindow*>(QString(), Qt::FindDirectChildrenOnly).size(), 2);
        for (StudyWindow* study : window->findChildren<StudyWindow*>(QString(), Qt::FindDirectChildrenOnly)) study->close();
    }

    void noMachineWordsInSentences() {
        Window window(catalog());
        QVERIFY(window.start());
        window->document().edit("Pass", {{"/parallelism/zero_stage", 0}});
        QTRY_VERIFY_WITH_TIMEOUT(!window->worker().isRunning(), 20000);
        QTest::qWait(300); // what the passes do comes after the result
        static const QRegularExpression machineWord("(^|[ (“])(/[a-z_]+/|[a-z]+_[a-z_]+)");
        for (const QLabel* label : window->findChildren<QLabel*>())
            QVERIFY2(!machineWord.match(label->text()).hasMatch(), qPrintable(label->text()));
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        window->document().edit("Bandwidth", {{"/cluster/topology/links/0/bandwidth_gb_s", 0}});
        QVERIFY(failed.wait(20000));
        QVERIFY2(window->banner().message().contains("Bandwidth must be"), qPrintable(window->banner().message()));
        window.trigger("simulate.problems");
        for (const QTableView* table : window->views().findingsPanel()->findChildren<QTableView*>()) {
            for (int row = 0; row < table->model()->rowCount(); ++row)
                for (int column = 0; column < table->model()->columnCount(); ++column) {
                    const QString text = table->model()->index(row, column).data().toString();
                    QVERIFY2(!text.startsWith('/') && !text.contains("_"), qPrintable(text));
                }
        }
    }
};

ORRERY_WIDGET_TEST(MannersTest)
#include "manners_test.moc"
