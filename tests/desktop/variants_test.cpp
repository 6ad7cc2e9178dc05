// SPDX-License-Identifier: GPL-3.0-or-later
// Variants of a scenario in the window: the strip, the workspace that compares them, and the scenario as one line of text.

#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/notices/fit_banner.hpp"
#include "core/base/json.hpp"
#include "core/scenario/document/share_text.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/text_recorder.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/compare/compare_layers.hpp"
#include "widgets/compare/compare_panel.hpp"
#include "widgets/compare/compare_tables.hpp"
#include "widgets/compare/compare_timelines.hpp"
#include "widgets/compare/variant_strip.hpp"
#include "widgets/compare/waterfall_chart.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/insight/why_panel.hpp"
#include "widgets/memory/memory_kinds.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/roofline/roofline_plot.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>

#include <algorithm>
#include <cmath>

using namespace orrery;
using orrery::test::Window;

namespace {

/// Quick to simulate: one node, one stage, few micro-batches.
Json variedScenario() {
    return Json::parse(R"({"format": "orrery-scenario/1", "name": "Varied", "model": {"preset": "llama-3-8b"},
        "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 1},
        "workload": {"kind": "training", "sequence_length": 4096, "global_batch_size": 16, "micro_batch_size": 1, "precision": "bf16"},
        "parallelism": {"tensor": 2, "pipeline": 1, "zero_stage": 3}, "execution": {"recompute": "full"},
        "variants": [{"name": "wide", "edits": {"/parallelism/tensor": 4}}, {"name": "fp8", "edits": {"/workload/precision": "fp8"}}]})");
}

/// Requests to one accelerator or two.
Json variedServing() {
    return Json::parse(R"({"format": "orrery-scenario/1", "name": "Served", "model": {"preset": "llama-3-8b"},
        "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 2, "nodes": 1},
        "workload": {"kind": "serving", "precision": "bf16", "requests": {"count": 60, "arrival": {"process": "poisson", "rate_per_s": 8}, "input_tokens": 2000, "output_tokens": 50, "seed": 1}},
        "parallelism": {"tensor": 1}, "variants": [{"name": "wide", "edits": {"/parallelism/tensor": 2}}]})");
}

bool openVaried(Window& window, const Json& scenario = variedScenario()) {
    const QString path = window.path("varied.orrery.json");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    file.write(QByteArray::fromStdString(scenario.dump(2) + "\n"));
    file.close();
    return window.start(path);
}

Json fileAt(Window& window, const char* pointer) { return window->document().json().at(Json::json_pointer(pointer)); }
VariantCard* cardOf(Window& window, const QString& name) { return window->variantStrip().card(name); }
bool haveFigures(Window& window) {
    return QTest::qWaitFor([&] {
        const auto& cards = window->variantStrip().cards();
        return std::all_of(cards.begin(), cards.end(), [](const VariantCard* card) { return !card->text().figure.isEmpty(); });
    },
                           20000);
}
/// Chooses it with the mouse and waits for what it gives.
bool openByClick(Window& window, const QString& name) {
    return window.resultAfter([&] { QTest::mouseClick(cardOf(window, name), Qt::LeftButton); });
}
bool editField(Window& window, const QString& text, const char* pointer, const Json& value) {
    return window.resultAfter([&] { emit window->views().editRequested(text, {{pointer, value}}); });
}
double iteration(const ResultPtr& result) { return result->training()->iterationTime; }

} // namespace

