// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/operator_table.hpp"

#include "widgets/common/dimming.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/insight/operator_rows.hpp"
#include "widgets/insight/table_page.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>

namespace orrery {

OperatorTable::OperatorTable(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), selection_(selection), model_(new OperatorRows(theme, this)), sorted_(new SortedRows(this)),
      scopeLabel_(new QLabel(this)), filter_(new QLineEdit(this)), view_(new QTableView),
      empty_(new EmptyState(theme, tr("Operators by time, bound and source."),
                            tr("Choose a model and a cluster; select a range or a stage in the timeline to narrow it down."))),
      stack_(new QStackedWidget(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(OperatorRows::sortRole);
    sorted_->setFilterKeyColumn(-1); // any column: "memory" finds the memory-bound ones
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    view_->setModel(sorted_);
    setUpRows(*view_);
    view_->sortByColumn(OperatorRows::totalColumn, Qt::DescendingOrder);
    view_->setAccessibleName(tr("Operators"));
    view_->viewport()->installEventFilter(this);
    buildHeader();
    stack_->addWidget(empty_);
    stack_->addWidget(view_);

    pending_.setSingleShot(true);
    pending_.setInterval(16);
    connect(&pending_, &QTimer::timeout, this, &OperatorTable::updateRows);
    const auto later = [this] { if (!pending_.isActive()) pending_.start(); };
    connect(&selection_, &Selection::rangeChanged, this, later);
    connect(&selection_, &Selection::stageChanged, this, later);
    connect(&selection_, &Selection::operatorChanged, this, &OperatorTable::followOperator);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &OperatorTable::chooseCurrent);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sorted_->setFilterFixedString(text);
        followOperator();
    });
    tellWhenNothingMatches(*filter_, *view_);
    connect(&theme_, &Theme::changed, this, &OperatorTable::applyTheme);
    applyTheme();
    updateRows();
}

void OperatorTable::buildHeader() {
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setToolTip(tr("Shows the rows that contain this text"));
    tools_ = layOutTablePage(*this, *scopeLabel_, *filter_, *stack_);
}

void OperatorTable::applyTheme() {
    applyTableTheme(theme_, *scopeLabel_, *filter_, *view_);
}

void OperatorTable::setResult(ResultPtr result) {
    result_ = std::move(result);
    pending_.stop();
    updateRows();
    setBusy(false);
}

void OperatorTable::setBusy(bool busy) { setDimmed(*view_->viewport(), busy); }

OperatorScope OperatorTable::scope() const { return {selection_.stage(), selection_.rangeStart(), selection_.rangeEnd()}; }

QString OperatorTable::scopeText() const {
    const OperatorScope at = scope();
    const TimelineKind kind = result_ ? result_->timeline.kind : TimelineKind::iteration;
    if (kind != TimelineKind::iteration) {
        const QString whose = kind == TimelineKind::batch ? tr("each accelerator") : at.stage >= 0 ? tr("instance %1").arg(at.stage)
                                                                                                   : tr("typical steps");
        if (at.wholeTime()) return (kind == TimelineKind::batch ? tr("Whole batch, %1") : tr("Whole run, %1")).arg(whose);
        return tr("Selection %1, %2").arg(readableTimeRange(at.from, at.to), kind == TimelineKind::requests && at.stage < 0 ? tr("mean of all instances") : whose);
    }
    const QString stages = at.stage >= 0 ? tr("stage %1").arg(at.stage) : tr("mean of all stages");
    // Two times of one operator: by itself, and as long as a bar shows it.
    if (at.wholeTime()) return tr("Iteration, %1, alone").arg(stages);
    return tr("Selection %1, %2, as they ran").arg(readableTimeRange(at.from, at.to), stages);
}

void OperatorTable::updateRows() {
    const bool some = result_ != nullptr && !result_->operations.empty();
    stack_->setCurrentWidget(some ? static_cast<QWidget*>(view_) : empty_);
    filter_->setEnabled(some);
    scopeLabel_->setText(some ? scopeText() : tr("Operators"));
    const QScopedValueRollback<bool> guard(following_, true);
    if (some) model_->setRows(operatorSums(*result_, scope()), duration(*result_, scope()));
    else model_->setRows({}, 0);
    fitColumns();
    followOperator();
}

/// Columns are as wide as the widest text; what room is left is shared out, so that the columns breathe.
void OperatorTable::fitColumns() {
    const QFontMetrics metrics(theme_.secondaryFont());
    std::vector<ColumnWish> wishes;
    for (int column = 0; column < OperatorRows::columnTotal; ++column) {
        const QString title = model_->headerData(column, Qt::Horizontal).toString() + QStringLiteral(" ↓");
        const int width = std::max(metrics.horizontalAdvance(title) + 14, longestCellWidth(*view_, column, sorted_->rowCount()));
        wishes.push_back({width, width});
    }
    shareWidth(*view_, wishes);
}

bool OperatorTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    return QWidget::eventFilter(watched, event);
}

void OperatorTable::followOperator() {
    const QScopedValueRollback<bool> guard(following_, true);
    const auto row = model_->find(selection_.operatorName(), selection_.operatorPhase());
    const QModelIndex shown = row ? sorted_->mapFromSource(model_->index(*row, 0)) : QModelIndex();
    if (!shown.isValid()) {
        view_->clearSelection();
        view_->setCurrentIndex({});
        return;
    }
    view_->selectRow(shown.row());
    view_->scrollTo(shown);
}

void OperatorTable::chooseCurrent() {
    const QModelIndex current = sorted_->mapToSource(view_->currentIndex());
    if (following_ || !current.isValid()) return;
    const OperationRow& row = model_->row(current.row());
    selection_.setOperator(QString::fromStdString(row.kind), QString::fromStdString(row.phase));
}

} // namespace orrery
