// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace orrery {

class Theme;

/// Cells of a table that chooses whole rows: air around the text, links and swatches that keep their colours in a chosen row,
/// and no frame around the current cell. The current link is underlined instead.
class RowDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    RowDelegate(int linkColumn, QObject* parent); ///< linkColumn -1: none

    static constexpr int sidePadding = 3; ///< px beside the style's own, so that texts stand under their headers
    static constexpr int linePadding = 3; ///< px above and below

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Style sheet of such a table: the chosen row is tinted, not filled, so that every ink stays readable on it.
    static QString rowStyle(const Theme& theme);

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int linkColumn_;
};

} // namespace orrery
