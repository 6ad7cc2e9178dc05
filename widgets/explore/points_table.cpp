// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/points_table.hpp"
#include "core/base/json.hpp"
#include "widgets/common/sorted_rows.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/insight/row_delegate.hpp"
#include "widgets/insight/table_page.hpp"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace orrery {
namespace {

/// What a table sorts by.
struct SortValue {
    QVariant operator()(std::monostate) const { return {}; }
    QVariant operator()(bool is) const { return is; }
    QVariant operator()(double number) const { return number; }
    QVariant operator()(const std::string& text) const { return QString::fromStdString(text); }
};

} // namespace

PointsModel::PointsModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {}

void PointsModel::setQuestion(SweepQuestion question, const std::vector<std::size_t>& figures, bool hasPlaces) {
    beginResetModel();
    question_ = std::move(question);
    rows_.clear();
    columns_.clear();
    if (hasPlaces) columns_.push_back({Part::place, 0});
    for (std::size_t i = 0; i < question_.axes.size(); ++i)
        if (!hasPlaces || question_.axes[i].values.size() > 1) columns_.push_back({Part::key, i});
    for (const std::size_t figure : figures) columns_.push_back({Part::figure, figure});
    if (!hasPlaces && !columns_.empty()) columns_.push_back({Part::fits, 0});
    endResetModel();
}

void PointsModel::setRows(std::vector<Listed> rows) {
    const bool same = rows.size() == rows_.size();
    if (!same) beginResetModel();
    rows_ = std::move(rows);
    if (!same) endResetModel();
    else if (!rows_.empty() && !columns_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int PointsModel::rowOf(std::size_t index) const {
    if (index < rows_.size() && rows_[index].index == index) return static_cast<int>(index);
    const auto found = std::find_if(rows_.begin(), rows_.end(), [index](const Listed& row) { return row.index == index; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int PointsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int PointsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(columns_.size()); }

QString PointsModel::text(const Listed& row, const Column& column) const {
    if (column.part == Part::place) return row.place;
    if (column.part == Part::key) return valueWords(*question_.changes(row.index)[column.which].value);
    if (!row.point) return QStringLiteral("…");
    if (column.part == Part::fits) return row.point->fits ? (*row.point->fits ? tr("yes") : tr("no")) : row.point->problem.empty() ? QStringLiteral("…")
                                                                                                                                   : QString::fromStdString(row.point->problem);
    if (column.which >= row.point->metrics.size()) return QStringLiteral("–");
    return figureWords(question_.measures[column.which].pointer, *row.point->metrics[column.which]);
}

PlainCell PointsModel::value(const Listed& row, const Column& column) const {
    if (column.part == Part::place) return row.place.toStdString();
    if (column.part == Part::key) return plainCell(*question_.changes(row.index)[column.which].value);
    if (!row.point) return {};
    if (column.part == Part::fits) return row.point->fits ? PlainCell(*row.point->fits) : PlainCell(row.point->problem);
    return column.which < row.point->metrics.size() ? plainCell(*row.point->metrics[column.which]) : PlainCell();
}

QVariant PointsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Listed& row = rows_[static_cast<std::size_t>(index.row())];
    const Column& column = columns_[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case sortRole: return std::visit(SortValue(), value(row, column));
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column.part == Part::figure ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::ForegroundRole:
        if (row.point && row.point->fits == false) return theme_.colors().secondary;
        return {};
    case Qt::ToolTipRole:
        if (!row.point) return tr("Not tried yet");
        if (!row.point->problem.empty()) return QString::fromStdString(row.point->problem);
        return planWords(question_.changes(row.index));
    default: return {};
    }
}

QVariant PointsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column.part == Part::figure ? Qt::AlignRight : Qt::AlignLeft)));
    const bool tip = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !tip) return {};
    switch (column.part) {
    case Part::place: return QString();
    case Part::key: return tip ? QString::fromStdString(question_.axes[column.which].pointer) : keyTitle(question_.axes[column.which].pointer);
    case Part::figure: {
        const Measure& measure = question_.measures[column.which];
        if (tip) return QString::fromStdString(measure.pointer);
        return measure.name == measure.pointer ? figureName(measure.pointer) : QString::fromStdString(measure.name);
    }
    case Part::fits: return tr("fits");
    }
    return {};
}

PlainTable PointsModel::plain() const {
    PlainTable all{tr("Points").toStdString(), {{}}};
    for (const Column& column : columns_) {
        switch (column.part) {
        case Part::place: all.rows.front().emplace_back(tr("place").toStdString()); break;
        case Part::key: all.rows.front().emplace_back(question_.axes[column.which].pointer); break;
        case Part::figure: all.rows.front().emplace_back(question_.measures[column.which].name); break;
        case Part::fits: all.rows.front().emplace_back("fits"); break;
        }
    }
    for (const Listed& row : rows_) {
        std::vector<PlainCell> values;
        values.reserve(columns_.size());
        for (const Column& column : columns_) values.push_back(value(row, column));
        all.rows.push_back(std::move(values));
    }
    return all;
}

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
