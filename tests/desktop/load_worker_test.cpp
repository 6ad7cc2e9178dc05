// SPDX-License-Identifier: GPL-3.0-or-later
// Other loads in a thread of their own: the curve grows, a hand comes first, and nothing is told of a scenario that was given up.
#include "app/desktop/background/load_worker.hpp"
#include "tests/support/widget_test.hpp"

#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// Six loads, the engine too slow from 4 on. A point takes until it may end, or is stopped.
struct FakeLoads {
    std::atomic<int> begun = 0, stopped = 0;
    std::atomic<bool> mayEnd = true;
    std::atomic<bool> hasLoad = true;

    std::function<LoadSteps(const ResultPtr&)> steps() {
        return [this](const ResultPtr&) {
            LoadSteps steps;
            if (hasLoad) steps.present = OfferedLoad{LoadKind::users, 2};
            steps.loadsToTry = [](const RunControl&) { return std::vector<double>{1, 2, 3, 4, 5, 6}; };
            steps.at = [this](double load, const RunControl& control) -> std::optional<LoadPoint> {
                ++begun;
                while (!mayEnd) {
                    if (control.stop.stop_requested()) {
                        ++stopped;
                        return std::nullopt;
                    }
                    std::this_thread::sleep_for(1ms);
                }
                LoadPoint point;
                point.load = load;
                point.served.completed = point.served.count = 10;
                point.served.ttft.p50 = 1;
                point.served.queue.p50 = load < 4 ? 0.1 : 0.9;
                return point;
            };
            return steps;
        };
    }
};

ResultPtr named(const char* name) {
    auto result = std::make_shared<Result>();
    result->name = name;
    return result;
}

} // namespace

class LoadWorkerTest : public QObject {
    Q_OBJECT
private slots:
    void tellsTheWholeCurve() {
        FakeLoads loads;
        LoadWorker worker(loads.steps());
        std::vector<LoadCurvePtr> told;
        connect(&worker, &LoadWorker::curveReady, this, [&told](const LoadCurvePtr& curve) { told.push_back(curve); });
        worker.submit(named("a"));
        QTRY_VERIFY(!told.empty() && told.back() && told.back()->complete);
        QCOMPARE(told.back()->points.size(), std::size_t(6));
        QVERIFY(told.back()->knee);
        QCOMPARE(told.back()->points[told.back()->knee->point].load, 4.0);
    }

    void aHandComesBeforeTheCurve() {
        FakeLoads loads;
        loads.mayEnd = false;
        LoadWorker worker(loads.steps());
        std::vector<double> tried;
        LoadCurvePtr curve;
        connect(&worker, &LoadWorker::tried, this, [&tried](const LoadPoint& point) { tried.push_back(point.load); });
        connect(&worker, &LoadWorker::curveReady, this, [&curve](const LoadCurvePtr& each) { curve = each; });
        worker.submit(named("a"));
        QTRY_COMPARE(loads.begun.load(), 1);
        worker.tryLoad(2.5);
        QTRY_COMPARE(loads.stopped.load(), 1); // a point of the curve gives way
        for (const double load : {2.6, 2.7, 2.8}) worker.tryLoad(load);
        loads.mayEnd = true;
        QTRY_VERIFY(curve && curve->complete);
        QCOMPARE(curve->points.size(), std::size_t(6)); // the point that gave way is there all the same
        QVERIFY(!tried.empty());
        QCOMPARE(tried.back(), 2.8); // those between may never begin
        QVERIFY(tried.size() <= 2);
    }

    void nothingIsToldOfAResultThatWasGivenUp() {
        FakeLoads loads;
        loads.mayEnd = false;
        LoadWorker worker(loads.steps());
        QSignalSpy curves(&worker, &LoadWorker::curveReady);
        worker.submit(named("old"));
        QTRY_COMPARE(loads.begun.load(), 1);
        worker.cancel();
        QTRY_COMPARE(loads.stopped.load(), 1);
        loads.mayEnd = true;
        worker.tryLoad(3); // of nothing
        QTest::qWait(50);
        QCOMPARE(curves.count(), qsizetype(0));
        QCOMPARE(loads.begun.load(), 1);
    }

    void whatHasNoLoadHasNoCurve() {
        FakeLoads loads;
        loads.hasLoad = false;
        LoadWorker worker(loads.steps());
        std::vector<LoadCurvePtr> told;
        connect(&worker, &LoadWorker::curveReady, this, [&told](const LoadCurvePtr& curve) { told.push_back(curve); });
        worker.submit(named("a"));
        QTRY_COMPARE(told.size(), std::size_t(1));
        QVERIFY(!told.front());
        QCOMPARE(loads.begun.load(), 0);
    }

    void goingAwayStopsTheRun() {
        FakeLoads loads;
        loads.mayEnd = false;
        {
            LoadWorker worker(loads.steps());
            worker.submit(named("a"));
            QTRY_COMPARE(loads.begun.load(), 1);
        }
        QCOMPARE(loads.stopped.load(), 1);
    }
};

ORRERY_WIDGET_TEST(LoadWorkerTest)
#include "load_worker_test.moc"
