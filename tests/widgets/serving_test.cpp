// SPDX-License-Identifier: GPL-3.0-or-later
// Served requests: the numbers that the charts and the table show are the report's.
#include "tests/support/chart_checks.hpp"

#include "tests/support/widget_test.hpp"
#include "widgets/cluster/scene/rank_stages.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/headline/figure_maker.hpp"
#include "widgets/serving/counter_chart.hpp"
#include "widgets/serving/latency_chart.hpp"
#include "widgets/serving/request_lanes.hpp"
#include "widgets/serving/request_page.hpp"
#include "widgets/serving/serving_panel.hpp"
#include "widgets/timeline/names.hpp"

#include <QTableView>
#include <QTest>

#include <numeric>

using namespace orrery;

namespace {

/// 100 requests, one each tenth of a second: request i waits i ms, prefills in 20 ms and decodes 11 tokens in 100 ms; the last is rejected.
ResultPtr someResult() {
    auto result = std::make_shared<Result>();
    ServingWorkload workload;
    workload.slo.ttft = 0.0695;
    result->scenario.workload = workload;
    auto list = std::make_shared<RequestList>();
    ServingReport report;
    std::vector<double> ttft, tpot, e2e;
    for (int i = 0; i < 100; ++i) {
        Request request;
        request.arrival = 0.1 * i;
        request.input = 100 + i;
        request.output = 11;
        list->requests.push_back(request);
        RequestRecord record;
        record.arrival = request.arrival;
        if (i == 99) {
            record.rejection = Rejection::longer_than_pool;
        } else {
            record.queued = 0.001 * i;
            record.admitted = record.arrival + record.queued;
            record.firstToken = record.prefilled = record.admitted + 0.02;
            record.finish = record.firstToken + 0.1;
            record.instance = record.prefillInstance = 0;
            ttft.push_back(record.firstToken - record.arrival);
            tpot.push_back(0.01);
            e2e.push_back(record.finish - record.arrival);
        }
        report.records.push_back(record);
    }
    report.requests = list;
    report.served.count = 100;
    report.served.completed = 99;
    report.served.rejected = 1;
    report.served.ttft = distributionOf(ttft);
    report.served.tpot = distributionOf(tpot);
    report.served.e2e = distributionOf(e2e);
    report.cache = {1000, 50, 16};
    std::vector<StepRecord> steps(3);
    steps[0] = {0, 1, 1, 100, 0, 0, 1, 4, 40};
    steps[1] = {1, 1, 0, 0, 3, 0, 3, 2, 30}; // at once
    steps[2] = {5, 2, 0, 0, 1, 0, 1, 0, 49}; // after a pause
    report.steps = {steps, {{1.5, 1, 0, 0, 2, 0, 2, 1, 45}}};
    result->metrics = std::move(report);
    return result;
}

} // namespace

class ServingTest : public QObject {
    Q_OBJECT

private slots:
    void curvesAreTheReports() {
        Theme theme;
        LatencyChart chart(theme);
        const ResultPtr result = someResult();
        chart.setResult(result);
        QCOMPARE(chart.latencies().size(), std::size_t{3});
        const LatencyValues& ttft = chart.latencies().front();
        QCOMPARE(ttft.sorted.size(), std::size_t{99});
        QVERIFY(std::is_sorted(ttft.sorted.begin(), ttft.sorted.end()));
        // Half of the values lie within the median that the report states.
        QVERIFY(std::abs(ttft.shareWithin(result->serving()->served.ttft.p50) - 0.5) < 0.02);
        QVERIFY(chart.percentileText(0).contains(readableTime(result->serving()->served.ttft.p99).text()));
        // i + 20 ms ≤ 69.5 ms: i ≤ 49, 50 of 99.
        QVERIFY(chart.limitText(0).contains(readablePercent(50.0 / 99).text()));
        QVERIFY(chart.limitText(1).isEmpty());
        QVERIFY(chart.whyNothing().isEmpty());
    }

