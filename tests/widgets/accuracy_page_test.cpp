// SPDX-License-Identifier: GPL-3.0-or-later
// The accuracy page: its numbers, what a row does to the list of runs, opening a run, what it says of the scenario at hand.
#include "core/base/json.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/chart_checks.hpp"
#include "tests/support/synthetic_result.hpp"

#include "core/answers/evidence/error_bars.hpp"
#include "resources/resources.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/accuracy/accuracy_page.hpp"
#include "widgets/accuracy/error_bar_summary.hpp"
#include "widgets/accuracy/error_histogram.hpp"
#include "widgets/accuracy/error_models.hpp"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace orrery;

namespace {

using test::catalog;

MeasuredRun run(const std::string& id, const std::string& accelerator, const std::string& framework, double measured, std::optional<double> predicted) {
    MeasuredRun one;
    one.id = id;
    one.group = "group of " + framework;
    one.source = "A paper, table 1";
    one.sourceUrl = "https://example.org";
    one.accelerator = accelerator;
    one.accelerators = 64;
    one.model = "llama-3.1-8b";
    one.kind = "dense";
    one.parameters = 8e9;
    one.framework = framework;
    one.precision = "bf16";
    one.memoryKind = "device";
    one.figures.push_back({"iteration_time_s", measured, predicted, std::nullopt});
    one.scenario = Json{{"format", "orrery-scenario/1"}, {"name", id}};
    return one;
}

/// Two on H100, 10 % too slow and 20 % too fast; one on A100, 50 % too slow, with a left-out error and memory; one that can't run.
std::shared_ptr<const Evidence> someEvidence() {
    Evidence evidence;
    evidence.runs = {run("h-slow", "h100-sxm5-80gb", "nemo-2024", 10, 11), run("h-fast", "h100-sxm5-80gb", "torchtitan-2025", 10, 8),
                     run("a-slow", "a100-sxm4-80gb", "nemo-2024", 10, 15), run("t-lost", "tpu-v6e", "maxtext-2025", 10, std::nullopt)};
    evidence.runs[2].figures.front().predictedLeftOut = 18;
    evidence.runs[2].figures.push_back({"peak_memory_bytes", 1e10, 1.1e10, std::nullopt});
    return std::make_shared<const Evidence>(std::move(evidence));
}

QString cell(const QTableView& view, int row, int column) { return view.model()->index(row, column).data().toString(); }

QStringList ids(const QTableView& cases) {
    QStringList list;
    for (int row = 0; row < cases.model()->rowCount(); ++row) list << cell(cases, row, ErrorCasesModel::idColumn);
    return list;
}

int rowOf(const QTableView& groups, const QString& name) {
    for (int row = 0; row < groups.model()->rowCount(); ++row)
        if (cell(groups, row, ErrorGroupsModel::nameColumn) == name) return row;
    return -1;
}

} // namespace

