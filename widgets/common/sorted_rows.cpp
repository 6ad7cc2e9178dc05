// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/sorted_rows.hpp"

namespace orrery {

void SortedRows::sort(int column, Qt::SortOrder order) {
    QSortFilterProxyModel::sort(column, order);
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

QVariant SortedRows::headerData(int section, Qt::Orientation orientation, int role) const {
    const QVariant value = QSortFilterProxyModel::headerData(section, orientation, role);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section != sortColumn()) return value;
    return QString(value.toString() + (sortOrder() == Qt::DescendingOrder ? QStringLiteral(" ↓") : QStringLiteral(" ↑")));
}

} // namespace orrery
