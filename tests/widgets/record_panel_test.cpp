// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of recorded ranks driven as a user drives it, over real recordings and generated ones.
#include "core/base/json.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/generated_trace.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/recorded/record_panel.hpp"
#include "widgets/recorded/record_table.hpp"
#include "widgets/recorded/record_words.hpp"
#include "widgets/recorded/wait_matrix.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <sstream>

using namespace orrery;

namespace {

RecordedRank rankFrom(const std::string& bytes, const std::string& name) {
    Problems problems;
    auto trace = readDeviceTrace(bytes, name, problems);
    if (!trace) return {name, std::nullopt, std::make_shared<const KinetoTrace>()};
    const auto rank = trace->rank;
    return {name, rank, std::make_shared<const KinetoTrace>(std::move(*trace))};
}

RecordedRank generatedRank(int rank, int world) {
    std::ostringstream out;
    test::writeGeneratedTrace(out, 400'000, rank, world);
    return rankFrom(out.str(), "rank" + std::to_string(rank) + ".json");
}

ShownRecordsPtr shownFrom(std::vector<RecordedRank> ranks) {
    auto shown = std::make_shared<ShownRecords>();
    layOut(*shown, std::move(ranks));
    return shown;
}

std::vector<RecordedRank> dlrm() {
    std::vector<RecordedRank> ranks;
    const QDir folder(QString::fromStdString(test::sharedPath("traces/dlrm/kineto")));
    for (const QFileInfo& info : folder.entryInfoList({"*.gz"}, QDir::Files, QDir::Name)) {
        QFile file(info.filePath());
        if (file.open(QIODevice::ReadOnly)) ranks.push_back(rankFrom(file.readAll().toStdString(), info.fileName().toStdString()));
    }
    return ranks;
}

struct PanelStand {
    Theme theme;
    RecordPanel panel{theme};
    explicit PanelStand(const ShownRecordsPtr& records = nullptr) {
        panel.resize(1280, 800);
        panel.show();
        panel.setRecords(records);
    }
    /// The first bar of a row that the view shows, clicked.
    void clickBar(int stage, StreamKind stream) {
        const auto bars = panel.timeline()->visibleIntervals(stage, stream);
        if (bars.empty()) qFatal("no bar");
        const QRect lane = panel.timeline()->laneArea(stage, stream);
        QTest::mouseClick(panel.timeline(), Qt::LeftButton, {}, QPoint(static_cast<int>(panel.timeline()->xOf((bars.front().start + bars.front().end) / 2)), lane.center().y()));
    }
};

QString plain(QString text) { return text.replace(QChar(0x2009), u' '); }

} // namespace

class RecordPanelTest : public QObject {
    Q_OBJECT
private slots:
    void anEmptyPanelSaysWhatWouldBeThereAndOpens() {
        PanelStand stand;
        QVERIFY(stand.panel.openButton()->isVisible());
        QSignalSpy asked(&stand.panel, &RecordPanel::openRequested);
        QTest::mouseClick(stand.panel.openButton(), Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
    }

    void progressIsShownAndCancelled() {
        PanelStand stand;
        stand.panel.setProgress("Reading a.json…", 0.4);
        QVERIFY(stand.panel.isReading() && stand.panel.cancelButton()->isVisible());
        QSignalSpy cancelled(&stand.panel, &RecordPanel::cancelRequested);
        QTest::mouseClick(stand.panel.cancelButton(), Qt::LeftButton);
        QCOMPARE(cancelled.size(), 1);
        stand.panel.setIdle();
        QVERIFY(!stand.panel.isReading());
    }

    void ranksOfAJobStandFoldedAndOpenByTheirTriangle() {
        const auto ranks = dlrm();
        if (ranks.size() != 8) QSKIP("the recorded job is not here");
        PanelStand stand(shownFrom(ranks));
        TimelineView& view = *stand.panel.timeline();
        QCOMPARE(stand.panel.records()->record->timeline.stages.size(), std::size_t(8));
        for (int place = 0; place < 8; ++place) QVERIFY(view.isFolded(place));
        QVERIFY(view.laneArea(3, StreamKind(2)).isEmpty());
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.foldArea(3).center());
        QVERIFY(!view.isFolded(3));
        QVERIFY(!view.laneArea(3, StreamKind(2)).isEmpty());
        QVERIFY(view.isFolded(4));
        // The key folds the rank whose bar is chosen.
        stand.clickBar(3, StreamKind(2));
        QVERIFY(view.focusedSpan());
        QTest::keyClick(&view, Qt::Key_O);
        QVERIFY(view.isFolded(3));
        QVERIFY2(stand.panel.figuresText().contains("waiting for other ranks"), qPrintable(stand.panel.figuresText()));
    }

