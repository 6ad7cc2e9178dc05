// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/points_table.hpp"

#include "widgets/common/sorted_rows.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/insight/table_page.hpp"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {

PointsTable::PointsTable(const Theme& theme, const QString& accessibleName, QWidget* parent)
    : QWidget(parent), theme_(theme), model_(new PointsModel(theme, this)), sorted_(new SortedRows(this)), view_(new QTableView) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(PointsModel::sortRole);
    view_->setModel(sorted_);
    view_->setSortingEnabled(true);
    view_->sortByColumn(-1, Qt::AscendingOrder);
    view_->horizontalHeader()->setSortIndicatorShown(false);
    view_->horizontalHeader()->setHighlightSections(false);
    view_->horizontalHeader()->setStretchLastSection(false);
    view_->setItemDelegate(new RowDelegate(-1, view_));
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setSelectionMode(QAbstractItemView::SingleSelection);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setShowGrid(false);
    view_->setWordWrap(false);
    view_->setFrameShape(QFrame::NoFrame);
    view_->verticalHeader()->hide();
    view_->setTabKeyNavigation(false);
    view_->setAccessibleName(accessibleName);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(view_);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (choosing_) return;
        if (const auto combination = combinationAt(current)) emit pointChosen(*combination);
    });
    connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const auto combination = combinationAt(index)) emit openRequested(*combination);
    });
    connect(&theme_, &Theme::changed, this, &PointsTable::applyTheme);
    applyTheme();
}

void PointsTable::applyTheme() {
    view_->setStyleSheet(RowDelegate::rowStyle(theme_));
    view_->setFont(theme_.secondaryFont());
    view_->horizontalHeader()->setFont(theme_.secondaryFont());
    view_->verticalHeader()->setDefaultSectionSize(QFontMetrics(theme_.secondaryFont()).height() + 2 * RowDelegate::linePadding);
}

std::optional<std::size_t> PointsTable::combinationAt(const QModelIndex& sorted) const {
    const QModelIndex own = sorted_->mapToSource(sorted);
    if (!own.isValid()) return std::nullopt;
    return model_->rows()[static_cast<std::size_t>(own.row())].index;
}

std::optional<std::size_t> PointsTable::chosen() const { return view_->selectionModel()->hasSelection() ? combinationAt(view_->currentIndex()) : std::nullopt; }

void PointsTable::choose(std::optional<std::size_t> combination) {
    const QScopedValueRollback<bool> guard(choosing_, true);
    const int row = combination ? model_->rowOf(*combination) : -1;
    if (row < 0) return view_->clearSelection();
    view_->selectRow(sorted_->mapFromSource(model_->index(row, 0)).row());
}

void PointsTable::fitColumns() {
    const QFontMetrics metrics(theme_.secondaryFont());
    constexpr int widest = 320, looked = 60;
    for (int column = 0; column < model_->columnCount(); ++column) {
        const int width = std::max(metrics.horizontalAdvance(model_->headerData(column, Qt::Horizontal).toString() + QStringLiteral(" ↓")) + 18, longestCellWidth(*view_, column, looked));
        view_->setColumnWidth(column, std::min(width + 8, widest));
    }
}

} // namespace orrery
