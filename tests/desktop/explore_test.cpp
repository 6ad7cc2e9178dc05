// SPDX-License-Identifier: GPL-3.0-or-later
// What if, in the window: sweep from a field, search, solve and sensitivity, as a user does them.

#include "app/desktop/explore/explore_panel.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "app/desktop/explore/search_page.hpp"
#include "app/desktop/explore/search_space_edit.hpp"
#include "app/desktop/explore/sensitivity_page.hpp"
#include "app/desktop/explore/solve_page.hpp"
#include "app/desktop/explore/sweep_page.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "core/answers/search/front.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/heat_map.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/measure_box.hpp"
#include "widgets/explore/parallel_chart.hpp"
#include "widgets/explore/points_table.hpp"
#include "widgets/explore/tornado_chart.hpp"
#include "widgets/forms/scenario_form.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>

#include <cmath>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

/// Quick to simulate: one node, one stage, few micro-batches.
Json quickScenario() {
    return Json::parse(R"({"format": "orrery-scenario/1", "name": "Quick", "model": {"preset": "llama-3-8b"},
        "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 1},
        "workload": {"kind": "training", "sequence_length": 4096, "global_batch_size": 16, "micro_batch_size": 1, "precision": "bf16"},
        "parallelism": {"tensor": 2, "pipeline": 1, "zero_stage": 3}, "measures": {"time": "/iteration_time_s"},
        "execution": {"recompute": "full"}})");
}

bool open(Window& window, const Json& scenario) {
    const QString path = window.path("quick.orrery.json");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    file.write(QByteArray::fromStdString(scenario.dump(2)));
    file.close();
    return window.start(path);
}

ExplorePanel& explore(Window& window) { return *window->views().explore(); }

/// Runs what the page's button starts, to its end.
template <typename Page> bool ranToItsEnd(Page& page) {
    QSignalSpy finished(&page, &Page::finished);
    if (!page.bar()->runButton()->isEnabled()) return false;
    page.bar()->runButton()->click();
    return finished.wait(60000);
}

double figureAt(const SweepPage& page, std::size_t point, const char* measure) {
    const SweepQuestion& question = page.table()->model().question();
    for (std::size_t m = 0; m < question.measures.size(); ++m)
        if (question.measures[m].name == measure) return page.points()[point]->metrics[m]->get<double>();
    return std::nan("");
}

Json at(Window& window, const char* pointer) { return window->document().json().at(Json::json_pointer(pointer)); }

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

} // namespace

class ExploreTest : public QObject {
    Q_OBJECT

private slots:
    void aFieldIsSweptFromItself() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        auto* field = window->findChild<QWidget*>("/parallelism/tensor");
        QVERIFY(field);
        auto* action = field->findChild<QAction*>("sweep_this");
        QVERIFY(action && field->actions().contains(action)); // its context menu has it
        action->trigger();
        QCOMPARE(window->windowLayout().workspace(), QString("explore"));
        SweepPage& page = *explore(window).sweepPage();
        QCOMPARE(page.firstKey()->key(), QString("/parallelism/tensor"));
        QCOMPARE(page.firstKey()->values(), QString("1,2,4,8"));
        QVERIFY2(page.bar()->cost().startsWith("4 points"), qPrintable(page.bar()->cost()));
        QVERIFY(ranToItsEnd(page));
        QCOMPARE(page.points().size(), std::size_t(4));
        QVERIFY2(page.bar()->status().startsWith("4 points in"), qPrintable(page.bar()->status()));
        // The point that is the scenario has the scenario's own figures.
        QCOMPARE(figureAt(page, 1, "/iteration_time_s"), window->result()->training()->iterationTime);
        QCOMPARE(figureAt(page, 1, "time"), window->result()->training()->iterationTime);

