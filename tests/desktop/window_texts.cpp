// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/desktop/window_texts.hpp"

#include "app/desktop/window/main_window.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/results/report/result.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/text_recorder.hpp"
#include "widgets/insight/quantity_words.hpp"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMutexLocker>
#include <QPainter>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabBar>
#include <QTextDocument>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

namespace orrery::test {
namespace {

/// Words that stay in Chinese: names of products, programs, companies and papers, signs and units, and terms that engineers of large models leave in English.
const std::set<QString>& names() {
    static const std::set<QString> all = [] {
        std::set<QString> words;
        for (const QString& word : QStringLiteral(
                                       // terms
                                       "token rank kernel rollout Rollout Rank Pass pass trace GPU CPU NIC NUMA KV QK MLP MLA MoE MTP LoRA PEFT ZeRO HSDP FSDP Roofline Scale up out Pareto GEMM FLOP FLOPs "
                                       "TFLOP MFU HFU TTFT TPOT ITL E2E SLO HBM DRAM SM CU L2 FP8 FP4 fp32 fp16 bf16 fp8 fp4 mxfp8 mxfp4 nvfp4 int8 int4 FP32 BF16 all gather reduce scatter to "
                                       "broadcast ring logits loss dropout Transformer Adam SGD Muon Flash n gram EAGLE CUDA graphs Graphs PCIe NVLink IB RoCE RDMA Valiant Zipf Pod top "
                                       // units and numbers
                                       "ms us ns GB MB KiB MiB GiB TiB TB Gb Tb PB FLOP px pt in mm kWh mean med "
                                       // products, programs, formats
                                       "Orrery orrery NVIDIA AMD Google Meta DeepSeek Llama Qwen Mixtral Megatron LM NeMo TensorRT LLM SGLang vLLM torchtitan PyTorch Hugging Face DeepEP Hybrid EP Nsight "
                                       "Systems Perfetto Chakra Kineto cuDNN FlashAttention Ulysses Mamba Dragonfly GB200 GB300 NVL72 H100 H200 B200 A100 DGX HGX TPU v5p Qt GNU GPL LGPL Charts QCustomPlot "
                                       "nlohmann CLI11 MIT BSD clause PDF SVG PNG CSV HTML JSON TeX PGFPlots Vega Lite Python matplotlib Chrome Markdown config json py toml yaml ui perfetto dev pickle list English log kB GFLOP MFLOP kFLOP PFLOP EFLOP flash ttft tpot p5 p50 p90 p95 p99 e13 B7 "
                                       "NAME VALUE V0 hybrid true false softmax nccl rccl hccl hcom mscclpp multimem nvshmem sendrecv deep dpsk collective-broadcast collective-permute nemo nim tpu torchtitan vllm Bloom Dbrx Falcon Gemma Grok Opt Pythia "
                                       // keys of the keyboard
                                       "Ctrl Alt Shift Tab Esc Enter Home End Del Ins Space Backspace PgUp PgDown Return F1 F2 F5 F9 F11 F12 PageUp PageDown Up Down Left Right "
                                       // axes, schedules and orders of ranks
                                       "tp cp ep dp pp PP TP DP CP EP VPP F1B 1F1B GPipe ZB H1 Half Min DualPipe F6")
                                       .split(u' ', Qt::SkipEmptyParts))
            words.insert(word);
        return words;
    }();
    return all;
}

/// What catalogues call their entries: "RTX PRO 6000 Blackwell Server". Words of these that look like names (a capital or a digit) are names.
void collectNames(const Json& value, std::set<QString>& words) {
    static const QRegularExpression nameLike(QStringLiteral("\\b([A-Z][A-Za-z0-9]*|[a-z]+[0-9][a-z0-9]*)\\b"));
    if (value.is_object()) {
        for (const auto& [key, part] : value.items()) {
            if (part.is_string() && (key == "name" || key == "id" || key == "vendor"))
                for (auto each = nameLike.globalMatch(QString::fromStdString(part.get<std::string>())); each.hasNext();) words.insert(each.next().captured(1));
            else collectNames(part, words);
        }
    } else if (value.is_array()) {
        for (const Json& part : value) collectNames(part, words);
    }
}

void collect(const Json& value, std::set<QString>& strings) {
    if (value.is_string()) strings.insert(QString::fromStdString(value.get<std::string>()));
    if (value.is_object()) {
        for (const auto& [key, part] : value.items()) {
            strings.insert(QString::fromStdString(key));
            collect(part, strings);
        }
    } else if (value.is_array()) {
        for (const Json& part : value) collect(part, strings);
    }
}

/// What examples, lessons, catalogues and figures' explanations say.
const std::set<QString>& shippedTexts() {
    static const std::set<QString> all = [] {
        std::set<QString> strings;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(sourcePath("resources"))) {
            if (entry.path().extension() != ".json") continue;
            std::ifstream file(entry.path());
            collect(Json::parse(file, nullptr, false), strings);
        }
        return strings;
    }();
    return all;
}

/// Part of what catalogues call a thing: "H100 NVL 94GB (per card)".
bool isCalledSo(const QString& text) {
    const auto holds = [&text](const auto& entry) { return QString::fromStdString(entry.name).contains(text); };
    return text.contains(u' ') && (std::any_of(catalog().platforms().begin(), catalog().platforms().end(), holds) || std::any_of(catalog().accelerators().begin(), catalog().accelerators().end(), holds));
}

const std::set<QString>& catalogueNames() {
    static const std::set<QString> all = [] {
        std::set<QString> words;
        for (const auto& entry : std::filesystem::directory_iterator(sourcePath("resources/catalog"))) {
            if (entry.path().extension() != ".json") continue;
            std::ifstream file(entry.path());
            collectNames(Json::parse(file, nullptr, false), words);
        }
        return words;
    }();
    return all;
}

void collectQuantity(const Quantity& quantity, std::set<QString>& strings) {
    for (const std::string& text : {quantity.name, inWords(quantity).name, quantity.formula, quantity.reference}) strings.insert(QString::fromStdString(text));
    for (const Quantity& input : quantity.inputs) collectQuantity(input, strings);
}

/// Whether a painted text is a line, or the elided beginning, of a text that is not the window's.
bool isLineOf(const QString& painted, const QStringList& elsewhere, const QStringList& derivations) {
    static const QRegularExpression count(QStringLiteral("\\([0-9]*$")); // "(5 steps)" may follow, and be wrapped itself
    QString line = painted.trimmed();
    const bool isEnd = line.contains(count);
    line.remove(count);
    if (line.endsWith(u'…')) line.chop(1);
    if (line.startsWith(QStringLiteral("= "))) line = line.mid(2);
    line = line.section(QStringLiteral(" = "), 0, 0).trimmed();
    const QStringList& from = isEnd || line.contains(u' ') ? elsewhere : derivations; // a single word is anybody's
    return std::any_of(from.begin(), from.end(), [&line](const QString& said) { return said.contains(line); });
}

/// Identifiers ("dgx-0", "vllm-2025", a line of a longer one), keys in quotes ("search"), what is cut off ("ZeR…") of a name.
QString withoutIdentifiers(QString text, const QSet<QString>& keys) {
    static const QRegularExpression hyphenated(QStringLiteral("[A-Za-z0-9._:]+(?:-[A-Za-z0-9._]*)+")), quoted(QStringLiteral("“?([a-z_]+)”")), cut(QStringLiteral("([A-Za-z]+)…"));
    static const QRegularExpression digit(QStringLiteral("[0-9]"));
    const auto drop = [&text](const QRegularExpression& form, const std::function<bool(const QRegularExpressionMatch&)>& isOne) {
        QString left;
        qsizetype end = 0;
        for (auto each = form.globalMatch(text); each.hasNext();) {
            const QRegularExpressionMatch match = each.next();
            if (!isOne(match)) continue;
            left += text.mid(end, match.capturedStart() - end) + u' ';
            end = match.capturedEnd();
        }
        text = left + text.mid(end);
    };
    drop(hyphenated, [&keys](const QRegularExpressionMatch& match) {
        const QString token = match.captured();
        return token.contains(digit) || token.endsWith(u'-') || keys.contains(token) || names().contains(token);
    });
    drop(quoted, [&keys](const QRegularExpressionMatch& match) { return keys.contains(match.captured(1)); });
    drop(cut, [](const QRegularExpressionMatch& match) {
        return std::any_of(names().begin(), names().end(), [&match](const QString& name) { return name.startsWith(match.captured(1)); });
    });
    return text;
}

QString withoutMarkup(const QString& text) {
    if (!text.contains(u'<') || !Qt::mightBeRichText(text)) return text;
    QTextDocument words;
    words.setHtml(text);
    return words.toPlainText();
}

} // namespace

