// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/text_recorder.hpp"

#include "tests/support/widget_test.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/assumed_list.hpp"
#include "widgets/insight/derivation_view.hpp"
#include "widgets/insight/link_table.hpp"
#include "widgets/insight/operator_rows.hpp"
#include "widgets/insight/operator_table.hpp"
#include "widgets/insight/problem_list.hpp"
#include "widgets/insight/quantity_words.hpp"
#include "widgets/insight/sources_panel.hpp"
#include "widgets/insight/why_panel.hpp"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocumentFragment>

#include <algorithm>
#include <map>

using namespace orrery;
using test::recordTexts;
using test::syntheticResult;

namespace {

std::map<std::pair<std::string, std::string>, OperationRow> byName(const std::vector<OperationRow>& rows) {
    std::map<std::pair<std::string, std::string>, OperationRow> map;
    for (const OperationRow& row : rows) map[{row.kind, row.phase}] = row;
    return map;
}

double totalTime(const std::vector<OperationRow>& rows) {
    double time = 0;
    for (const OperationRow& row : rows) time += row.time;
    return time;
}

QString cell(const QAbstractItemModel* model, int row, int column) { return model->index(row, column).data().toString(); }

int rowOf(const QAbstractItemModel* model, const QString& name, const QString& phase) {
    for (int row = 0; row < model->rowCount(); ++row)
        if (cell(model, row, OperatorRows::operatorColumn) == name && cell(model, row, OperatorRows::phaseColumn) == phase) return row;
    return -1;
}

/// Every text of the table has the room it asks for.
void verifyNothingCut(QTableView* view) {
    for (int column = 0; column < view->model()->columnCount(); ++column) {
        const QFontMetrics metrics(view->model()->headerData(column, Qt::Horizontal, Qt::FontRole).value<QFont>());
        QVERIFY(view->columnWidth(column) >= metrics.horizontalAdvance(view->model()->headerData(column, Qt::Horizontal).toString()) + 12);
        for (int row = 0; row < view->model()->rowCount(); ++row)
            QVERIFY(view->columnWidth(column) >= view->sizeHintForIndex(view->model()->index(row, column)).width());
    }
}

} // namespace

class InsightTest : public QObject {
    Q_OBJECT

    Theme theme_;
    Selection selection_;

private slots:
    void initTestCase() { theme_.applyToApplication(); }
    void init() { selection_.clear(); }

    void sumsOfTheWholeAreTheResults() {
        const ResultPtr result = syntheticResult({.stages = 4});
        // The same as "whole", but by way of the timeline.
        const auto walked = byName(operatorSums(*result, {-1, -1, result->timeline.duration + 1}));
        QCOMPARE(walked.size(), result->operations.size());
        for (const OperationRow& row : result->operations) {
            const auto found = walked.find({row.kind, row.phase});
            QVERIFY(found != walked.end());
            QVERIFY(std::abs(found->second.count - row.count) < 1e-6 * row.count);
            QVERIFY(std::abs(found->second.time - row.time) < 1e-6 * row.time);
            QVERIFY(std::abs(found->second.flops - row.flops) <= 1e-6 * row.flops);
            QVERIFY(std::abs(found->second.bytes - row.bytes) <= 1e-6 * row.bytes);
        }
    }

    void stagesAverageToTheWhole() {
        const ResultPtr result = syntheticResult({.stages = 4});
        double sum = 0;
        for (int stage = 0; stage < 4; ++stage) sum += totalTime(operatorSums(*result, {stage, 0, 0}));
        QVERIFY(std::abs(sum / 4 - totalTime(result->operations)) < 1e-6 * sum);
        const auto first = byName(operatorSums(*result, {0, 0, 0}));
        const auto last = byName(operatorSums(*result, {3, 0, 0}));
        QCOMPARE(first.count({"embedding.lookup", "forward"}), std::size_t(1));
        QCOMPARE(last.count({"embedding.lookup", "forward"}), std::size_t(0));
        QCOMPARE(last.at({"head.logits", "forward"}).count, 32.0); // a micro-batch each
    }

