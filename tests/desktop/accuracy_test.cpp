// SPDX-License-Identifier: GPL-3.0-or-later
// The accuracy window over a real main window: what it says of the present scenario, and opening a measured run in its place.
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/pages/accuracy_window.hpp"
#include "core/base/json.hpp"
#include "core/results/derivation/explain.hpp"
#include "resources/shipped_evidence.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/accuracy/accuracy_page.hpp"
#include "widgets/accuracy/error_bar_summary.hpp"
#include "widgets/accuracy/error_models.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"

#include <QTableView>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

} // namespace

class AccuracyTest : public QObject {
    Q_OBJECT
private slots:
    void theHeadlineHasAnErrorBar() {
        Window window(catalog());
        QVERIFY(window.start());
        const ResultPtr result = window->result();
        QVERIFY(result->uncertainty && result->uncertainty->of(ErrorOf::time));
        QString unit;
        for (const FigureTile* tile : window->views().headline()->findChildren<FigureTile*>())
            if (tile->figure().pointer == "/iteration_time_s") unit = tile->figure().unit;
        QVERIFY2(unit.startsWith("s ") && unit.endsWith("%"), qPrintable(unit));
        const std::optional<Quantity> why = explain(*result, "/uncertainty/iteration_time_s");
        QVERIFY(why && !why->inputs.empty());
    }

    void aMeasuredRunOpensAsAScenario() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("simulate.accuracy");
        auto* accuracy = window->findChild<AccuracyWindow*>();
        QVERIFY(accuracy && accuracy->isVisible());
        AccuracyPage& page = *accuracy->page();
        const auto evidence = shippedEvidence();
        QVERIFY(page.summary()->text().contains("in 9 of 10 such cases"));
        page.chooseRun("korthikanti2022-table5-530B-full");
        const QModelIndex current = page.cases()->currentIndex();
        QVERIFY(current.isValid());
        QVERIFY(window.resultAfter([&] { QTest::keyClick(page.cases(), Qt::Key_Return); }));
        QCOMPARE(window.unsavedQuestions, 0);
        const auto run = std::find_if(evidence->runs.begin(), evidence->runs.end(), [](const MeasuredRun& one) { return one.id == "korthikanti2022-table5-530B-full"; });
        QVERIFY(run != evidence->runs.end());
        QVERIFY(window->document().json() == run->scenario);
        QVERIFY(window->document().filePath().isEmpty());
        // What is simulated here is what the page says was predicted; one of the runs most alike is the run itself.
        QVERIFY(std::abs(window->result()->training()->iterationTime / *run->figures.front().predicted - 1) < 1e-4);
        QVERIFY(window->result()->uncertainty->of(ErrorOf::time)->nearest.front().distance < 1e-6); // evidence keeps six digits of what it predicts
        QVERIFY(page.summary()->text().contains("korthikanti2022"));
    }

    void unsavedWorkIsAskedAbout() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("simulate.accuracy");
        AccuracyPage& page = *window->findChild<AccuracyWindow*>()->page();
        QVERIFY(window.resultAfter([&] { window->document().edit("Batch", {{"/workload/global_batch_size", 256}}); }));
        const Json before = window->document().json();
        page.cases()->selectRow(0);
        window.unsavedAnswer = UnsavedChoice::cancel;
        QTest::keyClick(page.cases(), Qt::Key_Return);
        QCOMPARE(window.unsavedQuestions, 1);
        QVERIFY(window->document().json() == before);
        window.unsavedAnswer = UnsavedChoice::discard;
        QVERIFY(window.resultAfter([&] { QTest::keyClick(page.cases(), Qt::Key_Return); }));
        QVERIFY(window->document().json() != before);
    }

    void exportsItsTables() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("simulate.accuracy");
        auto* accuracy = window->findChild<AccuracyWindow*>();
        const auto exported = [&](AccuracyWindow::Export what, const char* name) {
            window.fileAnswer = window.path(name);
            accuracy->exportAs(what, QFileInfo(name).suffix());
            QFile file(window.fileAnswer);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(exported(AccuracyWindow::Export::groups, "groups.csv").contains("a100-sxm4-80gb,"));
        QVERIFY(exported(AccuracyWindow::Export::runs, "runs.csv").count('\n') > 600);
        const QByteArray report = exported(AccuracyWindow::Export::report, "report.html");
        QVERIFY(report.startsWith("<!DOCTYPE html>") && report.contains("a100-sxm4-80gb") && report.count("<tr") > 600);
        QVERIFY(exported(AccuracyWindow::Export::chart, "chart.svg").contains("<svg"));
        window.fileAnswer = "/proc/nowhere/x.csv";
        accuracy->exportAs(AccuracyWindow::Export::groups, "csv");
        QVERIFY(accuracy->statusText().contains("Nothing was exported"));
        // Asked for again, it is the same window.
        window.trigger("simulate.accuracy");
        QCOMPARE(window->findChildren<AccuracyWindow*>().size(), 1);
    }
};

ORRERY_WIDGET_TEST(AccuracyTest)
#include "accuracy_test.moc"