QString WatchedTexts::translate(const char* context, const char* source, const char* disambiguation, int n) const {
    QString found = QTranslator::translate(context, source, disambiguation, n);
    // Qt's own begin with its letter; of core's sentences the window asks for all, and has some.
    const bool isOurs = context != nullptr && context[0] != 'Q' && std::string_view(context) != "CoreWords";
    if (found.isEmpty() && isOurs && source != nullptr && *source != '\0') {
        QMutexLocker lock(&mutex_);
        missed_.insert(QString::fromUtf8(context) + QStringLiteral(": ") + QString::fromUtf8(source));
    }
    return found;
}

QStringList WatchedTexts::missed() const {
    QMutexLocker lock(&mutex_);
    QStringList all(missed_.begin(), missed_.end());
    all.sort();
    return all;
}

void WindowTexts::add(const QString& text, const QString& where) {
    const bool isJson = text.startsWith(u'{') || text.startsWith(u'[');
    if (!text.trimmed().isEmpty() && !isJson) texts_.emplace(text, where);
}

void WindowTexts::take(QWidget& top, const QString& where) {
    QList<QWidget*> widgets = top.findChildren<QWidget*>();
    widgets << &top;
    for (QWidget* widget : widgets) {
        const QString at = where + u' ' + QString::fromLatin1(widget->metaObject()->className());
        for (const QString& text : {widget->toolTip(), widget->statusTip(), widget->whatsThis(), widget->accessibleName(), widget->accessibleDescription(), widget->windowTitle()}) add(text, at);
        for (const QAction* action : widget->actions())
            for (const QString& text : {action->text(), action->toolTip(), action->statusTip()}) add(text, at);
        if (const auto* label = qobject_cast<QLabel*>(widget)) add(label->text(), at);
        if (const auto* button = qobject_cast<QAbstractButton*>(widget)) add(button->text(), at);
        if (const auto* group = qobject_cast<QGroupBox*>(widget)) add(group->title(), at);
        if (const auto* menu = qobject_cast<QMenu*>(widget)) add(menu->title(), at);
        if (const auto* line = qobject_cast<QLineEdit*>(widget))
            for (const QString& text : {line->text(), line->placeholderText()}) add(text, at);
        if (const auto* box = qobject_cast<QComboBox*>(widget))
            for (int i = 0; i < box->count(); ++i)
                for (const QString& text : {box->itemText(i), box->itemData(i, Qt::ToolTipRole).toString()}) add(text, at);
        if (const auto* box = qobject_cast<QSpinBox*>(widget))
            for (const QString& text : {box->prefix(), box->suffix(), box->specialValueText()}) add(text, at);
        if (const auto* box = qobject_cast<QDoubleSpinBox*>(widget))
            for (const QString& text : {box->prefix(), box->suffix(), box->specialValueText()}) add(text, at);
        if (const auto* tabs = qobject_cast<QTabBar*>(widget))
            for (int i = 0; i < tabs->count(); ++i)
                for (const QString& text : {tabs->tabText(i), tabs->tabToolTip(i)}) add(text, at);
        if (const auto* view = qobject_cast<QAbstractItemView*>(widget); view && view->model()) {
            const QAbstractItemModel& model = *view->model();
            for (int column = 0; column < model.columnCount(); ++column) {
                for (const int role : {Qt::DisplayRole, Qt::ToolTipRole}) add(model.headerData(column, Qt::Horizontal, role).toString(), at);
                for (int row = 0; row < std::min(model.rowCount(), 40); ++row)
                    for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
                        if (const QVariant value = model.index(row, column).data(role); value.userType() == QMetaType::QString) add(value.toString(), at);
            }
        }
    }
    if (!top.isVisible()) return;
    for (const DrawnText& drawn : recordTexts(top.size(), [&top](QPainter& painter) { top.render(&painter); })) add(drawn.text, where + QStringLiteral(" painted"));
}

