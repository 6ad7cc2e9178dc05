// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/assumed_list.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/link_table.hpp"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace orrery {

AssumedModel::AssumedModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {
    connect(&theme_, &Theme::changed, this, [this] {
        if (!assumptions_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1), {Qt::ForegroundRole});
    });
}

void AssumedModel::setAssumptions(std::vector<Assumption> assumptions) {
    beginResetModel();
    assumptions_ = std::move(assumptions);
    endResetModel();
}

int AssumedModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(assumptions_.size()); }

int AssumedModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QVariant AssumedModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Assumption& at = assumption(index.row());
    const bool link = index.column() == actionColumn;
    if (role == Qt::UserRole) return link;
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignTop));
    if (role == Qt::ToolTipRole && link) return tr("Writes this value into the scenario, so that it stays when defaults change");
    if (role == Qt::ToolTipRole && index.column() == pointerColumn) return QString::fromStdString(at.pointer);
    if (role == Qt::ForegroundRole) {
        if (link) return theme_.colors().accent;
        return index.column() == pointerColumn ? QVariant(theme_.colors().secondary) : QVariant();
    }
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case pointerColumn: return placeWords(at.pointer);
    case valueColumn: return QString::fromStdString(at.value->is_string() ? at.value->get<std::string>() : at.value->dump());
    case whyColumn: return coreWords(at.why);
    case actionColumn: return tr("set explicitly");
    default: return {};
    }
}

QVariant AssumedModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case pointerColumn: return tr("where");
    case valueColumn: return tr("value");
    case whyColumn: return tr("why");
    default: return QString();
    }
}

AssumedList::AssumedList(const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(new AssumedModel(theme, this)),
      view_(new LinkTable(theme, AssumedModel::actionColumn, AssumedModel::whyColumn)), stack_(new QStackedWidget(this)) {
    view_->setModel(model_);
    view_->setAccessibleName(tr("Assumed values"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 4, 12, 8);
    column->addWidget(view_);
    stack_->addWidget(new EmptyState(theme, tr("Nothing assumed."), tr("Values that a scenario leaves out are listed here, with what was taken and why.")));
    stack_->addWidget(page);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(stack_);

    connect(view_, &LinkTable::rowOpened, this,
            [this](const QModelIndex& index) { emit goTo(QString::fromStdString(model_->assumption(index.row()).pointer)); });
    connect(view_, &LinkTable::linkFollowed, this, [this](const QModelIndex& index) {
        const Assumption at = model_->assumption(index.row()); // a copy: the edit may replace the list
        emit editRequested(tr("Set %1").arg(placeWords(at.pointer)), {{at.pointer, at.value}});
    });
}

void AssumedList::setResult(const ResultPtr& result) {
    model_->setAssumptions(result != nullptr ? result->assumed : std::vector<Assumption>{});
    stack_->setCurrentIndex(model_->rowCount() == 0 ? 0 : 1);
    view_->fitToContents();
}

} // namespace orrery
