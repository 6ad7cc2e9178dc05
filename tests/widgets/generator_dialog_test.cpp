// SPDX-License-Identifier: GPL-3.0-or-later
// The form with all parameters of a generator, as a user fills it in.

#include "core/base/json.hpp"
#include "core/network/generators/generator_table.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/chart_checks.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/palette/cluster_palette.hpp"
#include "widgets/cluster/palette/generator_dialog.hpp"
#include "widgets/common/theme.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QtTest>

using namespace orrery;

namespace {

using test::catalog;

PaletteItem paletteItem(const QString& key) {
    for (PaletteItem& candidate : paletteItems(catalog()))
        if (candidate.key == key) return candidate;
    qFatal("no palette item %s", qPrintable(key));
}

QPushButton* place(const GeneratorDialog& dialog) {
    for (QPushButton* button : dialog.findChild<QDialogButtonBox*>()->findChildren<QPushButton*>())
        if (button->isDefault()) return button;
    return nullptr;
}

QLabel* shownProblem(const GeneratorDialog& dialog) {
    for (QLabel* label : dialog.findChildren<QLabel*>())
        if (label->property("role").toString() == QStringLiteral("error") && !label->isHidden()) return label;
    return nullptr;
}

QString totals(const GeneratorDialog& dialog) { return dialog.findChild<QLabel*>(QStringLiteral("totals"))->text(); }

} // namespace

class GeneratorDialogTest : public QObject {
    Q_OBJECT
private slots:
    void everyParameterHasWords();
    void beginsWithWhatThePaletteMakes_data();
    void beginsWithWhatThePaletteMakes();
    void countsAlong();
    void saysAtTheFieldWhatIsWrongAndMendsIt();
    void takesThePlatformsNetwork();
    void placesWhatWasAsked();
    void pictures();
};

void GeneratorDialogTest::everyParameterHasWords() {
    for (const Generator& generator : generators()) {
        QVERIFY2(!generatorDescription(generator.id).isEmpty(), generator.id.c_str());
        for (const GeneratorParameter& parameter : generator.parameters)
            QVERIFY2(parameterWords(parameter.key).label != QString::fromStdString(parameter.key), parameter.key.c_str());
    }
}

void GeneratorDialogTest::beginsWithWhatThePaletteMakes_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("number");
    for (const PaletteItem& entry : paletteItems(catalog()))
        if (!entry.generator.empty())
            for (const int number : {entry.number, std::min(entry.mostNumber, 2 * entry.number + 2)})
                QTest::addRow("%s %d", qPrintable(entry.key), number) << entry.key << number;
}

void GeneratorDialogTest::beginsWithWhatThePaletteMakes() {
    QFETCH(QString, key);
    QFETCH(int, number);
    const PaletteItem entry = paletteItem(key);
    const GeneratorDialog dialog(entry, number, catalog(), nullptr);
    QVERIFY(place(dialog)->isEnabled());
    QCOMPARE(dialog.fragment().dump(), entry.make(number).dump());
}

void GeneratorDialogTest::countsAlong() {
    GeneratorDialog dialog(paletteItem("fat-tree:dgx-h100"), 4, catalog(), nullptr);
    QVERIFY(totals(dialog).contains("128 accelerators in 16 hosts"));
    QVERIFY(totals(dialog).contains("20 switches"));
    dialog.findChild<QSpinBox*>("k")->setValue(8);
    QTRY_VERIFY(totals(dialog).contains("1,024 accelerators in 128 hosts") || totals(dialog).contains("in 128 hosts"));
    QVERIFY(totals(dialog).contains("80 switches"));
}

void GeneratorDialogTest::saysAtTheFieldWhatIsWrongAndMendsIt() {
    GeneratorDialog dialog(paletteItem("fat-tree:dgx-h100"), 4, catalog(), nullptr);
    dialog.findChild<QSpinBox*>("k")->setValue(5);
    dialog.refresh();
    QVERIFY(!place(dialog)->isEnabled());
    QLabel* problem = shownProblem(dialog);
    QVERIFY(problem);
    QVERIFY2(problem->text().contains("even"), qPrintable(problem->text()));
    QVERIFY(dialog.fragment()["topology"]["nodes"].empty());
    const int begin = static_cast<int>(problem->text().indexOf("href=\"")) + 6;
    emit problem->linkActivated(problem->text().mid(begin, problem->text().indexOf('"', begin) - begin));
    QCOMPARE(dialog.findChild<QSpinBox*>("k")->value(), 6);
    QVERIFY(!shownProblem(dialog));
    QVERIFY(place(dialog)->isEnabled());
    QVERIFY(totals(dialog).contains("54 hosts"));
}

void GeneratorDialogTest::takesThePlatformsNetwork() {
    GeneratorDialog dialog(paletteItem("leaf-spine:dgx-h100"), 16, catalog(), nullptr);
    auto* platform = dialog.findChild<QComboBox*>("platform");
    platform->setCurrentIndex(platform->findData("dgx-a100-80gb"));
    QCOMPARE(dialog.findChild<QDoubleSpinBox*>("bandwidth_gb_s")->value(), 25.0);
    dialog.findChild<QSpinBox*>("nics")->setValue(4);
    const Json link = dialog.fragment()["topology"]["links"][0];
    QVERIFY(link["bandwidth_gb_s"] == Json(25));
    QVERIFY(link["count"] == Json(4));
    // A platform that isn't its accelerator's usual one brings its latency along.
    platform->setCurrentIndex(platform->findData("hgx-a100-80gb-4x200"));
    QVERIFY(dialog.fragment()["topology"]["links"][0]["latency_us"] == Json(1.34));
}

void GeneratorDialogTest::placesWhatWasAsked() {
    const Theme theme(ThemeVariant::light);
    ClusterPalette palette(theme, catalog());
    QSignalSpy armed(&palette, &ClusterPalette::armed);
    PaletteRow* row = palette.row("platform:dgx-h100");
    row->moreButton()->click();
    auto* dialog = palette.findChild<GeneratorDialog*>();
    QVERIFY(dialog);
    dialog->findChild<QSpinBox*>("hosts")->setValue(20);
    dialog->findChild<QDoubleSpinBox*>("oversubscription")->setValue(2);
    place(*dialog)->click();
    QCOMPARE(armed.size(), 1);
    const Json fragment = armed[0][0].value<Json>();
    QCOMPARE(totalsOf(fragment["topology"]).hosts, std::int64_t(20));
    QVERIFY(row->isChecked());
    // Once placed, the row is what its number says again.
    palette.placementEnded();
    QCOMPARE(totalsOf(row->fragment()["topology"]).hosts, std::int64_t(8));
}

void GeneratorDialogTest::pictures() {
    for (const ThemeVariant variant : {ThemeVariant::light, ThemeVariant::dark}) {
        const Theme theme(variant);
        theme.applyToApplication();
        const QString suffix = variant == ThemeVariant::light ? "-light" : "-dark";
        GeneratorDialog pod(paletteItem("platform:dgx-h100"), 200, catalog(), nullptr);
        pod.show();
        QTest::qWait(20);
        QCOMPARE(test::cutTexts(pod).join('\n'), QString());
        test::picture(pod, "generator-superpod" + suffix);
        GeneratorDialog tree(paletteItem("fat-tree:dgx-h100"), 4, catalog(), nullptr);
        tree.findChild<QSpinBox*>("k")->setValue(7);
        tree.refresh();
        tree.show();
        QTest::qWait(20);
        test::picture(tree, "generator-problem" + suffix);
    }
}

ORRERY_WIDGET_TEST(GeneratorDialogTest)
#include "generator_dialog_test.moc"