class VariantsTest : public QObject {
    Q_OBJECT

private slots:
    void eachVariantHasACardWithItsFigure() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        VariantStrip& strip = window->variantStrip();
        QVERIFY(strip.isVisible());
        QCOMPARE(strip.cards().size(), std::size_t(3));
        QVERIFY(haveFigures(window));
        QCOMPARE(cardOf(window, "wide")->text().chips, QStringList{QString("t 2→4")});
        QCOMPARE(cardOf(window, "fp8")->text().chips, QStringList{QString("precision bf16→fp8")});
        QVERIFY(cardOf(window, {})->text().isOpen);
        QVERIFY(!cardOf(window, "fp8")->text().difference.isEmpty());
        // What the strip says of a variant is what it gives when it is opened.
        const ResultPtr beside = window->variantRuns().result(1);
        QVERIFY(openByClick(window, "wide"));
        QCOMPARE(iteration(window->result()), iteration(beside));
        QCOMPARE(window->result()->scenario.parallelism.tensor, 4);
        QVERIFY(cardOf(window, "wide")->text().isOpen);
        QVERIFY(!window->document().isModified()); // looking is no change
    }

    void editsOfAnOpenVariantChangeItsEditsAlone() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        const QByteArray before = window->document().toBytes();
        QVERIFY(openByClick(window, "wide"));
        QVERIFY(editField(window, "Change the micro-batch", "/workload/micro_batch_size", 2));
        QCOMPARE(fileAt(window, "/variants/0/edits"), Json::parse(R"({"/workload/micro_batch_size": 2, "/parallelism/tensor": 4})"));
        QCOMPARE(fileAt(window, "/workload/micro_batch_size"), Json(1));
        QCOMPARE(window->result()->scenario.training().microBatch, 2);
        // Back to the scenario's own value: nothing of it stays in the file.
        QVERIFY(editField(window, "Change the tensor degree", "/parallelism/tensor", 2));
        QCOMPARE(fileAt(window, "/variants/0/edits"), Json::parse(R"({"/workload/micro_batch_size": 2})"));
        // An edit of the scenario reaches each variant that says nothing of it.
        QVERIFY(openByClick(window, {}));
        QVERIFY(editField(window, "Change the sequence", "/workload/sequence_length", 2048));
        QVERIFY(openByClick(window, "fp8"));
        QCOMPARE(window->document().shown()->at("workload").at("sequence_length"), Json(2048));
        // Undo opens what each step was made in, and ends with the bytes of the file.
        while (window->document().undoStack().canUndo()) window->document().undoStack().undo();
        QCOMPARE(window->document().toBytes(), before);
        QCOMPARE(window->document().openVariant(), QString("wide"));
        window->document().undoStack().redo();
        QCOMPARE(window->document().openVariant(), QString("wide"));
    }

    void variantsAreMadeNamedMovedAndDeleted() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        const QByteArray before = window->document().toBytes();
        QVERIFY(openByClick(window, "wide"));
        QTest::mouseClick(window->variantStrip().newButton(), Qt::LeftButton);
        QCOMPARE(window->variants().names(), (QStringList{"wide", "wide copy", "fp8"}));
        QCOMPARE(window->document().openVariant(), QString("wide copy"));
        QCOMPARE(fileAt(window, "/variants/1/edits"), Json::parse(R"({"/parallelism/tensor": 4})"));

        QTest::mouseDClick(cardOf(window, "wide copy"), Qt::LeftButton);
        QLineEdit* name = cardOf(window, "wide copy")->nameEdit();
        QVERIFY(name);
        QTest::keyClicks(name, "fp8");
        QTest::keyClick(name, Qt::Key_Return);
        QVERIFY2(window->variants().names().contains("wide copy"), "a name that another has is refused");
        QVERIFY(window->banner().isVisible());
        window->variantStrip().startRename("wide copy");
        name = cardOf(window, "wide copy")->nameEdit();
        QTest::keyClicks(name, "wider");
        QTest::keyClick(name, Qt::Key_Return);
        QCOMPARE(window->document().openVariant(), QString("wider"));

        window.trigger("variants.right");
        QCOMPARE(window->variants().names(), (QStringList{"wide", "fp8", "wider"}));
        window.trigger("variants.left");
        window.trigger("variants.left");
        QCOMPARE(window->variants().names(), (QStringList{"wider", "wide", "fp8"}));
        window.trigger("variants.delete");
        QCOMPARE(window->variants().names(), (QStringList{"wide", "fp8"}));
        QCOMPARE(window->document().openVariant(), QString());
        window->document().undoStack().undo();
        QCOMPARE(window->document().openVariant(), QString("wider"));
        while (window->document().undoStack().canUndo()) window->document().undoStack().undo();
        QCOMPARE(window->document().toBytes(), before);
    }

    void aVariantIsDraggedToItsPlace() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        const QByteArray before = window->document().toBytes();
        const auto drag = [&](const QString& name, const QPoint& to, bool giveUp = false) {
            VariantCard* card = cardOf(window, name);
            const QPoint from = card->rect().center(), end = card->mapFrom(&window->variantStrip(), to);
            QTest::mousePress(card, Qt::LeftButton, {}, from);
            QTest::mouseMove(card, (from + end) / 2);
            QTest::mouseMove(card, end);
            if (giveUp) QTest::keyClick(card, Qt::Key_Escape);
            QTest::mouseRelease(card, Qt::LeftButton, {}, end);
        };
        const auto edgeOf = [&](const QString& name, bool right) {
            VariantCard* card = cardOf(window, name);
            return card->mapTo(&window->variantStrip(), QPoint(right ? card->width() - 4 : 4, card->height() / 2));
        };
        drag("wide", edgeOf("fp8", true), true);
        QCOMPARE(window->variants().names(), (QStringList{"wide", "fp8"}));
        drag("wide", edgeOf("fp8", true));
        QCOMPARE(window->variants().names(), (QStringList{"fp8", "wide"}));
        QVERIFY(cardOf(window, {})->text().isOpen); // what is dragged is not opened
        // The scenario itself stays the first, whatever is dragged over it.
        QTest::qWait(50);
        drag("wide", edgeOf({}, false));
        QCOMPARE(window->variants().names(), (QStringList{"wide", "fp8"}));
        drag({}, edgeOf("fp8", true));
        QCOMPARE(window->variants().names(), (QStringList{"wide", "fp8"}));
        while (window->document().undoStack().canUndo()) window->document().undoStack().undo();
        QCOMPARE(window->document().toBytes(), before);
    }

    void whatWasChangedIsKeptAsAVariant() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        QVERIFY(editField(window, "Change the tensor degree", "/parallelism/tensor", 8));
        const double changed = iteration(window->result());
        QVERIFY(window.resultAfter([&] { window.trigger("variants.keep"); }));
        // The scenario is what its file says again, and what was changed of it is open beside.
        QCOMPARE(fileAt(window, "/parallelism/tensor"), Json(2));
        QCOMPARE(window->document().openVariant(), QString("tensor 8"));
        QCOMPARE(fileAt(window, "/variants/2/edits"), Json::parse(R"({"/parallelism/tensor": 8})"));
        QCOMPARE(iteration(window->result()), changed);
        QVERIFY(window.resultAfter([&] { window->document().undoStack().undo(); }));
        QCOMPARE(fileAt(window, "/parallelism/tensor"), Json(8));
        QCOMPARE(window->variants().names().size(), 2);
    }

    void scenariosAreComparedSideBySide() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        window.trigger("view.workspace.compare");
        QCOMPARE(window->windowLayout().workspace(), QString("compare"));
        QVERIFY(haveFigures(window));
        QVERIFY(openByClick(window, "fp8"));
        ComparePanel& panel = *window->views().compare();
        QVERIFY(panel.isVisible());
        // The inputs that differ and no others.
        QVERIFY(!cardOf(window, "wide")->tick()->isChecked());
        QTest::mouseClick(cardOf(window, "wide")->tick(), Qt::LeftButton);
        QVERIFY(cardOf(window, "wide")->tick()->isChecked());
        QCOMPARE(panel.inputs()->pointers(), (std::vector<std::string>{"/parallelism/tensor", "/workload/precision"}));
        QTest::mouseClick(cardOf(window, "wide")->tick(), Qt::LeftButton);
        QCOMPARE(panel.inputs()->pointers(), std::vector<std::string>{"/workload/precision"});
        QCOMPARE(panel.inputs()->textAt(0, 1), QString("bf16"));
        QCOMPARE(panel.inputs()->textAt(0, 2), QString("fp8"));
        // Numbers with their signed difference.
        QCOMPARE(panel.figures()->pointers().front(), std::string("/iteration_time_s"));
        QVERIFY2(panel.figures()->textAt(0, 3).startsWith(u'−'), qPrintable(panel.figures()->textAt(0, 3)));
        // A figure says where it comes from, a difference what it is made of.
        const auto clickCell = [&](int row, int column) {
            FiguresTable& table = *panel.figures();
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(row, column)).center());
        };
        clickCell(0, 2);
        QVERIFY2(window->views().why()->formulaText().contains("iteration time of fp8"), qPrintable(window->views().why()->formulaText()));
        clickCell(0, 3);
        QCOMPARE(panel.dividedBox()->currentData().toString(), QString("/iteration_time_s"));
        // The steps sum to the whole.
        const double difference = iteration(window->variantRuns().result(2)) - iteration(window->variantRuns().result(0));
        double sum = 0;
        for (const auto& step : panel.waterfall()->steps()) sum += step.delta;
        QVERIFY(!panel.waterfall()->steps().empty());
        QVERIFY2(std::abs(sum - difference) <= 1e-9 * std::abs(difference), qPrintable(QString("%1 against %2").arg(sum).arg(difference)));
        // An operator is found in both timelines.
        CompareTimelines& lines = *panel.timelines();
        for (int i = 1; i < 200 && lines.hint().isEmpty(); ++i) QTest::mouseMove(&lines, lines.placeOf(0, iteration(window->result()) * i / 400).toPoint());
        QVERIFY2(lines.hint().contains("Base") && lines.hint().contains("fp8"), qPrintable(lines.hint()));
        // Under the ceilings: what is shown, with the other as rings.
        panel.operatorTabs()->setCurrentIndex(1);
        QVERIFY(panel.roofline()->isVisible() && panel.roofline()->whyNothing().isEmpty());
        QVERIFY(panel.roofline()->plot()->ghosts() > 0);
        // One alone has nothing to be compared with, and the page says so.
        QTest::mouseClick(cardOf(window, "fp8")->tick(), Qt::LeftButton);
        QVERIFY(!panel.note().isEmpty());
        QVERIFY(panel.waterfall()->steps().empty());
    }

    void everyStageIsCompared() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        window->document().edit("Stages", {{"/variants/0/edits", Json{{"/parallelism/pipeline", 2}, {"/parallelism/zero_stage", 1}}}});
        window.trigger("view.workspace.compare");
        QVERIFY(haveFigures(window));
        QVERIFY(openByClick(window, "wide"));
        ComparePanel& panel = *window->views().compare();
        QTRY_COMPARE_WITH_TIMEOUT(panel.stageBox()->count(), 2, 20000);
        QVERIFY(panel.stageBox()->isVisible());
        // The head computes on the last stage alone: it is found there, and in the scenario of one stage beside it.
        CompareTimelines& lines = *panel.timelines();
        const auto hintsOn = [&](std::size_t row) {
            QStringList hints;
            for (int i = 0; i < 600; ++i) {
                QTest::mouseMove(&lines, lines.placeOf(row, lines.to() * i / 600).toPoint());
                hints << lines.hint();
            }
            return hints.join(u' ');
        };
        QVERIFY(!hintsOn(1).contains("head.logits"));
        QVERIFY(hintsOn(0).contains("head.logits"));
        panel.stageBox()->setCurrentIndex(1);
        emit panel.stageBox()->activated(1);
        QCOMPARE(lines.stage(), 1);
        QVERIFY(hintsOn(1).contains("head.logits"));
        QVERIFY(hintsOn(0).contains("head.logits"));
    }

    void memoryIsComparedLayerByLayer() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        window.trigger("view.workspace.compare");
        QVERIFY(haveFigures(window));
        QVERIFY(openByClick(window, "wide"));
        ComparePanel& panel = *window->views().compare();
        QTest::mouseClick(panel.memoryTabs()->tabBar(), Qt::LeftButton, {}, panel.memoryTabs()->tabBar()->tabRect(1).center());
        CompareLayers& layers = *panel.layers();
        QVERIFY(layers.isVisible() && layers.whyNothing().isEmpty());
        // 32 layers with the embedding before and the head after them; the weights of all are the stage's.
        QCOMPARE(layers.rows().size(), std::size_t(34));
        double weights = 0;
        for (const CompareLayers::Row& row : layers.rows()) {
            QVERIFY(row.from && row.shown);
            weights += row.shown->bytes[static_cast<std::size_t>(MemoryKind::weights)];
        }
        const double whole = window->variantRuns().result(1)->memory.stages.front().bytes[static_cast<std::size_t>(MemoryKind::weights)];
        QVERIFY2(std::abs(weights - whole) < 1e-9 * whole, qPrintable(QString("%1 against %2").arg(weights).arg(whole)));
        QTest::mouseMove(&layers, layers.placeOf(4).toPoint());
        QVERIFY2(layers.hint().contains("layer 3") && layers.hint().contains("difference"), qPrintable(layers.hint()));
        QVERIFY(layers.csv().startsWith("piece,layer,scenario,stage,weights_bytes"));
        // Every colour is told, however narrow the panel: the legend takes more lines.
        for (const QSize& size : {QSize(200, 180), QSize(300, 260), QSize(900, 400)}) {
            QStringList told;
            const auto texts = test::recordTexts(size, [&](QPainter& painter) { layers.renderBody(painter, QRectF(QPointF(), size)); });
            for (const test::DrawnText& text : texts) told << text.text;
            for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
                const bool any = std::any_of(layers.rows().begin(), layers.rows().end(), [kind](const CompareLayers::Row& row) { return row.shown->bytes[kind] > 0 || row.from->bytes[kind] > 0; });
                QVERIFY2(!any || told.contains(memoryKindName(static_cast<MemoryKind>(kind))), qPrintable(memoryKindName(static_cast<MemoryKind>(kind))));
            }
            QVERIFY2(test::labelFaults(texts, size).isEmpty(), qPrintable(test::labelFaults(texts, size)));
        }
    }

    void timesToTokensAreDividedToo() {
        Window window(test::catalog());
        QVERIFY(openVaried(window, variedServing()));
        window.trigger("view.workspace.compare");
        QVERIFY(haveFigures(window));
        QVERIFY(openByClick(window, "wide"));
        ComparePanel& panel = *window->views().compare();
        QTRY_VERIFY_WITH_TIMEOUT(panel.dividedBox()->isVisible(), 20000);
        QVERIFY(!panel.layers()->whyNothing().isEmpty()); // and says why
        const ServingMetrics &base = window->variantRuns().result(0)->serving()->served, &wide = window->variantRuns().result(1)->serving()->served;
        QStringList divided;
        for (int i = 0; i < panel.dividedBox()->count(); ++i) {
            const std::string pointer = panel.dividedBox()->currentData().toString().toStdString();
            const double difference = pointer == "/e2e_s/mean" ? wide.e2e.mean - base.e2e.mean : pointer == "/ttft_s/mean" ? wide.ttft.mean - base.ttft.mean
                                                                                             : pointer == "/tpot_s/mean"   ? wide.tpot.mean - base.tpot.mean
                                                                                                                           : 0;
            double sum = 0;
            QStringList names;
            for (const auto& step : panel.waterfall()->steps()) {
                sum += step.delta;
                names << QString::fromStdString(step.name);
            }
            if (difference != 0) QVERIFY2(std::abs(sum - difference) <= 1e-9 * std::abs(difference), pointer.c_str());
            if (pointer == "/ttft_s/mean") QVERIFY2(names.contains("prefill_products"), qPrintable(names.join(u' ')));
            if (pointer == "/tpot_s/mean") QVERIFY2(names.contains("decode_weights"), qPrintable(names.join(u' ')));
            divided << panel.dividedBox()->currentData().toString();
            QTest::keyClick(panel.dividedBox(), Qt::Key_Down);
        }
        for (const char* pointer : {"/e2e_s/mean", "/ttft_s/mean", "/tpot_s/mean", "/memory/peak_bytes"}) QVERIFY2(divided.contains(QString(pointer)), pointer);
    }

    void whatDoesNotFitIsComparedWithoutANoticeOverIt() {
        Window window(test::catalog());
        Json scenario = variedScenario();
        scenario["variants"] = Json::parse(R"([{"name": "alone", "edits": {"/parallelism/tensor": 1, "/parallelism/zero_stage": 0}}])");
        const QString path = window.path("alone.orrery.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(scenario.dump(2)));
        file.close();
        QVERIFY(window.start(path, {1280, 720}));
        QVERIFY(openByClick(window, "alone"));
        QVERIFY(!window->result()->fits);
        QVERIFY(window->fitBanner().isVisible());
        window.trigger("view.workspace.compare");
        QVERIFY(!window->fitBanner().isVisible());
        QVERIFY(cardOf(window, "alone")->text().doesNotFit);
        window.trigger("view.workspace.overview");
        QVERIFY(window->fitBanner().isVisible());
        QVERIFY2(window->fitBanner().message().contains("Does not fit"), qPrintable(window->fitBanner().message()));
    }

    void resultsThatNobodyAsksForAreDropped() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        QVERIFY(haveFigures(window));
        const double wide = iteration(window->variantRuns().result(1));
        // Edits one after the other: what comes is of the last.
        for (const int length : {1024, 2048, 8192}) window->document().edit(QString("Length %1").arg(length), {{"/workload/sequence_length", length}});
        QVERIFY(cardOf(window, "wide")->text().figure.isEmpty()); // never an old one
        QVERIFY(haveFigures(window));
        QVERIFY(iteration(window->variantRuns().result(1)) != wide);
        QCOMPARE(window->variantRuns().result(1)->scenario.training().sequenceLength, 8192);
        // A variant that can't run says why, and the others run.
        window->document().edit("Tensor", {{"/variants/0/edits", Json{{"/parallelism/tensor", 3}}}});
        QTRY_VERIFY_WITH_TIMEOUT(!cardOf(window, "wide")->text().problem.isEmpty(), 20000);
        QVERIFY(!cardOf(window, "fp8")->text().figure.isEmpty());
    }

    void aScenarioTravelsAsText() {
        Window window(test::catalog());
        QVERIFY(openVaried(window));
        const Json shared = window->document().json();
        window.trigger("edit.copy_text");
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.startsWith("orrery:"), qPrintable(text.left(20)));
        QVERIFY(editField(window, "Change the tensor degree", "/parallelism/tensor", 8));
        // Pasted with a field in focus, it opens as a new document, after asking.
        window->views().form()->focusField("/workload/micro_batch_size");
        window.unsavedAnswer = UnsavedChoice::cancel;
        window.trigger("edit.paste");
        QCOMPARE(window.unsavedQuestions, 1);
        QCOMPARE(fileAt(window, "/parallelism/tensor"), Json(8));
        window.unsavedAnswer = UnsavedChoice::discard;
        QVERIFY(window.resultAfter([&] { window.trigger("edit.paste"); }));
        QCOMPARE(window->document().json(), shared);
        QVERIFY(window->document().filePath().isEmpty());
        QCOMPARE(window->variantStrip().cards().size(), std::size_t(3));
        // What is cut off says so, and changes nothing.
        QApplication::clipboard()->setText(text.left(text.size() / 2));
        window.trigger("edit.paste");
        QVERIFY(window->banner().isVisible());
        QCOMPARE(window->document().json(), shared);
    }
};

ORRERY_WIDGET_TEST(VariantsTest)
#include "variants_test.moc"
