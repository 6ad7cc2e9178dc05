// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/row_delegate.hpp"

#include "widgets/common/theme.hpp"

#include <QPainter>

namespace orrery {

RowDelegate::RowDelegate(int linkColumn, QObject* parent) : QStyledItemDelegate(parent), linkColumn_(linkColumn) {}

QString RowDelegate::rowStyle(const Theme& theme) {
    const QColor &accent = theme.colors().accent, &panel = theme.colors().panel;
    const auto mixed = [](int tint, int ground) { return ground + (tint - ground) * 18 / 100; };
    const QColor row(mixed(accent.red(), panel.red()), mixed(accent.green(), panel.green()), mixed(accent.blue(), panel.blue()));
    return QStringLiteral("QTableView { selection-background-color: %1; selection-color: %2; }").arg(row.name(), theme.colors().ink.name());
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    if (cell.state & QStyle::State_HasFocus && index.column() == linkColumn_ && index.data(Qt::UserRole).toBool()) cell.font.setUnderline(true);
    cell.state &= ~(QStyle::State_Selected | QStyle::State_HasFocus | QStyle::State_MouseOver);
    cell.rect.adjust(sidePadding, linePadding, -sidePadding, -linePadding);
    QStyledItemDelegate::paint(painter, cell, index);
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    cell.rect.adjust(sidePadding, linePadding, -sidePadding, -linePadding);
    return QStyledItemDelegate::sizeHint(cell, index) + QSize(2 * sidePadding, 2 * linePadding);
}

} // namespace orrery