QStringList WindowTexts::saidOfFigures() const {
    std::set<QString> strings;
    const ResultPtr result = window_.result();
    if (!result) return {};
    for (const Cause& cause : result->causes) collectQuantity(cause.why, strings);
    const std::function<void(const Json&, const std::string&)> ask = [&](const Json& value, const std::string& pointer) {
        if (value.is_object())
            for (const auto& [key, part] : value.items())
                if (key != "scenario" && key != "assumed" && key != "timeline") ask(part, pointer + "/" + key);
        if (!value.is_number() && !value.is_null()) return;
        if (const auto quantity = explain(*result, pointer)) collectQuantity(*quantity, strings);
    };
    ask(toJson(*result), "");
    return {strings.begin(), strings.end()};
}

QStringList WindowTexts::saidElsewhere() const {
    std::set<QString> strings = shippedTexts();
    for (const Platform& platform : catalog().platforms()) strings.insert(QString::fromStdString(platform.name));
    for (const Accelerator& accelerator : catalog().accelerators()) strings.insert(QString::fromStdString(accelerator.name));
    collect(window_.document().json(), strings);
    if (window_.result()) collect(toJson(*window_.result()), strings);
    for (const Problem& problem : window_.problems()) strings.insert(QString::fromStdString(problem.message));
    return {strings.begin(), strings.end()};
}

