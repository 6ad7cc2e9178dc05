// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded traces in the real window: opened as a user opens them, damaged ones, a hybrid scenario, the scenario beside a record.
#include "app/desktop/background/record_worker.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/notices/banner.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/generated_trace.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/recorded/record_panel.hpp"
#include "widgets/recorded/record_table.hpp"
#include "widgets/recorded/wait_matrix.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include <sstream>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;
using test::writeFile;

QByteArray generated(std::size_t bytes, int rank = 0, int world = 1) {
    std::ostringstream out;
    test::writeGeneratedTrace(out, bytes, rank, world);
    return QByteArray::fromStdString(out.str());
}

/// Runs `change` and waits until what it read is on screen, or in a banner.
template <typename Change>
bool recordsAfter(Window& window, Change&& change) {
    QSignalSpy shown(window.window.get(), &MainWindow::recordsShown);
    change();
    return !shown.isEmpty() || shown.wait(30000);
}

} // namespace

class RecordsTest : public QObject {
    Q_OBJECT
private slots:
    void aTraceNamedAtTheStartIsShown() {
        Window window(catalog());
        const QString path = window.path("rank0.json");
        writeFile(path, generated(300'000));
        QVERIFY(recordsAfter(window, [&] { QVERIFY(window.start(path)); })); // `orrery TRACE`
        RecordPanel& panel = *window->views().recorded();
        QVERIFY(panel.records() && panel.records()->hasTimeline());
        QCOMPARE(window->windowLayout().workspace(), QString("recorded"));
        QVERIFY(panel.timeline()->isVisible());
        QVERIFY(!window->views().headline()->isVisible()); // its figures are the scenario's
        QVERIFY(!panel.isReading());
        window->windowLayout().showWorkspace("overview");
        QVERIFY(window->views().headline()->isVisible());
    }

    void severalFilesAreTheRanksOfOneJob() {
        Window window(catalog());
        QVERIFY(window.start());
        for (int rank = 0; rank < 4; ++rank) {
            const QString path = window.path(QStringLiteral("rank%1.json").arg(rank));
            writeFile(path, generated(200'000, rank, 4));
            window.filesAnswer << path;
        }
        QVERIFY(recordsAfter(window, [&] { window.trigger("file.open"); }));
        RecordPanel& panel = *window->views().recorded();
        QCOMPARE(panel.records()->job->ranks.size(), std::size_t(4));
        QVERIFY(!panel.waits()->sentence().isEmpty());
        QCOMPARE(panel.ranks()->rowCount(), 4);
        QVERIFY(panel.foldButton()->isChecked());
        window.trigger("records.fold");
        QVERIFY(!panel.timeline()->isFolded(0));
        window.trigger("records.path");
        QVERIFY(!panel.timeline()->markedStretches().empty());
        window.trigger("records.close");
        QVERIFY(!panel.records());
        QVERIFY(panel.openButton()->isVisible());
        // One scenario may come along, two may not.
        const QString scenario = window.path("a.orrery.json"), other = window.path("b.orrery.json");
        writeFile(scenario, scenarioBytes(window->document().json()));
        writeFile(other, "{}");
        window.filesAnswer = {window.filesAnswer.front(), scenario};
        QVERIFY(recordsAfter(window, [&] { window.trigger("file.open"); }));
        QCOMPARE(window->document().filePath(), scenario);
        QVERIFY(panel.records());
        window.filesAnswer << other;
        window.trigger("file.open");
        QVERIFY2(window->banner().message().contains("a.orrery.json and b.orrery.json are no recorded traces"), qPrintable(window->banner().message()));
    }

    void readingIsCancelledAndLeavesWhatWasThere() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString small = window.path("small.json"), large = window.path("large.json");
        writeFile(small, generated(200'000));
        writeFile(large, generated(60'000'000));
        QVERIFY(recordsAfter(window, [&] { window->openRecords({small}); }));
        const ShownRecordsPtr before = window->views().recorded()->records();
        QSignalSpy progressed(&window->recordWorker(), &RecordWorker::progressed);
        QSignalSpy cancelled(&window->recordWorker(), &RecordWorker::cancelled);
        window->openRecords({large});
        QVERIFY(progressed.wait(20000));
        QVERIFY(window->views().recorded()->isReading());
        QTest::mouseClick(window->views().recorded()->cancelButton(), Qt::LeftButton);
        QCOMPARE(cancelled.size(), 1);
        QVERIFY(!window->views().recorded()->isReading());
        QCOMPARE(window->views().recorded()->records(), before);
    }

    void damagedFilesSayWhatAndWhere_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("said");
        QByteArray cut = generated(200'000);
        cut.truncate(cut.indexOf("traceEvents") + 20); // within the first event: of a later cut the events before are kept
        QTest::newRow("cut off") << cut << "breaks at byte";
        QTest::newRow("packed and cut off") << QByteArray("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c", 12) << "packed file";
        QTest::newRow("another program's events") << QByteArray(R"({"traceEvents": [{"ph": "X", "cat": "toplevel", "name": "ThreadControllerImpl", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})") << "another program's trace";
        QTest::newRow("another program's tables") << QByteArray("SQLite format 3\0", 16) << "SQLite";
    }
    void damagedFilesSayWhatAndWhere() {
        QFETCH(const QByteArray, bytes);
        QFETCH(const QString, said);
        Window window(catalog());
        QVERIFY(window.start());
        const QString path = window.path("damaged.json");
        writeFile(path, bytes);
        QVERIFY(recordsAfter(window, [&] { window->files().openPath(path); }));
        QVERIFY2(window->banner().message().contains(said), qPrintable(window->banner().message()));
        QVERIFY2(window->banner().message().contains("damaged.json"), qPrintable(window->banner().message()));
        // The window stays usable.
        window->windowLayout().showWorkspace("overview");
        QVERIFY(window.resultAfter([&] { window->simulateNow(); }));
        const QString good = window.path("good.json");
        writeFile(good, generated(200'000));
        QVERIFY(recordsAfter(window, [&] { window->openRecords({path, good}); }));
        QVERIFY(window->views().recorded()->records()->hasTimeline());
        QVERIFY2(window->banner().message().contains("The other files are shown"), qPrintable(window->banner().message()));
    }

    void whoKnowsTheRankSaysIt() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString path = window.path("kernels.json");
        writeFile(path, R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5}]})");
        QVERIFY(recordsAfter(window, [&] { window->openRecords({path}); }));
        RecordPanel& panel = *window->views().recorded();
        QVERIFY2(panel.lacksText().contains("Only a list of kernels"), qPrintable(panel.lacksText()));
        window.wholeNumberAnswer = 5;
        QVERIFY(recordsAfter(window, [&] { emit panel.ranks()->view()->activated(panel.ranks()->view()->model()->index(0, 0)); }));
        QCOMPARE(panel.ranks()->text(0, 0), QString("5"));
    }

    void aHybridScenarioShowsWhoWasRecorded() {
        const QString traces = QString::fromStdString(test::sharedPath("traces/dlrm/kineto"));
        const QStringList files = QDir(traces).entryList({"*.gz"}, QDir::Files, QDir::Name);
        if (files.size() != 8) QSKIP("the recorded job is not here");
        Window window(catalog());
        Json document{{"format", "orrery-scenario/1"}, {"name", "DLRM"}, {"hybrid", {{"ranks", Json::object()}}}};
        for (const int rank : {0, 3, 5}) document["hybrid"]["ranks"][std::to_string(rank)] = (traces + '/' + files[rank]).toStdString();
        const QString path = window.path("hybrid.orrery.json");
        writeFile(path, QByteArray::fromStdString(document.dump()));
        QVERIFY(recordsAfter(window, [&] { QVERIFY(window.start(path)); }));
        RecordPanel& panel = *window->views().recorded();
        QVERIFY(panel.records() && panel.records()->hybrid);
        QCOMPARE(panel.ranks()->rowCount(), 8);
        QCOMPARE(panel.ranks()->text(0, 1), QString("recorded"));
        QVERIFY2(panel.ranks()->text(1, 1).startsWith("in the likeness of rank"), qPrintable(panel.ranks()->text(1, 1)));
        const auto& rows = *panel.records()->rows;
        QVERIFY(!rows.stages[3].isVirtual && rows.stages[4].isVirtual);
        QVERIFY(!panel.waits()->sentence().isEmpty());
        QVERIFY(window->problems().empty());
    }

    void theScenarioStandsBesideItsRecord() {
        // What the scenario itself would have recorded is a record of it: errors are small, and known.
        Window window(catalog());
        QVERIFY(window.start());
        const QString path = window.path("rank0.json");
        writeFile(path, generated(300'000));
        QVERIFY(recordsAfter(window, [&] { window->openRecords({path}); }));
        RecordPanel& panel = *window->views().recorded();
        QTRY_VERIFY(panel.besideButton()->isEnabled());
        const std::size_t stages = panel.records()->record->timeline.stages.size();
        QVERIFY(recordsAfter(window, [&] { QTest::mouseClick(panel.besideButton(), Qt::LeftButton); }));
        QVERIFY(panel.records()->beside);
        QCOMPARE(panel.records()->record->timeline.stages.size(), stages + 1);
        QVERIFY(panel.records()->rows->stages.back().isVirtual);
        QCOMPARE(panel.tabs()->currentWidget(), static_cast<QWidget*>(panel.beside()));
        QVERIFY(panel.beside()->rowCount() >= 4);
        QVERIFY2(panel.beside()->scope().contains("recorded"), qPrintable(panel.beside()->scope()));
        // The record is of another job: that is said, and none of its rates is offered to this scenario.
        QVERIFY(!panel.records()->beside->foreign.empty());
        QVERIFY(!panel.records()->beside->calibration);
        QVERIFY(!panel.calibrationButton()->isVisible());
        QVERIFY2(panel.beside()->scope().startsWith("Another job"), qPrintable(panel.beside()->scope()));
        QVERIFY(recordsAfter(window, [&] { QTest::mouseClick(panel.besideButton(), Qt::LeftButton); }));
        QCOMPARE(panel.records()->record->timeline.stages.size(), stages);
    }
};

ORRERY_WIDGET_TEST(RecordsTest)
#include "records_test.moc"
