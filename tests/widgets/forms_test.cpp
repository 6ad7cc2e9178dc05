// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario form, driven as a person drives it: by keyboard and by what it shows.

#include "core/base/json.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/scenario/scenario_words.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/field_table.hpp"
#include "widgets/forms/form_controls.hpp"
#include "widgets/forms/form_edits.hpp"
#include "widgets/forms/pass_switch.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/forms/value_edit.hpp"
#include "widgets/forms/value_text.hpp"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <set>

using namespace orrery;
using namespace orrery::test;

namespace {

QString written(const Json& value) { return QString::fromStdString(value.dump()); }

struct Asked {
    QString text;
    std::vector<ScenarioEdit> edits;
};

/// A form on a document that does what it is asked, as the window does.
class Bench {
public:
    explicit Bench(ThemeVariant variant = ThemeVariant::light, int width = 300, bool opened = true) : theme(variant), form(catalog(), theme) {
        theme.applyToApplication();
        QObject::connect(&form, &ScenarioForm::editRequested, &form, [this](const QString& text, const std::vector<ScenarioEdit>& edits) {
            asked.push_back({text, edits});
            if (!obeys) return;
            apply(document, edits);
            form.setDocument(document);
        });
        form.resize(width, 1500);
        form.setDocument(document);
        form.show();
        form.activateWindow();
        (void)QTest::qWaitForWindowActive(&form);
        if (opened) openAll();
    }

    /// Parts with nothing given begin folded: a click on the title opens one.
    void openAll() {
        for (Section* section : form.findChildren<Section*>())
            if (section->isFolded()) QTest::mouseClick(section->foldButton(), Qt::LeftButton);
    }

    static const Catalog& catalog() {
        static const Catalog shipped = shippedCatalog();
        return shipped;
    }

    template <typename Widget>
    Widget* field(const char* pointer) {
        return form.findChild<Widget*>(QLatin1String(pointer));
    }

    Theme theme;
    ScenarioForm form;
    Json document = exampleDocument();
    std::vector<Asked> asked;
    bool obeys = true;
};

/// The example names an accelerator that no catalogue has.
Json withRealAccelerator(Json document) {
    document["cluster"]["accelerator"] = "h100-sxm5-80gb";
    return document;
}

Problem problemAt(const char* pointer, const char* message, const char* mend, std::vector<ScenarioEdit> edits, Severity severity = Severity::error) {
    Problem problem;
    problem.severity = severity;
    problem.pointer = pointer;
    problem.message = message;
    problem.mend = mend;
    problem.edits = std::move(edits);
    return problem;
}

QLabel* messageWith(const QWidget& root, const QString& words) {
    for (QLabel* label : root.findChildren<QLabel*>(QStringLiteral("problem")))
        if (label->isVisible() && label->text().contains(words)) return label;
    return nullptr;
}

Problems manyProblems() {
    return {problemAt("/parallelism/tensor", "64 attention heads cannot be shared by 7 accelerators.", "Use 8", {{"/parallelism/tensor", 8}}),
            problemAt("/parallelism/pipeline_layout/1", "The layers of /parallelism/pipeline_layout sum to 79, the model has 80.", "Leave the layout out", {{"/parallelism/pipeline_layout", nullptr}}),
            problemAt("/workload/sequence_length", "The sequence of 16,384 tokens is longer than the model's max_position_embeddings of 8,192.", "Use 8192", {{"/workload/sequence_length", 8192}}, Severity::warning),
            problemAt("/model/config/hidden_size", "The config names no hidden_size.", "Add \"hidden_size\" to the config.json", {}),
            problemAt("/execution/overlap/tensor", "Overlap of tensor collectives needs sequence parallelism.", "Switch sequence parallelism on", {{"/parallelism/sequence", true}}, Severity::warning)};
}

} // namespace

class FormsTest : public QObject {
    Q_OBJECT

private slots:
    /// The form offers what the format allows: every word of its table, as a text or as the key of an object, and no other.
    void choicesAreTheWordsOfTheFormat() {
        std::set<std::string> seen;
        const auto offers = [&](const char* pointer, const auto& table) {
            for (const FieldSpec& field : scenarioFields()) {
                if (std::string_view(field.pointer) != pointer) continue;
                std::set<std::string> offered, allowed;
                for (const FieldChoice& choice : field.choices) offered.insert(choice.value.is_object() ? choice.value.begin().key() : choice.value.get<std::string>());
                for (const auto& word : table) allowed.insert(std::string(word.word));
                QVERIFY2(offered == allowed, pointer);
                QCOMPARE(field.choices.size(), allowed.size());
                seen.insert(pointer);
            }
        };
        offers("/parallelism/schedule", WordsOf<PipelineOrder>::table);
        offers("/parallelism/context_method", WordsOf<ContextMethod>::table);
        offers("/workload/optimizer", WordsOf<OptimizerKind>::table);
        offers("/workload/fp8_recipe", WordsOf<Fp8Recipe>::table);
        offers("/workload/task", WordsOf<TaskKind>::table);
        offers("/execution/recompute", WordsOf<RecomputeKind>::table);
        offers("/execution/recompute/modules", WordsOf<RecomputeModule>::table);
        offers("/execution/attention", WordsOf<AttentionKind>::table);
        offers("/execution/moe_dispatcher", WordsOf<ExpertDispatcher>::table);
        offers("/execution/moe_dispatch", WordsOf<ExpertDispatch>::table);
        offers("/execution/expert_load", WordsOf<ExpertLoad>::table);
        offers("/execution/jitter/method", WordsOf<JitterMethod>::table);
        QCOMPARE(seen.size(), std::size_t{12});
    }

    void showsTheDocument() {
        Bench bench;
        QCOMPARE(bench.field<QLineEdit>("/workload/sequence_length")->text(), QStringLiteral("8,192"));
        QCOMPARE(bench.field<QLineEdit>("/parallelism/tensor")->text(), QStringLiteral("8"));
        QCOMPARE(bench.field<ChoiceBox>("/model")->shownText(), QStringLiteral("Llama 3.1 70B"));
        QVERIFY(bench.field<QCheckBox>("/parallelism/sequence")->isChecked());
        QCOMPARE(bench.field<ChoiceBox>("/parallelism/zero_stage")->shownText(), QStringLiteral("1 · optimizer"));
        QVERIFY(bench.asked.empty()); // showing is not editing
    }

    void typingIsSentAfterAPause() {
        Bench bench;
        auto* tensor = bench.field<QLineEdit>("/parallelism/tensor");
        tensor->setFocus();
        tensor->selectAll();
        QTest::keyClicks(tensor, QStringLiteral("4"));
        QVERIFY(bench.asked.empty());
        QTRY_COMPARE_WITH_TIMEOUT(bench.asked.size(), std::size_t{1}, 2000);
        QCOMPARE(bench.asked[0].edits.size(), std::size_t{1});
        QCOMPARE(bench.asked[0].edits[0].pointer, std::string("/parallelism/tensor"));
        QCOMPARE(written(bench.asked[0].edits[0].value), written(Json(4)));
        QVERIFY(bench.asked[0].edits[0].value->is_number_integer());
        QVERIFY(bench.asked[0].text.contains(QStringLiteral("Tensor")));
        // Leaving the field afterwards says nothing new.
        QTest::keyClick(tensor, Qt::Key_Tab);
        QCOMPARE(bench.asked.size(), std::size_t{1});
    }

