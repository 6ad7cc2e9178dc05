// SPDX-License-Identifier: GPL-3.0-or-later
// A study's bars: what they show of its numbers, by mouse, keyboard and as files.
#include "core/base/json.hpp"
#include "tests/support/chart_checks.hpp"

#include "tests/support/widget_test.hpp"
#include "widgets/study/study_chart.hpp"
#include "widgets/study/study_model.hpp"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace orrery;

namespace {

/// 3 models × 4 kinds; the bytes of model i and kind j are (i + 1)(4 − j) GiB, the closed forms a tenth more for kind 3.
StudyResultPtr studyResult(std::size_t done = 12) {
    Study study;
    study.name = "Bytes by kind";
    study.base = Json::object();
    StudyAxis models{"model", {}}, kinds{"kind", {}};
    for (const char* name : {"small", "middle", "a model with a rather long name"}) models.values.push_back({name, {}, {}});
    for (const char* name : {"none", "sequence parallel", "selective", "full"}) kinds.values.push_back({name, {}, {}});
    study.axes = {models, kinds};
    study.plots = {{"Stored", "/bytes", "bytes", "x", "none"}, {"Time", "/time", "s", "", ""}};
    StudyResult result{study, studyPoints(study), {}};
    for (std::size_t i = 0; i < done; ++i) {
        StudyOutcome outcome;
        const double bytes = static_cast<double>((i / 4 + 1) * (4 - i % 4)) * 1073741824.0;
        outcome.numbers = {{bytes, i % 4 == 3 ? bytes * 1.1 : bytes, "x = s*b*h"}, {0.25 * static_cast<double>(i), std::nullopt, ""}};
        if (i == 6) {
            outcome.numbers = {{}, {}};
            Problem problem;
            problem.message = "It can't run.";
            outcome.problems.push_back(problem);
        }
        result.outcomes.push_back(outcome);
    }
    return std::make_shared<const StudyResult>(std::move(result));
}

bool hasText(const std::vector<test::DrawnText>& texts, const QString& wanted) {
    return std::any_of(texts.begin(), texts.end(), [&](const test::DrawnText& text) { return text.text == wanted; });
}

} // namespace

class StudyChartTest : public QObject {
    Q_OBJECT

private slots:
    void aChainSaysWhatEachStepAdds() {
        Study study;
        study.base = Json::object();
        study.steps = true;
        study.axes = {{"step", {{"start", {}, {}, ""}, {"twice", {}, {}, "precision"}, {"thrice", {}, {}, "batch"}}}};
        study.plots = {{"Rate", "/rate", "tokens/s", "", ""}};
        StudyResult result{study, studyPoints(study), {}};
        for (const double rate : {10.0, 20.0, 60.0}) {
            StudyOutcome outcome;
            outcome.numbers.resize(1);
            outcome.numbers[0].value = rate;
            result.outcomes.push_back(outcome);
        }
        const auto shared = std::make_shared<const StudyResult>(result);
        Theme theme;
        StudyChart chart(theme);
        chart.resize(900, 420);
        chart.setResult(shared);
        QVERIFY(chart.describe(2).contains(QString::fromUtf8("× 3.00 (batch), × 6.00 in all")));
        QCOMPARE(chainText(*shared, 0), QString::fromUtf8("× 6.00 = precision 2.00 × batch 3.00"));
        const auto texts = test::recordTexts(chart, QSize(900, 420));
        QVERIFY(hasText(texts, QString::fromUtf8("× 2.00")) && hasText(texts, QString::fromUtf8("× 3.00")));
    }

    void wordsStandWhereThereIsNoNumber() {
        StudyResult result = *studyResult();
        result.outcomes[0].numbers[1] = {};
        result.outcomes[0].numbers[1].word = "shared_memory";
        Theme theme;
        StudyModel model(theme);
        model.setResult(std::make_shared<const StudyResult>(result));
        QCOMPARE(model.index(0, 5).data().toString(), QStringLiteral("shared memory"));
    }

