// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/background_task.hpp"
#include "app/desktop/background/simulation_worker.hpp"
#include "core/base/json.hpp"
#include "tests/support/widget_test.hpp"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

#ifdef __x86_64__
#include <cpuid.h>
#endif

using namespace orrery;
using namespace std::chrono_literals;

namespace {

#ifdef __x86_64__
/// Whether the processor tells which vector registers are in use (xgetbv with 1).
bool tellsRegistersInUse() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned saved = 1u << 27, tells = 1u << 2;
    if (__get_cpuid_count(1, 0, &a, &b, &c, &d) == 0 || (c & saved) == 0) return false;
    return __get_cpuid_count(13, 1, &a, &b, &c, &d) != 0 && (a & tells) != 0;
}

bool areUpperHalvesInUse() {
    unsigned low = 0, high = 0;
    asm volatile("xgetbv"
                 : "=a"(low), "=d"(high)
                 : "c"(1));
    return (low & 1u << 2) != 0;
}
#endif

/// A simulation that ends when told to, and a result that carries the document's name.
struct FakeSimulation {
    std::atomic<int> begun = 0;
    std::atomic<int> stopped = 0;
    std::atomic<int> estimated = 0;
    std::atomic<bool> mayEnd = false;
    std::atomic<bool> heedsStop = true;

    SimulationSteps steps() {
        SimulationSteps steps;
        steps.read = [](const Json& document, const FileReader&) {
            ScenarioReading reading;
            if (document.contains("bad")) {
                Problem problem;
                problem.code = "bad";
                problem.message = "Bad.";
                reading.problems.push_back(problem);
                return reading;
            }
            if (document.contains("throw")) throw std::runtime_error("of course");
            reading.scenario.emplace();
            reading.scenario->name = document.at("name").get<std::string>();
            return reading;
        };
        steps.simulate = [this](const Scenario& scenario, const RunControl& control) {
            ++begun;
            for (int i = 0; !mayEnd; ++i) {
                if (heedsStop && control.stop.stop_requested()) {
                    ++stopped;
                    return Outcome{nullptr, {}, true};
                }
                if (control.progress) control.progress(std::min(0.9, i / 1000.0));
                std::this_thread::sleep_for(1ms);
            }
            auto result = std::make_shared<Result>();
            result->name = scenario.name;
            return Outcome{result, {}, false};
        };
        steps.rows = [](const Timeline&, const std::stop_token&) { return std::make_shared<const TimelineRows>(); };
        steps.estimate = [this](const Scenario& scenario) {
            ++estimated;
            if (scenario.name == "fault") throw std::runtime_error("of course");
            auto estimate = std::make_shared<Result>();
            estimate->name = scenario.name;
            return scenario.name == "none" ? nullptr : estimate;
        };
        return steps;
    }
};

Json scenarioNamed(const char* name) {
    Json document = Json::object();
    document["name"] = name;
    return document;
}

/// What a worker delivered, in order.
struct Record {
    explicit Record(SimulationWorker& worker) {
        QObject::connect(&worker, &SimulationWorker::problemsFound, &worker, [this](const Problems& problems) {
            events << (problems.empty() ? "no problems" : "problems");
        });
        QObject::connect(&worker, &SimulationWorker::estimateReady, &worker, [this](const ResultPtr& estimate) { events << "estimate " + QString::fromStdString(estimate->name); });
        QObject::connect(&worker, &SimulationWorker::resultReady, &worker, [this](const ResultPtr& result, double) {
            events << "result " + QString::fromStdString(result->name);
        });
        QObject::connect(&worker, &SimulationWorker::rowsReady, &worker, [this](const TimelineRowsPtr&) { events << "rows"; });
        QObject::connect(&worker, &SimulationWorker::finished, &worker, [this] { events << "finished"; });
        QObject::connect(&worker, &SimulationWorker::failed, &worker, [this] { events << "failed"; });
        QObject::connect(&worker, &SimulationWorker::cancelled, &worker, [this] { events << "cancelled"; });
    }
    QStringList events;
};

} // namespace