        // A double click opens a point, in one step that is taken back as one.
        page.measureBox()->ask("/iteration_time_s");
        const QByteArray before = window->document().toBytes();
        const double swept = figureAt(page, 2, "/iteration_time_s");
        QVERIFY(window.resultAfter([&] { QTest::mouseDClick(page.lines(), Qt::LeftButton, {}, page.lines()->placeOf(0, 2).toPoint()); }));
        QCOMPARE(at(window, "/parallelism/tensor"), Json(4));
        QCOMPARE(window->result()->training()->iterationTime, swept);
        QVERIFY2(page.bar()->status().contains("has changed since"), qPrintable(page.bar()->status()));
        QVERIFY(window.resultAfter([&] { window->document().undoStack().undo(); }));
        QCOMPARE(window->document().toBytes(), before);
    }

    void theKeySweepsTheFieldThatIsEdited() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        window->views().form()->focusField("/workload/micro_batch_size");
        window.trigger("simulate.sweep");
        QCOMPARE(explore(window).sweepPage()->firstKey()->key(), QString("/workload/micro_batch_size"));
        QVERIFY(explore(window).isVisible());
        // Choices and switches are proposed whole.
        window->views().form()->focusField("/execution/recompute");
        window.trigger("simulate.sweep");
        const QStringList proposed = explore(window).sweepPage()->firstKey()->values().split(u',');
        for (const char* word : {"none", "selective", "full"}) QVERIFY2(proposed.contains(word), word);
        // Each of the other commands shows its page.
        for (const auto& [command, page] : {std::pair<const char*, QWidget*>{"simulate.search", explore(window).searchPage()}, {"simulate.solve", explore(window).solvePage()}, {"simulate.sensitivity", explore(window).sensitivityPage()}}) {
            window.trigger(command);
            QCOMPARE(explore(window).tabs()->currentWidget(), page);
        }
    }

    void twoKeysAreAMapAndATable() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        explore(window).sweep("/parallelism/tensor", "1,2,3,8");
        window.trigger("view.workspace.explore");
        SweepPage& page = *explore(window).sweepPage();
        QTest::mouseClick(page.addKeyButton(), Qt::LeftButton);
        page.secondKey()->set("/workload/micro_batch_size", "1..2");
        QVERIFY2(page.bar()->cost().startsWith("8 points"), qPrintable(page.bar()->cost()));
        QVERIFY(!page.table()->isVisible()); // there is nothing to list yet
        QVERIFY(ranToItsEnd(page));
        const HeatMapData& map = page.map()->data();
        QCOMPARE(map.cells.size(), std::size_t(8));
        QVERIFY(page.map()->isVisible());
        QVERIFY(!map.cells[4].figure && !map.cells[4].problem.isEmpty()); // three does not divide the heads
        QVERIFY(map.cells[2].figure.has_value());
        QVERIFY(page.table()->isVisible());
        QCOMPARE(page.table()->model().rowCount(), 8);
        // The same points as lines: one for each value of the first key.
        page.viewBox()->setCurrentIndex(1);
        emit page.viewBox()->activated(1);
        QVERIFY(page.lines()->isVisible());
        QCOMPARE(page.lines()->data().lines.size(), std::size_t(4));
        QCOMPARE(page.lines()->data().lines[1].places[1].figure, map.cells[3].figure);
        // Another figure needs no other run.
        page.measureBox()->ask("/memory/peak_bytes");
        QCOMPARE(*page.lines()->data().lines[1].places[0].figure, figureAt(page, 2, "/memory/peak_bytes"));
        // Chosen in the table, kept as a variant, saved.
        emit page.table()->pointChosen(2);
        QTest::mouseClick(page.variantButton(), Qt::LeftButton);
        QCOMPARE(at(window, "/variants/0/edits"), Json({{"/parallelism/tensor", 2}, {"/workload/micro_batch_size", 1}}));
        QTest::mouseClick(page.variantButton(), Qt::LeftButton);
        QVERIFY(at(window, "/variants/0/name") != at(window, "/variants/1/name"));
        window.fileAnswer = window.path("sweep.csv");
        QTest::mouseClick(page.saveButton(), Qt::LeftButton);
        QFile file(window.fileAnswer);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().trimmed().split('\n').size(), 9);
        // A workbook is a zip; another ending writes nothing and says which would do.
        window.fileAnswer = window.path("sweep.xlsx");
        QTest::mouseClick(page.saveButton(), Qt::LeftButton);
        QFile book(window.fileAnswer);
        QVERIFY(book.open(QIODevice::ReadOnly));
        QVERIFY(book.read(2) == "PK" && book.size() > 1000);
        window.fileAnswer = window.path("sweep.table");
        QTest::mouseClick(page.saveButton(), Qt::LeftButton);
        QVERIFY(!QFile::exists(window.fileAnswer));
        QVERIFY2(page.bar()->status().contains(".xlsx"), qPrintable(page.bar()->status()));
    }

    void whatCannotBeSweptSaysWhy() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        window.trigger("view.workspace.explore");
        SweepPage& page = *explore(window).sweepPage();
        page.propose("/parallelism/tensor", "log:0..8:3");
        QVERIFY(page.firstKey()->problem().contains("logarithm"));
        QVERIFY(!page.bar()->runButton()->isEnabled());
        page.propose("/parallelism/tensor", "1..20001");
        QVERIFY(!page.bar()->runButton()->isEnabled());
        page.propose("/parallelism/tensr", "1,2");
        QVERIFY(ranToItsEnd(page));
        QVERIFY2(page.firstKey()->problem().contains("tensor"), qPrintable(page.firstKey()->problem())); // the nearest name
        page.propose("/parallelism/tensor", "1..200");
        QTest::mouseClick(page.addKeyButton(), Qt::LeftButton);
        page.secondKey()->set("/workload/micro_batch_size", "1..200");
        QVERIFY2(!page.bar()->runButton()->isEnabled() && page.bar()->cost().contains("vary less"), qPrintable(page.bar()->cost()));
        page.secondKey()->set("/parallelism/tensor", "1,2");
        QVERIFY(page.secondKey()->problem().contains("twice"));
    }

    void aCancelledSweepKeepsWhatItFound() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        window.trigger("view.workspace.explore");
        SweepPage& page = *explore(window).sweepPage();
        page.propose("/workload/sequence_length", "1024..16384:8");
        const auto all = 1921u;
        QSignalSpy finished(&page, &SweepPage::finished);
        QElapsedTimer clock;
        clock.start();
        page.bar()->runButton()->click();
        QVERIFY(clock.elapsed() < 1000); // the window goes on at once
        QVERIFY(page.bar()->isRunning() && page.bar()->cancelButton()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(page.table()->model().rowCount() == int(all) && page.table()->model().rows()[0].point != nullptr, 20000);
        page.bar()->cancelButton()->click();
        QVERIFY(finished.wait(20000));
        const auto kept = static_cast<std::size_t>(std::count_if(page.points().begin(), page.points().end(), [](const auto& point) { return point != nullptr; }));
        QVERIFY(kept > 0 && kept < all);
        QVERIFY2(page.bar()->status().contains("Cancelled"), qPrintable(page.bar()->status()));
        QVERIFY(page.saveButton()->isEnabled() && !page.bar()->isRunning());
        // Another one starts over.
        page.propose("/parallelism/tensor", "1,2");
        QVERIFY(ranToItsEnd(page));
        QCOMPARE(page.points().size(), std::size_t(2));
    }

    void theScenariosSearchIsRunAndItsPlanOpened() {
        Window window(catalog());
        Json scenario = quickScenario();
        scenario["search"] = Json::parse(R"({"vary": {"/parallelism/tensor": [1, 2, 3, 4, 8], "/workload/micro_batch_size": [1, 2, 4], "/execution/recompute": ["none", "full"]},
            "objective": {"minimize": "/iteration_time_s"}})");
        QVERIFY(open(window, scenario));
        window.trigger("simulate.search");
        SearchPage& page = *explore(window).searchPage();
        QCOMPARE(page.space()->keys().size(), std::size_t(3));
        QVERIFY2(page.bar()->cost().startsWith("30 combinations"), qPrintable(page.bar()->cost()));
        QVERIFY(ranToItsEnd(page));
        const SearchRun& run = *page.result();
        std::size_t pruned = 0;
        for (const PrunedRule& rule : run.pruned) pruned += rule.count;
        QCOMPARE(run.evaluated + pruned, std::size_t(30));
        QVERIFY(page.prunedText().contains("fell"));
        // The chart's front is the search's, and none of it is beaten.
        std::vector<std::size_t> shown, found;
        for (const FrontChartData::Plan& plan : page.chart()->data().plans)
            if (plan.onFront) shown.push_back(plan.point);
        for (const FoundPlan& plan : run.front) found.push_back(plan.index);
        std::sort(shown.begin(), shown.end());
        std::sort(found.begin(), found.end());
        QCOMPARE(shown, found);
        for (const FrontChartData::Plan& plan : page.chart()->data().plans)
            for (const FrontChartData::Plan& other : page.chart()->data().plans)
                QVERIFY(!plan.onFront || !other.feasible || !isDominated({plan.y, plan.x}, {other.y, other.x}));
        // The best is chosen already: its command, then the plan itself.
        QVERIFY(page.openButton()->isEnabled());
        const std::size_t best = page.chart()->chosen().value();
        QCOMPARE(best, run.best.front().index);
        page.copyLaunch("megatron-lm");
        const Json tensor = [&] {
            for (const ScenarioEdit& edit : page.table()->model().question().changes(best))
                if (edit.pointer == "/parallelism/tensor") return *edit.value;
            return Json();
        }();
        const QString command = QApplication::clipboard()->text();
        QVERIFY2(command.contains(QStringLiteral("--tensor-model-parallel-size %1").arg(tensor.get<int>())), qPrintable(command));
        const double time = run.best.front().point.metrics.front()->get<double>();
        const bool isNew = tensor != at(window, "/parallelism/tensor") || run.best.size() > 1;
        QVERIFY(isNew);
        const int steps = window->document().undoStack().index();
        QVERIFY(window.resultAfter([&] { page.openButton()->click(); }));
        QCOMPARE(window->document().undoStack().index(), steps + 1);
        QCOMPARE(window->result()->training()->iterationTime, time);
    }

    /// What the page keeps of the searches before makes them faster, and nothing else.
    void aSearchAfterAnEditIsThatOfTheScenarioAlone() {
        Window window(catalog());
        Json scenario = quickScenario();
        scenario["search"] = Json::parse(R"({"vary": {"/parallelism/tensor": [1, 2, 4], "/parallelism/zero_stage": [0, 1, 3], "/workload/micro_batch_size": [1, 2]}})");
        QVERIFY(open(window, scenario));
        window.trigger("simulate.search");
        SearchPage& page = *explore(window).searchPage();
        const int batch = at(window, "/workload/global_batch_size").get<int>();
        for (const int now : {batch, 2 * batch, batch}) {
            window->document().edit("Batch", {{"/workload/global_batch_size", now}});
            QVERIFY(ranToItsEnd(page));
            const Json document = window->document().json();
            Problems problems;
            auto question = searchQuestionOf(document, problems);
            QVERIFY(question.has_value());
            question->asksForFront = true; // of the second figure that the page shows
            const SearchRun alone = runSearch(Trials(document, catalog()), *question);
            QCOMPARE(QString::fromStdString(searchDocument(*question, *page.result()).dump()), QString::fromStdString(searchDocument(*question, alone).dump()));
        }
    }

    void plansAreBrushedAndReadAtATarget() {
        Window window(catalog());
        Json scenario = quickScenario();
        // What fits is limited further, so that some plans that were simulated break a constraint.
        scenario["search"] = Json::parse(R"({"vary": {"/parallelism/tensor": [1, 2, 4, 8], "/workload/micro_batch_size": [1, 2, 4], "/execution/recompute": ["none", "selective", "full"], "/parallelism/zero_stage": [1, 3]},
            "objective": {"maximize": "/tokens_per_s"}, "pareto": {"minimize": "/memory/peak_bytes"}, "constraints": [{"pointer": "/bubble_fraction", "op": "<=", "value": 0.5}, {"pointer": "/mfu", "op": ">=", "value": 0.3}]})");
        QVERIFY(open(window, scenario));
        window.trigger("simulate.search");
        SearchPage& page = *explore(window).searchPage();
        QVERIFY(ranToItsEnd(page));
        page.target()->viewBox()->setCurrentIndex(1);
        emit page.target()->viewBox()->activated(1);
        ParallelChart& chart = *page.parallel();
        QVERIFY(chart.isVisible() && !page.chart()->isVisible());
        ParallelPlans plans = chart.data();
        QVERIFY(plans.axes.size() >= 7); // four keys and at least three figures
        // What fell without a simulation is there too, each with its place on every key; but nobody counts, lists or chooses it.
        std::size_t fell = 0;
        for (const PrunedRule& rule : page.result()->pruned)
            if (rule.rule == "does-not-fit" || rule.rule == "beaten" || rule.rule == "constraint") fell += rule.count;
        QVERIFY(fell > 0);
        QCOMPARE(plans.plans.size() - plans.simulated(), fell);
        for (const ParallelPlans::Plan& plan : plans.plans)
            for (std::size_t axis = 0; plan.isFallen() && axis < plans.axes.size(); ++axis) QVERIFY(!plans.axes[axis].isKey() || plan.at[axis]);
        std::erase_if(plans.plans, [](const ParallelPlans::Plan& plan) { return plan.isFallen(); });
        QCOMPARE(plans.plans.size(), page.chart()->data().plans.size());
        QCOMPARE(chart.within().size(), plans.plans.size());
        const auto onFront = std::count_if(plans.plans.begin(), plans.plans.end(), [](const ParallelPlans::Plan& plan) { return plan.onFront; });
        QCOMPARE(std::size_t(onFront), page.result()->front.size());

        // A click on a value of a key keeps the plans that have it, and the table lists those alone.
        std::size_t tensor = 0;
        while (plans.axes[tensor].pointer != "/parallelism/tensor") ++tensor;
        std::size_t common = 0, most = 0; // the value that most plans have
        for (std::size_t value = 0; value < plans.axes[tensor].values.size(); ++value) {
            const auto count = std::size_t(std::count_if(plans.plans.begin(), plans.plans.end(), [&](const auto& plan) { return plan.at[tensor] == double(value); }));
            if (count > most) std::tie(common, most) = std::pair(value, count);
        }
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.placeOf(tensor, double(common)).toPoint());
        QCOMPARE(chart.within().size(), most);
        QCOMPARE(page.table()->model().rowCount(), int(most));
        for (const PointsModel::Listed& row : page.table()->model().rows())
            for (const ScenarioEdit& edit : page.table()->model().question().changes(row.index))
                if (edit.pointer == "/parallelism/tensor") QCOMPARE(*edit.value, *plans.axes[tensor].values[common]);
        QVERIFY2(page.target()->readout()->text().contains("within the limits"), qPrintable(page.target()->readout()->text()));
        // Another click takes the limit away, as Escape takes all.
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.placeOf(tensor, double(common)).toPoint());
        QCOMPARE(chart.within().size(), plans.plans.size());

        // Dragged along a figure's axis, from the bottom to the middle: what lies there, and nothing else.
        std::size_t memory = 0;
        while (plans.axes[memory].pointer != "/memory/peak_bytes") ++memory;
        std::vector<double> bytes;
        for (const ParallelPlans::Plan& plan : plans.plans) bytes.push_back(*plan.at[memory]);
        std::sort(bytes.begin(), bytes.end());
        const double limit = (bytes[bytes.size() / 2 - 1] + bytes[bytes.size() / 2]) / 2;
        const QPoint from = chart.placeOf(memory, 0).toPoint(), to = chart.placeOf(memory, limit).toPoint();
        QTest::mousePress(&chart, Qt::LeftButton, {}, from);
        QTest::mouseMove(&chart, (from + to) / 2);
        QTest::mouseMove(&chart, to);
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, to);
        QVERIFY(chart.brushes()[memory].has_value());
        const double brushed = chart.brushes()[memory]->high;
        QVERIFY(near(brushed, limit, 0.05));
        const auto below = std::size_t(std::count_if(bytes.begin(), bytes.end(), [&](double size) { return size <= brushed; }));
        QCOMPARE(chart.within().size(), below);
        // Peak memory is the second objective: the brush is the target that stands in the field, and the front shows it.
        QVERIFY(near(page.target()->target().value(), brushed, 0.01));
        QVERIFY(page.chart()->data().limitOfX.has_value());

        // Typed as a target: the best plan that reaches it is chosen and opens.
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(page.target()->edit()->text().isEmpty());
        page.target()->edit()->setText(QString::number(limit / 1073741824.0, 'f', 3) + " GiB");
        double best = 0;
        for (const FrontChartData::Plan& plan : page.chart()->data().plans)
            if (plan.feasible && plan.x <= *page.target()->target()) best = std::max(best, plan.y);
        QVERIFY(best > 0);
        const auto chosen = std::find_if(page.chart()->data().plans.begin(), page.chart()->data().plans.end(), [&](const auto& plan) { return page.chart()->chosen() == plan.point; });
        QVERIFY(chosen != page.chart()->data().plans.end());
        QCOMPARE(chosen->y, best);
        QCOMPARE(chart.chosen(), page.chart()->chosen());
        QVERIFY2(page.target()->readout()->text().startsWith("best"), qPrintable(page.target()->readout()->text()));
        QVERIFY(window.resultAfter([&] { page.openButton()->click(); }));
        QCOMPARE(window->result()->training()->tokensPerSecond, best);
        // What no plan reaches says so.
        page.target()->edit()->setText("1 KiB");
        QVERIFY2(page.target()->readout()->text().startsWith("0 of"), qPrintable(page.target()->readout()->text()));
        QCOMPARE(page.table()->model().rowCount(), 0);
        page.target()->edit()->clear();
        QCOMPARE(chart.within().size(), plans.plans.size());
    }

    void aUsualSpaceIsProposedAndKept() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        window.trigger("simulate.search");
        SearchPage& page = *explore(window).searchPage();
        QVERIFY(page.space()->keys().size() >= 3);
        QVERIFY(page.bar()->runButton()->isEnabled());
        // Two limits of one figure between which nothing lies: both are named, nothing runs.
        page.space()->constraints()->setText("/mfu >= 0.5; /mfu <= 0.4");
        QVERIFY(!page.bar()->runButton()->isEnabled());
        QVERIFY2(page.bar()->cost().contains("/mfu >= 0.5") && page.bar()->cost().contains("/mfu <= 0.4"), qPrintable(page.bar()->cost()));
        page.space()->constraints()->setText("/mfu >= 0.1");
        page.keepButton()->click();
        QCOMPARE(at(window, "/search/constraints/0/op"), Json(">="));
        QCOMPARE(at(window, "/search/vary").size(), page.space()->keys().size());
        window->document().undoStack().undo();
        QVERIFY(!window->document().json().contains("search"));
    }

    void theAnswerOfAnInverseQuestionHolds() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        window.trigger("simulate.solve");
        SolvePage& page = *explore(window).solvePage();
        const double now = window->result()->training()->iterationTime;
        page.key()->set("/cluster/scale_up/bandwidth_gb_s", "20..900");
        page.measureBox()->ask("time");
        page.target()->setText("soon");
        QVERIFY(!page.bar()->runButton()->isEnabled());
        page.target()->setText(QString::number(now * 1.2, 'g', 12) + " s");
        QVERIFY(ranToItsEnd(page));
        QVERIFY2(page.solution().has_value(), qPrintable(page.answer()));
        QVERIFY(near(page.solution()->figure, now * 1.2, 0.01));
        QVERIFY(page.chart()->data().xs.size() >= 5);
        QVERIFY(window.resultAfter([&] { page.openButton()->click(); }));
        QCOMPARE(window->result()->training()->iterationTime, page.solution()->figure);
        // What nothing reaches says how far it goes.
        page.target()->setText("1 us");
        QVERIFY(ranToItsEnd(page));
        QVERIFY(!page.solution());
        QVERIFY2(page.answer().contains("No value"), qPrintable(page.answer()));
    }

    void aBarOfSensitivityBecomesASweep() {
        Window window(catalog());
        QVERIFY(open(window, quickScenario()));
        window.trigger("simulate.sensitivity");
        SensitivityPage& page = *explore(window).sensitivityPage();
        page.measureBox()->ask("time");
        QVERIFY(ranToItsEnd(page));
        const Sensitivity& all = *page.chart()->sensitivity();
        QVERIFY(page.chart()->barCount() >= 3);
        QCOMPARE(all.base, window->result()->training()->iterationTime);
        // The accelerator is a preset: what is swept of it is written out, at its own value it is what it was.
        std::size_t row = 0;
        while (row < page.chart()->barCount() && !all.rows[row].input.starts_with("/cluster/accelerator/")) ++row;
        QVERIFY(row < page.chart()->barCount());
        const std::string input = all.rows[row].input;
        const double high = *all.rows[row].high;
        QTest::mouseClick(page.chart(), Qt::LeftButton, {}, page.chart()->barRect(row).center().toPoint());
        SweepPage& sweep = *explore(window).sweepPage();
        QCOMPARE(explore(window).tabs()->currentWidget(), static_cast<QWidget*>(&sweep));
        QCOMPARE(sweep.firstKey()->key().toStdString(), input);
        QVERIFY(ranToItsEnd(sweep));
        const SweepQuestion& question = sweep.table()->model().question();
        std::size_t same = 0, more = 0;
        for (std::size_t i = 0; i < sweep.points().size(); ++i) {
            const double factor = question.axes[0].values[i]->get<double>() / all.rows[row].value;
            if (near(factor, 1, 1e-6)) same = i;
            if (near(factor, 1.1, 1e-6)) more = i;
        }
        QVERIFY(near(figureAt(sweep, same, "time"), all.base, 1e-9));
        QVERIFY(near(figureAt(sweep, more, "time"), high, 1e-6));
    }
};

ORRERY_WIDGET_TEST(ExploreTest)
#include "explore_test.moc"