    void rangesAddUp() {
        const ResultPtr result = syntheticResult();
        const double end = result->timeline.duration, cut = end * 0.37;
        const double parts = totalTime(operatorSums(*result, {0, -1, cut})) + totalTime(operatorSums(*result, {0, cut, end + 1}));
        QVERIFY(std::abs(parts - totalTime(operatorSums(*result, {0, 0, 0}))) < 1e-6 * parts);
        // No stream can be busy for longer than the range lasts.
        for (const OperationRow& row : operatorSums(*result, {0, cut, cut + 0.01})) QVERIFY(row.time <= 0.01 + 1e-12);
    }

    void modelsKeepTheRules() {
        const ResultPtr result = syntheticResult();
        OperatorRows operators(theme_);
        ProblemModel problems(theme_);
        AssumedModel assumed(theme_);
        const QAbstractItemModelTester one(&operators, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester two(&problems, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester three(&assumed, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int round = 0; round < 2; ++round) {
            operators.setRows(result->operations, 1);
            problems.setProblems(result->warnings);
            assumed.setAssumptions(result->assumed);
            QCOMPARE(operators.rowCount(), static_cast<int>(result->operations.size()));
            operators.setRows({}, 0);
            problems.setProblems({});
            assumed.setAssumptions({});
            QCOMPARE(operators.rowCount() + problems.rowCount() + assumed.rowCount(), 0);
        }
        operators.setRows(result->operations, 1);
        theme_.setVariant(ThemeVariant::dark);
        theme_.setVariant(ThemeVariant::light);
    }

    void theTableShowsTheResultsRows() {
        const ResultPtr result = syntheticResult();
        OperatorTable table(theme_, selection_);
        table.resize(760, 300);
        table.setResult(result);
        table.show();
        const QAbstractItemModel* shown = table.view()->model();
        QCOMPARE(shown->rowCount(), static_cast<int>(result->operations.size()));
        // Longest first, unless sorted otherwise.
        double before = 1e9;
        for (int row = 0; row < shown->rowCount(); ++row) {
            const double time = shown->index(row, OperatorRows::totalColumn).data(OperatorRows::sortRole).toDouble();
            QVERIFY(time <= before);
            before = time;
        }
        const int gateUp = rowOf(shown, "mlp.gate_up", "forward");
        QVERIFY(gateUp >= 0);
        QCOMPARE(cell(shown, gateUp, OperatorRows::countColumn), QString("1,280")); // 40 layers × 32 micro-batches
        QCOMPARE(cell(shown, gateUp, OperatorRows::boundColumn), QString("compute"));
        QCOMPARE(cell(shown, gateUp, OperatorRows::rateColumn), QString("771")); // 0.78 of 989
        const double share = shown->index(gateUp, OperatorRows::shareColumn).data(OperatorRows::sortRole).toDouble();
        QCOMPARE(share * result->training()->iterationTime, shown->index(gateUp, OperatorRows::totalColumn).data(OperatorRows::sortRole).toDouble());
        QCOMPARE(cell(shown, rowOf(shown, "all-gather, tensor", "communication"), OperatorRows::rateColumn), QString("–"));
        const auto alignment = shown->index(0, OperatorRows::totalColumn).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        QVERIFY(alignment & Qt::AlignRight);
        verifyNothingCut(table.view());

        // A click on a header sorts; a second one turns it round.
        QHeaderView* header = table.view()->horizontalHeader();
        const QPoint title(header->sectionViewportPosition(OperatorRows::countColumn) + 10, header->height() / 2);
        for (int click = 0; click < 2 && !header->model()->headerData(OperatorRows::countColumn, Qt::Horizontal).toString().endsWith("↑"); ++click)
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, title);
        QCOMPARE(shown->headerData(OperatorRows::countColumn, Qt::Horizontal).toString(), QString("count ↑"));
        double count = -1;
        for (int row = 0; row < shown->rowCount(); ++row) {
            const double next = shown->index(row, OperatorRows::countColumn).data(OperatorRows::sortRole).toDouble();
            QVERIFY(next >= count); // by number: 10 after 9
            count = next;
        }
    }

    void theTableFollowsRangeAndStage() {
        const ResultPtr result = syntheticResult();
        OperatorTable table(theme_, selection_);
        table.setResult(result);
        QCOMPARE(table.scopeText(), QString("Iteration, mean of all stages, alone"));
        selection_.setRange(0, 10.7);
        selection_.setStage(0);
        const auto expected = operatorSums(*result, {0, 0, 10.7});
        QTRY_COMPARE(table.model()->rowCount(), static_cast<int>(expected.size()));
        QVERIFY(table.findChild<QLabel*>()->text().startsWith("Selection 0.0"));
        QVERIFY2(table.scopeText().endsWith("10.7" + QString(QChar(0x2009)) + "s, stage 0, as they ran"), qPrintable(table.scopeText()));
        for (const OperationRow& row : expected) {
            const auto at = table.model()->find(QString::fromStdString(row.kind), QString::fromStdString(row.phase));
            QVERIFY(at.has_value());
            QCOMPARE(table.model()->row(*at).time, row.time);
            QCOMPARE(table.model()->index(*at, OperatorRows::shareColumn).data(OperatorRows::sortRole).toDouble(), row.time / 10.7);
        }
        QCOMPARE(rowOf(table.view()->model(), "adam", "optimizer"), -1); // comes after the range
    }

    void tableAndSelectionFollowEachOther() {
        OperatorTable table(theme_, selection_);
        table.resize(760, 300);
        table.setResult(syntheticResult());
        table.show();
        const QAbstractItemModel* shown = table.view()->model();
        const int core = rowOf(shown, "attention.core", "backward");
        QTest::mouseClick(table.view()->viewport(), Qt::LeftButton, {}, table.view()->visualRect(shown->index(core, 0)).center());
        QCOMPARE(selection_.operatorName(), QString("attention.core"));
        QCOMPARE(selection_.operatorPhase(), QString("backward"));
        QTest::keyClick(table.view(), Qt::Key_Down);
        QCOMPARE(selection_.operatorName(), cell(shown, core + 1, OperatorRows::operatorColumn));

        selection_.setOperator("mlp.norm", "forward");
        QCOMPARE(table.view()->selectionModel()->selectedRows().value(0).row(), rowOf(shown, "mlp.norm", "forward"));
        selection_.setRange(0, 3); // other rows: the choice stays with the operator, not with the row's number
        QTRY_VERIFY(table.scopeText().startsWith("Selection"));
        QTest::qWait(40);
        QCOMPARE(table.view()->selectionModel()->selectedRows().value(0).row(), rowOf(shown, "mlp.norm", "forward"));
        QCOMPARE(selection_.operatorName(), QString("mlp.norm"));
        selection_.setOperator({}, {});
        QVERIFY(table.view()->selectionModel()->selectedRows().isEmpty());
    }

    void theColumnsFillAWidePanel() {
        Selection selection;
        OperatorTable table(theme_, selection);
        table.setResult(syntheticResult());
        table.resize(1900, 240);
        table.show();
        int sum = 0;
        for (int column = 0; column < OperatorRows::columnTotal; ++column) sum += table.view()->columnWidth(column);
        QCOMPARE(sum, table.view()->viewport()->width());
        verifyNothingCut(table.view());
    }

    void theFilterNarrowsByAnyColumn() {
        OperatorTable table(theme_, selection_);
        table.setResult(syntheticResult());
        auto* filter = table.findChild<QLineEdit*>();
        QTest::keyClicks(filter, "NETWORK");
        const QAbstractItemModel* shown = table.view()->model();
        QVERIFY(shown->rowCount() >= 3 && shown->rowCount() < table.model()->rowCount());
        for (int row = 0; row < shown->rowCount(); ++row) QCOMPARE(cell(shown, row, OperatorRows::boundColumn), QString("network"));
        filter->clear();
        QCOMPARE(shown->rowCount(), table.model()->rowCount());
    }

    void causesOfferTheirEdits() {
        const ResultPtr result = syntheticResult();
        WhyPanel panel(theme_);
        panel.resize(340, 220);
        panel.setResult(result);
        panel.show();
        QCOMPARE(panel.shownCauses(), static_cast<int>(result->causes.size()));
        QSignalSpy edits(&panel, &WhyPanel::editRequested);
        QStringList texts;
        const auto labels = panel.findChildren<QLabel*>();
        for (QLabel* label : labels) {
            texts << label->text();
            if (label->text().contains("bubble")) {
                label->setFocus();
                QTest::keyClick(label, Qt::Key_Tab); // to the link
                emit label->linkActivated("try");
            }
        }
        QCOMPARE(edits.size(), 1);
        QCOMPARE(edits[0][0].toString(), QString("Try 5 chunks"));
        const auto changes = edits[0][1].value<std::vector<ScenarioEdit>>();
        QCOMPARE(changes.size(), std::size_t(2));
        QCOMPARE(changes[0].pointer, std::string("/parallelism/virtual_pipeline"));
        QVERIFY(changes[0].value == Json(5));
        for (std::size_t i = 0; i < result->causes.size(); ++i)
            QVERIFY2(texts.join('|').contains(QString::number(result->causes[i].share * 100, 'f', 1)), qPrintable(texts.join('|')));
    }

    /// What an engine's first token and its later ones take are two groups, each under its name, in the order of the causes.
    void twoFiguresAreTwoGroups() {
        Result result = *syntheticResult();
        const auto cause = [](const char* figure, const char* text) {
            Cause one;
            one.figure = figure;
            one.text = text;
            one.share = 0.4;
            return one;
        };
        result.causes = {cause("Time to first token", "the cache is full"), cause("Time to first token", "products with weights"), cause("Time per output token", "weights' traffic")};
        WhyPanel panel(theme_);
        panel.resize(340, 260);
        panel.show();
        const auto textsOf = [&] {
            QApplication::processEvents();
            std::vector<std::pair<int, QString>> placed;
            for (QLabel* label : panel.findChildren<QLabel*>())
                for (const char* known : {"Time to first token", "the cache is full", "products with weights", "Time per output token", "weights' traffic"})
                    if (label->isVisible() && QTextDocumentFragment::fromHtml(label->text()).toPlainText().contains(QLatin1String(known))) placed.emplace_back(label->mapTo(&panel, QPoint()).y(), QString(known));
            std::sort(placed.begin(), placed.end());
            QStringList texts;
            for (const auto& [y, text] : placed) texts << text;
            return texts;
        };
        panel.setResult(std::make_shared<const Result>(result));
        QCOMPARE(textsOf(), QStringList({"Time to first token", "the cache is full", "products with weights", "Time per output token", "weights' traffic"}));
        // Another result leaves nothing of them behind.
        result.causes.erase(result.causes.begin(), result.causes.begin() + 2);
        panel.setResult(std::make_shared<const Result>(result));
        QCOMPARE(textsOf(), QStringList({"Time per output token", "weights' traffic"}));
    }

    void inputsOfADerivationAreFollowed() {
        Quantity peak{"peak", 989e12, "FLOP/s", Source::given, "", "NVIDIA H100 data sheet", {}};
        Quantity tensor{"t", 8, "1", Source::given, "", "/parallelism/tensor", {}};
        Quantity product{"product", 1.5e-3, "s", Source::roofline, "FLOP / (t × peak)", "Williams et al. 2009", {tensor, peak}};
        DerivationView view(theme_);
        QSignalSpy asked(&view, &DerivationView::pointerRequested);
        view.setQuantity({"iteration_time_s", 12.5, "s", Source::derived, "sum of its parts", "", {product, peak}});
        const auto shown = [&] { return view.toPlainText(); };
        const auto follow = [&](const char* link) { emit view.anchorClicked(QUrl(QString::fromLatin1(link))); };
        // Units to be read, not powers of ten; a leaf says who states it.
        QVERIFY2(shown().contains("12.5") && shown().contains("989") && shown().contains("TFLOP/s"), qPrintable(shown()));
        QVERIFY(shown().contains("given, NVIDIA H100 data sheet"));
        QVERIFY(!shown().contains("Williams"));

        follow("input:0");
        QVERIFY2(shown().contains("product = 1.5") && shown().contains("Williams") && shown().contains("FLOP / (t × peak)"), qPrintable(shown()));
        follow("input:7"); // there is none
        QVERIFY(shown().contains("Williams"));
        follow("pointer:/parallelism/tensor");
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.front().front().toString(), QString("/parallelism/tensor"));
        follow("trail:0");
        QVERIFY(!shown().contains("Williams"));
        QVERIFY(shown().contains("sum of its parts"));
        // A leaf is no link, a place in the scenario and a number with a formula are.
        QVERIFY(!view.toHtml().contains("href=\"input:1\""));
        QVERIFY(view.toHtml().contains("href=\"input:0\""));
        // Names are words, not markup.
        view.setQuantity({"<b>sly</b> & more", 1, "1", Source::given, "a < b", "", {}});
        QVERIFY2(shown().startsWith("<b>sly</b> & more = 1") && shown().contains("a < b"), qPrintable(shown()));
    }