class AccuracyPageTest : public QObject {
    Q_OBJECT

private slots:
    void groupsAreWorstFirstAndNameWhatNobodyMeasured() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.resize(1000, 700);
        page.setEvidence(someEvidence());
        const QTableView& groups = *page.groups();
        QCOMPARE(cell(groups, 0, ErrorGroupsModel::nameColumn), QStringLiteral("All runs"));
        QCOMPARE(cell(groups, 0, ErrorGroupsModel::runsColumn), QStringLiteral("4"));
        QCOMPARE(cell(groups, 1, ErrorGroupsModel::nameColumn), QStringLiteral("a100-sxm4-80gb"));
        QCOMPARE(cell(groups, 1, ErrorGroupsModel::biasColumn), QStringLiteral("+50.0 %"));
        QCOMPARE(cell(groups, 1, ErrorGroupsModel::leftOutMeanColumn), QStringLiteral("80.0 %"));
        QCOMPARE(cell(groups, 2, ErrorGroupsModel::nameColumn), QStringLiteral("h100-sxm5-80gb"));
        QCOMPARE(cell(groups, 2, ErrorGroupsModel::meanColumn), QStringLiteral("15.0 %")); // |+10|, |−20|
        QCOMPARE(cell(groups, 2, ErrorGroupsModel::biasColumn), QStringLiteral("−5.0 %"));
        QCOMPARE(cell(groups, 2, ErrorGroupsModel::leftOutMeanColumn), QStringLiteral("–"));
        // Every accelerator of the catalogue has a row, measured or not.
        QCOMPARE(groups.model()->rowCount(), 1 + static_cast<int>(catalog().accelerators().size()));
        const int unmeasured = rowOf(groups, "gaudi3");
        QVERIFY(unmeasured > 2);
        QCOMPARE(cell(groups, unmeasured, ErrorGroupsModel::runsColumn), QStringLiteral("none"));
    }

    void allRunsStayOnTopHoweverItIsSorted() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(someEvidence());
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            for (int column = 0; column < ErrorGroupsModel::columnTotal; ++column) {
                page.groups()->sortByColumn(column, order);
                QCOMPARE(cell(*page.groups(), 0, ErrorGroupsModel::nameColumn), QStringLiteral("All runs"));
            }
        }
    }

    void aRowNarrowsTheRuns() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(someEvidence());
        // Worst first; what can't be predicted is the worst of all.
        QCOMPARE(ids(*page.cases()), (QStringList{"t-lost", "a-slow", "h-fast", "h-slow"}));
        QCOMPARE(page.scopeText(), QStringLiteral("All runs: 4 measured run(s)"));
        page.groups()->selectRow(rowOf(*page.groups(), "h100-sxm5-80gb"));
        QCOMPARE(ids(*page.cases()), (QStringList{"h-fast", "h-slow"}));
        page.groups()->selectRow(rowOf(*page.groups(), "gaudi3"));
        QVERIFY(ids(*page.cases()).isEmpty());
        QVERIFY(page.scopeText().contains("no measured run"));
        page.groupingBox()->setCurrentIndex(2);
        QCOMPARE(ids(*page.cases()).size(), 4);
        page.groups()->selectRow(rowOf(*page.groups(), "nemo-2024"));
        QCOMPARE(ids(*page.cases()), (QStringList{"a-slow", "h-slow"}));
        page.filter()->setText("a100");
        QCOMPARE(ids(*page.cases()), (QStringList{"a-slow"}));
    }

    void memoryHasRunsOfItsOwn() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(someEvidence());
        page.whatBox()->setCurrentIndex(1);
        QCOMPARE(ids(*page.cases()), (QStringList{"a-slow"}));
        QCOMPARE(cell(*page.cases(), 0, ErrorCasesModel::errorColumn), QStringLiteral("+10.0 %"));
        QVERIFY(cell(*page.cases(), 0, ErrorCasesModel::measuredColumn).contains("GiB"));
    }

    void enterAndDoubleClickOpenARun() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.resize(1000, 700);
        page.setEvidence(someEvidence());
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        Json opened;
        int times = 0;
        connect(&page, &AccuracyPage::openRequested, this, [&](const Json& scenario) {
            opened = scenario;
            ++times;
        });
        page.cases()->selectRow(1);
        QTest::keyClick(page.cases(), Qt::Key_Return);
        QCOMPARE(times, 1);
        QCOMPARE(QString::fromStdString(opened["name"]), QStringLiteral("a-slow"));
        const QPoint second = page.cases()->visualRect(page.cases()->model()->index(2, 0)).center();
        QTest::mouseClick(page.cases()->viewport(), Qt::LeftButton, {}, second);
        QTest::mouseDClick(page.cases()->viewport(), Qt::LeftButton, {}, second);
        QCOMPARE(times, 2);
        QCOMPARE(QString::fromStdString(opened["name"]), QStringLiteral("h-fast"));
        auto* button = page.findChild<QPushButton*>();
        QVERIFY(button->isEnabled());
        button->click();
        QCOMPARE(times, 3);
    }

    void theHistogramCountsWhatTheListShows() {
        QCOMPARE(ErrorHistogram::binOf(0), 10);
        QCOMPARE(ErrorHistogram::binOf(-0.1), 9);
        QCOMPARE(ErrorHistogram::binOf(-80), 0);
        QCOMPARE(ErrorHistogram::binOf(900), ErrorHistogram::bins - 1);
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.resize(1000, 700);
        page.setEvidence(someEvidence());
        const QList<QList<QByteArray>> lines = test::parseCsv(page.histogram()->csv());
        QCOMPARE(lines.size(), 1 + ErrorHistogram::bins);
        int counted = 0;
        for (int i = 1; i < lines.size(); ++i) counted += lines[i][2].toInt();
        QCOMPARE(counted, 3); // one can't be predicted
        QVERIFY(page.histogram()->barRect(ErrorHistogram::binOf(10)).height() > 1);
        QCOMPARE(page.histogram()->barRect(ErrorHistogram::binOf(10)).height(), page.histogram()->barRect(ErrorHistogram::binOf(-20)).height());
        QVERIFY(page.histogram()->barRect(ErrorHistogram::binOf(30)).height() < 1);
        QCOMPARE(test::exportFaults(*page.histogram()), QString());
    }

    void csvHoldsTheNumbers() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(someEvidence());
        const QList<QList<QByteArray>> groups = test::parseCsv(page.groupsCsv());
        QCOMPARE(groups[1][0], QByteArray("all"));
        QCOMPARE(groups[2][0], QByteArray("a100-sxm4-80gb"));
        QCOMPARE(groups[2][4], QByteArray("50"));
        QCOMPARE(groups.size(), 2 + static_cast<int>(catalog().accelerators().size()));
        const QList<QList<QByteArray>> runs = test::parseCsv(page.casesCsv());
        QCOMPARE(runs.size(), 5);
        QCOMPARE(runs[2][0], QByteArray("a-slow"));
        QCOMPARE(runs[2][11], QByteArray("A paper, table 1"));
        for (const QList<QByteArray>& line : runs) QCOMPARE(line.size(), runs[0].size());
    }

    void saysHowSureTheScenarioIs() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(someEvidence());
        QVERIFY(page.summary()->text().contains("follows its first result"));
        auto result = std::make_shared<Result>(*test::syntheticResult());
        page.setResult(result);
        QVERIFY(page.summary()->text().contains("Too few runs"));
        result->training()->iterationTime = 10;
        ErrorBar bar;
        bar.factor = 1.25;
        bar.basis = "30 measured runs of 20 pairs of model and accelerator";
        bar.missing = "No run was measured with this framework.";
        bar.nearest = {{"h-fast", 0.3, -20, "A paper"}};
        result->uncertainty = Uncertainty{bar, std::nullopt};
        page.setResult(result);
        const QString text = page.summary()->text();
        QVERIFY2(text.contains("8") && text.contains("12.5"), qPrintable(text)); // 10/1.25 and 10 × 1.25
        QVERIFY(text.contains("30 measured runs"));
        QVERIFY(text.contains("No run was measured with this framework."));
        // A link to a run shows it, whatever hides it.
        page.filter()->setText("a100");
        page.groups()->selectRow(rowOf(*page.groups(), "a100-sxm4-80gb"));
        emit page.summary()->linkActivated("h-fast");
        QCOMPARE(page.cases()->currentIndex().siblingAtColumn(ErrorCasesModel::idColumn).data().toString(), QStringLiteral("h-fast"));
        page.whatBox()->setCurrentIndex(1);
        QVERIFY(page.summary()->text().contains("Too few runs"));
    }

    void aServedScenarioOpensOnItsFigures() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(std::make_shared<const Evidence>(evidenceFromText(resourceText("catalog/evidence.json"))));
        auto served = std::make_shared<Result>(*test::syntheticResult());
        served->metrics = ServingReport{};
        page.setResult(served);
        QCOMPARE(page.whatBox()->currentText(), QString("TTFT"));
        QVERIFY(page.cases()->model()->rowCount() > 100);
        page.whatBox()->setCurrentIndex(page.whatBox()->findText("TPOT"));
        page.setResult(served); // of the same kind: what the reader chose stays
        QCOMPARE(page.whatBox()->currentText(), QString("TPOT"));
        page.setResult(test::syntheticResult());
        QCOMPARE(page.whatBox()->currentText(), QString("Time"));
    }

    /// With all that is shipped, at the sizes of the geometry test: labels have the room they need.
    void theShippedEvidenceFits() {
        Theme theme;
        const auto evidence = std::make_shared<const Evidence>(evidenceFromText(resourceText("catalog/evidence.json")));
        const ErrorBars bars(evidence, catalog());
        auto result = std::make_shared<Result>(*test::syntheticResult());
        RunTraits traits = traitsOf(evidence->runs.front(), catalog());
        traits.framework = "generic-2026"; // so that something is missing
        result->uncertainty.emplace();
        for (const ErrorOf what : {ErrorOf::time, ErrorOf::memory}) result->uncertainty->of(what) = bars.bar(what, traits);
        QVERIFY(result->uncertainty->of(ErrorOf::time));
        AccuracyPage page(theme, catalog());
        page.setEvidence(evidence);
        page.setResult(result);
        page.groups()->selectRow(1);
        const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
        for (const ThemeVariant variant : test::checkedThemes) {
            theme.setVariant(variant);
            theme.applyToApplication();
            for (const QSize& size : {QSize(820, 560), QSize(1280, 720), QSize(1900, 1060), QSize(3840, 2160)}) {
                page.resize(size);
                page.show();
                QVERIFY(QTest::qWaitForWindowExposed(&page));
                QTest::qWait(20);
                QCOMPARE(page.size(), size);
                QVERIFY(page.summary()->heightForWidth(page.summary()->width()) <= page.summary()->height() + 1);
                QVERIFY(page.cases()->viewport()->height() > 60);
                QVERIFY(page.groups()->viewport()->height() > 60);
                if (!folder.isEmpty()) page.grab().save(QStringLiteral("%1/accuracy-%2-%3.png").arg(folder).arg(size.width()).arg(theme.isDark() ? "dark" : "light"));
            }
        }
    }

    void withoutEvidenceItSaysSo() {
        Theme theme;
        AccuracyPage page(theme, catalog());
        page.setEvidence(std::make_shared<const Evidence>());
        QCOMPARE(page.cases()->model()->rowCount(), 0);
        QVERIFY(page.histogram()->csv().isEmpty());
        QVERIFY(!page.grab().isNull());
    }
};

ORRERY_WIDGET_TEST(AccuracyPageTest)
#include "accuracy_page_test.moc"