    void whoWaitsForWhomIsAMatrix() {
        const auto ranks = dlrm();
        if (ranks.size() != 8) QSKIP("the recorded job is not here");
        PanelStand stand(shownFrom(ranks));
        stand.panel.tabs()->setCurrentIndex(2);
        QVERIFY(stand.panel.waits()->isVisible());
        QVERIFY2(stand.panel.waits()->sentence().contains("is waited for longest"), qPrintable(stand.panel.waits()->sentence()));
        const QString said = plain(stand.panel.waits()->describeAt(stand.panel.waits()->cellArea(0, 7).center()));
        QVERIFY2(said.startsWith("Rank 0 waits ") && said.endsWith(" for Rank 7"), qPrintable(said));
        QTest::mouseClick(stand.panel.waits(), Qt::LeftButton, {}, stand.panel.waits()->cellArea(5, 1).center().toPoint());
        QCOMPARE(stand.panel.selection().stage(), 5);
    }

    void aHybridOverAPlanSaysWhoHangsWhoseMemoryEndsAndWhatWasLeftOut() {
        const auto row = [](int rank, bool recorded) { return Json{{"rank", rank}, {"class", "stage 0"}, {"source", recorded ? "recorded" : "class"}, {"file", recorded ? Json("rank0.json") : Json()}, {"waiting_s", recorded ? Json(0.1) : Json()}, {"transit_s", recorded ? Json(0.2) : Json()}, {"peak_bytes", nullptr}}; };
        Json document = {{"iteration_time_s", 0.25}, {"ranks", {row(0, true), row(1, false)}}, {"pruned", {{"tasks", 0}, {"ranks", 0}}}};
        const auto saidOf = [](const Json& shown) {
            auto records = std::make_shared<ShownRecords>();
            records->hybrid = BoxedJson(shown);
            PanelStand stand(records);
            return plain(filesSummary(*records)) + '|' + plain(stand.panel.lacksText());
        };
        QVERIFY2(saidOf(document).contains("250.0 ms an iteration"), qPrintable(saidOf(document)));
        QVERIFY(!saidOf(document).contains("Left out") && !saidOf(document).contains("never ends"));
        document["iteration_time_s"] = nullptr;
        document["hang"] = {{"collective", 3}, {"name", "pipeline.send_activations"}, {"missing", {1}}, {"waiting", {5}}, {"blocked", {0, 2}}};
        document["out_of_memory"] = {{"rank", 0}, {"event", 17}, {"time_s", 0.1}, {"bytes", 4096}, {"reserved_bytes", 2e9}, {"operator", "aten::empty"}};
        document["pruned"] = {{"tasks", 40}, {"ranks", 2}};
        const QString said = saidOf(document);
        for (const char* part : {"Collective 3 never ends: 1 ranks wait for rank 1.", "2 more ranks wait", "Rank 0 goes beyond the memory at its event 17", "in aten::empty", "40 tasks, 2 ranks whole"}) QVERIFY2(said.contains(part), qPrintable(said));
    }

    void oneRankOfAClassStandsForAll() {
        auto records = std::make_shared<ShownRecords>(*shownFrom({generatedRank(0, 4), generatedRank(1, 4), generatedRank(2, 4), generatedRank(3, 4)}));
        records->job.reset();
        Json ranks = Json::array();
        for (int rank = 0; rank < 4; ++rank) ranks.push_back({{"rank", rank}, {"class", rank < 3 ? "stage 0" : "stage 1"}, {"source", "class"}, {"file", nullptr}});
        records->hybrid = BoxedJson(Json{{"iteration_time_s", 0.25}, {"ranks", ranks}, {"pruned", {{"tasks", 0}, {"ranks", 0}}}});
        const std::map<int, QString> standIns = standInsOf(*records);
        QCOMPARE(standIns.size(), std::size_t(2));
        QVERIFY2(plain(standIns.at(0)).contains("stage 0") && plain(standIns.at(0)).contains("3 ranks"), qPrintable(standIns.at(0)));
        QVERIFY2(plain(standIns.at(3)).contains("1 rank"), qPrintable(standIns.at(3)));
        PanelStand stand(records);
        TimelineView& view = *stand.panel.timeline();
        view.setAllFolded(true);
        const QRect before = view.foldArea(3);
        stand.panel.classButton()->click();
        QVERIFY(view.isHidden(1) && view.isHidden(2) && !view.isHidden(0) && !view.isHidden(3));
        QVERIFY(view.foldArea(1).isEmpty());
        QVERIFY(view.foldArea(3).top() < before.top());
        // A rank that is chosen in the table comes out from behind the other.
        stand.panel.ranks()->view()->selectRow(1);
        QVERIFY(!view.isHidden(1) && !view.isFolded(1));
        QVERIFY(!stand.panel.classButton()->isChecked());
    }