    void theBoxShowsFormulas() {
        const ResultPtr result = syntheticResult();
        WhyPanel panel(theme_);
        panel.resize(340, 260);
        panel.setResult(result);
        panel.show();
        const Quantity why = inWords(result->causes[0].why);
        QVERIFY2(panel.formulaText().simplified().startsWith((QString::fromStdString(why.name) + " = " + valueText(why)).simplified()), qPrintable(panel.formulaText()));
        QVERIFY2(panel.formulaText().contains(QString::fromStdString(why.formula)), qPrintable(panel.formulaText()));
        for (QLabel* label : panel.findChildren<QLabel*>())
            if (label->text().contains("recomputed")) QTest::mouseClick(label, Qt::LeftButton, {}, QPoint(20, 6));
        QVERIFY2(panel.formulaText().contains("Korthikanti"), qPrintable(panel.formulaText()));
        panel.showQuantity({"mfu", 0.61, "1", Source::derived, "model FLOPs / (time x peak)", "contract", {}});
        QVERIFY(panel.formulaText().startsWith("model FLOP utilisation = 0.61"));
        // Words stand where files have names, in what a number is made of too.
        Quantity time{"iteration_time_s", 1.5, "s", Source::derived, "sum of time parts", "", {}};
        time.inputs.push_back({"tensor_exposed", 0.5, "s", Source::derived, "waits", "", {}});
        time.inputs.push_back({"tokens_per_s", 2, "1/s", Source::derived, "a rate", "", {}});
        panel.showQuantity(time);
        QVERIFY2(panel.formulaText().startsWith("iteration time = 1.5"), qPrintable(panel.formulaText()));
        QVERIFY(panel.formulaText().contains("waits for the tensor group"));
        QVERIFY(panel.formulaText().contains("tokens per s"));
        // Words in a scenario are words, not markup.
        Result sly = *result;
        sly.causes[0].text = "<img src=x> & more";
        panel.setResult(std::make_shared<const Result>(sly));
        QApplication::processEvents();
        QStringList texts;
        for (const auto& text : recordTexts(panel.size(), [&](QPainter& painter) { panel.render(&painter); })) texts << text.text;
        QVERIFY2(texts.join(' ').contains("<img"), qPrintable(texts.join(' ')));
    }