    /// Where two instances share a host there is no room for all that can be said of them: what is shorter comes after it.
    void hostsSayWhatTheyServe() {
        Theme theme;
        Selection selection;
        Result result;
        result.timeline.kind = TimelineKind::requests;
        for (int instance = 0; instance < 4; ++instance) {
            StageTimeline row;
            row.stage = instance;
            row.ranks = std::to_string(4 * instance) + "-" + std::to_string(4 * instance + 3);
            row.role = instance < 2 ? "prefill" : "decode";
            result.timeline.stages.push_back(row);
        }
        BesideJob job;
        auto beside = std::make_shared<Scenario>();
        beside->name = "Continued pretraining of a model with a long name";
        job.scenario = beside;
        for (int rank = 16; rank < 24; ++rank) job.placement.push_back(rank);
        result.scenario.beside.push_back(job);
        RankStages stages(theme, selection);
        stages.setResult(std::make_shared<const Result>(result));
        QCOMPARE(stages.groupLabel(0, 7), (QStringList{"prefill, instances 0–1", "prefill 0–1", "prefill"}));
        QCOMPARE(stages.groupLabel(8, 11), (QStringList{"decode, instance 2", "decode 2", "decode"}));
        QCOMPARE(stages.groupLabel(16, 23), (QStringList{"beside: Continued pretraining of a model with a long name", "beside"}));
        QVERIFY(stages.groupLabel(24, 31).isEmpty());
        // A job beside has no instance's colour.
        for (int instance = 0; instance < 4; ++instance) QVERIFY(contrastRatio(stages.jobColour(0), stages.stageColour(instance)) > 1.5);
    }

    void nothingServedIsNoFigure() {
        auto none = std::make_shared<Result>(*someResult());
        ServingReport report = *none->serving();
        report.served = {};
        none->metrics = report;
        int without = 0;
        for (const Figure& figure : servingFigures(*none, nullptr, {})) {
            if (figure.pointer == "/memory/peak_bytes") continue;
            QVERIFY2(figure.number == QString::fromUtf8("–"), qPrintable(figure.title + " " + figure.number));
            ++without;
        }
        QCOMPARE(without, 6);
    }

    void countersAreTheSumOfInstances() {
        const ServingCounters counters = countersOf(*someResult()->serving());
        QCOMPARE(counters.blocks, std::int64_t{100});
        QCOMPARE(counters.duration, 7.0);
        QCOMPARE(counters.at(0.5)->running, 1);
        QCOMPARE(counters.at(1.2)->running, 3);
        QCOMPARE(counters.at(1.7)->running, 5);
        QCOMPARE(counters.at(1.7)->waiting, 3);
        QCOMPARE(counters.at(1.7)->usedBlocks, std::int64_t{25});
        QCOMPARE(counters.at(3.0)->running, 0); // both stand still
        QCOMPARE(counters.at(5.5)->usedBlocks, std::int64_t{1});
        QVERIFY(!counters.at(-1));
        QCOMPARE(counters.mostRunning, 5);
    }

    void partsOfALifeSumToIt() {
        const ResultPtr result = someResult();
        for (const RequestRecord& record : result->serving()->records) {
            const auto parts = lifeOf(record);
            const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
            QVERIFY(std::abs(sum - (record.isCompleted() ? record.finish - record.arrival : 0)) < 1e-12);
        }
    }

    void theTableSortsAndShowsTheChosenLife() {
        Theme theme;
        Selection selection;
        RequestPage page(theme, selection);
        page.resize(900, 300);
        const ResultPtr result = someResult();
        page.setResult(result);
        QCOMPARE(page.view()->model()->rowCount(), 100);
        page.view()->sortByColumn(RequestModel::ttftColumn, Qt::DescendingOrder);
        QCOMPARE(page.view()->model()->index(0, RequestModel::numberColumn).data().toString(), QString("r98"));
        page.choose(42);
        QCOMPARE(page.chosen(), std::optional<std::size_t>(42));
        QVERIFY(page.life().words().contains(readableTime(0.042).text()));
        QCOMPARE(selection.rangeStart(), result->serving()->records[42].arrival);
        QCOMPARE(selection.rangeEnd(), result->serving()->records[42].finish);
        page.choose(99);
        QVERIFY(page.life().words().contains(QStringLiteral("rejected")));
    }