    void enterAndTabSendAtOnce() {
        Bench bench;
        auto* batch = bench.field<QLineEdit>("/workload/global_batch_size");
        batch->setFocus();
        batch->selectAll();
        QTest::keyClicks(batch, QStringLiteral("1,536"));
        QTest::keyClick(batch, Qt::Key_Return);
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QCOMPARE(written(bench.asked[0].edits[0].value), written(Json(1536)));
        batch->selectAll();
        QTest::keyClicks(batch, QStringLiteral("2k"));
        QTest::keyClick(batch, Qt::Key_Tab);
        QCOMPARE(bench.asked.size(), std::size_t{2});
        QCOMPARE(written(bench.asked[1].edits[0].value), written(Json(2000)));
        QCOMPARE(batch->text(), QStringLiteral("2,000"));
    }

    void arrowsStepByPowersOfTwo() {
        Bench bench;
        auto* tensor = bench.field<QLineEdit>("/parallelism/tensor");
        tensor->setFocus();
        QTest::keyClick(tensor, Qt::Key_Up);
        QTest::keyClick(tensor, Qt::Key_Down);
        QTest::keyClick(tensor, Qt::Key_Down);
        QCOMPARE(bench.asked.size(), std::size_t{3});
        QCOMPARE(written(bench.asked[0].edits[0].value), written(Json(16)));
        QCOMPARE(written(bench.asked[1].edits[0].value), written(Json(8)));
        QCOMPARE(written(bench.asked[2].edits[0].value), written(Json(4)));
        QTest::mouseClick(tensor->findChild<QToolButton*>(QStringLiteral("/parallelism/tensor/+")), Qt::LeftButton);
        QCOMPARE(written(bench.asked.back().edits[0].value), written(Json(8)));
    }

    void stepsKeepTheBatchDivisible() {
        QCOMPARE(steppedValue(FieldStep::batch, 128, +1, 12), 132);
        QCOMPARE(steppedValue(FieldStep::batch, 128, -1, 12), 120);
        QCOMPARE(steppedValue(FieldStep::batch, 12, -1, 12), 12);
        QCOMPARE(steppedValue(FieldStep::batch, 128, +1, 0), 256);
        QCOMPARE(steppedValue(FieldStep::doubling, 1, -1), 1);
        QCOMPARE(steppedValue(FieldStep::doubling, 7, +1), 8);
        QCOMPARE(steppedValue(FieldStep::doubling, 7, -1), 4);
        QCOMPARE(steppedValue(FieldStep::one, 1, -1), 1);
    }

