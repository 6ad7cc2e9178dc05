// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/network/link_load_drawing.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/link_load_model.hpp"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <array>

namespace orrery {

void drawLinkLoads(QPainter& painter, const QRectF& area, const LinkLoadModel& model, const Theme& theme) {
    constexpr double rowHeight = 20, gap = 18;
    const QFontMetricsF metrics(theme.secondaryFont());
    const int fitting = std::max(0, static_cast<int>(area.height() / rowHeight) - 2); // the header, and what is left
    const int rows = std::min(model.rowCount(), fitting);
    std::array<double, LinkLoadModel::columnTotal> widths{};
    for (int column = 0; column < LinkLoadModel::columnTotal; ++column) {
        double width = metrics.horizontalAdvance(model.headerData(column, Qt::Horizontal).toString());
        for (int row = 0; row < rows; ++row) width = std::max(width, metrics.horizontalAdvance(model.index(row, column).data().toString()));
        widths[static_cast<std::size_t>(column)] = width;
    }
    painter.save();
    painter.setClipRect(area);
    painter.setFont(theme.secondaryFont());
    const auto line = [&](double top, const auto& cell, const QColor& ink) {
        double x = area.left();
        for (int column = 0; column < LinkLoadModel::columnTotal && x < area.right(); ++column) {
            const bool last = column == LinkLoadModel::columnTotal - 1;
            const double width = last ? area.right() - x : std::min(widths[static_cast<std::size_t>(column)], area.right() - x);
            const auto alignment = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
            painter.setPen(ink);
            painter.drawText(QRectF(x, top, width, rowHeight), static_cast<int>(alignment) | Qt::TextSingleLine,
                             metrics.elidedText(cell(column), Qt::ElideRight, width));
            x += width + gap;
        }
    };
    line(
        area.top(), [&](int column) { return model.headerData(column, Qt::Horizontal).toString(); }, theme.colors().secondary);
    painter.setPen(theme.colors().line);
    painter.drawLine(QPointF(area.left(), area.top() + rowHeight), QPointF(area.right(), area.top() + rowHeight));
    for (int row = 0; row < rows; ++row)
        line(
            area.top() + (row + 1) * rowHeight, [&](int column) { return model.index(row, column).data().toString(); }, theme.colors().ink);
    if (model.rowCount() > rows) {
        painter.setPen(theme.colors().secondary);
        painter.drawText(QRectF(area.left(), area.top() + (rows + 1) * rowHeight, area.width(), rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         QCoreApplication::translate("orrery::LinkLoadTable", "and %1 more").arg(grouped(model.rowCount() - rows)));
    }
    painter.restore();
}

} // namespace orrery
