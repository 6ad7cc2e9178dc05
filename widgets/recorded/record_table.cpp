// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/recorded/record_table.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/insight/table_page.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTableView>

#include <algorithm>

namespace orrery {
namespace {

constexpr int sortRole = Qt::UserRole, keyRole = Qt::UserRole + 1;
constexpr int widestName = 460, narrowestName = 110; ///< px
constexpr int beside = 18;                           ///< px around a text

} // namespace

RecordTable::RecordTable(const Theme& theme, const QString& name, const QString& what, const QString& how, QWidget* parent)
    : QWidget(parent), theme_(theme), scope_(new QLabel(this)), filter_(new QLineEdit(this)), view_(new QTableView), stack_(new QStackedWidget(this)),
      nothing_(new EmptyState(theme, what, how)), model_(new QStandardItemModel(this)), sorted_(new SortedRows(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(sortRole);
    sorted_->setFilterKeyColumn(-1);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    view_->setModel(sorted_);
    setUpRows(*view_);
    view_->sortByColumn(-1, Qt::DescendingOrder);
    view_->setAccessibleName(name);
    view_->viewport()->installEventFilter(this);
    scope_->setTextFormat(Qt::PlainText);
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(tr("Filter: %1").arg(name));
    filter_->setToolTip(tr("Shows the rows that contain this text"));
    tools_ = layOutTablePage(*this, *scope_, *filter_, *stack_);
    stack_->addWidget(nothing_);
    stack_->addWidget(view_);
    connect(filter_, &QLineEdit::textChanged, sorted_, &SortedRows::setFilterFixedString);
    tellWhenNothingMatches(*filter_, *view_);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (!filling_ && now.isValid()) emit rowChosen(keyOf(now.row()));
    });
    connect(view_, &QTableView::activated, this, [this](const QModelIndex& row) { emit rowActivated(keyOf(row.row())); });
    connect(&theme_, &Theme::changed, this, &RecordTable::applyTheme);
    applyTheme();
}

void RecordTable::setScope(const QString& text) { scope_->setText(text); }
QString RecordTable::scope() const { return scope_->text(); }

void RecordTable::setRows(const QStringList& columns, const std::vector<RecordTableRow>& rows) {
    const QScopedValueRollback<bool> guard(filling_, true);
    QStringList before;
    for (int i = 0; i < model_->columnCount(); ++i) before << model_->headerData(i, Qt::Horizontal).toString();
    model_->setRowCount(0);
    if (before != columns) {
        model_->setColumnCount(static_cast<int>(columns.size()));
        model_->setHorizontalHeaderLabels(columns);
        view_->sortByColumn(-1, Qt::DescendingOrder);
    }
    for (const RecordTableRow& row : rows) {
        QList<QStandardItem*> items;
        for (const RecordCell& cell : row.cells) {
            auto* item = new QStandardItem(cell.text);
            item->setData(cell.isNumber ? QVariant(cell.number) : QVariant(cell.text), sortRole);
            item->setData(row.key, keyRole);
            item->setTextAlignment((cell.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(cell.text);
            item->setEditable(false);
            items << item;
        }
        model_->appendRow(items);
    }
    for (int column = 0; column < model_->columnCount() && !rows.empty(); ++column)
        model_->horizontalHeaderItem(column)->setTextAlignment((rows.front().cells[static_cast<std::size_t>(column)].isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    stack_->setCurrentWidget(rows.empty() ? nothing_ : view_);
    filter_->setEnabled(!rows.empty());
    fitColumns();
}

int RecordTable::rowCount() const { return sorted_->rowCount(); }
QString RecordTable::text(int row, int column) const { return sorted_->index(row, column).data().toString(); }
int RecordTable::keyOf(int row) const { return sorted_->index(row, 0).data(keyRole).toInt(); }

bool RecordTable::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitColumns();
    return QWidget::eventFilter(watched, event);
}

void RecordTable::applyTheme() {
    applyTableTheme(theme_, *scope_, *filter_, *view_);
    fitColumns();
}

void RecordTable::fitColumns() {
    constexpr int measured = 200; // rows that a column's width is taken from
    const QFontMetrics metrics(theme_.secondaryFont());
    std::vector<ColumnWish> wishes;
    for (int column = 0; column < model_->columnCount(); ++column) {
        int wanted = metrics.horizontalAdvance(model_->headerData(column, Qt::Horizontal).toString() + QStringLiteral(" ↓"));
        bool isName = column == 0;
        for (int row = 0; row < std::min(measured, model_->rowCount()); ++row) {
            const QStandardItem* item = model_->item(row, column);
            wanted = std::max(wanted, metrics.horizontalAdvance(item->text()));
            isName |= item->text().size() > 40;
        }
        wanted = std::min(wanted + beside, widestName);
        wishes.push_back({wanted, isName ? std::min(narrowestName, wanted) : wanted});
    }
    shareWidth(*view_, wishes, static_cast<int>(wishes.size()));
}

} // namespace orrery
