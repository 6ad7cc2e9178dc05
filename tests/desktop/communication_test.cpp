// SPDX-License-Identifier: GPL-3.0-or-later
// What counts as communication, edited as a user edits it: over open records, kept for the next start.
#include "app/desktop/background/record_worker.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/pages/communication_dialog.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/generated_trace.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/recorded/record_panel.hpp"
#include "widgets/recorded/record_table.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include <sstream>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;
using test::writeFile;

QStringList writeRanks(Window& window, int count) {
    QStringList paths;
    for (int rank = 0; rank < count; ++rank) {
        std::ostringstream out;
        test::writeGeneratedTrace(out, 200'000, rank, count);
        paths << window.path(QStringLiteral("rank%1.json").arg(rank));
        writeFile(paths.back(), QByteArray::fromStdString(out.str()));
    }
    return paths;
}

/// Runs `change` and waits until records are on screen.
template <typename Change>
bool shownAfter(Window& window, Change&& change) {
    QSignalSpy shown(window.window.get(), &MainWindow::recordsShown);
    change();
    return !shown.isEmpty() || shown.wait(30000);
}

CommunicationDialog& openRules(Window& window) {
    window.trigger("records.communication");
    QTest::qWait(20);
    for (auto* dialog : window->findChildren<CommunicationDialog*>())
        if (dialog->isVisible()) return *dialog;
    qFatal("no dialog");
}

QPushButton* ruleButton(CommunicationDialog& dialog, const char* name) {
    auto* found = dialog.findChild<QPushButton*>(QLatin1String(name));
    if (!found) qFatal("no button %s", name);
    return found;
}

void press(CommunicationDialog& dialog, QDialogButtonBox::StandardButton which) { QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(which), Qt::LeftButton); }

/// The row of the kernels' list whose name contains `part`.
int kernelRow(const CommunicationDialog& dialog, const QString& part) {
    for (int row = 0; row < dialog.kernels()->rowCount(); ++row)
        if (dialog.kernels()->text(row, 0).contains(part)) return row;
    return -1;
}

/// Types into the open editor, in place of what is there.
void typeRule(CommunicationDialog& dialog, const QString& text) {
    auto* editor = dialog.table()->findChild<QLineEdit*>();
    if (!editor) qFatal("no editor");
    QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(editor, text);
}

std::int64_t communicatingOf(const ShownRecordsPtr& records, std::size_t place) {
    const auto& device = records->job->ranks[place].trace->device;
    return std::count_if(device.begin(), device.end(), [](const DeviceEvent& event) { return event.communication; });
}

} // namespace