class WorkerTest : public QObject {
    Q_OBJECT
private slots:
    void deliversProductsInOrder() {
        FakeSimulation simulation;
        simulation.mayEnd = true;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        worker.submit(scenarioNamed("a"), {});
        QVERIFY(worker.isRunning());
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events, QStringList({"no problems", "result a", "rows", "finished"}));
    }

    void whatNobodyWaitsForComesAfterTheResult() {
        FakeSimulation simulation;
        simulation.mayEnd = true;
        SimulationSteps steps = simulation.steps();
        std::atomic<bool> fits = true, mendsMayEnd = true;
        std::atomic<int> tried = 0, stopped = 0;
        const std::thread::id here = std::this_thread::get_id();
        steps.simulate = [&](const Scenario& scenario, const RunControl&) {
            auto result = std::make_shared<Result>();
            result->name = scenario.name;
            result->fits = fits;
            return Outcome{result, {}, false};
        };
        steps.effects = [&](const Scenario&) {
            if (std::this_thread::get_id() == here) qFatal("in the window's thread");
            return std::vector<PassEffect>(3);
        };
        steps.mends = [&](const Json&, const Result& failed, const FileReader&, const RunControl& control) {
            if (std::this_thread::get_id() == here) qFatal("in the window's thread");
            ++tried;
            while (!mendsMayEnd) {
                if (control.stop.stop_requested()) {
                    ++stopped;
                    return std::vector<TriedMend>{};
                }
                std::this_thread::sleep_for(1ms);
            }
            return std::vector<TriedMend>{{"mend of " + failed.name, {}, 1, 2}};
        };
        SimulationWorker worker(steps);
        Record record(worker);
        QObject::connect(&worker, &SimulationWorker::effectsReady, &worker, [&](const auto& effects) { record.events << QString("%1 effects").arg(effects.size()); });
        QObject::connect(&worker, &SimulationWorker::mendsReady, &worker, [&](const auto& mends) { record.events << QString::fromStdString(mends.front().text); });
        worker.submit(scenarioNamed("a"), {});
        QTRY_COMPARE(record.events, QStringList({"no problems", "result a", "rows", "finished", "3 effects"}));
        QCOMPARE(tried.load(), 0); // it fits: there is nothing to mend

        fits = false;
        mendsMayEnd = false;
        worker.submit(scenarioNamed("b"), {});
        QTRY_COMPARE(tried.load(), 1);
        QTRY_VERIFY(!worker.isRunning());      // the run itself is over
        worker.submit(scenarioNamed("c"), {}); // a newer scenario stops the trying, and nothing of it is told
        QTRY_COMPARE(stopped.load(), 1);
        mendsMayEnd = true;
        QTRY_COMPARE(record.events.last(), QString("mend of c"));
        QVERIFY(!record.events.contains("mend of b"));
    }

    void aLongSimulationHasAnEstimateBeforeItsResult() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        worker.submit(scenarioNamed("long"), {});
        QTRY_COMPARE(record.events, QStringList({"no problems", "estimate long"}));
        simulation.mayEnd = true;
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events, QStringList({"no problems", "estimate long", "result long", "rows", "finished"}));
        worker.submit(scenarioNamed("short"), {}); // over at once: nobody needs one
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events.filter("estimate"), QStringList("estimate long"));
        QCOMPARE(simulation.estimated.load(), 1);
    }

    void whereThereIsNoEstimateTheResultComesAllTheSame() {
        for (const char* name : {"none", "fault"}) {
            FakeSimulation simulation;
            SimulationWorker worker(simulation.steps());
            Record record(worker);
            worker.submit(scenarioNamed(name), {});
            QTRY_COMPARE(simulation.estimated.load(), 1);
            simulation.mayEnd = true;
            QTRY_VERIFY(!worker.isRunning());
            QCOMPARE(record.events, QStringList({"no problems", QString("result %1").arg(name), "rows", "finished"}));
        }
    }

    void aStaleEstimateIsDropped() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        worker.submit(scenarioNamed("old"), {});
        while (simulation.estimated == 0) std::this_thread::sleep_for(1ms); // queued now, undelivered: this thread has not looked
        std::this_thread::sleep_for(10ms);
        worker.submit(scenarioNamed("new"), {});
        simulation.mayEnd = true;
        QTRY_VERIFY(!worker.isRunning());
        QVERIFY(!record.events.contains("estimate old"));
        QCOMPARE(record.events.filter("result"), QStringList("result new"));
    }

    void theNewestRequestWins() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        worker.submit(scenarioNamed("old"), {});
        QTRY_COMPARE(simulation.begun.load(), 1);
        for (const char* name : {"b", "c", "d"}) worker.submit(scenarioNamed(name), {});
        QTRY_COMPARE(simulation.stopped.load(), 1); // the old one stops; those between may never begin
        simulation.mayEnd = true;
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events.filter("result"), QStringList("result d"));
        QCOMPARE(record.events.last(), QString("finished"));
        QCOMPARE(worker.generation(), quint64(4));
    }

    void aStaleResultIsDropped() {
        FakeSimulation simulation;
        simulation.heedsStop = false; // it delivers although it was asked to stop
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        worker.submit(scenarioNamed("old"), {});
        QTRY_COMPARE(simulation.begun.load(), 1);
        simulation.mayEnd = true;
        std::this_thread::sleep_for(100ms); // its products are queued now, undelivered: this thread has not looked
        worker.submit(scenarioNamed("new"), {});
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events.filter("result"), QStringList("result new"));
        QCOMPARE(record.events.count("finished"), 1);
        QCOMPARE(record.events.count("rows"), 1);
    }

    void cancelStopsTheRun() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        worker.submit(scenarioNamed("a"), {});
        QTRY_COMPARE(simulation.begun.load(), 1);
        worker.cancel();
        QVERIFY(!worker.isRunning());
        QTRY_COMPARE(simulation.stopped.load(), 1);
        QTest::qWait(50);
        QCOMPARE(record.events.last(), QString("cancelled"));
        QVERIFY(record.events.filter("result").isEmpty());
        simulation.mayEnd = true;
        worker.submit(scenarioNamed("b"), {});
        QTRY_COMPARE(record.events.last(), QString("finished"));
        QCOMPARE(record.events.filter("result"), QStringList("result b"));
    }

    void tellsProgressButNotTooOften() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        QSignalSpy progress(&worker, &SimulationWorker::progressed);
        worker.submit(scenarioNamed("a"), {});
        QTest::qWait(400);
        simulation.mayEnd = true;
        QTRY_VERIFY(!worker.isRunning());
        QVERIFY(progress.size() >= 2);
        QVERIFY(progress.size() <= 10);
        double last = 0;
        for (const QList<QVariant>& arguments : progress) {
            QVERIFY(arguments.front().toDouble() >= last);
            last = arguments.front().toDouble();
        }
    }

    void problemsComeInsteadOfAResult() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        Json bad = scenarioNamed("a");
        bad["bad"] = true;
        worker.submit(bad, {});
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events, QStringList({"problems", "failed"}));
        QCOMPARE(simulation.begun.load(), 0);
    }

    void aFaultOfOurOwnIsAProblemToo() {
        FakeSimulation simulation;
        SimulationWorker worker(simulation.steps());
        Record record(worker);
        Problems told;
        connect(&worker, &SimulationWorker::problemsFound, this, [&told](const Problems& problems) { told = problems; });
        Json document = scenarioNamed("a");
        document["throw"] = true;
        worker.submit(document, {});
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(record.events, QStringList({"problems", "failed"}));
        QCOMPARE(told.front().code, std::string("internal-fault"));
        QVERIFY(told.front().message.find("of course") != std::string::npos);
    }

    /// Otherwise a simulation in the window takes several times as long as on the command line.
    void whatDrawingLeavesInRegistersSlowsNoThread() {
#ifdef __x86_64__
        if (!tellsRegistersInUse()) QSKIP("The processor does not say which registers are in use.");
        std::atomic<bool> inherited = false, kept = true;
        asm volatile("vpcmpeqd %%ymm1, %%ymm1, %%ymm1" ::
                         : "xmm1"); // as drawing leaves them
        QVERIFY(areUpperHalvesInUse());
        std::jthread([&inherited] { inherited = areUpperHalvesInUse(); }).join();
        if (!inherited) qInfo() << "Threads start with clear registers on this machine.";
        backgroundThread([&kept](const std::stop_token&) { kept = areUpperHalvesInUse(); }).join();
        releaseVectorRegisters();
        QVERIFY(!kept);
        QVERIFY(!areUpperHalvesInUse());
#else
        QSKIP("Such registers are those of x86.");
#endif
    }

    void goingAwayStopsTheRunAndWaits() {
        FakeSimulation simulation;
        QElapsedTimer clock;
        {
            SimulationWorker worker(simulation.steps());
            worker.submit(scenarioNamed("a"), {});
            QTRY_COMPARE(simulation.begun.load(), 1);
            worker.submit(scenarioNamed("b"), {}); // waiting, and never to begin
            clock.start();
        }
        QVERIFY(clock.elapsed() < 1000);
        QVERIFY(simulation.stopped.load() >= 1);
        QTest::qWait(20); // nothing arrives for the one that is gone
    }
};

ORRERY_WIDGET_TEST(WorkerTest)
#include "worker_test.moc"
