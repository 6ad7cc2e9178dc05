// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/painting/cluster_marks_painter.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

constexpr double badgeZoom = 0.3; ///< below, a badge's text can't be read

QFont readable(const Theme& theme, double pixels, double zoom) { return theme.font(std::clamp(pixels / std::min(zoom, 1.0), pixels, 2.2 * pixels), QFont::DemiBold); }

/// The point where the way from the card's centre to `target` leaves it.
QPointF edgeTowards(const QRectF& card, QPointF target) {
    const QPointF c = card.center(), d = target - c;
    const double sx = d.x() == 0 ? 1e9 : card.width() / 2 / std::abs(d.x()), sy = d.y() == 0 ? 1e9 : card.height() / 2 / std::abs(d.y());
    return c + std::min({sx, sy, 1.0}) * d;
}

} // namespace

void paintNodeMark(QPainter& painter, const QRectF& card, const NodeMark& mark, const Theme& theme, double zoom) {
    const ThemeColors& colours = theme.colors();
    const double width = std::max(2.0, 1.4 / zoom);
    painter.setBrush(Qt::NoBrush);
    if (mark.down || mark.degraded) {
        QPen pen(mark.down ? colours.error : colours.warning, width);
        pen.setDashPattern({4, 3});
        painter.setPen(pen);
        painter.drawRoundedRect(card, 7, 7);
    }
    if (mark.down) {
        painter.setPen(QPen(colours.error, width, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(card.topLeft() + QPointF(4, 4), card.bottomRight() - QPointF(4, 4));
        painter.drawLine(card.bottomLeft() + QPointF(4, -4), card.topRight() + QPointF(-4, 4));
    }
    if (!(mark.slowdown > 1)) return;
    if (zoom < badgeZoom) {
        painter.setPen(QPen(colours.warning, width));
        painter.drawRoundedRect(card.adjusted(-2, -2, 2, 2), 7, 7);
        return;
    }
    const QString text = QLocale(QLocale::English).toString(mark.slowdown, 'g', 3) + QStringLiteral("×");
    const QFont font = readable(theme, 11, zoom);
    const QFontMetricsF metrics(font);
    const QSizeF size(metrics.horizontalAdvance(text) + 10, metrics.height() + 2);
    const QRectF badge(card.left() - 6, card.top() - size.height() + 4, size.width(), size.height()); // above the id
    painter.setPen(QPen(colours.panel, 1.5));
    painter.setBrush(colours.warning);
    painter.drawRoundedRect(badge, size.height() / 2, size.height() / 2);
    painter.setPen(theme.textOn(colours.warning));
    painter.setFont(font);
    painter.drawText(badge, Qt::AlignCenter, text);
}

void paintArrows(QPainter& painter, const ClusterGeometry& geometry, const ClusterLook& look, const Theme& theme, double zoom) {
    const ThemeColors& colours = theme.colors();
    std::map<std::pair<int, int>, int> before;
    for (const TrafficArrow& arrow : look.arrows) {
        if (arrow.from < 0 || arrow.to < 0 || arrow.from == arrow.to) continue;
        const QRectF &from = geometry.cards()[static_cast<std::size_t>(arrow.from)], &to = geometry.cards()[static_cast<std::size_t>(arrow.to)];
        const QPointF across = to.center() - from.center();
        const double length = std::hypot(across.x(), across.y());
        if (length < 1) continue;
        // Bent to the left of its way, so that two of opposite ways, and those before, stay apart.
        const int bend = before[{arrow.from, arrow.to}]++;
        const QPointF aside = QPointF(across.y(), -across.x()) / length * (std::min(60.0, length * 0.2) + 26 * bend);
        const QPointF middle = (from.center() + to.center()) / 2 + aside;
        const QPointF start = edgeTowards(from, middle), end = edgeTowards(to, middle);
        const double width = std::max(2.4, 1.6 / zoom);
        QPainterPath path(start);
        path.quadTo(middle, end);
        QColor ink = colours.ink;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colours.panel, width + std::max(3.0, 2 / zoom)));
        painter.drawPath(path);
        QPen pen(ink, width);
        pen.setDashPattern({5, 2});
        painter.setPen(pen);
        painter.drawPath(path);
        const QPointF back = end - middle;
        const double reach = std::hypot(back.x(), back.y());
        if (reach > 0) {
            const QPointF along = back / reach, side(along.y(), -along.x());
            const double head = std::max(10.0, 7 / zoom);
            painter.setPen(Qt::NoPen);
            painter.setBrush(ink);
            painter.drawPolygon(QPolygonF{end, end - head * along + 0.45 * head * side, end - head * along - 0.45 * head * side});
        }
        if (zoom < badgeZoom) continue;
        const QFont font = readable(theme, 11, zoom);
        const QFontMetricsF metrics(font);
        const QSizeF size(metrics.horizontalAdvance(arrow.label) + 10, metrics.height() + 2);
        const QRectF plate(path.pointAtPercent(0.5) - QPointF(size.width() / 2, size.height() / 2), size);
        painter.setPen(QPen(ink, 1));
        painter.setBrush(colours.panel);
        painter.drawRoundedRect(plate, 4, 4);
        painter.setFont(font);
        painter.drawText(plate, Qt::AlignCenter, arrow.label);
    }
}

} // namespace orrery
