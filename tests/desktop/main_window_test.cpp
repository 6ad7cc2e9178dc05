// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/made_by.hpp"
#include "app/desktop/commands/command_palette.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/title_row.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/notices/fit_banner.hpp"
#include "core/base/json.hpp"
#include "core/scenario/document/share_text.hpp"
#include "core/training/plan/lanes.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/palette/cluster_palette.hpp"
#include "widgets/common/format.hpp"
#include "widgets/forms/pass_switch.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/insight/why_panel.hpp"
#include "widgets/jitter/jitter_chart.hpp"
#include "widgets/memory/holder_model.hpp"
#include "widgets/memory/holder_table.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QCheckBox>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QToolButton>
#include <QXmlStreamReader>

#include <atomic>
#include <cmath>
#include <random>
#include <set>
#include <thread>

using namespace orrery;
using orrery::test::Window;
using namespace std::chrono_literals;

namespace {

using test::bytesOf;
using test::catalog;
using test::writeFile;

QLineEdit* field(Window& window, const char* pointer) {
    auto* edit = window->findChild<QLineEdit*>(QString::fromLatin1(pointer));
    if (!edit) qFatal("no field %s", pointer);
    return edit;
}

void typeInto(QLineEdit* edit, const QString& text) {
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, text);
    QTest::keyClick(edit, Qt::Key_Return);
}

QPushButton* bannerButton(Window& window, const QString& text) {
    for (auto* button : window->banner().findChildren<QPushButton*>()) {
        if (button->isVisible() && button->text() == text) return button;
    }
    return nullptr;
}

/// Real reading and rows, around a simulation that waits until it may go on.
struct Gate {
    std::atomic<bool> open = true;
    std::atomic<int> begun = 0;
    std::atomic<int> stopped = 0;

    SimulationSteps steps() {
        SimulationSteps steps = simulationSteps(catalog());
        steps.simulate = [this, real = steps.simulate](const Scenario& scenario, const RunControl& control) {
            ++begun;
            for (int i = 0; !open; ++i) {
                if (control.stop.stop_requested()) {
                    ++stopped;
                    return Outcome{nullptr, {}, true};
                }
                control.progress(std::min(0.5, i / 1000.0));
                std::this_thread::sleep_for(1ms);
            }
            return real(scenario, control);
        };
        return steps;
    }
};

} // namespace

class MainWindowTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void theFirstStartShowsTheExampleSimulated() {
        Window window(catalog());
        QVERIFY(window.start());
        QCOMPARE(window->document().displayName(), QString("Llama-3.1-70B on 8 DGX H100"));
        QVERIFY(!window->document().isModified());
        QVERIFY(window->problems().empty());
        QCOMPARE(window->titleRow().pill().state(), StatusPill::State::up_to_date);
        const ResultPtr result = window->result();
        QVERIFY(result && result->fits);
        QCOMPARE(result->scenario.cluster.accelerators(), 64);
        QCOMPARE(result->scenario.parallelism.tensor, 8);
        QCOMPARE(result->scenario.parallelism.pipeline, 2);
        QVERIFY(window->statusRow().assumedButton()->text().startsWith(QString::number(result->assumed.size())));
        QVERIFY(!window->views().timeline()->visibleIntervals(0, StreamKind::compute).empty());
        QVERIFY(!window->banner().isVisible());
    }

    void theWindowsResultIsTheCommandLinesToTheByte() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString saved = window.path("example.orrery.json");
        writeFile(saved, scenarioBytes(window->document().json()));
        QProcess commandLine;
        commandLine.start(ORRERY_CLI, {"simulate", saved, "--json"});
        QVERIFY(commandLine.waitForFinished(20000));
        QCOMPARE(commandLine.exitCode(), 0);
        const std::string shown = withMaker(toJson(*window->result())).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
        QCOMPARE(commandLine.readAllStandardOutput(), QByteArray::fromStdString(shown));
    }

    void aPlanIsChangedByKeyboard() {
        Window window(catalog());
        QVERIFY(window.start());
        const double before = window->result()->training()->iterationTime;
        QLineEdit* tensor = field(window, "/parallelism/tensor");
        QVERIFY(window.resultAfter([&] { typeInto(tensor, "4"); }));
        QCOMPARE(window->document().json().at("parallelism").at("tensor").get<int>(), 4);
        QCOMPARE(window->result()->scenario.parallelism.tensor, 4);
        QVERIFY(window->result()->training()->iterationTime != before);
        QVERIFY(window->document().isModified());
        QVERIFY(window->isWindowModified());
        // Undo from the same field takes the document's step back, not the letters.
        QVERIFY(window.resultAfter([&] { QTest::keyClick(tensor, Qt::Key_Z, Qt::ControlModifier); }));
        QCOMPARE(window->document().json().at("parallelism").at("tensor").get<int>(), 8);
        QCOMPARE(tensor->text(), QString("8"));
        QCOMPARE(window->result()->training()->iterationTime, before);
        QVERIFY(!window->document().isModified());
    }

    void aClusterIsDrawnByMouse() {
        Window window(catalog());
        QVERIFY(window.start());
        Json plan = newScenario();
        plan["cluster"] = {{"topology", {{"nodes", Json::array()}, {"links", Json::array()}}}};
        plan["parallelism"] = {{"tensor", 8}, {"sequence", true}, {"zero_stage", 1}};
        window->document().reset(plan);
        window.trigger("cluster.draw");
        ClusterCanvas* canvas = window->views().cluster();
        QVERIFY(window->views().palette()->isVisible());
        QTRY_VERIFY(!window->worker().isRunning());

        const auto at = [canvas](double x, double y) {
            const QRectF area = canvas->drawingArea();
            return QPointF(area.left() + x * area.width(), area.top() + y * area.height()).toPoint();
        };
        const auto place = [&](const char* key, double x, double y) {
            PaletteRow* row = window->views().palette()->row(key);
            QVERIFY2(row, key);
            QTest::mouseClick(row, Qt::LeftButton, {}, QPoint(20, row->height() / 2));
            QCOMPARE(canvas->tool(), ClusterTool::place);
            QTest::mouseMove(canvas, at(x, y));
            QTest::mouseClick(canvas, Qt::LeftButton, {}, at(x, y));
            QCOMPARE(canvas->tool(), ClusterTool::select);
        };
        place("host:dgx-h100", 0.3, 0.75);
        place("host:dgx-h100", 0.7, 0.75);
        place("switch:leaf", 0.5, 0.2);
        QCOMPARE(canvas->document().nodes().size(), std::size_t(3));

        const auto centre = [canvas](int node) {
            return canvas->view().toWidget(canvas->document().nodes()[static_cast<std::size_t>(node)].position).toPoint();
        };
        QSignalSpy shown(&*window.window, &MainWindow::resultShown);
        window.trigger("cluster.connect");
        QCOMPARE(canvas->tool(), ClusterTool::connect);
        for (const int host : {0, 1}) {
            QTest::mouseClick(canvas, Qt::LeftButton, {}, centre(host));
            QTest::mouseMove(canvas, (centre(host) + centre(2)) / 2);
            QTest::mouseClick(canvas, Qt::LeftButton, {}, centre(2));
        }
        const Json& topology = window->document().json().at("cluster").at("topology");
        QCOMPARE(topology.at("nodes").size(), std::size_t(3));
        QCOMPARE(topology.at("links").size(), std::size_t(2));
        QTRY_VERIFY_WITH_TIMEOUT(!window->worker().isRunning(), 20000);
        QVERIFY2(window->problems().empty(), window->problems().empty() ? "" : window->problems().front().message.c_str());
        QTRY_VERIFY(shown.size() > 0); // views are told after the worker is done
        QCOMPARE(window->result()->scenario.cluster.hosts(), 2);
        QCOMPARE(window->result()->scenario.cluster.accelerators(), 16);
        QCOMPARE(window->result()->scenario.parallelism.data, 2);

        // And back, step by step, to the empty canvas.
        while (window->document().undoStack().canUndo()) window.trigger("edit.undo");
        QCOMPARE(window->document().json().dump(), plan.dump());
        QVERIFY(canvas->document().isEmpty());
    }

    void theTimelineShowsTheResultsIntervals() {
        Window window(catalog());
        QVERIFY(window.start());
        TimelineView* view = window->views().timeline();
        const Timeline& timeline = window->result()->timeline;
        const double duration = timeline.duration;
        std::size_t compared = 0;
        for (const auto& [from, to] : {std::pair(0.0, duration), std::pair(duration * 0.31, duration * 0.34)}) {
            view->setVisibleRange(from, to);
            const double shownFrom = view->viewport().from;
            const double shownTo = view->viewport().to;
            for (int stage = 0; stage < static_cast<int>(timeline.stages.size()); ++stage) {
                for (const StreamKind stream : {StreamKind::compute, StreamKind::within, TrainingStream::pipeline, TrainingStream::data}) {
                    std::vector<VisibleInterval> expected;
                    forEachOperator(timeline, stage, stream, shownFrom, shownTo,
                                    [&](const OperatorInstance& bar) { expected.push_back({bar.start, bar.end, bar.op, 0}); });
                    const std::vector<VisibleInterval> seen = view->visibleIntervals(stage, stream);
                    QCOMPARE(seen.size(), expected.size());
                    for (std::size_t i = 0; i < seen.size(); ++i) {
                        QCOMPARE(seen[i].start, expected[i].start);
                        QCOMPARE(seen[i].end, expected[i].end);
                        QCOMPARE(seen[i].op, expected[i].op);
                    }
                    compared += seen.size();
                }
            }
        }
        QVERIFY(compared > 10000);
    }

    void sampledPixelsHaveTheColourOfTheIntervalUnderThem() {
        Window window(catalog());
        QVERIFY(window.start());
        TimelineView* view = window->views().timeline();
        const Timeline& timeline = window->result()->timeline;
        std::mt19937 random(8192);
        int sampled = 0;
        for (int zoom = 0; zoom < 40; ++zoom) {
            // From a few milliseconds to half a second: from single operators to some layers across the view.
            const double span = 0.005 * std::pow(100.0, std::uniform_real_distribution<double>(0, 1)(random));
            const double from = std::uniform_real_distribution<double>(0, timeline.duration - span)(random);
            view->setVisibleRange(from, from + span);
            const QImage image = view->grab().toImage();
            for (int i = 0; i < 20; ++i) {
                const int stage = static_cast<int>(random() % timeline.stages.size());
                const StreamKind stream = random() % 2 == 0 ? StreamKind::compute : StreamKind::within;
                const QRect lane = view->operatorArea(stage, stream);
                if (lane.isEmpty() || lane.bottom() >= image.height()) continue;
                const QPoint point(lane.left() + static_cast<int>(random() % static_cast<unsigned>(lane.width())), lane.top() + 1);
                const double left = view->timeAtX(point.x());
                const double right = view->timeAtX(point.x() + 1);
                for (const VisibleInterval& interval : view->visibleIntervals(stage, stream)) {
                    if (interval.start >= left || interval.end <= right) continue;
                    QCOMPARE(image.pixelColor(point), window->theme().color(timeline.operators[interval.op]));
                    ++sampled;
                }
            }
        }
        QVERIFY2(sampled >= 100, qPrintable(QString::number(sampled)));
    }

    void chartsAreExportedAndCanBeRead() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(window.resultAfter([&] { window->document().edit("Jitter", {{"/execution/jitter", Json{{"sigma", 0.02}, {"method", "analytic"}}}}); }));
        QVERIFY(window->windowLayout().isPanelShown("jitter"));
        for (const WindowViews::Chart& chart : window->views().charts()) {
            if (!chart.exportable->whyNothing().isEmpty()) {
                static const QStringList others{"latency", "engine_over_time", "throughput_latency", "difference", "sweep", "sweep_map", "front", "solve", "sensitivity", "recorded"};
                QVERIFY2(others.contains(chart.id), "nothing is served, compared, explored or recorded here, and everything else has something to draw");
                continue;
            }
            const QString id = "file.export." + chart.id + ".";
            window.fileAnswer = window.path(chart.id + ".svg");
            window.trigger(id + "svg");
            QXmlStreamReader xml(bytesOf(window.fileAnswer));
            int elements = 0;
            while (!xml.atEnd()) elements += xml.readNext() == QXmlStreamReader::StartElement;
            QVERIFY2(!xml.hasError(), qPrintable(chart.id + ": " + xml.errorString()));
            QVERIFY2(elements > 20, qPrintable(chart.id));
            QVERIFY2(QFileInfo(window.fileAnswer).size() < 4'000'000, qPrintable(chart.id));

            window.fileAnswer = window.path(chart.id + ".pdf");
            window.trigger(id + "pdf");
            QVERIFY2(bytesOf(window.fileAnswer).startsWith("%PDF-"), qPrintable(chart.id));

            window.fileAnswer = window.path(chart.id); // the ending is added
            window.trigger(id + "png");
            QVERIFY2(!QImage(window.path(chart.id + ".png")).isNull(), qPrintable(chart.id));

            window.fileAnswer = window.path(chart.id + ".csv");
            window.trigger(id + "csv");
            const QList<QByteArray> lines = bytesOf(window.fileAnswer).trimmed().split('\n');
            QVERIFY2(lines.size() > 1, qPrintable(chart.id));
        }
        QVERIFY(window->banner().message().contains("Exported"));
    }

    void theTimelineIsExportedForPerfetto() {
        Window window(catalog());
        QVERIFY(window.start());
        window.fileAnswer = window.path("trace.json");
        window.trigger("file.export.trace");
        const Json trace = Json::parse(bytesOf(window.fileAnswer).toStdString());
        const Json& events = trace.is_array() ? trace : trace.at("traceEvents");
        const Timeline& timeline = window->result()->timeline;
        std::size_t bars = 0;
        for (const Json& event : events) bars += event.at("ph") == "X" && event.at("cat") != "micro-batch";
        std::size_t expected = 0;
        for (int stage = 0; stage < static_cast<int>(timeline.stages.size()); ++stage) {
            for (const StreamKind stream : {StreamKind::compute, StreamKind::within, TrainingStream::pipeline, TrainingStream::data}) {
                expected += operatorCount(timeline, stage, stream);
            }
        }
        QVERIFY(expected > 1000);
        QCOMPARE(bars, expected);
        // A slice for each pass of each micro-batch on each stage, and arrows that follow it there and back.
        std::map<int, int> slices, arrows;
        for (const Json& event : events) {
            if (event.at("ph") == "X" && event.at("cat") == "micro-batch") ++slices[event.at("args").at("micro_batch").get<int>()];
            if (event.at("ph") == "s") ++arrows[0];
            if (event.at("ph") == "f") ++arrows[1];
        }
        const int stages = static_cast<int>(timeline.stages.size());
        QVERIFY(!slices.empty());
        for (const auto& [microBatch, count] : slices) QCOMPARE(count, 2 * stages);
        QCOMPARE(arrows[0], static_cast<int>(slices.size()) * (2 * stages - 1));
        QCOMPARE(arrows[1], arrows[0]);
    }

    void aPlanThatDoesNotFitIsMendedByOneClick() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(!window->fitBanner().isVisible());
        QSignalSpy mended(&window->worker(), &SimulationWorker::mendsReady);
        QVERIFY(window.resultAfter([&] {
            window->document().edit("Recompute", {{"/execution/recompute", "none"}, {"/workload/micro_batch_size", 4}});
        }));
        const ResultPtr failed = window->result();
        QVERIFY(!failed->fits && failed->outOfMemory);
        QVERIFY(window->fitBanner().isVisible());
        const double over = failed->outOfMemory->neededBytes - failed->outOfMemory->capacityBytes;
        QVERIFY(window->fitBanner().message().contains(QString("stage %1").arg(failed->outOfMemory->stage)));
        QVERIFY2(window->fitBanner().message().contains(readableBytes(over).text()), qPrintable(window->fitBanner().message()));
        QVERIFY(!mended.isEmpty() || mended.wait(60000));
        const auto mends = mended.last().first().value<std::vector<TriedMend>>();
        QVERIFY(!mends.empty() && mends.size() <= 3);
        QTRY_COMPARE(window->fitBanner().buttons().size(), mends.size());
        const std::string before = window->document().json().dump();
        const int steps = window->document().undoStack().count();
        // Every one was tried: what its button says is what comes of it, and one undo takes it back.
        for (std::size_t i = 0; i < mends.size(); ++i) {
            QPushButton* button = window->fitBanner().buttons()[i];
            QVERIFY2(button->text().contains(QString::fromStdString(mends[i].text)), qPrintable(button->text()));
            QVERIFY(window.resultAfter([&] { QTest::mouseClick(button, Qt::LeftButton); }));
            QVERIFY(window->result()->fits);
            QVERIFY(!window->fitBanner().isVisible());
            QCOMPARE(window->result()->memory.peakBytes, mends[i].peakBytes);
            QCOMPARE(window->result()->training()->iterationTime, mends[i].iterationTime);
            QCOMPARE(window->document().undoStack().count(), steps + 1);
            mended.clear();
            QVERIFY(window.resultAfter([&] { window.trigger("edit.undo"); }));
            QCOMPARE(window->document().json().dump(), before);
            QVERIFY(!mended.isEmpty() || mended.wait(60000));
            QTRY_COMPARE(window->fitBanner().buttons().size(), mends.size());
        }
    }

    void thePassesSayWhatTheyAdd() {
        Window window(catalog());
        QSignalSpy effects(&window->worker(), &SimulationWorker::effectsReady);
        QVERIFY(window.start());
        QVERIFY(!effects.isEmpty() || effects.wait(20000));
        window->views().form()->focusField("/execution/passes/precision"); // folded until it is looked for
        QTest::qWait(20);
        const auto row = [&](const char* name) {
            auto* box = window->findChild<QCheckBox*>(QStringLiteral("/execution/passes/") + QLatin1String(name));
            return box ? qobject_cast<PassSwitch*>(box->parentWidget()) : nullptr;
        };
        int above = -1;
        for (const PassInfo& info : passTable()) {
            QVERIFY2(row(info.name), info.name); // every pass of the core has its switch, in the core's order
            const int y = row(info.name)->mapTo(window.window.get(), QPoint()).y();
            QVERIFY2(y > above, info.name);
            above = y;
        }
        int seen = 0;
        for (const PassEffect& effect : effects.last().first().value<std::vector<PassEffect>>()) {
            const QString brief = row(passInfo(effect.pass).name)->noteText();
            if (!effect.whyIdle.empty()) QVERIFY2(QString::fromStdString(effect.whyIdle).startsWith(brief), qPrintable(brief));
            else if (effect.count(ChangeKind::added) > 0) QVERIFY2(brief.contains(QString("+%1").arg(effect.count(ChangeKind::added))), qPrintable(brief));
            ++seen;
        }
        QCOMPARE(seen, static_cast<int>(passTable().size()));
        effects.clear();
        QVERIFY(window.resultAfter([&] { QTest::keyClick(row("recompute")->findChild<QCheckBox*>(), Qt::Key_Space); }));
        QVERIFY(!effects.isEmpty() || effects.wait(20000));
        QCOMPARE(row("recompute")->noteText(), QString("off"));
    }

    void whatHoldsTheMemoryFollowsTheTimeline() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("view.memory_by_tensor");
        MemoryHolders* holders = window->views().holders();
        const Result& result = *window->result();
        QVERIFY(holders->isAtPeak());
        QVERIFY(!holders->holders().empty());
        const auto sum = [&] {
            double bytes = 0;
            for (const MemoryHolder& holder : holders->holders()) bytes += holder.bytes;
            return bytes;
        };
        const StageMemory& fullest = *std::max_element(result.memory.stages.begin(), result.memory.stages.end(),
                                                       [](const StageMemory& a, const StageMemory& b) { return a.peakBytes < b.peakBytes; });
        QCOMPARE(holders->stage(), fullest.stage);
        QVERIFY(std::abs(sum() / fullest.peakBytes - 1) < 1e-9);
        QCOMPARE(window->views().holderTable()->model()->rowCount(), static_cast<int>(holders->holders().size()));
        // Early in the iteration less is held than at the peak.
        window->selection().setCursor(0);
        QTRY_VERIFY(!holders->isAtPeak());
        QVERIFY(sum() < fullest.peakBytes);
        window->selection().setCursor(-1);
        QTRY_VERIFY(holders->isAtPeak());
        window->selection().setStage(1);
        QTRY_COMPARE(holders->stage(), 1);
    }

    void aFailedExportIsTold() {
        Window window(catalog());
        QVERIFY(window.start());
        window.fileAnswer = window.path("missing/folder/x.svg");
        window.trigger("file.export.memory.svg");
        QVERIFY(window->banner().message().contains("not exported"));
    }

    void aRunningSimulationIsCancelled() {
        Gate gate;
        Window window(catalog(), gate.steps());
        QVERIFY(window.start());
        const ResultPtr before = window->result();
        gate.open = false;
        typeInto(field(window, "/parallelism/tensor"), "4");
        QTRY_COMPARE(gate.begun.load(), 2);
        QTRY_VERIFY(window->views().timeline()->isBusy()); // old numbers are dimmed
        QTRY_VERIFY(window->titleRow().pill().text().contains('%'));
        QVERIFY(window->commands().action("simulate.cancel")->isEnabled());
        window.trigger("simulate.cancel");
        QTRY_COMPARE(gate.stopped.load(), 1);
        QCOMPARE(window->titleRow().pill().state(), StatusPill::State::cancelled);
        QVERIFY(!window->commands().action("simulate.cancel")->isEnabled());
        QVERIFY(window->result() == before);
        QVERIFY(window->views().timeline()->isBusy());
        gate.open = true;
        QVERIFY(window.resultAfter([&] { window.trigger("simulate.run"); }));
        QCOMPARE(window->result()->scenario.parallelism.tensor, 4);
        QVERIFY(!window->views().timeline()->isBusy());
    }

    /// While the simulation runs the headline says about how much it will be, and of that where it comes from.
    void aLongSimulationIsPrecededByAnEstimate() {
        Gate gate;
        Window window(catalog(), gate.steps());
        QVERIFY(window.start());
        const double before = window->result()->training()->iterationTime;
        const auto tile = [&window] { return window->views().headline()->tiles().front(); };
        gate.open = false;
        QElapsedTimer clock;
        clock.start();
        typeInto(field(window, "/parallelism/tensor"), "4");
        QTRY_VERIFY(tile()->figure().estimated);
        qInfo("estimate shown %lld ms after the edit", static_cast<long long>(clock.elapsed()));
        const QString about = tile()->figure().number;
        QVERIFY(about.startsWith(QStringLiteral("≈ ")));
        QVERIFY(window->views().timeline()->isBusy());
        QTest::mouseClick(tile(), Qt::LeftButton);
        QVERIFY2(window->views().why()->formulaText().contains("step by step"), qPrintable(window->views().why()->formulaText()));
        gate.open = true;
        QTRY_VERIFY_WITH_TIMEOUT(!tile()->figure().estimated, 20000);
        const double now = window->result()->training()->iterationTime;
        QVERIFY(now != before);
        const double estimated = QString(about).remove(QStringLiteral("≈ ")).toDouble();
        QVERIFY2(std::abs(estimated / now - 1) < 0.05, qPrintable(QString("%1 against %2").arg(estimated).arg(now)));
    }

    /// The numbers are there as soon as they are simulated: they don't wait for the timeline to be drawn.
    void theHeadlineDoesNotWaitForTheTimeline() {
        SimulationSteps steps = simulationSteps(catalog());
        std::atomic<bool> open = true;
        steps.rows = [&open, real = steps.rows](const Timeline& timeline, const std::stop_token& stop) {
            while (!open && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
            return real(timeline, stop);
        };
        Window window(catalog(), steps);
        QVERIFY(window.start());
        const auto tile = [&window] { return window->views().headline()->tiles().front(); };
        const ResultPtr before = window->result();
        open = false;
        typeInto(field(window, "/parallelism/tensor"), "4");
        QTRY_VERIFY(window->result() != before);
        QTRY_VERIFY(window->views().timeline()->isBusy());
        QVERIFY(!tile()->isDimmed());
        open = true;
        QTRY_VERIFY(!window->views().timeline()->isBusy());
        QVERIFY(!tile()->isDimmed());
    }

    void onlyTheNewestEditIsShown() {
        Gate gate;
        Window window(catalog(), gate.steps());
        QVERIFY(window.start());
        std::vector<int> shown;
        connect(&window->worker(), &SimulationWorker::resultReady, this,
                [&shown](const ResultPtr& result, double) { shown.push_back(result->scenario.parallelism.tensor); });
        gate.open = false;
        for (const char* tensor : {"1", "2", "4"}) {
            typeInto(field(window, "/parallelism/tensor"), tensor);
            QTest::qWait(20);
        }
        QSignalSpy done(&*window.window, &MainWindow::resultShown);
        gate.open = true;
        QVERIFY(done.wait(20000));
        QVERIFY(shown == std::vector<int>({4}));
        QCOMPARE(window->result()->scenario.parallelism.tensor, 4);
    }

    void undoToTheStartGivesTheFirstBytes() {
        Window window(catalog());
        QVERIFY(window.start());
        const QByteArray first = window->document().toBytes();
        typeInto(field(window, "/parallelism/tensor"), "4");
        typeInto(field(window, "/workload/global_batch_size"), "256");
        window->views().cluster()->selectAll();
        window->views().cluster()->deleteSelection();
        QVERIFY(window->document().toBytes() != first);
        QVERIFY(window->document().undoStack().count() >= 3);
        while (window->document().undoStack().canUndo()) window.trigger("edit.undo");
        QCOMPARE(window->document().toBytes(), first);
        QTRY_VERIFY_WITH_TIMEOUT(!window->worker().isRunning(), 20000);
        QVERIFY(window->problems().empty());
    }

    void anImpossiblePlanKeepsTheLastPictureAndSaysWhy() {
        Window window(catalog());
        QVERIFY(window.start());
        const ResultPtr before = window->result();
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        typeInto(field(window, "/parallelism/tensor"), "7");
        QVERIFY(failed.wait(20000));
        QVERIFY(hasErrors(window->problems()));
        QCOMPARE(window->titleRow().pill().state(), StatusPill::State::problem);
        QVERIFY(window->banner().isVisible());
        QVERIFY(window->banner().message().contains('7'));
        QVERIFY(window->result() == before);
        QVERIFY(window->views().timeline()->isBusy());
        QVERIFY(!window->statusRow().problemsButton()->text().contains("No problems"));
        QVERIFY(window.resultAfter([&] { window.trigger("edit.undo"); }));
        QVERIFY(!window->banner().isVisible());
        QVERIFY(!window->views().timeline()->isBusy());
        QVERIFY(window->statusRow().problemsButton()->text().contains("No problems"));
    }

    /// A typed mistake is told before what follows from it in other fields; the list of problems says it instead while it is open.
    void theBannerTellsWhatWasTyped() {
        Window window(catalog());
        QVERIFY(window.start(QString::fromStdString(test::sourcePath("resources/examples/gpt3-175b-1024xa100.orrery.json"))));
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        typeInto(field(window, "/parallelism/tensor"), "3");
        QVERIFY(failed.wait(20000));
        QVERIFY(window->problems().size() > 1);
        const auto ofTensor = std::find_if(window->problems().begin(), window->problems().end(), [](const Problem& problem) { return problem.pointer == "/parallelism/tensor"; });
        QVERIFY(ofTensor != window->problems().end());
        QVERIFY2(window->banner().message().contains(QString::fromStdString(ofTensor->message)), qPrintable(window->banner().message()));
        window->windowLayout().reveal("findings");
        QTRY_VERIFY(!window->banner().isVisible());
        window->windowLayout().setPanelShown("findings", false);
        QTRY_VERIFY(window->banner().isVisible());
    }

    void theStatusRowOpensTheLists() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(!window->windowLayout().isPanelShown("findings"));
        QTest::mouseClick(window->statusRow().assumedButton(), Qt::LeftButton);
        QVERIFY(window->windowLayout().isPanelShown("findings"));
        QTest::mouseClick(window->statusRow().assumedButton(), Qt::LeftButton);
        QVERIFY(!window->windowLayout().isPanelShown("findings"));
    }

    void everyCommandIsWhole() {
        Window window(catalog());
        QVERIFY(window.start());
        const CommandRegistry& registry = window->commands();
        std::set<QString> ids;
        std::map<QString, QString> keys;
        for (const Command& command : registry.commands()) {
            QVERIFY2(ids.insert(command.id).second, qPrintable(command.id));
            QVERIFY2(!plainText(command.text).trimmed().isEmpty(), qPrintable(command.id));
            QVERIFY2(static_cast<bool>(command.run), qPrintable(command.id));
            QAction* action = registry.action(command.id);
            QVERIFY2(action, qPrintable(command.id));
            QVERIFY2(window->actions().contains(action), qPrintable(command.id)); // its keys work
            for (const QKeySequence& key : command.shortcuts) {
                QVERIFY2(!key.isEmpty(), qPrintable(command.id));
                const auto [other, isNew] = keys.emplace(key.toString(), command.id);
                QVERIFY2(isNew, qPrintable(command.id + " and " + other->second + " share " + key.toString()));
            }
            QCOMPARE(action->shortcuts(), command.shortcuts);
            QMenu* menu = registry.menu(command.menu);
            QVERIFY2(menu && menu->actions().contains(action), qPrintable(command.id));
        }
        // What the contract of the window promises.
        for (const char* id : {"file.new", "file.open", "file.save", "file.save_as", "file.quit", "edit.undo", "edit.redo", "edit.cut",
                               "edit.copy", "edit.paste", "edit.duplicate", "edit.delete", "edit.select_all", "view.reset_layout",
                               "view.palette", "view.theme.dark", "cluster.connect", "simulate.run", "simulate.cancel", "help.shortcuts"}) {
            QVERIFY2(ids.contains(QString::fromLatin1(id)), id);
        }
        // Every command of the menu bar outside lists of things has a key.
        for (const Command& command : registry.commands()) {
            const bool inBar = command.menu == "file" || command.menu == "edit" || command.menu == "simulate";
            if (inBar) QVERIFY2(!command.shortcuts.isEmpty(), qPrintable(command.id));
        }
    }

    void theCommandPaletteRunsACommand() {
        Window window(catalog());
        QVERIFY(window.start());
        window->activateWindow();
        QTest::keyClick(&*window.window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = window->findChild<CommandPalette*>();
        QVERIFY(palette->isVisible());
        QTest::keyClicks(palette->input(), "thdark");
        QVERIFY(!palette->shownIds().isEmpty());
        QCOMPARE(palette->shownIds().front(), QString("view.theme.dark"));
        QTest::keyClick(palette->input(), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QVERIFY(window->theme().isDark());
    }

    void unsavedChangesAreAskedAbout() {
        Window window(catalog());
        QVERIFY(window.start());
        window->document().edit("Name", {{"/name", "Changed"}});
        window.unsavedAnswer = UnsavedChoice::cancel;
        window->close();
        QVERIFY(window->isVisible());
        QCOMPARE(window.unsavedQuestions, 1);
        window.trigger("file.new");
        QCOMPARE(window.unsavedQuestions, 2);
        QCOMPARE(window->document().displayName(), QString("Changed"));

        window.unsavedAnswer = UnsavedChoice::save;
        window.fileAnswer = window.path("saved.orrery.json");
        window->close();
        QVERIFY(!window->isVisible());
        QVERIFY(bytesOf(window.fileAnswer).contains("Changed"));
    }

    void aFileThatChangedOnDiskIsNotOverwrittenUnasked() {
        Window window(catalog());
        const QString path = window.path("shared.orrery.json");
        QVERIFY(window.start());
        window.fileAnswer = path;
        window.trigger("file.save_as");
        QVERIFY(QFileInfo::exists(path));
        window->document().edit("Name", {{"/name", "Mine"}});
        window.trigger("file.save");
        QCOMPARE(window.overwriteQuestions, 0);
        const QByteArray theirs = bytesOf(path).replace("Mine", "Theirs");
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(theirs);
        }
        window->document().edit("Name", {{"/name", "Mine again"}});
        window.trigger("file.save");
        QCOMPARE(window.overwriteQuestions, 1);
        QCOMPARE(bytesOf(path), theirs); // cancelled
        QVERIFY(window->document().isModified());
        window.overwriteAnswer = OverwriteChoice::save_elsewhere;
        window.fileAnswer = window.path("elsewhere.orrery.json");
        window.trigger("file.save");
        QCOMPARE(bytesOf(path), theirs);
        QVERIFY(bytesOf(window.fileAnswer).contains("Mine again"));
        QCOMPARE(window->document().filePath(), window.fileAnswer);
    }

    void aSimulationBeyondTheMemoryCeilingIsRefusedWithAMend() {
        Window window(catalog());
        QVERIFY(window.start());
        QSignalSpy failed(&window->worker(), &SimulationWorker::failed);
        window->document().edit("Batch", {{"/workload/global_batch_size", 8'000'000}});
        QVERIFY(failed.wait(20000));
        QCOMPARE(QString::fromStdString(window->problems().back().code), QString("run-too-large"));
        QVERIFY(!window->problems().back().edits.empty());
        const std::vector<ScenarioEdit> mend = window->problems().back().edits;
        QVERIFY(window.resultAfter([&] { window->document().edit("Mend", {{mend.front().pointer, 128}}); }));

        // The ceiling is a setting.
        failed.clear();
        window.numberAnswer = 0.1;
        window.trigger("simulate.memory_ceiling");
        window->document().edit("Batch", {{"/workload/global_batch_size", 12'800}});
        QVERIFY(failed.wait(20000));
        QCOMPARE(window.settings->value("memory_ceiling_gb").toDouble(), 0.1);
        window.numberAnswer = 8;
        QVERIFY(window.resultAfter([&] { window.trigger("simulate.memory_ceiling"); }));
    }

    void savedFilesOpenAgainAndAreRemembered() {
        Window window(catalog());
        QVERIFY(window.start());
        typeInto(field(window, "/parallelism/tensor"), "4");
        window.fileAnswer = window.path("mine"); // the ending is added
        window.trigger("file.save");
        const QString path = window.path("mine.orrery.json");
        QVERIFY(QFileInfo::exists(path));
        QCOMPARE(bytesOf(path), window->document().toBytes());
        QVERIFY(!window->document().isModified());
        QCOMPARE(window->recentFiles().paths(), QStringList(path));

        window.reopen();
        QCOMPARE(window->commands().action("file.recent.1")->text(), QString("mine.orrery.json"));
        QVERIFY(window.start(path));
        QCOMPARE(window->result()->scenario.parallelism.tensor, 4);
        QCOMPARE(window->document().filePath(), path);
    }

    void aDroppedFileIsOpened() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString config = window.path("config.json");
        const ModelEntry* model = catalog().model("llama-3.1-8b");
        QVERIFY(model);
        writeFile(config, QByteArray::fromStdString(model->config->dump()));
        const auto drop = [&](const QString& path) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(path)});
            QDragEnterEvent enter(QPoint(100, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&*window.window, &enter);
            QDropEvent event(QPointF(100, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&*window.window, &event);
        };
        const bool shown = window.resultAfter([&] { drop(config); });
        QVERIFY2(shown, qPrintable(window->banner().message() + window->titleRow().pill().text()));
        QVERIFY(window->document().json().at("model").contains("config"));
        QCOMPARE(window->result()->scenario.model.layers, 32);
        QVERIFY(window->document().isModified());
    }

    void whatCannotBeOpenedIsExplained() {
        Window window(catalog());
        QVERIFY(window.start());
        const QByteArray before = window->document().toBytes();
        const QString result = window.path("result.json");
        writeFile(result, R"({"format": "orrery-result/1", "kind": "training"})");
        QVERIFY(!window->files().openPath(result));
        QVERIFY(window->banner().message().contains("is a result"));
        const QString broken = window.path("broken.json");
        writeFile(broken, "{\n  \"format\": \"orrery-scenario/1\",\n  oops\n}");
        QVERIFY(!window->files().openPath(broken));
        QVERIFY(window->banner().message().contains("line 3"));
        QVERIFY(!window->files().openPath(window.folder.path()));
        QVERIFY(!window->files().openPath(window.path("missing")));
        QCOMPARE(window->document().toBytes(), before);
        QVERIFY(window->recentFiles().paths().isEmpty());
    }

    void unsavedWorkOfACrashIsOffered() {
        Window window(catalog());
        Json lost = newScenario();
        lost["name"] = "Lost work";
        RecoveryStore(window.path("state")).write(lost, {}, "Lost work");
        QVERIFY(window.start());
        QVERIFY(window->banner().message().contains("Lost work"));
        QPushButton* restore = bannerButton(window, "Restore it");
        QVERIFY(restore);
        QVERIFY(window.resultAfter([&] { QTest::mouseClick(restore, Qt::LeftButton); }));
        QCOMPARE(window->document().json().dump(), lost.dump());
        QVERIFY(window->document().isModified());
        QVERIFY(!window->banner().isVisible());
        window.unsavedAnswer = UnsavedChoice::discard;
        window->close();
        QVERIFY(QDir(window.path("state")).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void aReportOpensAsTheScenarioThatItCarries() {
        Window window(catalog());
        QVERIFY(window.start());
        Json scenario = window->document().json();
        scenario["name"] = "Out of a report";
        const QString path = window.path("report.md");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString("# Out of a report\n\n[orrery-report]: <" + markText({"0.1.0", scenario, {{"/iteration_time_s", 1.0}}}) + ">\n"));
        file.close();
        QVERIFY(window.resultAfter([&] { QVERIFY(window->files().openPath(path)); }));
        QCOMPARE(window->document().json(), scenario);
        // Saving never writes over the report.
        QVERIFY(window->document().filePath().isEmpty());
        QVERIFY(window->document().isModified());
    }

    void panelsHideAndComeBack() {
        Window window(catalog());
        QVERIFY(window.start());
        WindowLayout& layout = window->windowLayout();
        for (const WindowLayout::Panel& panel : layout.panels()) {
            const bool shown = layout.isPanelShown(panel.id);
            window.trigger("view.panel." + panel.id);
            QCOMPARE(layout.isPanelShown(panel.id), !shown);
            QCOMPARE(window->commands().action("view.panel." + panel.id)->isChecked(), !shown);
        }
        window.trigger("view.reset_layout");
        for (const WindowLayout::Panel& panel : layout.panels()) {
            QCOMPARE(layout.isPanelShown(panel.id), panel.id != "findings" && panel.id != "jitter" && panel.id != "serving" && panel.id != "load" && panel.id != "explore" && panel.id != "compare" && panel.id != "recorded" && panel.id != "lesson");
        }
        window.trigger("view.panel.memory");
        window.trigger("view.theme.dark");
        window.reopen();
        window->show();
        QVERIFY(!window->windowLayout().isPanelShown("memory"));
        QVERIFY(window->windowLayout().isPanelShown("roofline"));
        QVERIFY(window->theme().isDark());
    }

    void jitterComesUpWhereAScenarioBeginsToVary() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(!window->windowLayout().isPanelShown("jitter"));
        window->document().edit("Jitter", {{"/execution/jitter", Json{{"sigma", 0.02}, {"method", "analytic"}}}});
        QTRY_VERIFY_WITH_TIMEOUT(window->windowLayout().isPanelShown("jitter"), 20000);
        QVERIFY(!window->views().jitter()->visibleRegion().isEmpty());
        QVERIFY(window->windowLayout().isPanelShown("roofline")); // behind it
        // Closed it stays closed, as long as there is jitter.
        window.trigger("view.panel.jitter");
        QSignalSpy finished(&window->worker(), &SimulationWorker::finished);
        window->document().edit("Jitter", {{"/execution/jitter/sigma", 0.03}});
        QVERIFY(finished.wait(20000));
        QVERIFY(!window->windowLayout().isPanelShown("jitter"));
    }

    void everyExampleOpens() {
        Window window(catalog());
        QVERIFY(window.start());
        const std::vector<Example> examples = shippedExamples();
        QVERIFY(examples.size() >= 2);
        for (const Example& example : examples) {
            QVERIFY2(window.resultAfter([&] { window->files().openExample(example); }), qPrintable(example.fileName));
            QVERIFY2(!hasErrors(window->problems()), qPrintable(example.fileName));
        }
        QVERIFY(window.resultAfter([&] { window.trigger("file.new"); }));
        QVERIFY(window->result()->fits);
    }
};

ORRERY_WIDGET_TEST(MainWindowTest)
#include "main_window_test.moc"