    void barsStandAsHighAsTheirNumbers() {
        Theme theme;
        StudyChart chart(theme);
        chart.resize(900, 420);
        chart.setResult(studyResult());
        const double unit = chart.barRect(3).height(); // 1 GiB
        QVERIFY(unit > 5);
        for (std::size_t point = 0; point < 12; ++point) {
            if (point == 6) {
                QVERIFY(chart.barRect(point).isEmpty()); // it could not run
                continue;
            }
            const double expected = static_cast<double>((point / 4 + 1) * (4 - point % 4));
            QVERIFY(std::abs(chart.barRect(point).height() / unit - expected) < 1e-6);
            QCOMPARE(chart.barRect(point).bottom(), chart.barRect(0).bottom());
            if (point > 0 && point != 7) QVERIFY(chart.barRect(point).left() >= chart.barRect(point - 1).right() - 1e-9);
        }
    }

    void sharesAreOfTheBaseline() {
        Theme theme;
        StudyChart chart(theme);
        chart.resize(900, 420);
        chart.setResult(studyResult());
        chart.setShares(true);
        const double whole = chart.barRect(0).height();
        for (const std::size_t group : {0u, 4u, 8u}) {
            QVERIFY(std::abs(chart.barRect(group).height() - whole) < 1e-6); // each model's own baseline is 100 %
            QVERIFY(std::abs(chart.barRect(group + 3).height() / whole - 0.25) < 1e-6);
        }
        chart.setPlot(1); // a plot without a baseline stays in its unit
        QVERIFY(std::abs(chart.barRect(8).height() / chart.barRect(4).height() - 2) < 1e-6);
    }

    void theTooltipTellsNumberClosedFormAndFault() {
        Theme theme;
        StudyChart chart(theme);
        chart.setResult(studyResult());
        const QString text = chart.describe(3);
        QVERIFY2(text.contains("small · full") && text.contains("1.00") && text.contains("closed form: 1.10") && text.contains("25.0") && text.contains("s*b*h"), qPrintable(text));
        QVERIFY(chart.describe(6).contains("It can't run."));
        chart.setResult(studyResult(2));
        QVERIFY(chart.describe(5).contains("not simulated yet"));
    }

    void theLargestDifferenceIsFound() {
        QVERIFY(std::abs(*largestDifference(*studyResult()) - (1 - 1 / 1.1)) < 1e-12);
        QVERIFY(!largestDifference(*studyResult(0)));
    }