    void aStretchIsSummedByOperatorStreamAndRank() {
        PanelStand stand(shownFrom({generatedRank(0, 2), generatedRank(1, 2)}));
        RecordTable& sums = *stand.panel.sums();
        QVERIFY2(sums.scope().startsWith("Whole record"), qPrintable(sums.scope()));
        const int all = sums.rowCount();
        QVERIFY(all >= 5); // four kernels, the all-reduce, waiting in it
        const double duration = stand.panel.records()->record->timeline.duration;
        // Dragged over the timeline: what lies in the stretch, and no more.
        TimelineView& view = *stand.panel.timeline();
        const QPoint from(static_cast<int>(view.xOf(duration * 0.25)), view.lanesArea().center().y()), to(static_cast<int>(view.xOf(duration * 0.5)), from.y());
        QTest::mousePress(&view, Qt::LeftButton, {}, from);
        QTest::mouseMove(&view, (from + to) / 2);
        QTest::mouseMove(&view, to);
        QTest::mouseRelease(&view, Qt::LeftButton, {}, to);
        QVERIFY2(sums.scope().startsWith("Selection"), qPrintable(sums.scope()));
        stand.panel.sumBy()->setCurrentIndex(2);
        QCOMPARE(sums.rowCount(), 2);
        QCOMPARE(sums.text(0, 0), QString("Rank 0"));
        stand.panel.sumBy()->setCurrentIndex(1);
        QVERIFY(sums.rowCount() >= 4); // two streams of two ranks
        stand.panel.sumOf()->setCurrentIndex(1);
        QVERIFY2(sums.text(0, 1).startsWith("host"), qPrintable(sums.text(0, 1)));
        stand.panel.sumBy()->setCurrentIndex(0);
        sums.filter()->setText("aten::linear");
        QCOMPARE(sums.rowCount(), 1);
        // A chosen row is marked on the timeline.
        sums.view()->selectRow(0);
        QCOMPARE(stand.panel.selection().operatorName(), QString("aten::linear"));
    }

    void arrowsLeadFromTheLaunchOfWhatIsChosen() {
        PanelStand stand(shownFrom({generatedRank(0, 2), generatedRank(1, 2)}));
        stand.panel.timeline()->setVisibleRange(0, 2e-4);
        const auto& names = stand.panel.records()->record->timeline.streamNames;
        const auto kind = static_cast<StreamKind>(std::find(names.begin(), names.end(), "stream 7") - names.begin());
        stand.clickBar(0, kind);
        QCOMPARE(stand.panel.timeline()->arrows().size(), std::size_t(1));
        const TimelineArrow& arrow = stand.panel.timeline()->arrows().front();
        QVERIFY(arrow.fromTime <= arrow.toTime);
        QCOMPARE(stand.panel.records()->record->rows[0][arrow.fromStream], RecordRow::host);
        QTest::keyClick(stand.panel.timeline(), Qt::Key_Escape);
        QVERIFY(stand.panel.timeline()->arrows().empty());
    }

    void theCriticalPathIsUnderlinedAndListed() {
        PanelStand stand(shownFrom({generatedRank(0, 2), generatedRank(1, 2)}));
        QTest::mouseClick(stand.panel.pathButton(), Qt::LeftButton);
        QVERIFY(!stand.panel.timeline()->markedStretches().empty());
        QCOMPARE(stand.panel.tabs()->currentWidget(), static_cast<QWidget*>(stand.panel.path()));
        QVERIFY(stand.panel.path()->rowCount() >= 2);
        QTest::mouseClick(stand.panel.pathButton(), Qt::LeftButton);
        QVERIFY(stand.panel.timeline()->markedStretches().empty());
    }

    void whatARecordDoesNotSayIsSaid() {
        RecordedRank bare = rankFrom(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5}]})", "kernels.json");
        PanelStand stand(shownFrom({bare}));
        QVERIFY2(stand.panel.lacksText().contains("Only a list of kernels"), qPrintable(stand.panel.lacksText()));
        QVERIFY(stand.panel.lacksText().contains("does not say its rank"));
        // Whoever knows the rank says so.
        QSignalSpy asked(&stand.panel, &RecordPanel::rankRequested);
        stand.panel.tabs()->setCurrentIndex(1);
        emit stand.panel.ranks()->view()->activated(stand.panel.ranks()->view()->model()->index(0, 0));
        QCOMPARE(asked.size(), 1);
        bare.rank = 3;
        stand.panel.setRecords(shownFrom({bare}));
        QCOMPARE(stand.panel.ranks()->text(0, 0), QString("3"));
    }

    void ranksThatAreNotOfOneJobStandSideBySide() {
        RecordedRank other = generatedRank(0, 2);
        PanelStand stand(shownFrom({generatedRank(0, 2), other}));
        QVERIFY2(stand.panel.lacksText().contains("not taken together"), qPrintable(stand.panel.lacksText()));
        QVERIFY(stand.panel.waits()->sentence().isEmpty());
    }

    void everyThemeIsTold() {
        PanelStand stand(shownFrom({generatedRank(0, 1)}));
        for (const ThemeVariant variant : {ThemeVariant::dark, ThemeVariant::high_contrast, ThemeVariant::light}) {
            stand.theme.setVariant(variant);
            const QImage shot = stand.panel.timeline()->grab().toImage();
            QCOMPARE(shot.pixelColor(shot.width() - 2, shot.height() - 2), stand.theme.colors().panel);
        }
    }
};

ORRERY_WIDGET_TEST(RecordPanelTest)
#include "record_panel_test.moc"
