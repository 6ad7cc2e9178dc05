// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/pages/communication_dialog.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/recorded/record_table.hpp"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSettings>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

namespace orrery {
namespace {

const QString rulesKey = QStringLiteral("communication_rules"); // the list as JSON

} // namespace

CommunicationRules storedCommunicationRules(const QSettings& settings) {
    const QString text = settings.value(rulesKey).toString();
    if (text.isEmpty()) return shippedCommunicationRules();
    Problems unread;
    const auto list = parseJsonText(text.toStdString(), "settings", unread);
    auto rules = list ? readCommunicationRules(*list, "settings", "", unread) : std::nullopt;
    return std::move(rules).value_or(shippedCommunicationRules());
}

void storeCommunicationRules(QSettings& settings, const CommunicationRules& rules) {
    if (rules == shippedCommunicationRules()) settings.remove(rulesKey);
    else settings.setValue(rulesKey, QString::fromStdString(communicationRulesDocument(rules).dump()));
}

namespace {

enum RuleColumn { matchColumn,
                  countsColumn,
                  decidesColumn,
                  ruleColumns };

constexpr int settleTime = 60; ///< ms after the last letter
constexpr int rowHeight = 26;  ///< px: an editor has room in it

/// Takes every letter at once, so that the kernels below follow; no text matches every name, and says so.
class MatchDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
        auto* line = new QLineEdit(parent);
        line->setFrame(false);
        line->setMaxLength(static_cast<int>(longestCommunicationMatch));
        line->setAccessibleName(CommunicationDialog::tr("A part of the kernel's name"));
        connect(line, &QLineEdit::textEdited, this, [this, line] { emit const_cast<MatchDelegate*>(this)->commitData(line); });
        return line;
    }
    QString displayText(const QVariant& value, const QLocale& locale) const override {
        const QString text = QStyledItemDelegate::displayText(value, locale);
        return text.isEmpty() ? CommunicationDialog::tr("(every name)") : text;
    }
};

QString countsText(bool communication) { return communication ? CommunicationDialog::tr("communication") : CommunicationDialog::tr("computation"); }

} // namespace

CommunicationDialog::CommunicationDialog(const Theme& theme, const CommunicationRules& inForce, std::vector<KernelName> kernels, QWidget* parent)
    : QDialog(parent), theme_(theme), names_(std::move(kernels)), table_(new QTableWidget(0, ruleColumns)), add_(new QPushButton(tr("&Add"))), remove_(new QPushButton(tr("&Remove"))), up_(new QPushButton(tr("Move &up"))),
      down_(new QPushButton(tr("Move &down"))), shipped_(new QPushButton(tr("&Shipped rules"))), told_(new QLabel),
      list_(new RecordTable(theme, tr("Kernels of the open records"), tr("The kernels of the open records, as these rules sort them"), tr("Open recorded traces to see them here. A scenario's “hybrid” has rules of its own: its key “communication”."))) {
    setWindowTitle(tr("What counts as communication"));
    setObjectName("communication_dialog");
    const CommunicationJudge judge(inForce);
    before_.reserve(names_.size());
    for (const KernelName& each : names_) before_.push_back(judge.communicates(each.name));
    settle_.setSingleShot(true);
    settle_.setInterval(settleTime);
    connect(&settle_, &QTimer::timeout, this, &CommunicationDialog::showKernels);
    build();
    setRules(inForce);
    showKernels();
}

