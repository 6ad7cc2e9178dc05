// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/import/import_dialog.hpp"
#include "app/desktop/background/background_task.hpp"
#include "app/desktop/document/document_file.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/key_words.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/catalog_choices.hpp"

#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSplitter>
#include <QString>
#include <QStringList>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <string_view>
#include <vector>

namespace orrery {
namespace {

/// Findings of an import that mean the same for the user.
struct FindingGroup {
    enum class Kind { refused,
                      unsound,
                      not_understood,
                      left_open,
                      other,
                      assumed,
                      not_needed };
    Kind kind = Kind::other;
    QString title;
    std::vector<Problem> findings;
};

struct Findings {
    Q_DECLARE_TR_FUNCTIONS(Findings)
};

FindingGroup::Kind kindOf(const Problem& problem) {
    if (problem.severity == Severity::error) return FindingGroup::Kind::refused;
    using Kind = FindingGroup::Kind;
    const struct {
        std::string_view code;
        Kind kind;
    } kinds[] = {
        {"option-not-understood", Kind::not_understood}, {"word-not-understood", Kind::not_understood}, {"layout-not-understood", Kind::not_understood}, {"file-not-read", Kind::not_understood}, {"value-left-open", Kind::left_open}, {"variable-not-set", Kind::left_open}, {"option-ignored", Kind::not_needed}, {"assumed", Kind::assumed}, {"precision-assumed", Kind::assumed}};
    for (const auto& one : kinds)
        if (problem.code == one.code) return one.kind;
    return Kind::other;
}

/// What was said about an import, what stands in the way first. `unsound`: what the rules of a scenario say of its outcome.
std::vector<FindingGroup> groupFindings(const Problems& import, const Problems& unsound) {
    using Kind = FindingGroup::Kind;
    std::vector<FindingGroup> groups{{Kind::refused, Findings::tr("Stands in the way"), {}},
                                     {Kind::unsound, Findings::tr("To be mended in the scenario"), {}},
                                     {Kind::not_understood, Findings::tr("Not understood"), {}},
                                     {Kind::left_open, Findings::tr("Left open by the text"), {}},
                                     {Kind::other, Findings::tr("Said besides"), {}},
                                     {Kind::assumed, Findings::tr("Assumed"), {}},
                                     {Kind::not_needed, Findings::tr("Not needed for a simulation"), {}}};
    const auto add = [&groups](Kind kind, const Problem& problem) {
        std::find_if(groups.begin(), groups.end(), [kind](const FindingGroup& group) { return group.kind == kind; })->findings.push_back(problem);
    };
    for (const Problem& problem : import) add(kindOf(problem), problem);
    for (const Problem& problem : unsound) add(problem.severity == Severity::error ? Kind::unsound : Kind::other, problem);
    std::erase_if(groups, [](const FindingGroup& group) { return group.findings.empty(); });
    return groups;
}

/// "line 3: message"
QString findingText(const Problem& problem) {
    const QString message = QString::fromStdString(problem.message);
    return problem.line > 0 ? Findings::tr("line %1: %2").arg(problem.line).arg(message) : message;
}

/// One part of a scenario in a line: "Plan", "tensor 8, pipeline 16, sequence on".
struct SummaryLine {
    QString part;
    QString text;
};

struct Summary {
    Q_DECLARE_TR_FUNCTIONS(Summary)

public:
    static QString valueText(const Json& value) {
        if (value.is_boolean()) return value.get<bool>() ? tr("on") : tr("off");
        if (value.is_string()) return QString::fromStdString(value.get<std::string>());
        if (value.is_number_integer()) return grouped(value.get<double>());
        return QString::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }

    /// "tensor 8, overlap: data on, tensor off"
    static QString keys(const Json& object) {
        QStringList parts;
        for (const auto& [key, value] : object.items()) {
            const QString name = keyWords(QString::fromStdString(key).replace(u'_', u' '));
            if (value.is_object() && !value.empty()) parts << tr("%1: %2").arg(name, keys(value));
            else parts << QStringLiteral("%1 %2").arg(name, valueText(value));
        }
        return parts.join(QStringLiteral(", "));
    }

    static QString model(const Json& value) {
        const auto config = value.is_object() ? value.find("config") : value.end();
        return value.is_object() && config != value.end() && config->is_object() ? keys(*config) : describeModel(value);
    }