QStringList WindowTexts::english() const {
    const QStringList derivations = saidOfFigures();
    QStringList elsewhere = saidElsewhere() + derivations;
    // A longer text first: it may hold a shorter one.
    std::sort(elsewhere.begin(), elsewhere.end(), [](const QString& a, const QString& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
    const QSet<QString> whole(elsewhere.begin(), elsewhere.end());
    static const QRegularExpression word(QStringLiteral("[A-Za-z][A-Za-z0-9]+"));
    // Files, keys, options and addresses: "/memory/peak_bytes", "mlp.down", "--json", "GB/s".
    static const QRegularExpression key(QStringLiteral("--?[a-z][\\w-]*|[\\w*.$]*[A-Za-z0-9)][_./][A-Za-z*][\\w./*-]*|\\.[a-z]\\w*"));
    QStringList found;
    for (const auto& [text, where] : texts_) {
        if (whole.contains(text) || isCalledSo(text)) continue;
        QString left = withoutMarkup(text);
        left.remove(QRegularExpression(QStringLiteral("\\(&[A-Za-z0-9]\\)")));
        static const QRegularExpression anyEnglish(QStringLiteral("[A-Za-z]{2}"));
        if (!left.contains(anyEnglish)) continue;
        // A line of a sentence that was wrapped.
        if (where.endsWith(QStringLiteral("painted")) && isLineOf(left, elsewhere, derivations)) continue;
        for (const QString& said : elsewhere) {
            if (said.size() < 4 || !said.contains(u' ')) continue; // single words of files are words of the window too
            left.replace(said, QStringLiteral(" "));
        }
        static const QRegularExpression address(QStringLiteral("https?://\\S+"));
        left = withoutIdentifiers(left.remove(address), whole).remove(key);
        QStringList words;
        for (auto each = word.globalMatch(left); each.hasNext();) {
            const QString one = each.next().captured();
            if (!names().contains(one) && !catalogueNames().contains(one)) words << one;
        }
        words.removeDuplicates();
        if (!words.isEmpty()) found << QStringLiteral("%1: “%2” [%3]").arg(where, text.left(160), words.join(u' '));
    }
    return found;
}

} // namespace orrery::test
