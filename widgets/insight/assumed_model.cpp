// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/assumed_model.hpp"

#include "widgets/common/place_words.hpp"
#include "widgets/common/theme.hpp"

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
    case whyColumn: return QString::fromStdString(at.why);
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

} // namespace orrery
