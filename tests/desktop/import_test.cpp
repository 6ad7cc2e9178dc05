// SPDX-License-Identifier: GPL-3.0-or-later
// Launch commands and studies in the real window.
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/import/import_dialog.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/pages/study_window.hpp"
#include "core/base/json.hpp"
#include "resources/resources.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/study/study_chart.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTreeWidget>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;
using test::writeFile;

const QString launch = QStringLiteral("torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py \\\n"
                                      "  --num-layers 40 --hidden-size 5120 --num-attention-heads 40 --seq-length 4096 --max-position-embeddings 4096 \\\n"
                                      "  --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --sequence-parallel \\\n"
                                      "  --micro-batch-size 1 --global-batch-size 128 --bf16 --vocab-size 50304 \\\n"
                                      "  --log-interval 10 --frobnicate 3\n");

template <typename Widget>
Widget* visible(const QWidget& window) {
    for (auto* each : window.findChildren<Widget*>())
        if (each->isVisible()) return each;
    return nullptr;
}

/// The lines below the heading that begins with `group`.
QStringList findings(const ImportDialog& dialog, const QString& group) {
    QStringList lines;
    for (int i = 0; i < dialog.findings()->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* top = dialog.findings()->topLevelItem(i);
        if (!top->text(0).startsWith(group)) continue;
        for (int j = 0; j < top->childCount(); ++j) lines << top->child(j)->text(0);
    }
    return lines;
}

} // namespace

class ImportTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void aPastedCommandBecomesAScenarioOfItsOwn() {
        Window window(catalog());
        QVERIFY(window.start());
        const std::string before = window->document().json().dump();
        QApplication::clipboard()->setText(launch);
        window.trigger("edit.paste_launch");
        auto* dialog = visible<ImportDialog>(*window.window);
        QVERIFY(dialog);
        QCOMPARE(dialog->text()->toPlainText(), launch);
        QVERIFY(dialog->importButton()->isEnabled());
        QVERIFY2(dialog->summaryText().contains("Megatron-LM") && dialog->summaryText().contains("tensor 4"), qPrintable(dialog->summaryText()));
        const QStringList unknown = findings(*dialog, "Not understood");
        QVERIFY2(unknown.join('\n').contains("frobnicate"), qPrintable(unknown.join('\n')));
        QVERIFY(findings(*dialog, "Not needed").join('\n').contains("log-interval"));
        QVERIFY(window.resultAfter([&] { QTest::mouseClick(dialog->importButton(), Qt::LeftButton); }));
        const Json& document = window->document().json();
        QCOMPARE(document.at("parallelism").at("tensor").get<int>(), 4);
        QCOMPARE(document.at("parallelism").at("pipeline").get<int>(), 2);
        QCOMPARE(document.at("workload").at("global_batch_size").get<int>(), 128);
        QCOMPARE(window->result()->scenario.model.layers, std::int64_t(40));
        // A document of its own, not a step of the one that was open.
        QVERIFY(before != document.dump());
        QVERIFY(window->document().isModified() && window->document().filePath().isEmpty());
        QCOMPARE(window->document().undoStack().count(), 0);
    }

    void thePreviewFollowsWhatIsTyped() {
        Window window(catalog());
        QVERIFY(window.start());
        window->showImport({}, {}, {});
        auto* dialog = visible<ImportDialog>(*window.window);
        QVERIFY(dialog);
        QVERIFY(!dialog->importButton()->isEnabled());
        dialog->text()->setPlainText("ls -la");
        QTRY_VERIFY(!findings(*dialog, "Stands in the way").isEmpty());
        QVERIFY(!dialog->importButton()->isEnabled());
        dialog->text()->setPlainText(launch);
        QTRY_VERIFY(dialog->importButton()->isEnabled());
        QString open = launch;
        dialog->text()->setPlainText(open.replace("--nnodes 4", "--nnodes $SLURM_NNODES"));
        QTRY_VERIFY(!findings(*dialog, "Left open").isEmpty());
        dialog->variables()->setText("SLURM_NNODES=8");
        QTRY_VERIFY(findings(*dialog, "Left open").isEmpty());
        dialog->readNow();
        QCOMPARE(dialog->imported().scenario->at("cluster").at("nodes").get<int>(), 8);
        const int a100 = dialog->accelerator()->findData("a100-sxm4-80gb");
        QVERIFY(a100 > 0);
        dialog->accelerator()->setCurrentIndex(a100);
        emit dialog->accelerator()->activated(a100);
        QCOMPARE(QString::fromStdString(dialog->imported().scenario->at("cluster").at("accelerator").get<std::string>()), QString("a100-sxm4-80gb"));
        // Closed without importing, nothing has changed.
        dialog->reject();
        QCOMPARE(window->document().undoStack().count(), 0);
    }

    void scriptsComeByFileDialogAndByDrop() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString script = window.path("train.sh");
        writeFile(script, "#!/bin/bash\n#SBATCH --nodes=2\n" + launch.toUtf8());
        window.fileAnswer = script;
        window.trigger("file.import");
        auto* dialog = visible<ImportDialog>(*window.window);
        QVERIFY(dialog && dialog->importButton()->isEnabled());
        dialog->close();
        QTRY_VERIFY(!visible<ImportDialog>(*window.window));

        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(script)});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.window.get(), &drop);
        QTRY_VERIFY(visible<ImportDialog>(*window.window));
        QVERIFY(visible<ImportDialog>(*window.window)->text()->toPlainText().contains("--num-layers 40"));
        visible<ImportDialog>(*window.window)->close();

        const QString deepSpeed = window.path("ds_config.json");
        writeFile(deepSpeed, R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})");
        QTRY_VERIFY(!visible<ImportDialog>(*window.window));
        window->files().openPath(deepSpeed);
        QTRY_VERIFY(visible<ImportDialog>(*window.window));
    }

    void theActivationStudyOpensAndEqualsItsClosedForms() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("learn.study.activation-recomputation");
        auto* study = window->findChild<StudyWindow*>();
        QVERIFY(study && study->isVisible());
        QSignalSpy finished(study, &StudyWindow::finished);
        QVERIFY(!finished.isEmpty() || finished.wait(120000));
        const StudyResultPtr result = study->result();
        QVERIFY(result->complete());
        QCOMPARE(result->points.size(), std::size_t(20));
        for (std::size_t i = 0; i < result->points.size(); ++i)
            for (const StudyNumber& number : result->outcomes[i].numbers) {
                QVERIFY(number.value && number.formula);
                QVERIFY2(std::abs(*number.value - *number.formula) <= 1e-9 * *number.formula, result->points[i].name.c_str());
            }
        QVERIFY2(study->statusText().contains("all equal their closed forms"), qPrintable(study->statusText()));
        // Korthikanti's figure 7: sequence parallelism and selective recomputation leave about a fifth of the 175B baseline.
        const double share = *result->outcomes[8].numbers[0].value / *result->outcomes[5].numbers[0].value;
        QVERIFY2(share > 0.15 && share < 0.25, qPrintable(QString::number(share)));
        QCOMPARE(study->table()->model()->rowCount(), 20);

        // A bar's scenario is opened in the window, where it gives the same number.
        study->chart()->choose(7);
        QVERIFY(window.resultAfter([&] { emit study->openRequested(result->points[7].document); }));
        QCOMPARE(window->result()->stored.layerBytes, *result->outcomes[7].numbers[0].value);
    }

    void aStudyFileOpensBesideTheScenario() {
        Window window(catalog());
        const QString path = window.path("mine.orrery-study.json");
        const std::string_view text = resourceText("examples/activation-recomputation.orrery-study.json");
        writeFile(path, QByteArray(text.data(), static_cast<qsizetype>(text.size())));
        QVERIFY(window.start(path)); // `orrery FILE`
        QVERIFY(window->result());   // with a scenario below it
        QVERIFY(window->findChild<StudyWindow*>());
        // A broken one says where.
        Json broken = Json::parse(text);
        broken["axes"][1]["values"][0]["edits"] = 5;
        writeFile(path, QByteArray::fromStdString(broken.dump()));
        QVERIFY(!window->files().openPath(path));
        QVERIFY2(window->banner().message().contains("/axes/1/values/0/edits"), qPrintable(window->banner().message()));
    }

    void closingAStudyStopsIt() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("learn.study.activation-recomputation");
        auto* study = window->findChild<StudyWindow*>();
        QSignalSpy gone(study, &QObject::destroyed);
        study->close();
        QTRY_COMPARE_WITH_TIMEOUT(gone.size(), 1, 20000);
    }
};

ORRERY_WIDGET_TEST(ImportTest)
#include "import_test.moc"
