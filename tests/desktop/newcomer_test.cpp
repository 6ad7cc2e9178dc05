// SPDX-License-Identifier: GPL-3.0-or-later
// What newcomers met in the window, done again as they did it.

#include "app/desktop/commands/command_palette.hpp"
#include "app/desktop/document/examples.hpp"
#include "app/desktop/explore/explore_panel.hpp"
#include "app/desktop/explore/run_bar.hpp"

#include "app/desktop/explore/search_page.hpp"
#include "app/desktop/explore/search_space_edit.hpp"
#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/import/import_dialog.hpp"
#include "app/desktop/manners/translations.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/compare/compare_panel.hpp"
#include "widgets/compare/compare_tables.hpp"
#include "widgets/compare/waterfall_chart.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/forms/form_edits.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/memory/memory_panel.hpp"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <map>
#include <set>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::bytesOf;
using test::catalog;
using test::writeFile;

const QString trainingCommand = QStringLiteral("torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py --num-layers 40 --hidden-size 5120 --num-attention-heads 40 "
                                               "--seq-length 4096 --max-position-embeddings 4096 --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 "
                                               "--micro-batch-size 1 --global-batch-size 128 --bf16 --vocab-size 50304\n");

/// Types into a field of the form and ends with Return.
void enter(Window& window, const char* pointer, const QString& text) {
    auto* line = window->findChild<QLineEdit*>(QString::fromLatin1(pointer));
    if (!line) qFatal("no field %s", pointer);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
    QTest::keyClick(line, Qt::Key_Return);
}

/// Where a node's card is on the canvas.
QPointF placeOn(const ClusterCanvas& canvas, const std::string& id) {
    const ClusterDocument& drawing = canvas.document();
    const int node = drawing.indexOf(id);
    return node < 0 ? QPointF(-1, -1) : canvas.view().toWidget(drawing.nodes()[static_cast<std::size_t>(node)].position);
}

} // namespace

class NewcomerTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    /// Whatever is seen can be clicked: no grip between docks lies over what a panel shows.
    void nothingLiesOverThePanels_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280") << QSize(1280, 720);
        QTest::newRow("1600") << QSize(1600, 1000);
        QTest::newRow("3840") << QSize(3840, 2160);
    }

    void nothingLiesOverThePanels() {
        QFETCH(QSize, size);
        Window window(catalog());
        QVERIFY(window.start({}, size));
        for (const Workspace& workspace : workspaces()) {
            window->windowLayout().showWorkspace(workspace.id);
            QTest::qWait(60);
            // Qt's grips between docks are wider than their line, by 2 px on either side: the line lies between panels.
            for (auto* grip : window->findChildren<QWidget*>("qt_qmainwindow_extended_splitter")) {
                if (!grip->isVisible()) continue;
                const QRect line = grip->geometry().adjusted(2, 2, -2, -2);
                for (const WindowLayout::Panel& panel : window->windowLayout().panels())
                    QVERIFY2(!panel.dock->isVisible() || !panel.dock->geometry().intersects(line), qPrintable(QString("%1: a grip at %2, %3 lies over %4").arg(workspace.id).arg(line.x()).arg(line.y()).arg(panel.id)));
            }
            for (auto* button : window->findChildren<QToolButton*>()) {
                if (!button->isVisible() || button->window() != window.window.get() || button->visibleRegion().isEmpty()) continue;
                for (int y = 0; y < button->height(); ++y) {
                    const QPoint at = button->mapTo(window.window.get(), QPoint(button->width() / 2, y));
                    QWidget* there = window->childAt(at);
                    if (!button->visibleRegion().contains(QPoint(button->width() / 2, y))) continue;
                    QVERIFY2(there && (there == button || button->isAncestorOf(there)),
                             qPrintable(QString("%1: row %2 of “%3” belongs to %4 “%5”").arg(workspace.id).arg(y).arg(button->text(), there ? there->metaObject()->className() : "nothing", there ? there->objectName() : QString())));
                }
            }
        }
    }

    /// An import is a document of its own: saving asks where to, and the file that was open stays as it is.
    void anImportLeavesTheOpenFileAlone() {
        Window window(catalog());
        const QString mine = window.path("mine.orrery.json"), other = window.path("imported.orrery.json");
        writeFile(mine, QByteArray::fromStdString(firstExample().document->dump(2)));
        const QByteArray before = bytesOf(mine);
        QVERIFY(window.start(mine));
        window->showImport(trainingCommand, "train.sh", window.folder.path());
        auto* dialog = window->findChild<ImportDialog*>();
        QVERIFY(dialog && dialog->importButton()->isEnabled());
        QVERIFY(window.resultAfter([&] { QTest::mouseClick(dialog->importButton(), Qt::LeftButton); }));
        QCOMPARE(window->document().filePath(), QString());
        QVERIFY(window->document().isModified());
        window.fileAnswer = other;
        window.trigger("file.save");
        QCOMPARE(bytesOf(mine), before);
        QVERIFY(!bytesOf(other).isEmpty());
        QCOMPARE(window->document().filePath(), other);
    }

    void anImportAsksForUnsavedWork() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(window.resultAfter([&] { window->document().edit("Tensor", {{"/parallelism/tensor", 4}}); }));
        window.unsavedAnswer = UnsavedChoice::cancel;
        const std::string mine = window->document().json().dump();
        window->showImport(trainingCommand, {}, {});
        auto* dialog = window->findChild<ImportDialog*>();
        QVERIFY(dialog);
        QTest::mouseClick(dialog->importButton(), Qt::LeftButton);
        QCOMPARE(window.unsavedQuestions, 1);
        QCOMPARE(window->document().json().dump(), mine);
    }

    /// The size is known before anything is built: the drawing has a stack, not a hundred thousand cards.
    void aHundredThousandHostsAreAStack() {
        Window window(catalog());
        QVERIFY(window.start());
        QElapsedTimer clock;
        clock.start();
        enter(window, "/cluster/nodes", "100000");
        QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
        const ClusterDocument& drawing = window->views().cluster()->document();
        QCOMPARE(drawing.hosts(), 100000);
        QCOMPARE(drawing.accelerators(), 800000);
        QVERIFY(drawing.nodes().size() < 40);
        enter(window, "/cluster/nodes", "90000");
        QCOMPARE(window->views().cluster()->document().hosts(), 90000);
        enter(window, "/cluster/nodes", "8");
        QCOMPARE(window->views().cluster()->document().hosts(), 8);
        QCOMPARE(window->views().cluster()->document().nodes().size(), std::size_t(20));
    }

    /// Hosts that the field adds lie as a drawing of so many hosts lies, not in one row to the far right.
    void addedHostsAreLaidOut() {
        Window window(catalog());
        QVERIFY(window.start());
        enter(window, "/cluster/nodes", "32");
        const ClusterDocument& drawing = window->views().cluster()->document();
        QCOMPARE(drawing.hosts(), 32);
        const QRectF bounds = drawing.bounds();
        QVERIFY2(bounds.width() < 4 * bounds.height(), qPrintable(QString("%1 × %2").arg(bounds.width()).arg(bounds.height())));
        for (std::size_t a = 0; a < drawing.nodes().size(); ++a)
            for (std::size_t b = 0; b < a; ++b) QVERIFY(drawing.nodes()[a].position != drawing.nodes()[b].position);
    }

    /// What was pinned was a baseline for the scenario that was open.
    void aPinnedBaselineLeavesWithItsScenario() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("simulate.pin");
        const std::vector<Example> examples = shippedExamples();
        const auto other = std::find_if(examples.begin(), examples.end(), [](const Example& one) { return one.fileName.contains("gpt3-175b-1024xa100"); });
        QVERIFY(other != examples.end());
        QVERIFY(window.resultAfter([&] { window->files().openExample(*other); }));
        QVERIFY2(window->views().headline()->tiles().front()->figure().change.isEmpty(), qPrintable(window->views().headline()->tiles().front()->figure().change));
    }

    /// 32 DGX H100, Llama-3.1-70B, 8k tokens, 1,024 sequences: the best plan, what 800 Gb/s would buy, and why. From the first window in at most 12 actions.
    void anEngineersQuestionTakesTwelveActions() {
        Window window(catalog());
        QVERIFY(window.start());
        QStringList actions;
        const auto act = [&actions](const QString& what, auto&& action) {
            actions << what;
            action();
        };
        const auto type = [&](const char* field, const char* value) {
            act(QStringLiteral("%1 = %2").arg(QLatin1String(field), QLatin1String(value)), [&] { enter(window, field, value); });
        };
        // The first window shows Llama-3.1-70B on DGX H100 already.
        QCOMPARE(window->document().shown()->at("model").dump(), std::string(R"({"preset":"llama-3.1-70b"})"));
        QCOMPARE(window->document().shown()->at("workload").at("sequence_length"), Json(8192));
        type("/cluster/nodes", "32");
        QVERIFY(window.resultAfter([&] { type("/workload/global_batch_size", "1024"); }));
        const double asked = window->result()->training()->iterationTime;

        act("Simulate, Search for the best plan", [&] { window.trigger("simulate.search"); });
        SearchPage& page = *window->views().explore()->searchPage();
        QTRY_VERIFY(!page.space()->keys().empty());
        act("Run", [&] { page.bar()->runButton()->click(); });
        QTRY_VERIFY_WITH_TIMEOUT(page.result() && !page.bar()->isRunning(), 240000);
        QVERIFY(window.resultAfter([&] { act("Open", [&] { page.openButton()->click(); }); }));
        const double best = window->result()->training()->iterationTime;
        QVERIFY2(best < asked, qPrintable(QString::number(best)));
        QVERIFY(window->result()->fits);

        act("New variant", [&] { window.trigger("variants.new"); });
        QVERIFY(window.resultAfter([&] { type("/cluster/scale_out/bandwidth_gb_s", "800 Gb/s"); }));
        // What it buys stands in the headline, with how sure that is.
        const Figure& time = window->views().headline()->tiles().front()->figure();
        QTRY_VERIFY2(time.change.startsWith(u'−') && time.change.contains(u'±'), qPrintable(time.change));
        act("Compare", [&] { window.trigger("variants.compare"); });
        // Why: the parts sum to the difference, and only communication has changed.
        ComparePanel& panel = *window->views().compare();
        QTRY_VERIFY(panel.waterfall()->whyNothing().isEmpty());
        QCOMPARE(panel.inputs()->rowCount(), 1);
        qInfo().noquote() << actions.join(QStringLiteral("; ")) << asked << best << window->result()->training()->iterationTime << time.change;
        QVERIFY2(actions.size() <= 12, qPrintable(actions.join(QStringLiteral("; "))));
    }

    /// A difference of two predictions is surer than either: what both have in common cancels. One that may be none has no colour.
    void aDifferenceSaysHowSureItIs() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("simulate.pin");
        const auto change = [&](int sequence) {
            const bool answered = window.resultAfter([&] { window->document().edit("Length", {{"/workload/sequence_length", sequence}}); });
            return answered ? window->views().headline()->tiles().front()->figure() : Figure{};
        };
        const Figure halved = change(4096);
        QVERIFY2(halved.change.contains(QStringLiteral("±")), qPrintable(halved.change));
        QVERIFY2(halved.changeMeaning.contains(QStringLiteral("9 of 10")), qPrintable(halved.changeMeaning));
        QCOMPARE(halved.verdict, Verdict::better);
        const Figure hardly = change(8064);
        QVERIFY2(hardly.change.contains(QStringLiteral("±")), qPrintable(hardly.change));
        QCOMPARE(hardly.verdict, Verdict::neutral);
    }

    /// A new variant changes nothing yet and shares the scenario's result: the baseline keeps the scenario's name.
    void theBaselineOfANewVariantIsTheScenario() {
        Window window(catalog());
        QVERIFY(window.start());
        const QString title = QString::fromStdString(window->document().json().at("name").get<std::string>());
        QVERIFY(window.resultAfter([&] { window.trigger("variants.new"); }));
        QVERIFY(!window->document().openVariant().isEmpty());
        QVERIFY(window.resultAfter([&] { window->document().edit("Tensor", {{"/parallelism/tensor", 4}}); }));
        QTRY_COMPARE(window->views().headline()->baselineName(), title);
    }
    /// Two entries of one menu with one letter: neither is reached by it.
    void noTwoEntriesOfAMenuShareALetter() {
        Window window(catalog());
        QVERIFY(window.start());
        QStringList twice;
        for (QMenu* menu : window->findChildren<QMenu*>()) {
            std::map<QChar, QString> known;
            for (const QAction* action : menu->actions()) {
                const QString text = action->text();
                for (qsizetype at = text.indexOf(u'&'); at >= 0 && at + 1 < text.size(); at = text.indexOf(u'&', at + 2)) {
                    if (text[at + 1] == u'&') continue;
                    const auto [other, isNew] = known.emplace(text[at + 1].toLower(), text);
                    if (!isNew) twice << other->second + " and " + text;
                }
            }
        }
        QVERIFY2(twice.isEmpty(), qPrintable(twice.join(QLatin1Char('\n'))));
    }

    void thePaletteFindsWhatWasBegun() {
        Window window(catalog());
        QVERIFY(window.start());
        window->showPalette();
        auto* palette = window->findChild<CommandPalette*>();
        QVERIFY(palette);
        const auto first = [&](const QString& typed) {
            palette->findChild<QLineEdit*>()->setText(typed);
            return palette->shownIds().value(0);
        };
        QCOMPARE(first("rep"), QString("file.export.report"));
        QCOMPARE(first("sens"), QString("simulate.sensitivity"));
    }

    /// What is chosen dims all else; it is said, and one click or Esc brings everything back.
    void whatIsChosenIsSaid() {
        Window window(catalog());
        QVERIFY(window.start());
        QToolButton* chosen = window->statusRow().chosenButton();
        QVERIFY(!chosen->isVisible());
        window->selection().setOperator("mlp.gate_up", "forward");
        QVERIFY(chosen->isVisible());
        QVERIFY2(chosen->text().contains("mlp.gate_up") && chosen->text().contains("Esc"), qPrintable(chosen->text()));
        QTest::mouseClick(chosen, Qt::LeftButton);
        QVERIFY(!chosen->isVisible());
        window->selection().setOperator("mlp.gate_up", "forward");
        window->setFocus();
        QTest::keyClick(window.window.get(), Qt::Key_Escape);
        QVERIFY(!chosen->isVisible() && window->selection().operatorName().isEmpty());
    }

    void suggestedFileNamesHaveNoBlanks() {
        Window window(catalog());
        QVERIFY(window.start());
        QString suggested;
        window->dialogs().saveFile = [&suggested](const QString&, const QString& path, const QString&) {
            suggested = path;
            return QString();
        };
        window.trigger("file.export.memory.svg");
        QVERIFY(!suggested.isEmpty());
        QVERIFY2(!QFileInfo(suggested).fileName().contains(u' '), qPrintable(suggested));
    }

    /// The network's speed has one name: typed in bits on a drawing it is one number of the file, all links follow, and the comparison says it.
    void theNetworkIsOneNumber() {
        Window window(catalog());
        QVERIFY(window.start());
        enter(window, "/cluster/nodes", "32");
        QVERIFY(window.resultAfter([&] { window->document().edit("Batch", {{"/workload/global_batch_size", 1024}}); }));
        const double before = window->result()->training()->iterationTime;
        window.trigger("variants.new");
        QVERIFY(window.resultAfter([&] { enter(window, "/cluster/scale_out/bandwidth_gb_s", "800 Gb/s"); }));
        QCOMPARE(window->document().shown()->at("cluster").at("scale_out").dump(), std::string(R"({"bandwidth_gb_s":100})"));
        QVERIFY(window->result()->training()->iterationTime < before);
        for (const DrawnLink& link : window->views().cluster()->document().links()) QCOMPARE(link.bandwidth, 100.0);
        window.trigger("variants.compare");
        ComparePanel& panel = *window->views().compare();
        QTRY_COMPARE(panel.inputs()->rowCount(), 1);
        QCOMPARE(panel.inputs()->textAt(0, 0), QString("network speed"));
        QCOMPARE(panel.inputs()->textAt(0, 1).replace(QChar(0x2009), u' '), QString("400 Gb/s"));
        QCOMPARE(panel.inputs()->textAt(0, 2).replace(QChar(0x2009), u' '), QString("800 Gb/s"));
        // The waterfall goes into a column of a page, whole.
        QTRY_VERIFY(panel.waterfall()->whyNothing().isEmpty());
        ExportFormat column;
        column.size = {3.33 * ExportFormat::pixelsPerInch, 3.5 * ExportFormat::pixelsPerInch};
        column.pointSize = 8;
        const QString drawn = QString::fromUtf8(chartSvg(*panel.waterfall(), column));
        QVERIFY(drawn.contains("<text") && !drawn.contains(QChar(0x2026)));
        // Each link edited by hand says the same.
        const ClusterDocument& drawing = window->views().cluster()->document();
        std::set<LinkKey> all;
        for (const DrawnLink& link : drawing.links()) all.insert(drawing.keyOf(link));
        const std::vector<ScenarioEdit> byHand = drawing.setLinkProperty(all, "bandwidth_gb_s", 25);
        QVERIFY(window.resultAfter([&] { window->document().edit("Links", byHand); }));
        QVERIFY(!window->document().shown()->at("cluster").contains("scale_out"));
        QTRY_COMPARE(panel.inputs()->textAt(0, 2).replace(QChar(0x2009), u' '), QString("200 Gb/s"));
        QCOMPARE(panel.inputs()->rowCount(), 1);
    }

    /// With the tool a drag joins, and what is marked is joined together.
    void connectingDragsAndTakesSeveral() {
        Window window(catalog());
        QVERIFY(window.start());
        ClusterCanvas& canvas = *window->views().cluster();
        const std::size_t links = canvas.document().links().size();
        const auto place = [&](const char* id) { return placeOn(canvas, id).toPoint(); };
        canvas.setTool(ClusterTool::connect);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, place("dgx-0"));
        QTest::mouseMove(&canvas, place("spine-0"));
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, place("spine-0"));
        QCOMPARE(canvas.document().links().size(), links + 1);
        canvas.setSelection({{"dgx-1", "dgx-2", "dgx-3"}, {}});
        QTest::mousePress(&canvas, Qt::LeftButton, {}, place("dgx-1"));
        QTest::mouseMove(&canvas, place("spine-1"));
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, place("spine-1"));
        QCOMPARE(canvas.document().links().size(), links + 4);
        QCOMPARE(window->document().undoStack().count(), 2);
    }

    /// Another kind of job leaves no panel blank where the hand is.
    void noPanelIsBlankAfterAnotherKind() {
        Window window(catalog());
        QVERIFY(window.start());
        const auto toKind = [&](const char* kind) {
            return window.resultAfter([&] { window->document().edit("Kind", kindEdits(window->document().json(), kind, catalog())); });
        };
        window->windowLayout().showWorkspace("memory");
        window->views().showMemoryByTensor();
        QVERIFY(toKind("serving"));
        QVERIFY(window->views().memory()->page() == MemoryPanel::Page::by_stage);
        QVERIFY(window->views().table() == WindowViews::Table::operators);
        QVERIFY(toKind("training"));
        QVERIFY(window->views().table() == WindowViews::Table::memory);
        QVERIFY(toKind("serving"));
        window->windowLayout().showWorkspace("serve");
        QVERIFY(toKind("training"));
        QCOMPARE(window->windowLayout().workspace(), QString("overview"));
    }

    /// The search that is proposed speaks the form's words, has interleaving and overlaps among its keys, and leaves some memory free.
    void theProposedSearchIsAsAnEngineerWouldAsk() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("simulate.search");
        SearchSpaceEdit& space = *window->views().explore()->searchPage()->space();
        std::set<QString> pointers;
        QTRY_VERIFY(!space.keys().empty());
        for (const KeyEdit* key : space.keys()) {
            QVERIFY2(!key->keyLine()->text().startsWith(u'/'), qPrintable(key->keyLine()->text()));
            pointers.insert(key->key());
        }
        for (const char* wanted : {"/parallelism/virtual_pipeline", "/execution/overlap/data", "/execution/overlap/tensor"}) QVERIFY2(pointers.contains(wanted), wanted);
        QVERIFY2(space.constraints()->text().startsWith("peak memory <= "), qPrintable(space.constraints()->text()));
        const std::optional<Json> search = space.search();
        QVERIFY(search);
        const Json& limit = search->at("constraints").at(0);
        QCOMPARE(limit.at("pointer").get<std::string>(), std::string("/memory/peak_bytes"));
        const double share = limit.at("value").get<double>() / window->result()->scenario.cluster.accelerator.memoryBytes;
        QVERIFY2(share > 0.9 && share < 0.93, qPrintable(QString::number(share)));
    }

    void aPastedHostIsSeen() {
        Window window(catalog());
        QVERIFY(window.start());
        ClusterCanvas& canvas = *window->views().cluster();
        for (int i = 0; i < 4; ++i) canvas.zoomIn();
        canvas.setSelection({{"dgx-7"}, {}});
        canvas.copySelection();
        canvas.paste();
        QCOMPARE(canvas.selection().nodes.size(), std::size_t(1));
        const QPointF seen = placeOn(canvas, *canvas.selection().nodes.begin());
        QVERIFY2(QRectF(canvas.rect()).adjusted(8, 30, -8, -8).contains(seen), qPrintable(QString("%1, %2").arg(seen.x()).arg(seen.y())));
    }
};

ORRERY_WIDGET_TEST(NewcomerTest)
#include "newcomer_test.moc"