void CommunicationDialog::build() {
    auto* words = new QLabel(tr("The first rule whose text is a part of a kernel's name decides what the kernel counts as; one that no rule matches is computation. Upper and lower case are alike, and _? is an underscore or none."));
    words->setWordWrap(true);
    words->setTextFormat(Qt::PlainText);
    setRole(*words, "secondary");
    setRole(*told_, "secondary");
    told_->setObjectName("rules_told");
    told_->setTextFormat(Qt::PlainText);

    table_->setObjectName("rules");
    table_->setAccessibleName(tr("Rules, the first that matches decides"));
    table_->setHorizontalHeaderLabels({tr("A part of the kernel's name"), tr("Counts as"), tr("Names it decides")});
    table_->horizontalHeaderItem(matchColumn)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeaderItem(countsColumn)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeaderItem(decidesColumn)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->horizontalHeader()->setSectionResizeMode(matchColumn, QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(countsColumn, QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(decidesColumn, QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->setItemDelegateForColumn(matchColumn, new MatchDelegate(table_));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    table_->setShowGrid(false);
    table_->setCornerButtonEnabled(false);
    table_->verticalHeader()->setDefaultSectionSize(rowHeight);
    connect(&theme_, &Theme::changed, this, &CommunicationDialog::applyTheme);
    applyTheme();
    table_->setTabKeyNavigation(false);
    table_->setToolTip(tr("F2 or a letter edits the text, Space turns a rule over, Del removes it, Alt+Up and Alt+Down move it"));
    add_->setToolTip(tr("Puts a rule on top, for the kernel that is chosen below where one is"));
    shipped_->setToolTip(tr("Puts the rules back that Orrery comes with"));
    const std::pair<QPushButton*, const char*> named[] = {{add_, "rule_add"}, {remove_, "rule_remove"}, {up_, "rule_up"}, {down_, "rule_down"}, {shipped_, "rules_shipped"}};
    auto* side = new QVBoxLayout;
    side->setSpacing(6);
    for (const auto& [button, name] : named) {
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        if (button == shipped_) side->addSpacing(10);
        side->addWidget(button);
    }
    side->addStretch(1);
    auto* top = new QHBoxLayout;
    top->setSpacing(12);
    top->addWidget(table_, 1);
    top->addLayout(side);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(told_, 1);
    bottom->addWidget(buttons);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 16, 18, 14);
    column->setSpacing(12);
    column->addWidget(words);
    column->addLayout(top, 1);
    column->addWidget(new Hairline);
    column->addWidget(list_, 1);
    column->addLayout(bottom);
    resize(860, 640);

    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(add_, &QPushButton::clicked, this, &CommunicationDialog::add);
    connect(remove_, &QPushButton::clicked, this, &CommunicationDialog::remove);
    connect(up_, &QPushButton::clicked, this, [this] { move(-1); });
    connect(down_, &QPushButton::clicked, this, [this] { move(1); });
    connect(shipped_, &QPushButton::clicked, this, [this] { setRules(shippedCommunicationRules()); });
    const auto onKey = [this](const QKeySequence& keys, std::function<void()> run) {
        auto* shortcut = new QShortcut(table_);
        shortcut->setKey(keys);
        shortcut->setContext(Qt::WidgetShortcut);
        connect(shortcut, &QShortcut::activated, this, std::move(run));
    };
    onKey(QKeySequence::Delete, [this] { remove(); });
    onKey(QKeySequence(Qt::ALT | Qt::Key_Up), [this] { move(-1); });
    onKey(QKeySequence(Qt::ALT | Qt::Key_Down), [this] { move(1); });
    connect(table_, &QTableWidget::itemSelectionChanged, this, &CommunicationDialog::showButtons);
    connect(table_, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
        if (filling_) return;
        if (item->column() == countsColumn) {
            const QScopedValueRollback<bool> guard(filling_, true);
            item->setText(countsText(item->checkState() == Qt::Checked));
        }
        settle_.start();
    });
    connect(list_, &RecordTable::rowChosen, this, [this](int key) { chosen_ = static_cast<std::size_t>(key); });
}

void CommunicationDialog::applyTheme() {
    table_->setStyleSheet(RowDelegate::rowStyle(theme_) + QStringLiteral("QHeaderView::section:vertical { border: none; } QTableCornerButton::section { background: %1; border: none; border-bottom: 1px solid %2; }").arg(theme_.colors().panel.name(), theme_.colors().line.name()));
}

void CommunicationDialog::setRules(const CommunicationRules& rules) {
    table_->setRowCount(0);
    for (const CommunicationRule& rule : rules) insertRule(table_->rowCount(), rule);
    if (!rules.empty()) table_->setCurrentCell(0, matchColumn);
    showButtons();
    settle_.start();
}

void CommunicationDialog::insertRule(int row, const CommunicationRule& rule) {
    const QScopedValueRollback<bool> guard(filling_, true);
    table_->insertRow(row);
    table_->setItem(row, matchColumn, new QTableWidgetItem(QString::fromStdString(rule.match)));
    auto* counts = new QTableWidgetItem(countsText(rule.communication));
    counts->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    counts->setCheckState(rule.communication ? Qt::Checked : Qt::Unchecked);
    table_->setItem(row, countsColumn, counts);
    auto* decides = new QTableWidgetItem;
    decides->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    decides->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->setItem(row, decidesColumn, decides);
    settle_.start();
}

CommunicationRules CommunicationDialog::rules() const {
    CommunicationRules rules;
    for (int row = 0; row < table_->rowCount(); ++row) rules.push_back({table_->item(row, matchColumn)->text().toStdString(), table_->item(row, countsColumn)->checkState() == Qt::Checked});
    return rules;
}

/// On top a rule decides whatever the others say.
void CommunicationDialog::add() {
    if (!add_->isEnabled()) return;
    CommunicationRule rule{tr("part of a name").toStdString()};
    if (chosen_) rule = {QString::fromStdString(names_[*chosen_].name).left(static_cast<int>(longestCommunicationMatch)).toStdString(), !CommunicationJudge(rules()).communicates(names_[*chosen_].name)};
    insertRule(0, rule);
    table_->setCurrentCell(0, matchColumn);
    showButtons();
    table_->setFocus();
    table_->editItem(table_->item(0, matchColumn)); // all of it selected: what is typed takes its place
}

void CommunicationDialog::remove() {
    const int row = table_->currentRow();
    if (row < 0) return;
    table_->removeRow(row);
    if (table_->rowCount() > 0) table_->setCurrentCell(std::min(row, table_->rowCount() - 1), matchColumn);
    showButtons();
    settle_.start();
}

void CommunicationDialog::move(int by) {
    const int row = table_->currentRow(), column = table_->currentColumn(), to = row + by;
    if (row < 0 || to < 0 || to >= table_->rowCount()) return;
    const CommunicationRule rule = rules()[static_cast<std::size_t>(row)];
    table_->removeRow(row);
    insertRule(to, rule);
    table_->setCurrentCell(to, column);
    showButtons();
}

void CommunicationDialog::showButtons() {
    const int row = table_->currentRow(), count = table_->rowCount();
    add_->setEnabled(count < static_cast<int>(mostCommunicationRules));
    remove_->setEnabled(row >= 0);
    up_->setEnabled(row > 0);
    down_->setEnabled(row >= 0 && row + 1 < count);
}

void CommunicationDialog::showKernels() {
    const CommunicationRules edited = rules();
    const bool shipped = edited == shippedCommunicationRules();
    shipped_->setEnabled(!shipped);
    told_->setText(shipped ? tr("The rules that Orrery comes with") : tr("Rules of your own"));
    const CommunicationJudge judge(edited);
    std::vector<int> decided(edited.size(), 0);
    std::vector<RecordTableRow> rows;
    double kernels = 0, seconds = 0, all = 0;
    int communicating = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const KernelName& each = names_[i];
        const auto rule = judge.rule(each.name);
        const bool communication = rule && edited[*rule].communication;
        if (rule) ++decided[*rule];
        all += each.seconds;
        if (communication) {
            ++communicating;
            kernels += static_cast<double>(each.kernels);
            seconds += each.seconds;
        }
        const QString counts = communication == before_[i] ? countsText(communication) : communication ? tr("communication, before computation")
                                                                                                       : tr("computation, before communication");
        rows.push_back({static_cast<int>(i), {QString::fromStdString(each.name), counts, rule ? RecordCell(QString::number(*rule + 1), static_cast<double>(*rule)) : RecordCell(QStringLiteral("–"), static_cast<double>(edited.size())), RecordCell(grouped(static_cast<double>(each.kernels)), static_cast<double>(each.kernels)), RecordCell(readableTime(each.seconds).text(), each.seconds)}});
    }
    list_->setRows({tr("Kernel"), tr("Counts as"), tr("By rule"), tr("Kernels"), tr("Time")}, rows);
    if (!names_.empty()) list_->setScope(tr("%1 of %2 names communicate: %3 kernels, %4 of %5").arg(communicating).arg(names_.size()).arg(grouped(kernels), readableTime(seconds).text(), readableTime(all).text()));
    const QScopedValueRollback<bool> guard(filling_, true);
    for (int row = 0; row < table_->rowCount(); ++row) table_->item(row, decidesColumn)->setText(names_.empty() ? QStringLiteral("–") : grouped(decided[static_cast<std::size_t>(row)]));
}

} // namespace orrery