class CommunicationTest : public QObject {
    Q_OBJECT
private slots:
    void aRuleSortsTheOpenRecordsAndThoseOfTheNextStart() {
        Window window(catalog());
        QVERIFY(window.start());
        const QStringList paths = writeRanks(window, 2);
        QVERIFY(shownAfter(window, [&] { window->openRecords(paths); }));
        RecordPanel& panel = *window->views().recorded();
        QVERIFY(!panel.lacksText().contains("rules of your own"));
        const ShownRecordsPtr before = panel.records();
        const std::int64_t collectives = communicatingOf(before, 0);
        QVERIFY(collectives > 0);

        CommunicationDialog& dialog = openRules(window);
        QCOMPARE(dialog.rules(), shippedCommunicationRules());
        QVERIFY(!ruleButton(dialog, "rules_shipped")->isEnabled());
        QCOMPARE(dialog.kernels()->rowCount(), 5);
        QCOMPARE(dialog.kernels()->text(kernelRow(dialog, "ncclDevKernel"), 1), QString("communication"));
        QCOMPARE(dialog.kernels()->text(kernelRow(dialog, "ncclDevKernel"), 2), QString("1"));
        QCOMPARE(dialog.kernels()->text(kernelRow(dialog, "flash_fwd"), 1), QString("computation"));
        std::int64_t kernels = 0;
        for (const RecordedRank& rank : before->job->ranks) kernels += static_cast<std::int64_t>(rank.trace->device.size());
        std::int64_t listed = 0;
        for (int row = 0; row < dialog.kernels()->rowCount(); ++row) listed += dialog.kernels()->text(row, 3).remove(QLocale().groupSeparator()).toLongLong();
        QCOMPARE(listed, kernels);

        // A new rule stands on top and is typed at once; the kernels follow each letter.
        QTest::mouseClick(ruleButton(dialog, "rule_add"), Qt::LeftButton);
        typeRule(dialog, "FLASH_?fwd");
        QTRY_COMPARE(dialog.kernels()->text(kernelRow(dialog, "flash_fwd"), 1), QString("communication, before computation"));
        QTest::keyClick(dialog.table()->findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(dialog.isVisible()); // Enter ended the edit, not the dialog
        QCOMPARE(dialog.rules().front(), (CommunicationRule{"FLASH_?fwd", true}));
        QVERIFY(shownAfter(window, [&] { press(dialog, QDialogButtonBox::Ok); }));
        const ShownRecordsPtr after = panel.records();
        QCOMPARE(after->job->ranks.size(), std::size_t(2));
        QVERIFY(communicatingOf(after, 0) > collectives);
        QCOMPARE(communicatingOf(before, 0), collectives); // what others still hold is as it was
        QVERIFY2(panel.lacksText().contains("rules of your own"), qPrintable(panel.lacksText()));
        QVERIFY(after->job->ranks[1].trace->device.size() == before->job->ranks[1].trace->device.size());

        // Records opened later, and after the next start, are sorted by them.
        QVERIFY(shownAfter(window, [&] { window->openRecords({paths.front()}); }));
        QCOMPARE(communicatingOf(window->views().recorded()->records(), 0), communicatingOf(after, 0));
        window.reopen();
        QVERIFY(window.start());
        QVERIFY(shownAfter(window, [&] { window->openRecords({paths.front()}); }));
        QCOMPARE(communicatingOf(window->views().recorded()->records(), 0), communicatingOf(after, 0));

        // Back to what Orrery comes with.
        CommunicationDialog& again = openRules(window);
        QCOMPARE(again.rules().front().match, std::string("FLASH_?fwd"));
        QTest::mouseClick(ruleButton(again, "rules_shipped"), Qt::LeftButton);
        QCOMPARE(again.rules(), shippedCommunicationRules());
        QVERIFY(shownAfter(window, [&] { press(again, QDialogButtonBox::Ok); }));
        QCOMPARE(communicatingOf(window->views().recorded()->records(), 0), collectives);
        QVERIFY(!window->views().recorded()->lacksText().contains("rules of your own"));
        QVERIFY(!window.settings->contains("communication_rules"));
    }

    void rulesAreEditedByKeysAlone() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(shownAfter(window, [&] { window->openRecords(writeRanks(window, 1)); }));
        CommunicationDialog& dialog = openRules(window);
        QTableWidget* table = dialog.table();
        table->setFocus();
        table->setCurrentCell(0, 1);
        QTest::keyClick(table, Qt::Key_Space); // NCCL computes
        QCOMPARE(dialog.rules().front(), (CommunicationRule{"nccl", false}));
        QTRY_COMPARE(dialog.kernels()->text(kernelRow(dialog, "ncclDevKernel"), 1), QString("computation, before communication"));
        QTest::keyClick(table, Qt::Key_Down, Qt::AltModifier); // below others, but before all_?reduce
        QCOMPARE(dialog.rules()[1], (CommunicationRule{"nccl", false}));
        QCOMPARE(table->currentRow(), 1);
        QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(dialog.rules().front().match, std::string("nccl"));
        QTest::keyClick(table, Qt::Key_Delete);
        QCOMPARE(dialog.rules().size(), shippedCommunicationRules().size() - 1);
        QTRY_COMPARE(dialog.kernels()->text(kernelRow(dialog, "ncclDevKernel"), 2), QString("2")); // AllReduce is in its name
        table->setCurrentCell(0, 0);
        QTest::keyClick(table, Qt::Key_F2);
        typeRule(dialog, QString());
        QTest::keyClick(table->findChild<QLineEdit*>(), Qt::Key_Backspace);
        QTRY_COMPARE(dialog.rules().front().match, std::string()); // every name
        QTRY_VERIFY(dialog.kernels()->scope().startsWith("5 of 5 names communicate"));
        QTest::keyClick(table->findChild<QLineEdit*>(), Qt::Key_Return);
        // Cancel leaves everything as it was.
        const ShownRecordsPtr before = window->views().recorded()->records();
        QTest::keyClick(&dialog, Qt::Key_Escape);
        QTRY_VERIFY(!window->findChild<CommunicationDialog*>() || !window->findChild<CommunicationDialog*>()->isVisible());
        QCOMPARE(window->views().recorded()->records(), before);
        QVERIFY(!window.settings->contains("communication_rules"));
    }