    void keysAndMouseChooseAndOpen() {
        Theme theme;
        StudyChart chart(theme);
        chart.resize(900, 420);
        chart.setResult(studyResult());
        chart.show();
        QSignalSpy chosen(&chart, &StudyChart::chosenChanged), opened(&chart, &StudyChart::openRequested);
        QTest::keyClick(&chart, Qt::Key_Right);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.chosen(), 1);
        QTest::keyClick(&chart, Qt::Key_End);
        QCOMPARE(chart.chosen(), 11);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(opened.last().first().toInt(), 11);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.barRect(4).center().toPoint());
        QCOMPARE(chosen.last().first().toInt(), 4);
        QTest::mouseDClick(&chart, Qt::LeftButton, {}, chart.barRect(9).center().toPoint());
        QCOMPARE(opened.last().first().toInt(), 9);
    }

    void labelsKeepClearAndNameGroupsAndBars() {
        for (const ThemeVariant variant : test::checkedThemes) {
            Theme theme(variant);
            StudyChart chart(theme);
            chart.setResult(studyResult());
            for (const bool shares : {false, true}) {
                chart.setShares(shares);
                for (const QSize& size : test::checkedSizes) {
                    const auto texts = test::recordTexts(chart, size);
                    QVERIFY(texts.size() > 8);
                    const QString faults = test::labelFaults(texts, size);
                    QVERIFY2(faults.isEmpty(), qPrintable(QString("%1×%2: %3").arg(size.width()).arg(size.height()).arg(faults)));
                }
            }
            const auto texts = test::recordTexts(chart, {900, 700});
            QVERIFY(hasText(texts, "small") && hasText(texts, "selective"));
        }
    }

    /// Nobody tells 84 colours apart. `inner`: values of the last axis; 0: there are two axes alone.
    void manyBarsOfAGroupHaveFewColoursAndASentence_data() {
        QTest::addColumn<int>("inner");
        QTest::addColumn<int>("named");
        QTest::newRow("21 by 4") << 4 << 4;
        QTest::newRow("4 by 21") << 21 << 0;
        QTest::newRow("84") << 0 << 0;
    }
    void manyBarsOfAGroupHaveFewColoursAndASentence() {
        QFETCH(int, inner);
        QFETCH(int, named);
        Study study;
        study.base = Json::object();
        const auto axis = [](const std::string& name, int values) {
            StudyAxis made{name, {}};
            for (int i = 0; i < values; ++i) made.values.push_back({name + std::to_string(i), {}, {}});
            return made;
        };
        study.axes = {axis("model", 2), axis("plan", inner > 0 ? 84 / inner : 84)};
        if (inner > 0) study.axes.push_back(axis("kind", inner));
        study.plots = {{"Time", "/time", "s", "", ""}};
        StudyResult result{study, studyPoints(study), {}};
        QCOMPARE(result.points.size(), std::size_t(168));
        for (int i = 0; i < 168; ++i) {
            StudyOutcome outcome;
            outcome.numbers = {{1.0 + i % 84, std::nullopt, ""}};
            result.outcomes.push_back(outcome);
        }
        Theme theme;
        StudyChart chart(theme);
        chart.setResult(std::make_shared<const StudyResult>(std::move(result)));
        for (const QSize& size : test::checkedSizes) {
            const auto texts = test::recordTexts(chart, size);
            const QString faults = test::labelFaults(texts, size);
            QVERIFY2(faults.isEmpty(), qPrintable(QString("%1×%2: %3").arg(size.width()).arg(size.height()).arg(faults)));
            int legends = 0;
            QString said;
            for (const test::DrawnText& text : texts) {
                legends += text.text.startsWith("kind") || text.text.startsWith("plan") ? 1 : 0;
                said += text.text + ' ';
            }
            QVERIFY2(legends <= named, qPrintable(QString::number(legends)));
            QVERIFY2(said.contains("from left to right by plan"), qPrintable(said));
            QCOMPARE(said.contains("by plan, kind"), inner > 0 && named == 0);
        }
    }

    void exportsAreWholeAndTheCsvHasEveryNumber() {
        Theme theme;
        StudyChart chart(theme);
        const StudyResultPtr result = studyResult();
        chart.setResult(result);
        QCOMPARE(test::exportFaults(chart), QString());
        const auto lines = test::parseCsv(chart.csv());
        QCOMPARE(lines.size(), 13);
        for (qsizetype i = 1; i < lines.size(); ++i) {
            QCOMPARE(lines[i].size(), lines[0].size());
            const StudyNumber& number = result->outcomes[static_cast<std::size_t>(i - 1)].numbers[0];
            if (number.value) QCOMPARE(lines[i][2].toDouble(), *number.value);
            else QVERIFY(lines[i][2].isEmpty());
        }
    }

    void theTableHasARowAPoint() {
        Theme theme;
        StudyModel model(theme);
        model.setResult(studyResult(5));
        QCOMPARE(model.rowCount(), 12);
        QCOMPARE(model.columnCount(), 2 + 3 + 1); // the second plot has no closed form
        QCOMPARE(model.index(3, 1).data().toString(), QString("full"));
        QVERIFY(model.index(3, 2).data().toString().startsWith("1.00"));
        QCOMPARE(model.index(0, 4).data().toString(), QString("none")); // no difference
        QCOMPARE(model.index(7, 2).data().toString(), QString("…"));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged), reset(&model, &QAbstractItemModel::modelReset);
        model.setResult(studyResult(12)); // what comes in while it runs keeps selection and scroll
        QCOMPARE(reset.size(), 0);
        QCOMPARE(changed.size(), 1);
        QVERIFY(model.index(7, 2).data().toString().startsWith("2.00"));
    }
};

ORRERY_WIDGET_TEST(StudyChartTest)
#include "study_chart_test.moc"