    void causesWrapInsteadOfBeingCut() {
        for (const int width : {260, 340, 520}) {
            WhyPanel panel(theme_);
            panel.resize(width, 400);
            panel.setResult(syntheticResult());
            panel.show();
            QApplication::processEvents();
            for (QLabel* label : panel.findChildren<QLabel*>()) {
                if (!label->isVisible()) continue; // the line about a baseline, while none is pinned
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(QString("%1: %2 < %3").arg(width).arg(label->height()).arg(label->heightForWidth(label->width())) + label->text()));
                QVERIFY(label->mapTo(&panel, QPoint(label->width(), 0)).x() <= panel.width());
            }
            const auto texts = recordTexts(panel.size(), [&](QPainter& painter) { panel.render(&painter); });
            const QString faults = test::labelFaults(texts, panel.size());
            QVERIFY2(faults.isEmpty(), qPrintable(faults));
        }
    }

    void problemsLeadToPlaceAndMend() {
        Problems problems = syntheticResult()->warnings;
        Problem error;
        error.severity = Severity::error;
        error.pointer = "/parallelism/tensor";
        error.message = "64 attention heads cannot be shared by 7 ranks.";
        error.mend = "Choose 1, 2, 4, 8, 16, 32 or 64";
        problems.push_back(error);
        Problem inFile;
        inFile.file = "requests.jsonl";
        inFile.line = 12;
        inFile.column = 5;
        inFile.message = "Not a number.";
        problems.push_back(inFile);

        ProblemList list(theme_);
        list.resize(900, 220);
        list.setProblems(problems);
        list.show();
        QApplication::processEvents();
        const ProblemModel* model = list.model();
        QCOMPARE(model->rowCount(), 3);
        QCOMPARE(cell(model, 0, ProblemModel::severityColumn), QString("error")); // worst first
        QCOMPARE(cell(model, 2, ProblemModel::severityColumn), QString("warning"));
        QCOMPARE(cell(model, 1, ProblemModel::whereColumn), QString("requests.jsonl:12:5"));

        QSignalSpy places(&list, &ProblemList::goTo);
        QSignalSpy edits(&list, &ProblemList::editRequested);
        const auto at = [&](int row, int column) { return list.view()->visualRect(model->index(row, column)).center(); };
        QTest::mouseDClick(list.view()->viewport(), Qt::LeftButton, {}, at(0, ProblemModel::messageColumn));
        QCOMPARE(places.size(), 1);
        QCOMPARE(places[0][0].toString(), QString("/parallelism/tensor"));
        list.view()->setCurrentIndex(model->index(2, 0));
        auto* goTo = list.findChild<QPushButton*>();
        QVERIFY(goTo->isEnabled());
        QTest::mouseClick(goTo, Qt::LeftButton);
        QCOMPARE(places.last()[0].toString(), QString("/workload/sequence_length"));
        list.view()->setCurrentIndex(model->index(1, 0));
        QVERIFY(!goTo->isEnabled()); // a place in a file is none in the scenario

        QTest::mouseClick(list.view()->viewport(), Qt::LeftButton, {}, at(0, ProblemModel::mendColumn));
        QVERIFY(edits.isEmpty()); // a mend in words only
        QTest::mouseClick(list.view()->viewport(), Qt::LeftButton, {}, at(2, ProblemModel::mendColumn));
        QCOMPARE(edits.size(), 1);
        QCOMPARE(edits[0][0].toString(), QString("Use 4096"));
        QCOMPARE(edits[0][1].value<std::vector<ScenarioEdit>>().at(0).pointer, std::string("/workload/sequence_length"));
        list.view()->setCurrentIndex(model->index(2, ProblemModel::mendColumn));
        QTest::keyClick(list.view(), Qt::Key_Return);
        QCOMPARE(edits.size(), 2);
    }

    void assumptionsCanBeMadeExplicit() {
        const ResultPtr result = syntheticResult();
        AssumedList list(theme_);
        list.resize(800, 220);
        list.setResult(result);
        list.show();
        QApplication::processEvents();
        QCOMPARE(list.model()->rowCount(), 4);
        QCOMPARE(cell(list.model(), 0, AssumedModel::valueColumn), QString("5.0"));
        QCOMPARE(cell(list.model(), 3, AssumedModel::valueColumn), QString("adam"));
        QSignalSpy edits(&list, &AssumedList::editRequested);
        QSignalSpy places(&list, &AssumedList::goTo);
        QTest::mouseClick(list.view()->viewport(), Qt::LeftButton, {}, list.view()->visualRect(list.model()->index(1, AssumedModel::actionColumn)).center());
        QCOMPARE(edits.size(), 1);
        const auto changes = edits[0][1].value<std::vector<ScenarioEdit>>();
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes[0].pointer, std::string("/execution/framework"));
        QVERIFY(changes[0].value == Json("megatron-core-2025"));
        QTest::mouseDClick(list.view()->viewport(), Qt::LeftButton, {}, list.view()->visualRect(list.model()->index(2, AssumedModel::whyColumn)).center());
        QCOMPARE(places.last()[0].toString(), QString("/parallelism/order"));
    }

    void sourcesNameEveryFamily() {
        Result result = *syntheticResult();
        QCOMPARE(sourcesSummary(result),
                 QString("GEMM, attention: roofline with efficiencies · elementwise, optimizer: roofline · collectives: ring model"));
        double core = 0, again = 0;
        for (OperationRow& row : result.operations) {
            if (row.kind.find("mlp.") == 0 || row.kind.find("attention.qkv") == 0 || row.kind.find("attention.out") == 0 || row.kind == "head.logits")
                row.source = Source::predicted;
            if (row.kind == "attention.core" && row.phase != "recompute") row.source = Source::measured;
            if (row.kind == "attention.core") (row.phase == "recompute" ? again : core) += row.time;
        }
        const QString summary = sourcesSummary(result);
        QVERIFY2(summary.startsWith("GEMM: predicted · attention: " + QString::number(100 * core / (core + again), 'f', 1)), qPrintable(summary));
        QVERIFY2(summary.contains("measured, "), qPrintable(summary));
        result.scenario.kernels.inheritedFrom = "a100-sxm";
        QVERIFY(sourcesSummary(result).endsWith("efficiencies of a100-sxm"));
        SourcesPanel panel(theme_);
        QVERIFY(panel.text().contains("first run"));
        panel.setResult(std::make_shared<const Result>(result));
        QCOMPARE(panel.text(), sourcesSummary(result));
    }

    /// An engine's operators stand in no timeline: what they are comes with their rows.
    void anEnginesOperatorsHaveFamiliesAndHues() {
        Result result;
        const auto add = [&](const char* name, const char* phase, OperatorKind work, Source source, RankGroup group = RankGroup::none) {
            result.operations.push_back({name, phase, 10, 1, 1e12, 1e9, Bound::memory, source, work, group});
        };
        add("mlp.gate_up", "decode", OperatorKind::gemm, Source::predicted);
        add("experts.gate_up", "decode", OperatorKind::grouped_gemm, Source::predicted);
        add("attention.core", "prefill", OperatorKind::attention, Source::predicted);
        add("mlp.norm", "prefill", OperatorKind::norm, Source::roofline);
        add("mlp.down.reduce", "communication", OperatorKind::collective, Source::predicted, RankGroup::tensor);
        QCOMPARE(sourcesSummary(result), QString("GEMM, attention, collectives: predicted · elementwise: roofline"));
        QCOMPARE(theme_.color(result.operations[0]), theme_.colors().backwardWeights);
        QCOMPARE(theme_.color(result.operations[2]), theme_.colors().forward);
        QCOMPARE(theme_.color(result.operations[4]), theme_.colors().tensor);
    }

    void emptyViewsSayWhatTheyWouldShow() {
        OperatorTable table(theme_, selection_);
        WhyPanel why(theme_);
        ProblemList problems(theme_);
        AssumedList assumed(theme_);
        problems.setProblems({});
        assumed.setResult(nullptr);
        const std::pair<QWidget*, const char*> expected[] = {
            {&table, "Operators by time"}, {&why, "What the iteration"}, {&problems, "No problems"}, {&assumed, "Nothing assumed"}};
        for (const auto& [widget, beginning] : expected) {
            widget->resize(340, 200);
            QString all;
            for (const auto& text : recordTexts(widget->size(), [w = widget](QPainter& painter) { w->render(&painter); })) all += text.text + ' ';
            QVERIFY2(all.contains(beginning), qPrintable(all));
        }
    }
};

ORRERY_WIDGET_TEST(InsightTest)
#include "insight_test.moc"