    void aRuleIsMadeOfAChosenKernel() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(shownAfter(window, [&] { window->openRecords(writeRanks(window, 1)); }));
        CommunicationDialog& dialog = openRules(window);
        dialog.kernels()->filter()->setText("layer_norm");
        QCOMPARE(dialog.kernels()->rowCount(), 1);
        dialog.kernels()->view()->selectRow(0);
        QTest::mouseClick(ruleButton(dialog, "rule_add"), Qt::LeftButton);
        QVERIFY(dialog.rules().front().match.find("layer_norm_kernel") != std::string::npos);
        QVERIFY(dialog.rules().front().communication);
        QTRY_COMPARE(dialog.kernels()->text(0, 1), QString("communication, before computation"));
    }

    void theScenarioStandsBesideAgainAfterSorting() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(shownAfter(window, [&] { window->openRecords(writeRanks(window, 1)); }));
        RecordPanel& panel = *window->views().recorded();
        QTRY_VERIFY(panel.besideButton()->isEnabled());
        QVERIFY(shownAfter(window, [&] { QTest::mouseClick(panel.besideButton(), Qt::LeftButton); }));
        const auto recordedKernels = [&panel] {
            for (const OperatorClassTimes& one : panel.records()->beside->errors.classes)
                if (one.name == "communication") return one.recordedKernels;
            return decltype(OperatorClassTimes::recordedKernels)(-1);
        };
        QVERIFY(recordedKernels() > 0);
        CommunicationDialog& dialog = openRules(window);
        dialog.table()->setCurrentCell(0, 0);
        while (!dialog.rules().empty()) QTest::mouseClick(ruleButton(dialog, "rule_remove"), Qt::LeftButton);
        QVERIFY(!ruleButton(dialog, "rule_remove")->isEnabled());
        press(dialog, QDialogButtonBox::Ok);
        QTRY_VERIFY_WITH_TIMEOUT(panel.records()->rules.empty() && panel.records()->beside && !panel.isReading(), 30000);
        QCOMPARE(recordedKernels(), decltype(OperatorClassTimes::recordedKernels)(0));
        QCOMPARE(panel.records()->record->timeline.stages.size(), std::size_t(2));
    }

    void settingsThatCantBeReadAreTheShippedRules() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
        QCOMPARE(storedCommunicationRules(settings), shippedCommunicationRules());
        for (const char* damaged : {"[{", "{}", R"([{"match": 3}])"}) {
            settings.setValue("communication_rules", damaged);
            QCOMPARE(storedCommunicationRules(settings), shippedCommunicationRules());
        }
        const CommunicationRules own{{"my_\"ring\", ß", true}, {"", false}};
        storeCommunicationRules(settings, own);
        QCOMPARE(storedCommunicationRules(settings), own);
        storeCommunicationRules(settings, {});
        QVERIFY(storedCommunicationRules(settings).empty());
    }

    void aHybridSaysItsOwnRules() {
        const QString traces = QString::fromStdString(test::sharedPath("traces/dlrm/kineto"));
        const QStringList files = QDir(traces).entryList({"*.gz"}, QDir::Files, QDir::Name);
        if (files.size() != 8) QSKIP("the recorded job is not here");
        Window window(catalog());
        Json document{{"format", "orrery-scenario/1"}, {"name", "DLRM"}, {"hybrid", {{"ranks", Json::object()}, {"communication", {{{"match", "allreduce"}}}}}}};
        for (const int rank : {0, 1}) document["hybrid"]["ranks"][std::to_string(rank)] = (traces + '/' + files[rank]).toStdString();
        const QString path = window.path("hybrid.orrery.json");
        writeFile(path, QByteArray::fromStdString(document.dump()));
        QVERIFY(shownAfter(window, [&] { QVERIFY(window.start(path)); }));
        RecordPanel& panel = *window->views().recorded();
        QVERIFY(panel.records() && panel.records()->hybrid);
        QVERIFY2(panel.lacksText().contains("hybrid.communication"), qPrintable(panel.lacksText()));
    }

    void itLooksAsItShould_data() {
        QTest::addColumn<QString>("theme");
        for (const char* theme : {"light", "dark"}) QTest::newRow(theme) << QString(theme);
    }
    void itLooksAsItShould() {
        QFETCH(const QString, theme);
        Window window(catalog(), theme);
        QVERIFY(window.start());
        const QString traces = QString::fromStdString(test::sharedPath("traces/dlrm/kineto"));
        QStringList files;
        for (const QString& file : QDir(traces).entryList({"*.gz"}, QDir::Files, QDir::Name)) files << traces + '/' + file;
        if (files.isEmpty()) files = writeRanks(window, 2);
        QVERIFY(shownAfter(window, [&] { window->openRecords(files); }));
        CommunicationDialog& dialog = openRules(window);
        dialog.table()->setFocus();
        dialog.table()->setCurrentCell(0, 1);
        QTest::keyClick(dialog.table(), Qt::Key_Space);
        QTRY_VERIFY(dialog.kernels()->text(kernelRow(dialog, "nccl"), 2) != QString("–"));
        QTest::qWait(100);
        QVERIFY(dialog.width() < 1280 && dialog.height() < 720);
        QVERIFY(dialog.table()->columnWidth(0) > 200);
        const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
        if (!folder.isEmpty()) dialog.grab().save(QStringLiteral("%1/communication-%2.png").arg(folder, theme));
        QVERIFY(shownAfter(window, [&] { press(dialog, QDialogButtonBox::Ok); }));
        if (!folder.isEmpty()) window->grab().save(QStringLiteral("%1/records-own-rules-%2.png").arg(folder, theme));
    }
};

ORRERY_WIDGET_TEST(CommunicationTest)
#include "communication_test.moc"