    void textsAreReadAsMeant_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("json"); ///< empty: an error is expected
        const auto row = [](FieldKind kind, const char* text, const char* json) { QTest::newRow(text) << int(kind) << QString::fromUtf8(text) << QString::fromUtf8(json); };
        row(FieldKind::integer, "8,192", "8192");
        row(FieldKind::integer, " 8 192 ", "8192");
        row(FieldKind::integer, "-3", "-3"); // nonsense, but a number: the scenario's reader says what is wrong with it
        row(FieldKind::integer, "7.5", "");
        row(FieldKind::integer, "eight", "");
        row(FieldKind::integer, "99999999999999999999", "");
        row(FieldKind::number, "2.05", "2.05");
        row(FieldKind::number, "$ 2", "2");
        row(FieldKind::number, "15T", "15000000000000");
        row(FieldKind::number, "1.5e13", "15000000000000");
        row(FieldKind::number, "1,234,567,891,234", "1234567891234");
        row(FieldKind::number, "nan", "");
        row(FieldKind::number, "1e999", "");
        row(FieldKind::integer_list, "39, 41", "[39,41]");
        row(FieldKind::integer_list, "39 41", "[39,41]");
        row(FieldKind::integer_list, "39, x", "");
        row(FieldKind::number_list, "4 2.5 1", "[4,2.5,1]");
        row(FieldKind::number_list, "4, 2, 1", "[4,2,1]");
        row(FieldKind::number_list, "4 x", "");
    }
    void textsAreReadAsMeant() {
        QFETCH(int, kind);
        QFETCH(QString, text);
        QFETCH(QString, json);
        const ParsedValue parsed = parseValue(static_cast<FieldKind>(kind), text);
        if (json.isEmpty()) {
            QVERIFY(!parsed.value);
            QVERIFY(parsed.error.contains(text));
            return;
        }
        QVERIFY2(parsed.value, qPrintable(parsed.error));
        QCOMPARE(written(*parsed.value), json);
        // What is shown is read back as the same value.
        const ParsedValue again = parseValue(static_cast<FieldKind>(kind), valueText(static_cast<FieldKind>(kind), *parsed.value));
        QVERIFY(again.value);
        QCOMPARE(written(*again.value), json);
    }

    void whatIsNoNumberIsSaidAndNotSent() {
        Bench bench;
        auto* tensor = bench.field<QLineEdit>("/parallelism/tensor");
        tensor->setFocus();
        tensor->selectAll();
        QTest::keyClicks(tensor, QStringLiteral("many"));
        QTest::keyClick(tensor, Qt::Key_Return);
        QVERIFY(bench.asked.empty());
        QLabel* message = messageWith(bench.form, QStringLiteral("not a whole number"));
        QVERIFY(message != nullptr);
        QVERIFY(message->mapTo(&bench.form, QPoint()).y() > tensor->mapTo(&bench.form, QPoint()).y());
        QTest::keyClick(tensor, Qt::Key_Escape);
        QCOMPARE(tensor->text(), QStringLiteral("8"));
        QVERIFY(messageWith(bench.form, QStringLiteral("not a whole number")) == nullptr);
    }

    void theEchoOfTypingDoesNotDisturbIt() {
        Bench bench;
        auto* length = bench.field<QLineEdit>("/workload/sequence_length");
        length->setFocus();
        length->selectAll();
        QTest::keyClicks(length, QStringLiteral("16384"));
        length->setCursorPosition(2);
        QTRY_COMPARE_WITH_TIMEOUT(bench.asked.size(), std::size_t{1}, 2000);
        bench.form.setResult(syntheticResult());
        bench.form.setProblems({problemAt("/workload/sequence_length", "Too long.", "", {}, Severity::warning)});
        QVERIFY(length->hasFocus());
        QCOMPARE(length->text(), QStringLiteral("16384")); // not regrouped under the fingers
        QCOMPARE(length->cursorPosition(), 2);
        // Another edit comes back while a new number is half typed: it stays.
        QTest::keyClick(length, Qt::Key_1);
        bench.form.setDocument(bench.document);
        QCOMPARE(length->text(), QStringLiteral("161384"));
        QCOMPARE(length->cursorPosition(), 3);
        QTest::keyClick(length, Qt::Key_Return);
        QCOMPARE(length->text(), QStringLiteral("161,384"));
    }

    void undoReachesTheFieldInHand() {
        Bench bench;
        auto* tensor = bench.field<QLineEdit>("/parallelism/tensor");
        tensor->setFocus();
        QTest::keyClick(tensor, Qt::Key_Up);
        QCOMPARE(tensor->text(), QStringLiteral("16"));
        bench.document["parallelism"]["tensor"] = 8;
        bench.form.setDocument(bench.document);
        QCOMPARE(tensor->text(), QStringLiteral("8"));
        QVERIFY(tensor->hasFocus());
    }

    void emptyingAFieldRemovesItsKey() {
        Bench bench;
        auto* pipeline = bench.field<QLineEdit>("/parallelism/pipeline");
        pipeline->setFocus();
        pipeline->selectAll();
        QTest::keyClick(pipeline, Qt::Key_Delete);
        QTest::qWait(ValueEdit::pauseMs + 100);
        QVERIFY(bench.asked.empty()); // it may be on its way to another number
        QTest::keyClick(pipeline, Qt::Key_Tab);
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QVERIFY(bench.asked[0].edits[0].value->is_null());
        QVERIFY(!bench.document["parallelism"].contains("pipeline"));
        QCOMPARE(bench.field<ValueEdit>("/parallelism/pipeline")->assumedText(), QStringLiteral("1"));

        // What has no default cannot be emptied.
        auto* length = bench.field<QLineEdit>("/workload/sequence_length");
        length->setFocus();
        length->selectAll();
        QTest::keyClick(length, Qt::Key_Delete);
        QTest::keyClick(length, Qt::Key_Tab);
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QCOMPARE(length->text(), QStringLiteral("8,192"));
    }

    void choicesWriteTheirValues() {
        Bench bench;
        auto* zero = bench.field<QComboBox>("/parallelism/zero_stage");
        zero->setFocus();
        QTest::keyClick(zero, Qt::Key_Down);
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QCOMPARE(written(bench.asked[0].edits[0].value), written(Json(2)));
        auto* model = bench.field<QComboBox>("/model");
        const int other = model->findText(QStringLiteral("Llama 3.1 8B"));
        QVERIFY(other >= 0);
        model->setCurrentIndex(other);
        emit model->activated(other);
        QCOMPARE(bench.asked.back().edits[0].pointer, std::string("/model"));
        QCOMPARE(written(bench.asked.back().edits[0].value), written(Json{{"preset", "llama-3.1-8b"}}));
        QCOMPARE(bench.field<ChoiceBox>("/model")->shownText(), QStringLiteral("Llama 3.1 8B"));
        // Back to the default by the context menu's entry.
        zero->findChild<QAction*>(QStringLiteral("use_default"))->trigger();
        QVERIFY(!bench.document["parallelism"].contains("zero_stage"));
    }

    void theModelListIsGroupedAndNeverElided() {
        Bench bench(ThemeVariant::light, 270);
        auto* model = bench.field<QComboBox>("/model");
        auto* items = qobject_cast<QStandardItemModel*>(model->model());
        const int llama = model->findText(QStringLiteral("Llama"));
        QVERIFY(llama >= 0);
        QVERIFY(!items->item(llama)->isEnabled()); // a heading
        QVERIFY(items->item(model->findText(QStringLiteral("Llama 3.1 70B")))->isEnabled());
        // A mixture of experts is listed like the others.
        const int mixtral = model->findText(QStringLiteral("Mixtral 8x7B"), Qt::MatchStartsWith);
        QVERIFY(mixtral >= 0);
        QVERIFY(items->item(mixtral)->isEnabled());
        model->showPopup();
        QTest::qWait(50);
        for (int i = 0; i < model->count(); ++i) {
            const QVariant ownFont = items->item(i)->data(Qt::FontRole); // headings have one
            const QFontMetrics metrics(ownFont.isValid() ? ownFont.value<QFont>() : model->view()->font());
            QVERIFY2(metrics.horizontalAdvance(model->itemText(i)) + 12 <= model->view()->viewport()->width(), qPrintable(model->itemText(i)));
        }
        picture(*model->view()->window(), QStringLiteral("model-list"));
        model->hidePopup();
    }

    void togglesWriteTheirPasses() {
        Bench bench;
        for (const char* name : {"fusion", "tensor", "sequence", "recompute", "overlap"}) {
            const std::string pointer = std::string("/execution/passes/") + name;
            auto* box = bench.field<QCheckBox>(pointer.c_str());
            QVERIFY2(box != nullptr, name);
            QVERIFY(box->isChecked());
            QTest::keyClick(box, Qt::Key_Space);
            QCOMPARE(bench.asked.back().edits[0].pointer, pointer);
            QCOMPARE(written(bench.asked.back().edits[0].value), written(Json(false)));
        }
        auto* fusion = bench.field<QCheckBox>("/execution/passes/fusion");
        QTest::keyClick(fusion, Qt::Key_Space);
        QCOMPARE(written(bench.document["execution"]["passes"]["fusion"]), written(Json(true)));
    }

    /// Why the list does not offer an entry; nothing when it does.
    static QString refusal(QComboBox* box, const QString& beginning) {
        const int entry = box->findText(beginning, Qt::MatchStartsWith);
        if (entry < 0) qFatal("no entry %s", qPrintable(beginning));
        const QStandardItem* item = qobject_cast<QStandardItemModel*>(box->model())->item(entry);
        return item->isEnabled() ? QString() : item->text() + QLatin1Char('|') + item->toolTip();
    }

    void whatDoesNotApplyIsGreyedWithAReason() {
        Bench bench; // a dense model on 8 × 2 × 4 with ZeRO 1
        for (const char* pointer : {"/parallelism/expert", "/parallelism/expert_tensor", "/execution/moe_dispatch", "/execution/expert_load",
                                    "/execution/overlap/expert"}) {
            auto* field = bench.field<QWidget>(pointer);
            QVERIFY2(field != nullptr && !field->isEnabled(), pointer);
            QVERIFY2(field->toolTip().contains(QStringLiteral("no experts")), pointer);
            QVERIFY2(field->accessibleDescription().contains(QStringLiteral("no experts")), pointer);
        }
        QCOMPARE(bench.field<ChoiceBox>("/execution/moe_dispatch")->shownText(), QStringLiteral("no experts"));
        QVERIFY(!bench.field<QWidget>("/parallelism/context_method")->isEnabled());
        QVERIFY(!bench.field<QWidget>("/workload/fp8_recipe")->isEnabled());
        QVERIFY(!bench.field<QWidget>("/workload/lora_rank")->isEnabled());
        QVERIFY(bench.field<QWidget>("/parallelism/shard_group")->isEnabled());
        QVERIFY(bench.field<QWidget>("/parallelism/virtual_pipeline")->isEnabled());

        const auto change = [&](const char* pointer, const Json& value) {
            apply(bench.document, {{pointer, value}});
            bench.form.setDocument(bench.document);
        };
        change("/model", Json{{"preset", "mixtral-8x7b"}});
        for (const char* pointer : {"/parallelism/expert", "/execution/moe_dispatch", "/execution/expert_load"}) QVERIFY2(bench.field<QWidget>(pointer)->isEnabled(), pointer);
        QVERIFY(!bench.field<QWidget>("/execution/overlap/expert")->isEnabled()); // one expert rank sends nothing
        change("/parallelism/expert", 8);
        QVERIFY(bench.field<QWidget>("/execution/overlap/expert")->isEnabled());
        change("/workload/precision", "fp8");
        QVERIFY(bench.field<QWidget>("/workload/fp8_recipe")->isEnabled());
        change("/workload/task", "lora");
        QVERIFY(bench.field<QWidget>("/workload/lora_rank")->isEnabled());
        change("/parallelism/context", 2);
        QVERIFY(bench.field<QWidget>("/parallelism/context_method")->isEnabled());
        change("/parallelism/pipeline", 1);
        QVERIFY(!bench.field<QWidget>("/parallelism/schedule")->isEnabled());
        QVERIFY(!bench.field<QWidget>("/parallelism/virtual_pipeline")->isEnabled());
    }

    void whatIsGivenAndHasNoEffectCanBeTakenBack() {
        Bench bench;
        bench.document["parallelism"]["expert_tensor"] = 2;
        bench.form.setDocument(bench.document);
        auto* field = bench.field<QLineEdit>("/parallelism/expert_tensor");
        QVERIFY(field->isEnabled());
        QCOMPARE(field->text(), QStringLiteral("2"));
        QTRY_VERIFY(messageWith(bench.form, QStringLiteral("no experts")) != nullptr);
        field->findChild<QAction*>(QStringLiteral("use_default"))->trigger();
        QVERIFY(!bench.document["parallelism"].contains("expert_tensor"));
        QVERIFY(messageWith(bench.form, QStringLiteral("no experts")) == nullptr);
        QVERIFY(!field->isEnabled());
    }

    void schedulesAreOfferedWhereTheyRun() {
        Bench bench;
        auto* schedule = bench.field<QComboBox>("/parallelism/schedule");
        const auto chunks = [&](const Json& value) {
            apply(bench.document, {{"/parallelism/virtual_pipeline", value}});
            bench.form.setDocument(bench.document);
        };
        for (const char* name : {"1F1B", "GPipe", "ZB-H1", "ZB-V", "DualPipe"}) QVERIFY2(refusal(schedule, name).isEmpty(), name);
        QVERIFY(refusal(schedule, "interleaved").contains(QStringLiteral("needs 2 chunks")));
        chunks(2);
        QVERIFY(refusal(schedule, "interleaved").isEmpty() && refusal(schedule, "ZB-V").isEmpty());
        for (const char* name : {"1F1B", "GPipe", "ZB-H1", "DualPipe"}) QVERIFY2(refusal(schedule, name).contains(QStringLiteral("one chunk")), name);
        chunks(5);
        QVERIFY(refusal(schedule, "ZB-V").contains(QStringLiteral("each holds 2 chunks")));
        chunks(nullptr);
        apply(bench.document, {{"/parallelism/pipeline", 3}});
        bench.form.setDocument(bench.document);
        QVERIFY(refusal(schedule, "DualPipe").contains(QStringLiteral("even")));
    }

    void recomputationByModuleAndEveryNthLayerHaveFieldsOfTheirOwn() {
        Bench bench;
        auto* recompute = bench.field<QComboBox>("/execution/recompute");
        auto* modules = bench.field<QWidget>("/execution/recompute/modules");
        auto* every = bench.field<QLineEdit>("/execution/recompute/every");
        QVERIFY(!modules->isVisible() && !every->isVisible());
        const auto choose = [](QComboBox* box, const char* text) {
            const int entry = box->findText(QString::fromLatin1(text));
            box->setCurrentIndex(entry);
            emit box->activated(entry);
        };
        choose(recompute, "by module");
        QCOMPARE(written(bench.document["execution"]["recompute"]), QStringLiteral(R"({"modules":["core_attn"]})"));
        QVERIFY(modules->isVisible());
        QCOMPARE(bench.field<ChoiceBox>("/execution/recompute")->shownText(), QStringLiteral("by module"));
        const auto box = [&](const char* name) { return bench.form.findChild<QCheckBox*>(QStringLiteral("/execution/recompute/modules:") + QLatin1String(name)); };
        QVERIFY(box("core_attn")->isChecked() && !box("mlp")->isChecked());
        QVERIFY(!box("moe")->isEnabled() && !box("mla_up_proj")->isEnabled());
        QVERIFY(box("moe")->toolTip().contains(QStringLiteral("no experts")));
        box("mlp")->click();
        QCOMPARE(written(bench.document["execution"]["recompute"]["modules"]), QStringLiteral(R"(["core_attn","mlp"])"));
        box("core_attn")->click();
        QCOMPARE(written(bench.document["execution"]["recompute"]["modules"]), QStringLiteral(R"(["mlp"])"));
        box("mlp")->click(); // an empty list says nothing: the last one stays
        QCOMPARE(written(bench.document["execution"]["recompute"]["modules"]), QStringLiteral(R"(["mlp"])"));
        QVERIFY(box("mlp")->isChecked());

        choose(recompute, "every n-th layer");
        QVERIFY(!modules->isVisible() && every->isVisible());
        QCOMPARE(every->text(), QStringLiteral("2"));
        every->setFocus();
        QTest::keyClick(every, Qt::Key_Up);
        QCOMPARE(written(bench.document["execution"]["recompute"]), QStringLiteral(R"({"every":3})"));
        QCOMPARE(bench.field<ChoiceBox>("/execution/recompute")->shownText(), QStringLiteral("every n-th layer"));
        choose(recompute, "full");
        QCOMPARE(written(bench.document["execution"]["recompute"]), QStringLiteral("\"full\""));
        QVERIFY(!every->isVisible());
    }

    void expertsDispatchAndLoadAreWritten() {
        Bench bench;
        apply(bench.document, {{"/model", Json{{"preset", "mixtral-8x7b"}}}});
        bench.form.setDocument(bench.document);
        const auto choose = [](QComboBox* box, const char* text) {
            const int entry = box->findText(QString::fromLatin1(text));
            box->setCurrentIndex(entry);
            emit box->activated(entry);
        };
        const auto type = [](QLineEdit* edit, const char* text) {
            edit->setFocus();
            edit->selectAll();
            QTest::keyClicks(edit, QLatin1String(text));
            QTest::keyClick(edit, Qt::Key_Return);
        };
        choose(bench.field<QComboBox>("/execution/moe_dispatch"), "capacity");
        type(bench.field<QLineEdit>("/execution/moe_dispatch/capacity_factor"), "1.5");
        QCOMPARE(written(bench.document["execution"]["moe_dispatch"]), QStringLiteral(R"({"capacity_factor":1.5})"));
        choose(bench.field<QComboBox>("/execution/expert_load"), "Zipf");
        type(bench.field<QLineEdit>("/execution/expert_load/zipf"), "1");
        QCOMPARE(written(bench.document["execution"]["expert_load"]), QStringLiteral(R"({"zipf":1})"));
        choose(bench.field<QComboBox>("/execution/expert_load"), "by histogram");
        type(bench.field<QLineEdit>("/execution/expert_load/histogram"), "4 2.5 1");
        QCOMPARE(written(bench.document["execution"]["expert_load"]), QStringLiteral(R"({"histogram":[4,2.5,1]})"));
        type(bench.field<QLineEdit>("/execution/offload/optimizer"), "0.5");
        QCOMPARE(written(bench.document["execution"]["offload"]), QStringLiteral(R"({"optimizer":0.5})"));
        choose(bench.field<QComboBox>("/workload/optimizer"), "Muon");
        QCOMPARE(written(bench.document["workload"]["optimizer"]), QStringLiteral("\"muon\""));
        choose(bench.field<QComboBox>("/parallelism/schedule"), "ZB-V");
        QCOMPARE(written(bench.document["parallelism"]["schedule"]), QStringLiteral("\"zb-v\""));
    }

    /// Whatever is set first, the scenario is sound and something varies.
    void jitterBeginsWithWhatMakesItSound() {
        const auto type = [](QLineEdit* edit, const char* text) {
            edit->setFocus();
            edit->selectAll();
            QTest::keyClicks(edit, QLatin1String(text));
            QTest::keyClick(edit, Qt::Key_Return);
        };
        const auto jitter = [](const Bench& bench) { return written(bench.document["execution"].value("jitter", Json())); };
        Bench method;
        auto* box = method.field<QComboBox>("/execution/jitter/method");
        box->setCurrentIndex(box->findText(QStringLiteral("expected")));
        emit box->activated(box->currentIndex());
        QCOMPARE(jitter(method), QStringLiteral(R"({"method":"analytic","sigma":0.02})"));
        type(method.field<QLineEdit>("/execution/jitter/hosts/slow_share"), "0.05");
        QCOMPARE(jitter(method), QStringLiteral(R"({"method":"analytic","sigma":0.02,"hosts":{"slow_share":0.05,"slowdown":1.2}})"));
        type(method.field<QLineEdit>("/execution/jitter/hosts/slowdown"), "1.5");
        QCOMPARE(jitter(method), QStringLiteral(R"({"method":"analytic","sigma":0.02,"hosts":{"slow_share":0.05,"slowdown":1.5}})"));

        Bench hosts;
        type(hosts.field<QLineEdit>("/execution/jitter/hosts/sigma"), "0.03");
        QCOMPARE(jitter(hosts), QStringLiteral(R"({"hosts":{"sigma":0.03},"method":"analytic"})"));
        QCOMPARE(hosts.asked.size(), std::size_t{1});

        Bench number; // as the contract's short form has it
        apply(number.document, {{"/execution", Json{{"jitter", 0.05}}}});
        number.form.setDocument(number.document);
        type(number.field<QLineEdit>("/execution/jitter/seed"), "3");
        QCOMPARE(jitter(number), QStringLiteral(R"({"sigma":0.05,"seed":3})"));
        for (const Bench* bench : {&method, &hosts, &number}) {
            Json document = bench->document;
            document["cluster"]["accelerator"] = "h100-sxm5-80gb";
            const ScenarioReading reading = readScenario(document, Bench::catalog());
            QVERIFY2(reading.scenario, reading.problems.empty() ? "" : reading.problems.front().message.c_str());
            QVERIFY(reading.scenario->jitter.any() || reading.scenario->execution.jitter.sigma > 0);
        }
    }

    void jitterGoesWithItsLastValue() {
        Json document{{"execution", {{"jitter", {{"sigma", 0.02}, {"hosts", {{"sigma", 0.01}}}, {"seed", 4}}}}}};
        const auto remove = [&](const char* pointer) { orrery::test::apply(document, jitterEdits(document, {pointer, nullptr})); };
        remove("/execution/jitter/hosts/sigma");
        QCOMPARE(written(document), QStringLiteral(R"({"execution":{"jitter":{"sigma":0.02,"seed":4,"method":"sampled"}}})"));
        remove("/execution/jitter/sigma");
        QCOMPARE(written(document), QStringLiteral(R"({"execution":{}})"));
        remove("/execution/jitter/seed");
        QCOMPARE(written(document), QStringLiteral(R"({"execution":{}})"));
        document["execution"]["jitter"] = {{"sigma", 0.02}, {"method", "sampled"}};
        remove("/execution/jitter/method"); // "none"
        QCOMPARE(written(document), QStringLiteral(R"({"execution":{}})"));
    }

    void passesStandInTheirOrderWithWhatTheyAdd() {
        Bench bench;
        int last = -1;
        int passes = 0;
        for (const FieldSpec& spec : scenarioFields()) {
            if (spec.kind != FieldKind::pass) continue;
            auto* box = bench.field<QCheckBox>(spec.pointer);
            const int y = box->mapTo(&bench.form, QPoint()).y();
            QVERIFY2(y > last, spec.pointer);
            last = y;
            ++passes;
        }
        QVERIFY(passes >= 12);
        bench.form.setPassNotes({{"tensor", QStringLiteral("+6 ~12"), QStringLiteral("layer: + attention.gather")}, {"context", QStringLiteral("there is 1 context rank"), {}}});
        const auto brief = [&](const char* pointer) { return static_cast<PassSwitch*>(bench.field<QCheckBox>(pointer)->parentWidget())->noteText(); };
        QCOMPARE(brief("/execution/passes/tensor"), QStringLiteral("+6 ~12"));
        QCOMPARE(brief("/execution/passes/context"), QStringLiteral("there is 1 context rank"));
        QCOMPARE(brief("/execution/passes/fusion"), QString());
        QVERIFY(bench.field<QCheckBox>("/execution/passes/tensor")->toolTip().contains(QStringLiteral("attention.gather")));
        QVERIFY(bench.field<QCheckBox>("/execution/passes/tensor")->accessibleDescription().contains(QStringLiteral("+6 ~12")));
        bench.form.setPassNotes({});
        QCOMPARE(brief("/execution/passes/tensor"), QString());
    }

    void lengthsAreANumberOrADistribution() {
        Bench bench;
        bench.document["workload"] = Json{{"kind", "serving"}, {"precision", "bf16"}, {"requests", Json{{"count", 100}, {"arrival", Json{{"process", "poisson"}, {"rate_per_s", 4}}}, {"input_tokens", 1000}, {"output_tokens", 128}}}};
        bench.form.setDocument(bench.document);
        const std::string prompt = "/workload/requests/input_tokens";
        const auto isShown = [&](const std::string& part) { return bench.field<QWidget>((prompt + part).c_str())->isVisible(); };
        const auto choose = [&](const char* kind) {
            auto* box = bench.field<ChoiceBox>((prompt + "/distribution").c_str());
            const int index = box->findText(QLatin1String(kind));
            QVERIFY2(index >= 0, kind);
            bench.asked.clear();
            box->setCurrentIndex(index);
            emit box->activated(index);
            QCOMPARE(bench.asked.size(), std::size_t{1});
            const ScenarioReading reading = readScenario(withRealAccelerator(bench.document), Bench::catalog());
            QVERIFY2(reading.scenario.has_value(), reading.problems.empty() ? "" : toText(reading.problems.front()).c_str());
        };
        QVERIFY(isShown(""));
        for (const char* part : {"/mean", "/std", "/min", "/max", "/exponent"}) QVERIFY2(!isShown(part), part);

        choose("lognormal");
        QCOMPARE(bench.document["workload"]["requests"]["input_tokens"]["mean"].get<int>(), 1000);
        QVERIFY(!isShown(""));
        for (const char* part : {"/mean", "/std"}) QVERIFY2(isShown(part), part);
        for (const char* part : {"/min", "/max", "/exponent"}) QVERIFY2(!isShown(part), part);
        QCOMPARE(bench.document["workload"]["requests"]["output_tokens"].get<int>(), 128);

        // A range about the same mean, and what the one before needed is gone.
        choose("even chances");
        QCOMPARE(written(bench.document["workload"]["requests"]["input_tokens"]), QStringLiteral(R"({"distribution":"uniform","min":1,"max":2000})"));
        choose("Zipf");
        QVERIFY(isShown("/exponent"));
        choose("normal");
        QVERIFY(!isShown("/exponent"));
        QCOMPARE(bench.document["workload"]["requests"]["input_tokens"]["max"].get<int>(), 2000); // a limit of any distribution stays
    }

    void aFileOfRequestsTakesTheirPlaceAndGivesItBack() {
        Bench bench;
        const Json requests{{"count", 100}, {"arrival", Json{{"process", "poisson"}, {"rate_per_s", 7}}}, {"input_tokens", 1000}, {"output_tokens", 128}};
        bench.document["workload"] = Json{{"kind", "serving"}, {"precision", "bf16"}, {"requests", requests}, {"slo", Json{{"ttft_s", 1}}}};
        bench.form.setDocument(bench.document);
        auto* file = bench.field<QLineEdit>("/workload/requests/file");
        file->setFocus();
        QTest::keyClicks(file, QStringLiteral("chat.jsonl"));
        QTest::qWait(600);
        QVERIFY2(bench.asked.empty(), "half a name is no file");
        QTest::keyClick(file, Qt::Key_Return);
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QCOMPARE(written(bench.document["workload"]["requests"]), QStringLiteral(R"({"file":"chat.jsonl"})"));
        QCOMPARE(bench.document["workload"]["slo"]["ttft_s"].get<int>(), 1);
        QCOMPARE(file->text(), QStringLiteral("chat.jsonl"));

        file->selectAll();
        QTest::keyClick(file, Qt::Key_Delete);
        QTest::keyClick(file, Qt::Key_Tab);
        QCOMPARE(bench.asked.size(), std::size_t{2});
        QCOMPARE(written(bench.document["workload"]["requests"]), written(requests));
        QVERIFY(!bench.document.contains(Json::json_pointer("/view/generated_requests")));
    }

    void draftsAndPoolsComeWithWhatTheyNeed() {
        Bench bench;
        const Json requests{{"count", 100}, {"arrival", Json{{"process", "poisson"}, {"rate_per_s", 4}}}, {"input_tokens", 1000}, {"output_tokens", 128}};
        bench.document = withRealAccelerator(bench.document);
        bench.document["model"] = Json{{"preset", "llama-3.1-70b"}};
        bench.document["cluster"] = Json{{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 2}};
        bench.document["parallelism"] = Json{{"tensor", 4}};
        bench.document.erase("execution");
        bench.document["workload"] = Json{{"kind", "serving"}, {"precision", "bf16"}, {"requests", requests}, {"engine", Json{{"max_num_seqs", 64}}}};
        bench.form.setDocument(bench.document);
        const auto isShown = [&](const std::string& pointer) { return bench.field<QWidget>(pointer.c_str())->isVisible(); };
        const auto choose = [&](const char* pointer, int index) {
            auto* box = bench.field<ChoiceBox>(pointer);
            box->setCurrentIndex(index);
            emit box->activated(index);
            const ScenarioReading reading = readScenario(bench.document, Bench::catalog());
            QVERIFY2(reading.scenario.has_value(), reading.problems.empty() ? "" : toText(reading.problems.front()).c_str());
            QCOMPARE(bench.document["workload"]["engine"]["max_num_seqs"].get<int>(), 64);
        };
        const std::string drafts = "/workload/engine/speculative", pools = "/workload/engine/disaggregation";
        const auto indexOf = [&](const std::string& pointer, const char* text) { return bench.field<ChoiceBox>(pointer.c_str())->findText(QLatin1String(text)); };
        for (const char* part : {"/tokens", "/acceptance", "/draft_model"}) QVERIFY2(!isShown(drafts + part), part);

        choose("/workload/engine/speculative/method", indexOf(drafts + "/method", "a smaller model"));
        for (const char* part : {"/tokens", "/acceptance", "/draft_model"}) QVERIFY2(isShown(drafts + part), part);
        QCOMPARE(bench.document["workload"]["engine"]["speculative"]["draft_model"]["preset"].get<std::string>(), std::string("llama-3.2-1b"));
        bench.document["workload"]["engine"]["speculative"]["tokens"] = 5;
        bench.form.setDocument(bench.document);
        choose("/workload/engine/speculative/method", indexOf(drafts + "/method", "from the prompt"));
        QCOMPARE(bench.document["workload"]["engine"]["speculative"]["tokens"].get<int>(), 5); // what is shared stays
        QVERIFY(!isShown(drafts + "/draft_model"));

        choose("/workload/engine/disaggregation", indexOf(pools, "prompts, answers"));
        const Json split = bench.document["workload"]["engine"]["disaggregation"];
        QCOMPARE(split["prefill"]["instances"].get<int>() + split["decode"]["instances"].get<int>(), 4); // 16 accelerators, 4 an instance
        QVERIFY(isShown(pools + "/prefill/instances") && isShown(pools + "/decode/parallelism/tensor") && !isShown(pools + "/decode/hosts"));
        auto* box = bench.field<ChoiceBox>("/workload/engine/disaggregation");
        QCOMPARE(box->currentText(), QStringLiteral("prompts, answers"));
    }

    void theKindOfWorkloadSwitchesTheForm() {
        Bench bench;
        bench.document["execution"] = Json{{"framework", "megatron-core-2025"}, {"cuda_graphs", true}};
        bench.form.setDocument(bench.document);
        const Json training = bench.document;
        const auto isShown = [&](const char* pointer) { return bench.field<QWidget>(pointer)->isVisible(); };
        const auto choose = [&](const char* kind) {
            bench.asked.clear();
            auto* box = bench.field<ChoiceBox>("/workload/kind");
            const int index = box->findText(QLatin1String(kind));
            QVERIFY(index >= 0);
            box->setCurrentIndex(index);
            emit box->activated(index);
            QCOMPARE(bench.asked.size(), std::size_t{1}); // one step to undo
        };
        for (const char* pointer : {"/workload/sequence_length", "/parallelism/zero_stage", "/execution/recompute"}) QVERIFY2(isShown(pointer), pointer);
        for (const char* pointer : {"/workload/batch_size", "/workload/requests/count", "/parallelism/attention_data"}) QVERIFY2(!isShown(pointer), pointer);
        QCOMPARE(bench.field<ChoiceBox>("/workload/precision")->findText(QStringLiteral("int4")), -1); // nothing trains so

        choose("serving");
        for (const char* pointer : {"/workload/requests/count", "/workload/engine/max_num_seqs", "/parallelism/tensor", "/parallelism/attention_data", "/workload/precision"})
            QVERIFY2(isShown(pointer), pointer);
        for (const char* pointer : {"/workload/sequence_length", "/workload/batch_size", "/parallelism/zero_stage", "/parallelism/sequence", "/execution/recompute"})
            QVERIFY2(!isShown(pointer), pointer);
        QVERIFY(bench.field<ChoiceBox>("/workload/precision")->findText(QStringLiteral("int4")) >= 0);
        // What only training reads is gone, what both share stays.
        QCOMPARE(written(bench.document["parallelism"]), QStringLiteral(R"({"tensor":8,"pipeline":2})"));
        QCOMPARE(written(bench.document["execution"]), QStringLiteral(R"({"cuda_graphs":true})"));
        const ScenarioReading reading = readScenario(withRealAccelerator(bench.document), Bench::catalog());
        QVERIFY2(reading.scenario.has_value() && reading.problems.empty(), reading.problems.empty() ? "" : toText(reading.problems.front()).c_str());
        bench.form.setAssumed(reading.scenario->assumed);
        QCOMPARE(bench.field<ChoiceBox>("/workload/engine/scheduler_policy")->shownText(), QStringLiteral("vLLM"));
        // An arrival process brings the number that it needs.
        auto* arrivals = bench.field<ChoiceBox>("/workload/requests/arrival/process");
        QVERIFY(!bench.field<QWidget>("/workload/requests/arrival/concurrency")->isEnabled());
        const int closed = arrivals->findText(QStringLiteral("closed loop"));
        emit arrivals->activated(closed);
        QVERIFY(bench.field<QWidget>("/workload/requests/arrival/concurrency")->isEnabled());
        QVERIFY(!bench.document["workload"]["requests"]["arrival"].contains("rate_per_s"));
        QVERIFY(readScenario(withRealAccelerator(bench.document), Bench::catalog()).scenario.has_value());

        choose("inference");
        QVERIFY(isShown("/workload/batch_size"));
        QVERIFY(!isShown("/workload/requests/count"));
        QVERIFY(readScenario(withRealAccelerator(bench.document), Bench::catalog()).scenario.has_value());

        choose("training");
        for (const char* section : {"workload", "parallelism", "execution"}) QVERIFY2(nlohmann::json(bench.document[section]) == nlohmann::json(training[section]), section);
        QVERIFY(isShown("/workload/sequence_length"));
        QVERIFY(!isShown("/workload/batch_size"));
    }

    void partsWithNothingGivenAreFolded() {
        Bench bench(ThemeVariant::light, 300, false);
        const auto folded = [&](const char* title) {
            auto* button = bench.form.findChild<QPushButton*>(QStringLiteral("fold ") + QLatin1String(title));
            return button && static_cast<Section*>(button->parentWidget())->isFolded();
        };
        // The example says nothing of execution, passes and cost.
        for (const char* title : {"Execution", "Passes", "Cost"}) QVERIFY2(folded(title), title);
        for (const char* title : {"Model", "Cluster", "Workload", "Parallelism"}) QVERIFY2(!folded(title), title);
        QVERIFY(!bench.field<QWidget>("/execution/recompute")->isVisible());
        // What is given opens its part, and what is wrong does.
        bench.document["economics"]["price_per_accelerator_hour"] = 2;
        bench.form.setDocument(bench.document);
        QVERIFY(!folded("Cost"));
        bench.form.setProblems({problemAt("/execution/recompute", "No such kind.", "Use full", {})});
        QVERIFY(!folded("Execution"));
        bench.form.setProblems({});
        QVERIFY(folded("Execution"));
        // What the user opened stays open, whatever the document says.
        bench.openAll();
        bench.form.setDocument(bench.document);
        for (const char* title : {"Execution", "Passes", "Cost"}) QVERIFY2(!folded(title), title);
        QVERIFY(bench.field<QWidget>("/execution/recompute")->isVisible());
    }

    void theClustersFieldsFollowThePlatform() {
        Bench bench;
        bench.document["cluster"] = Json::parse(R"({"accelerator": "h100-sxm5-80gb", "nodes": 8, "scale_up": {"bandwidth_gb_s": 450}})");
        bench.form.setDocument(bench.document);
        auto* host = bench.field<ChoiceBox>("/cluster");
        QCOMPARE(host->shownText(), QStringLiteral("DGX H100"));
        QCOMPARE(bench.field<QLineEdit>("/cluster/nodes")->text(), QStringLiteral("8"));
        host->setCurrentIndex(host->findText(QStringLiteral("DGX B200")));
        emit host->activated(host->currentIndex());
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QCOMPARE(written(bench.document["cluster"]), QStringLiteral(R"({"accelerator":"b200-sxm-180gb","nodes":8,"scale_up":{"bandwidth_gb_s":900}})"));
        QCOMPARE(host->shownText(), QStringLiteral("DGX B200"));
    }

    void problemsStandUnderTheirField() {
        Bench bench;
        bench.form.setProblems(manyProblems());
        const auto below = [&](const char* pointer, const QString& words) {
            const QLabel* message = messageWith(bench.form, words);
            if (message == nullptr) return false;
            const auto* editor = bench.field<QWidget>(pointer);
            const int gap = message->mapTo(&bench.form, QPoint()).y() - editor->mapTo(&bench.form, QPoint(0, editor->height())).y();
            return gap >= 0 && gap < 14;
        };
        QTRY_VERIFY(below("/parallelism/tensor", QStringLiteral("64 attention heads")));
        QVERIFY(below("/parallelism/pipeline_layout", QStringLiteral("sum to 79")));
        QVERIFY(below("/model", QStringLiteral("names no")));
        QCOMPARE(messageWith(bench.form, QStringLiteral("64 attention heads"))->property("role").toByteArray(), QByteArray("error"));
        QCOMPARE(messageWith(bench.form, QStringLiteral("is longer than"))->property("role").toByteArray(), QByteArray("warning"));

        QLabel* message = messageWith(bench.form, QStringLiteral("64 attention heads"));
        QVERIFY(message->text().contains(QStringLiteral("<a ")));
        // By keyboard: the link takes the focus and Enter follows it.
        message->setFocus(Qt::TabFocusReason);
        QTest::keyClick(message, Qt::Key_Tab);
        QTest::keyClick(message, Qt::Key_Return);
        QCOMPARE(bench.asked.size(), std::size_t{1});
        QCOMPARE(bench.asked[0].text, QStringLiteral("Use 8"));
        QCOMPARE(written(bench.asked[0].edits[0].value), written(Json(8)));
        QVERIFY(!messageWith(bench.form, QStringLiteral("names no"))->text().contains(QStringLiteral("<a ")));

        bench.form.setProblems({});
        QVERIFY(messageWith(bench.form, QString()) == nullptr);
    }

    void problemsWithoutAFieldStandAtTheTop() {
        Bench bench;
        bench.form.setProblems({problemAt("/parallelism/tensr", "There is no key tensr.", "Did you mean tensor?", {}),
                                problemAt("", "The document names no cluster.", "Add one", {})});
        QTRY_VERIFY(messageWith(bench.form, QStringLiteral("tensr")) != nullptr);
        const QLabel* unknownKey = messageWith(bench.form, QStringLiteral("tensr"));
        const int y = unknownKey->mapTo(&bench.form, QPoint()).y();
        QVERIFY(y < bench.field<QWidget>("/parallelism/tensor")->mapTo(&bench.form, QPoint()).y());
        QVERIFY(y > bench.field<QWidget>("/workload/optimizer")->mapTo(&bench.form, QPoint()).y());
        const QLabel* general = messageWith(bench.form, QStringLiteral("names no"));
        QVERIFY(general->mapTo(&bench.form, QPoint()).y() < bench.field<QWidget>("/model")->mapTo(&bench.form, QPoint()).y());
    }

    void derivedAndAssumedValuesShow() {
        Bench bench;
        bench.form.setResult(syntheticResult());
        const auto text = [&](const QString& words) {
            for (const QLabel* label : bench.form.findChildren<QLabel*>())
                if (label->text() == words) return true;
            return false;
        };
        QVERIFY(text(QStringLiteral("8 × 2 × 4 = 64")));
        QVERIFY(text(QStringLiteral("70.6\u2009B parameters")));
        QCOMPARE(bench.field<QLineEdit>("/parallelism/data")->text(), QStringLiteral("4"));
        QVERIFY(bench.field<QLineEdit>("/parallelism/data")->isReadOnly());
        QCOMPARE(bench.field<ChoiceBox>("/workload/optimizer")->shownText(), QStringLiteral("Adam"));
        QVERIFY(bench.field<ChoiceBox>("/workload/optimizer")->toolTip().contains(QStringLiteral("the usual optimizer of pretraining")));
        QVERIFY(bench.field<QWidget>("/workload/optimizer")->property("assumed").toBool());
        QVERIFY(!bench.field<QWidget>("/workload/precision")->property("assumed").toBool());
        // An assumption may name the object above the field.
        bench.form.setAssumed({{"/execution/overlap", Json{{"data", true}, {"tensor", false}}, "the profile's"}});
        QVERIFY(bench.field<QCheckBox>("/execution/overlap/data")->isChecked());
        QVERIFY(!bench.field<QCheckBox>("/execution/overlap/tensor")->isChecked());
        // What no assumption names is what the scenario was filled with.
        QCOMPARE(bench.field<ChoiceBox>("/parallelism/schedule")->shownText(), QStringLiteral("1F1B"));
        QCOMPARE(bench.field<ChoiceBox>("/execution/attention")->shownText(), QStringLiteral("flash"));
        Result even = *syntheticResult();
        even.scenario.parallelism.layout = {40, 40};
        bench.form.setResult(std::make_shared<const Result>(even));
        QCOMPARE(bench.field<ValueEdit>("/parallelism/pipeline_layout")->assumedText(), QStringLiteral("40 each"));
        // What was derived no longer holds when the scenario is wrong.
        bench.form.setProblems(manyProblems());
        QCOMPARE(bench.field<QLineEdit>("/parallelism/data")->text(), QString());
        QVERIFY(!text(QStringLiteral("8 × 2 × 4 = 64")));
    }

    void wrongTypesAreShownAsTheyAre() {
        Bench bench;
        bench.document["parallelism"]["tensor"] = "eight";
        bench.document["execution"] = Json{{"recompute", Json{{"every", 2}}}};
        bench.document["model"] = Json{{"config", Json{{"model_type", "llama"}}}};
        bench.form.setDocument(bench.document);
        QCOMPARE(bench.field<QLineEdit>("/parallelism/tensor")->text(), QStringLiteral("\"eight\""));
        QCOMPARE(bench.field<ChoiceBox>("/execution/recompute")->shownText(), QStringLiteral("every n-th layer"));
        QCOMPARE(bench.field<ChoiceBox>("/model")->shownText(), QStringLiteral("own llama config"));
        bench.form.setDocument(Json::parse(R"({"parallelism": 3, "workload": [1], "execution": null})"));
        bench.form.setDocument(Json::parse("[]"));
        QVERIFY(bench.asked.empty());
    }

    void everyFieldHasANameAndAPlaceInTheTabOrder() {
        Bench bench;
        QStringList visited;
        auto* first = bench.field<QWidget>("/model");
        first->setFocus();
        for (int i = 0; i < 200; ++i) {
            QWidget* now = QApplication::focusWidget();
            if (visited.contains(now->objectName())) break;
            visited.append(now->objectName());
            QVERIFY2(!now->accessibleName().isEmpty(), qPrintable(now->objectName()));
            QTest::keyClick(now, Qt::Key_Tab);
        }
        for (const FieldSpec& spec : scenarioFields()) {
            const auto* editor = bench.field<QWidget>(spec.pointer);
            if (spec.kind == FieldKind::derived || spec.kind == FieldKind::check_list || !editor->isEnabled() || !editor->isVisible()) continue;
            QVERIFY2(visited.contains(QLatin1String(spec.pointer)), spec.pointer);
        }
        QVERIFY(visited.indexOf(QStringLiteral("/workload/precision")) < visited.indexOf(QStringLiteral("/parallelism/tensor")));
        QVERIFY(visited.indexOf(QStringLiteral("/parallelism/tensor")) < visited.indexOf(QStringLiteral("/execution/recompute")));
    }

    void theWheelScrollsAndNeverEdits() {
        Bench bench;
        auto* zero = bench.field<QComboBox>("/parallelism/zero_stage");
        zero->setFocus();
        QWheelEvent wheel(QPointF(5, 5), zero->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(zero, &wheel);
        QVERIFY(bench.asked.empty());
    }

    void fileIsAskedFor() {
        Bench bench;
        QSignalSpy asked(&bench.form, &ScenarioForm::openConfigRequested);
        QTest::mouseClick(bench.field<QPushButton>("open_config"), Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
    }

    void focusFieldFindsItsWay() {
        Bench bench;
        bench.form.resize(300, 300);
        bench.form.focusField(QStringLiteral("/economics/price_per_accelerator_hour"));
        QVERIFY(bench.field<QWidget>("/economics/price_per_accelerator_hour")->hasFocus());
        QVERIFY(!bench.field<QWidget>("/economics/price_per_accelerator_hour")->visibleRegion().isEmpty());
    }

    /// A window that was wide, as a workspace with little beside the form makes it, and is narrow again.
    void aFormMadeNarrowerFitsAgain() {
        Bench bench(ThemeVariant::light, 420);
        bench.form.setDocument(withRealAccelerator(bench.document));
        QCoreApplication::processEvents();
        bench.form.resize(264, 700);
        QCoreApplication::processEvents();
        const auto* scroll = bench.form.findChild<QScrollArea*>();
        QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(), qPrintable(QString("%1 px in %2").arg(scroll->widget()->width()).arg(scroll->viewport()->width())));
    }

    void nothingIsCut_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("content"); ///< 0 plain, 1 with a result, 2 with problems, 3 long names, 4 inference, 5 serving
        for (const int variant : {int(ThemeVariant::light), int(ThemeVariant::dark), int(ThemeVariant::high_contrast)})
            for (const int width : {270, 360})
                for (const int content : {0, 1, 2, 3, 4, 5, 6})
                    QTest::addRow("theme %d, %d px, content %d", variant, width, content) << variant << width << content;
    }
    void nothingIsCut() {
        QFETCH(int, variant);
        QFETCH(int, width);
        QFETCH(int, content);
        Bench bench(static_cast<ThemeVariant>(variant), width);
        bench.form.resize(width, 720);
        if (content == 1) bench.form.setResult(syntheticResult());
        if (content == 2) bench.form.setProblems(manyProblems());
        if (content == 3) {
            bench.document["model"] = Json{{"preset", "megatron-2021-gpt-1008b"}};
            bench.document["workload"]["sequence_length"] = 1048576;
            bench.document["workload"]["global_batch_size"] = 122880;
            bench.document["parallelism"]["pipeline_layout"] = Json::array({11, 12, 12, 12, 11, 12, 12, 11});
            bench.document["execution"] = Json{{"framework", "megatron-core-2025"}, {"recompute", Json{{"modules", Json::array({"mlp", "attention"})}}}};
            bench.document["economics"] = Json{{"price_per_accelerator_hour", 2.05}, {"power_w", 1200}, {"tokens_total", 15'000'000'000'000}};
            bench.form.setDocument(bench.document);
        }
        if (content == 4) bench.document["workload"] = Json{{"kind", "inference"}, {"batch_size", 8}, {"input_length", 1024}, {"output_length", 128}, {"precision", "bf16"}};
        if (content == 5)
            bench.document["workload"] = Json{{"kind", "serving"}, {"precision", "bf16"}, {"requests", Json{{"count", 1000}, {"arrival", Json{{"process", "poisson"}, {"rate_per_s", 4}}}, {"input_tokens", 1024}, {"output_tokens", 128}}}};
        if (content == 6) {
            const Json law{{"distribution", "lognormal"}, {"mean", 131072}, {"std", 262144}, {"min", 1024}, {"max", 1048576}};
            bench.document["workload"] = Json{{"kind", "serving"}, {"precision", "bf16"}, {"requests", Json{{"count", 100000}, {"arrival", Json{{"process", "closed_loop"}, {"concurrency", 4096}}}, {"input_tokens", law}, {"output_tokens", law}}}};
        }
        if (content > 3) bench.form.setDocument(bench.document);
        const WorkloadKinds kind = kindNamed(bench.document["workload"]["kind"].get<std::string>());
        // A field of another kind is not shown, nor one whose parts have fields of their own; nothing in it can be cut.
        const std::vector<FieldSpec> table = scenarioFields();
        const auto isOfKind = [&](const QWidget* field) {
            return std::none_of(table.begin(), table.end(), [&](const FieldSpec& spec) {
                if (field->objectName() != QLatin1String(spec.pointer)) return false;
                const Json::json_pointer place{std::string(spec.pointer)};
                const bool inParts = spec.plainOnly && bench.document.contains(place) && bench.document.at(place).is_object();
                return inParts || !(spec.kinds & kind);
            });
        };
        const char* theme = variant == int(ThemeVariant::dark) ? "dark" : variant == int(ThemeVariant::light) ? "light"
                                                                                                              : "contrast";
        QTest::qWait(20);
        bench.form.resize(width, 1250);
        QTest::qWait(20);
        picture(bench.form, QStringLiteral("form-%1-%2-%3").arg(QLatin1String(theme)).arg(width).arg(content));
        bench.form.resize(width, 720);
        QTest::qWait(20);
        QStringList cut = cutTexts(bench.form);
        for (const ChoiceBox* box : bench.form.findChildren<ChoiceBox*>())
            if (isOfKind(box) && box->textWidth() > box->width()) cut.append(box->objectName() + QStringLiteral(": ") + box->shownText());
        for (const ValueEdit* edit : bench.form.findChildren<ValueEdit*>())
            if (isOfKind(edit) && edit->textWidth() > edit->width() && edit->objectName() != QLatin1String("/parallelism/pipeline_layout"))
                cut.append(edit->objectName() + QStringLiteral(": ") + edit->text());
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
        // No two editors share a pixel.
        const QList<QWidget*> editors = bench.form.findChildren<QWidget*>(QRegularExpression(QStringLiteral("^/[a-z_]+(/[a-z_]+)*$")));
        for (const QWidget* a : editors)
            for (const QWidget* b : editors) {
                if (a == b || !a->isVisible() || !b->isVisible()) continue;
                const QRect first(a->mapTo(&bench.form, QPoint()), a->size()), second(b->mapTo(&bench.form, QPoint()), b->size());
                QVERIFY2(!first.intersects(second), qPrintable(a->objectName() + QStringLiteral(" over ") + b->objectName()));
            }
    }
};

ORRERY_WIDGET_TEST(FormsTest)
#include "forms_test.moc"