    void aLaneClickedShowsItsLifeAndTheTableItsLane() {
        Theme theme;
        Selection selection;
        RequestPage page(theme, selection);
        page.resize(900, 400);
        page.setResult(someResult());
        page.show();
        QTRY_VERIFY(page.lanes().viewport()->height() > 100);
        page.choose(42);
        RequestLanes& lanes = page.lanes();
        QCOMPARE(lanes.chosen(), std::optional<std::size_t>(42));
        int y = 0;
        while (y < lanes.viewport()->height() && lanes.laneAt(y) != std::optional<std::size_t>(43)) ++y;
        QVERIFY(y < lanes.viewport()->height());
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, QPoint(200, y + 2));
        QCOMPARE(page.chosen(), std::optional<std::size_t>(43));
        QVERIFY(page.life().words().contains(readableTime(0.043).text()));
    }

    void piecesOfALaneAreWithoutGaps() {
        RequestRecord record;
        record.arrival = 1;
        record.admitted = 2;
        record.frontEnd = 0.25;
        record.queued = 0.75;
        record.firstToken = record.prefilled = 5;
        record.finish = 9;
        record.preempted = 2;
        record.preemptedBeforeFirst = 0.5;
        const std::vector<LifePiece> pieces = lifePiecesOf(record);
        double now = record.arrival;
        for (const LifePiece& piece : pieces) {
            QCOMPARE(piece.from, now);
            now = piece.to;
        }
        QCOMPARE(now, record.finish);
        QVERIFY(lifePiecesOf(RequestRecord()).empty());
    }

    void nothingIsShownOfOtherResults() {
        Theme theme;
        Selection selection;
        ServingPanel panel(theme, selection);
        panel.resize(600, 300);
        for (const ResultPtr& result : {ResultPtr(), ResultPtr(std::make_shared<Result>()), someResult(), ResultPtr()}) {
            panel.setResult(result);
            for (const auto page : {ServingPanel::Page::latency, ServingPanel::Page::over_time, ServingPanel::Page::requests}) {
                panel.showPage(page);
                panel.grab();
            }
            const bool serves = result && result->serving();
            QCOMPARE(panel.latency()->whyNothing().isEmpty(), serves);
            QCOMPARE(panel.overTime()->whyNothing().isEmpty(), serves);
        }
    }

    void hostsSayWhatTheirInstancesDo() {
        auto result = std::make_shared<Result>();
        result->timeline.kind = TimelineKind::requests;
        const char* roles[]{"prefill", "prefill", "decode", "decode"};
        for (int i = 0; i < 4; ++i) {
            StageTimeline row;
            row.stage = i;
            row.ranks = std::to_string(4 * i) + '-' + std::to_string(4 * i + 3);
            row.role = roles[i];
            result->timeline.stages.push_back(row);
        }
        const Theme theme;
        const Selection shared;
        RankStages hosts(theme, shared);
        hosts.setResult(result);
        QVERIFY(hosts.showsInstances());
        QCOMPARE(hosts.stagesOf(0, 7), QString("prefill, instances 0–1"));
        QCOMPARE(hosts.stagesOf(12, 15), QString("decode, instance 3"));
        QCOMPARE(hosts.stagesOf(0, 15), QString("instances 0–3")); // they do not do the same
        QCOMPARE(stageSubtitle(result->timeline.stages[2]), QString("decode, ranks 8–11"));
    }
    void labelsAreWholeAndApart() {
        for (const ThemeVariant variant : test::checkedThemes) {
            Theme theme(variant);
            Selection selection;
            LatencyChart latency(theme);
            CounterChart overTime(theme, selection);
            latency.setResult(someResult());
            overTime.setResult(someResult());
            for (const QSize& size : test::checkedSizes) {
                for (const QString& faults : {test::labelFaults(test::recordTexts(latency, size), size), test::labelFaults(test::recordTexts(overTime, size), size)})
                    QVERIFY2(faults.isEmpty(), qPrintable(faults));
            }
        }
    }
};

ORRERY_WIDGET_TEST(ServingTest)
#include "serving_test.moc"