    static QString title(const std::string& key) {
        if (key == "model") return tr("Model");
        if (key == "cluster") return tr("Cluster");
        if (key == "workload") return tr("Workload");
        if (key == "parallelism") return tr("Parallelism");
        if (key == "execution") return tr("Execution");
        return {};
    }
};

/// A scenario document as a few lines, in the document's order: what it says, nothing that would be filled in.
std::vector<SummaryLine> scenarioSummary(const Json& scenario) {
    std::vector<SummaryLine> lines;
    if (!scenario.is_object()) return lines;
    for (const auto& [key, value] : scenario.items()) {
        const QString title = Summary::title(key);
        if (title.isEmpty() || !value.is_object()) continue;
        lines.push_back({title, key == "model" ? Summary::model(value) : Summary::keys(value)});
    }
    return lines;
}

constexpr int pauseAfterTyping = 200; ///< ms

} // namespace

ImportDialog::ImportDialog(const Catalog& catalog, const Theme& theme, QWidget* parent) : QDialog(parent), catalog_(catalog), theme_(theme) {
    setObjectName("import_dialog");
    setWindowTitle(tr("Import a launch command"));
    build();
    fillChoices();
    pause_.setSingleShot(true);
    pause_.setInterval(pauseAfterTyping);
    connect(&pause_, &QTimer::timeout, this, &ImportDialog::readNow);
    const auto later = [this] { pause_.start(); };
    connect(text_, &QPlainTextEdit::textChanged, this, [this, later] {
        // What is typed over a file is no longer that file's.
        if (text_->document()->isEmpty()) fileName_.clear();
        later();
    });
    connect(variables_, &QLineEdit::textChanged, this, later);
    connect(accelerator_, &QComboBox::activated, this, &ImportDialog::readNow);
    connect(model_, &QComboBox::activated, this, &ImportDialog::readNow);
    connect(importButton_, &QPushButton::clicked, this, [this] {
        readNow();
        if (!imported_.scenario) return;
        emit importRequested(*imported_.scenario, QString::fromStdString(imported_.source));
        accept();
    });
    resize(980, 600);
    readNow();
}

void ImportDialog::build() {
    text_ = new QPlainTextEdit;
    text_->setObjectName("import_text");
    text_->setAccessibleName(tr("Launch command, script or configuration"));
    text_->setPlaceholderText(tr("Paste a command line of Megatron-LM, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM, the script that holds it, "
                                 "a torchtitan .toml, a DeepSpeed .json or a server's .yaml."));
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(theme_.secondaryFont().pointSizeF());
    text_->setFont(fixed);
    text_->setTabChangesFocus(true);
    accelerator_ = new QComboBox;
    accelerator_->setToolTip(tr("A command line does not say what it runs on"));
    model_ = new QComboBox;
    model_->setToolTip(tr("For a text that names no model"));
    for (QComboBox* box : {accelerator_, model_}) {
        box->setMinimumHeight(26);
        box->setMinimumContentsLength(18);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    }
    variables_ = new QLineEdit;
    variables_->setMinimumHeight(26);
    variables_->setPlaceholderText(QStringLiteral("SLURM_NNODES=4 GPUS_PER_NODE=8"));
    variables_->setToolTip(tr("Variables that the script finds in its environment, NAME=VALUE with spaces between"));
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(5);
    form->addRow(tr("Accelerator"), accelerator_);
    form->addRow(tr("Model"), model_);
    form->addRow(tr("Variables"), variables_);

    heading_ = new QLabel;
    heading_->setFont(theme_.titleFont());
    heading_->setWordWrap(true);
    summary_ = new QLabel;
    summary_->setTextFormat(Qt::RichText);
    summary_->setWordWrap(true);
    summary_->setAlignment(Qt::AlignTop);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* summaryArea = new QScrollArea;
    summaryArea->setWidget(summary_);
    summaryArea->setWidgetResizable(true);
    summaryArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    findings_ = new QTreeWidget;
    findings_->setObjectName("import_findings");
    findings_->setHeaderHidden(true);
    findings_->setColumnCount(1);
    // Nothing is cut: what is longer than the list is scrolled to.
    findings_->header()->setStretchLastSection(false);
    findings_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    findings_->setIndentation(14);
    findings_->setFont(theme_.secondaryFont());
    findings_->setAccessibleName(tr("What was not understood, and what was assumed"));

    auto* left = new QWidget;
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 6, 0);
    leftColumn->addWidget(text_, 1);
    leftColumn->addLayout(form);
    auto* right = new QWidget;
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(6, 0, 0, 0);
    rightColumn->addWidget(heading_);
    rightColumn->addWidget(summaryArea, 2);
    rightColumn->addWidget(new Hairline);
    rightColumn->addWidget(findings_, 3);
    auto* split = new QSplitter;
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(right);
    split->setSizes({500, 460});

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    importButton_ = buttons->addButton(tr("&Import"), QDialogButtonBox::ActionRole);
    importButton_->setDefault(true);
    importButton_->setToolTip(tr("Puts the scenario in the place of the present one, as one step that undo takes back"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(split, 1);
    column->addWidget(buttons);
}

void ImportDialog::fillChoices() {
    accelerator_->addItem(tr("from the text, else H100"), QString());
    for (const Accelerator& one : catalog_.accelerators()) accelerator_->addItem(QString::fromStdString(one.name), QString::fromStdString(one.id));
    model_->addItem(tr("from the text"), QString());
    for (const ModelEntry& one : catalog_.models()) model_->addItem(QString::fromStdString(one.name), QString::fromStdString(one.id));
}

void ImportDialog::setSource(const QString& text, const QString& fileName, const QString& folder) {
    text_->setPlainText(text);
    fileName_ = fileName;
    folder_ = folder;
    text_->moveCursor(QTextCursor::Start);
    readNow();
    text_->setFocus();
}

ImportOptions ImportDialog::options() const {
    ImportOptions options;
    options.accelerator = accelerator_->currentData().toString().toStdString();
    options.model = model_->currentData().toString().toStdString();
    options.fileName = fileName_.toStdString();
    options.expertsOf = [this](const std::string& id) { return expertsOfPreset(catalog_, id); };
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    for (const QString& one : variables_->text().split(spaces, Qt::SkipEmptyParts)) {
        const qsizetype equals = one.indexOf(u'=');
        if (equals > 0) options.variables[one.left(equals).toStdString()] = one.mid(equals + 1).toStdString();
    }
    if (!folder_.isEmpty()) options.readFile = scenarioFileReader(folder_);
    return options;
}

void ImportDialog::readNow() {
    pause_.stop();
    if (reading_) return pause_.start(); // what is typed meanwhile comes next
    const QString text = text_->toPlainText();
    if (text.trimmed().isEmpty()) {
        imported_ = {};
        return showImport();
    }
    // Scripts and configurations that the text names lie on disks that may be slow or gone.
    reading_ = true;
    std::optional<Import> read = inBackground<Import>(tr("Reading what the text names…"),
                                                      [text = text.toStdString(), options = options()] { return importCommandLine(text, options); });
    reading_ = false;
    imported_ = read ? std::move(*read) : Import{};
    showImport();
}

void ImportDialog::showImport() {
    Problems unsound;
    if (imported_.scenario) {
        ScenarioReading reading = readScenario(*imported_.scenario, catalog_, scenarioFileReader(folder_));
        if (reading.scenario) stateContextLength(*imported_.scenario, *reading.scenario, imported_.problems);
        unsound = std::move(reading.problems);
    }
    importButton_->setEnabled(imported_.scenario.has_value());
    showSummary(unsound);
    showFindings(unsound);
}

void ImportDialog::showSummary(const Problems& unsound) {
    const bool empty = text_->toPlainText().trimmed().isEmpty();
    if (empty) heading_->setText(tr("The scenario appears here as soon as there is a text."));
    else if (!imported_.scenario) heading_->setText(tr("No scenario can be made of this yet."));
    else if (hasErrors(unsound)) heading_->setText(tr("A scenario from %1, which has to be mended before it runs").arg(QString::fromStdString(imported_.source)));
    else heading_->setText(tr("A scenario from %1").arg(QString::fromStdString(imported_.source)));
    QString html;
    if (imported_.scenario)
        for (const SummaryLine& line : scenarioSummary(*imported_.scenario))
            html += QStringLiteral("<p style=\"margin: 0 0 5px 0\"><span style=\"color:%1\">%2</span><br>%3</p>")
                        .arg(theme_.colors().secondary.name(), line.part.toHtmlEscaped(), line.text.toHtmlEscaped());
    summary_->setText(html);
}

QString ImportDialog::summaryText() const { return heading_->text() + QLatin1Char('\n') + summary_->text(); }

void ImportDialog::showFindings(const Problems& unsound) {
    findings_->clear();
    for (const FindingGroup& group : groupFindings(imported_.problems, unsound)) {
        auto* top = new QTreeWidgetItem(findings_, {tr("%1 (%2)").arg(group.title).arg(group.findings.size())});
        top->setFont(0, theme_.titleFont());
        const bool serious = group.kind == FindingGroup::Kind::refused || group.kind == FindingGroup::Kind::unsound;
        const bool doubtful = group.kind == FindingGroup::Kind::not_understood || group.kind == FindingGroup::Kind::left_open;
        top->setForeground(0, serious ? theme_.colors().error : doubtful ? theme_.colors().warning
                                                                         : theme_.colors().ink);
        for (const Problem& problem : group.findings) {
            auto* item = new QTreeWidgetItem(top, {findingText(problem)});
            item->setToolTip(0, findingText(problem) + (problem.mend.empty() ? QString() : QLatin1Char('\n') + QString::fromStdString(problem.mend)));
        }
        top->setExpanded(group.kind != FindingGroup::Kind::not_needed);
    }
    if (findings_->topLevelItemCount() == 0 && imported_.scenario) new QTreeWidgetItem(findings_, {tr("Everything was understood.")});
}

} // namespace orrery
