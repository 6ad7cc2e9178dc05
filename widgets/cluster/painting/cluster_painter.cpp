// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/painting/cluster_painter.hpp"

#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/painting/cluster_link_painter.hpp"
#include "widgets/cluster/painting/painting_colours.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double textZoom = 0.62;   ///< below, only ids are written, at a size that can be read
constexpr double idZoom = 0.3;      ///< below, cards are blocks of colour
constexpr double smoothZoom = 0.45; ///< below, squares lose their round corners
constexpr double padding = 8;

/// The theme's fonts at another size; fractions of a pixel count once the painter scales.
QFont boldAt(const Theme& theme, double pixels) {
    QFont font = theme.titleFont();
    font.setPointSizeF(font.pointSizeF() * pixels / 12.5);
    return font;
}

QFont plainAt(const Theme& theme, double pixels) {
    QFont font = theme.secondaryFont();
    font.setPointSizeF(font.pointSizeF() * pixels / 11.5);
    return font;
}

/// Colour of the k-th square: a stack's squares stand for evenly spaced ones of all its ranks.
QColor squareColour(const DrawnNode& node, int k, const ClusterLook& look, const ThemeColors& colours) {
    const auto rank = node.firstRank + static_cast<int>(static_cast<long long>(k) * node.accelerators() / std::max(1, node.count));
    const QColor colour = look.rankColour ? look.rankColour(rank) : QColor();
    return colour.isValid() ? colour : blend(colours.panel, colours.faint, 0.55);
}

void paintSquares(QPainter& painter, const DrawnNode& node, const QRectF& card, const ClusterLook& look,
                  const ThemeColors& colours, double zoom) {
    const RankSquares grid = rankSquares(node.count);
    const QPointF origin(card.left() + padding, card.top() + 28);
    const double radius = zoom >= smoothZoom ? std::min(3.0, grid.cell / 5) : 0;
    painter.setPen(Qt::NoPen);
    for (int k = 0; k < node.count; ++k) {
        const int row = k / grid.columns, column = k % grid.columns;
        const QRectF square(origin.x() + column * (grid.cell + grid.gap), origin.y() + row * (grid.cell + grid.gap), grid.cell, grid.cell);
        const QColor colour = squareColour(node, k, look, colours);
        if (radius > 0) {
            painter.setBrush(colour);
            painter.drawRoundedRect(square, radius, radius);
        } else {
            painter.fillRect(square, colour);
        }
    }
}

/// The id in bold, elided to what is left of `room`; gives the width it took.
double paintId(QPainter& painter, const QString& id, const QRectF& room, const QFont& font, const QColor& ink) {
    const QFontMetricsF metrics(font);
    const QString text = metrics.elidedText(id, Qt::ElideMiddle, room.width());
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    return metrics.horizontalAdvance(text);
}

/// The number that a card stands for; its place at the right end is kept before the id's.
double paintNumber(QPainter& painter, const DrawnNode& node, const QRectF& room, const QFont& font, const ThemeColors& colours) {
    const QString badge = QStringLiteral("× ") + grouped(node.replicas);
    painter.setFont(font);
    painter.setPen(colours.accent);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, badge);
    return QFontMetricsF(font).horizontalAdvance(badge);
}

void paintIdAndNumber(QPainter& painter, const DrawnNode& node, QRectF room, const QFont& font, const ThemeColors& colours) {
    if (node.replicas > 1) room.setRight(room.right() - paintNumber(painter, node, room, font, colours) - 5);
    paintId(painter, QString::fromStdString(node.title()), room, font, colours.ink);
}

/// On a card too small for letters inside, where it is still large enough for the one thing that its picture can't tell.
void paintNumberOverCard(QPainter& painter, const DrawnNode& node, const QRectF& card, const Theme& theme, double zoom) {
    const QFont font = boldAt(theme, 9 / zoom);
    const QFontMetricsF metrics(font);
    const QString badge = QStringLiteral("× ") + grouped(node.replicas);
    QRectF box(0, 0, metrics.horizontalAdvance(badge) + 4 / zoom, metrics.height());
    if (box.width() > card.width() || box.height() > card.height()) return;
    box.moveCenter(card.center());
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.colors().panel);
    painter.drawRoundedRect(box, 3 / zoom, 3 / zoom);
    painter.setFont(font);
    painter.setPen(theme.colors().accent);
    painter.drawText(box, Qt::AlignCenter, badge);
}

void paintHostText(QPainter& painter, const DrawnNode& node, const QRectF& card, const ClusterLook& look, const Theme& theme) {
    const ThemeColors& colours = theme.colors();
    const QFont idFont = boldAt(theme, 11.5), smallFont = plainAt(theme, 10.5);
    const QFontMetricsF idMetrics(idFont), smallMetrics(smallFont);
    const QString id = QString::fromStdString(node.title());
    QString what = look.hostLabel ? look.hostLabel(node) : QString::number(node.count);
    QRectF head(card.left() + padding, card.top() + 5, card.width() - 2 * padding, 20);
    const QRectF foot(card.left() + padding, card.bottom() - 20, card.width() - 2 * padding, 16);

    // The stack's number keeps its place; then what the host is, if the whole id leaves room; else it moves to the foot.
    if (node.replicas > 1) head.setRight(head.right() - paintNumber(painter, node, head, boldAt(theme, 10.5), colours) - 5);
    const double idWidth = idMetrics.horizontalAdvance(id), whatWidth = smallMetrics.horizontalAdvance(what);
    const bool whatInHead = idWidth + 5 + whatWidth <= head.width();
    paintId(painter, id, head, idFont, colours.ink);
    painter.setFont(smallFont);
    painter.setPen(colours.secondary);
    if (whatInHead) painter.drawText(head.adjusted(idWidth + 5, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, what);

    QStringList footTexts;
    if (look.groupLabel && node.accelerators() > 0)
        footTexts = look.groupLabel(node.firstRank, node.firstRank + node.accelerators() - 1);
    if (footTexts.isEmpty() && look.fabricLabel) footTexts << look.fabricLabel(node);
    QRectF footRoom = foot;
    if (!whatInHead) {
        const QString shown = smallMetrics.elidedText(what, Qt::ElideRight, foot.width());
        painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, shown);
        footRoom.setRight(foot.right() - smallMetrics.horizontalAdvance(shown) - 6);
    }
    // Half a word says nothing: a shorter text, or none, where it does not fit beside what the host is.
    for (const QString& text : footTexts) {
        if (smallMetrics.horizontalAdvance(text) > footRoom.width()) continue;
        painter.drawText(footRoom, Qt::AlignLeft | Qt::AlignVCenter, text);
        break;
    }
}

/// The bar that stands for the scale-up fabric; filled as far as it is loaded where that is known.
void paintFabric(QPainter& painter, const QRectF& bar, int index, const ClusterLook& look, const ThemeColors& colours) {
    const auto place = static_cast<std::size_t>(index);
    const bool lighting = !look.litLinks.empty() && index >= 0;
    const bool lit = lighting && place < look.litFabrics.size() && look.litFabrics[place];
    const bool known = index >= 0 && place < look.fabricLoad.size() && std::isfinite(look.fabricLoad[place]);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blend(colours.panel, colours.tensor, known || (lighting && !lit) ? 0.3 : 0.8));
    painter.drawRoundedRect(bar, 2, 2);
    if (known && look.fabricLoad[place] > 0) {
        const double share = std::clamp(look.fabricLoad[place], 0.0, 1.0);
        QColor fill = loadColour(share, colours, colours.recompute);
        if (lighting && !lit) fill.setAlphaF(0.3F);
        painter.setBrush(fill);
        // At least as wide as it is high: a little is not nothing.
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), std::max(bar.height(), bar.width() * share), bar.height()), 2, 2);
    }
    if (!lit) return;
    painter.setPen(QPen(colours.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(bar.adjusted(-2, -2, 2, 2), 3, 3);
}

void paintOutline(QPainter& painter, const QRectF& card, const QColor& colour, double width, double radius, double zoom) {
    painter.setBrush(Qt::NoBrush);
    // An outline stays visible however small the card is.
    painter.setPen(QPen(colour, std::max(width, width / std::max(zoom, 1e-3) * std::min(1.0, zoom / 0.6))));
    painter.drawRoundedRect(card, radius, radius);
}

void paintProblemBadge(QPainter& painter, const QRectF& card, const QColor& colour, const ThemeColors& colours, double zoom,
                       const Theme& theme) {
    const double r = zoom >= idZoom ? 8 : 20;
    const QPointF centre = card.topRight();
    painter.setPen(QPen(colours.panel, 1.5));
    painter.setBrush(colour);
    painter.drawEllipse(centre, r, r);
    if (zoom < idZoom) return;
    painter.setPen(colours.panel);
    painter.setFont(boldAt(theme, 11));
    painter.drawText(QRectF(centre.x() - r, centre.y() - r, 2 * r, 2 * r), Qt::AlignCenter, QStringLiteral("!"));
}

void paintDomains(QPainter& painter, const ClusterGeometry& geometry, const Theme& theme, double zoom, const QRectF& visible) {
    const ThemeColors& colours = theme.colors();
    for (const DomainFrame& domain : geometry.domains()) {
        if (!domain.rect.intersects(visible)) continue;
        QColor fill = colours.tensor;
        fill.setAlphaF(0.05F);
        painter.setPen(QPen(blend(colours.panel, colours.tensor, 0.5), std::max(1.0, 0.8 / zoom), Qt::SolidLine));
        painter.setBrush(fill);
        painter.drawRoundedRect(domain.rect, 10, 10);
        if (zoom < idZoom) continue;
        const double pixels = std::max(10.5, 8.5 / zoom);
        const QFont bold = boldAt(theme, pixels), plain = plainAt(theme, pixels);
        const QRectF head(domain.rect.left() + 12, domain.rect.bottom() - 26, domain.rect.width() - 24, 24);
        const double used = paintId(painter, QString::fromStdString(domain.domain), head, bold, colours.ink);
        const QString what = QCoreApplication::translate("ClusterPainter", "one scale-up fabric of %1").arg(grouped(domain.accelerators));
        if (used + 8 + QFontMetricsF(plain).horizontalAdvance(what) > head.width()) continue;
        painter.setFont(plain);
        painter.setPen(colours.secondary);
        painter.drawText(head.adjusted(used + 8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, what);
    }
}

} // namespace

void paintCard(QPainter& painter, const DrawnNode& node, const QRectF& card, const ClusterLook& look, const Theme& theme,
               double zoom, int index) {
    const ThemeColors& colours = theme.colors();
    const bool selected = look.selection.nodes.contains(node.id);
    const bool hovered = index >= 0 && index == look.hoveredNode;
    const double radius = node.isHost() ? 7 : 6;
    const bool tiny = zoom < idZoom;
    const QColor edge = hovered ? colours.faint : colours.line;

    if (tiny) {
        // A handful of rectangles a host: a thousand of them are painted on every frame of a pan.
        painter.fillRect(card, edge);
        painter.fillRect(card.adjusted(2, 2, -2, -2), node.isHost() ? colours.panel : blend(colours.panel, colours.secondary, 0.3));
        if (node.isHost() && node.count > 0) {
            const RankSquares grid = rankSquares(node.count);
            const double height = grid.rows * (grid.cell + grid.gap) - grid.gap;
            const QRectF block(card.left() + padding, card.top() + 20, card.width() - 2 * padding, height + 16);
            const QColor first = squareColour(node, 0, look, colours), last = squareColour(node, node.count - 1, look, colours);
            if (first == last) {
                painter.fillRect(block, first);
            } else {
                for (int k = 0; k < node.count; ++k)
                    painter.fillRect(QRectF(block.left() + block.width() * k / node.count, block.top(), block.width() / node.count + 0.5,
                                            block.height()),
                                     squareColour(node, k, look, colours));
            }
        }
        if (node.replicas > 1) paintNumberOverCard(painter, node, card, theme, zoom);
    } else {
        painter.setPen(QPen(edge, 1));
        painter.setBrush(colours.panel);
        if (node.replicas > 1)
            for (int layer = 2; layer >= 1; --layer)
                painter.drawRoundedRect(card.translated(layer * stackOffset, -layer * stackOffset), radius, radius);
        painter.drawRoundedRect(card, radius, radius);
        if (node.isHost()) {
            paintSquares(painter, node, card, look, colours, zoom);
            const QRectF bar(card.left() + padding, card.bottom() - 22 - 4, card.width() - 2 * padding, 4);
            if (node.count > 0 && look.fabricLabel && !look.fabricLabel(node).isEmpty()) {
                paintFabric(painter, bar, index, look, colours);
            }
            if (zoom >= textZoom) paintHostText(painter, node, card, look, theme);
            else paintIdAndNumber(painter, node, QRectF(card.left() + 6, card.top() + 2, card.width() - 12, 24), boldAt(theme, std::min(20.0, 8 / zoom)), colours);
        } else {
            const QFont font = plainAt(theme, zoom >= textZoom ? 11.5 : std::min(20.0, 8 / zoom));
            const QFontMetricsF metrics(font);
            const QString number = node.replicas > 1 ? QStringLiteral(" × ") + grouped(node.replicas) : QString();
            const double room = card.width() - 12 - metrics.horizontalAdvance(number);
            painter.setFont(font);
            painter.setPen(colours.ink);
            painter.drawText(card, Qt::AlignCenter, metrics.elidedText(QString::fromStdString(node.title()), Qt::ElideMiddle, room) + number);
        }
    }
    const auto problem = look.nodeProblems.find(index);
    const bool wrong = index >= 0 && problem != look.nodeProblems.end();
    if (selected) paintOutline(painter, card, colours.accent, 2, radius, zoom);
    else if (wrong) paintOutline(painter, card, problemColour(problem->second, colours), 1.6, radius, zoom);
    if (wrong) paintProblemBadge(painter, card, problemColour(problem->second, colours), colours, zoom, theme);
}

void paintCluster(QPainter& painter, const ClusterDocument& document, const ClusterGeometry& geometry, const ClusterLook& look,
                  const Theme& theme, double zoom, const QRectF& visible) {
    painter.setRenderHint(QPainter::Antialiasing);
    paintDomains(painter, geometry, theme, zoom, visible);
    paintLinks(painter, document, geometry, look, theme, zoom, visible);
    for (std::size_t i = 0; i < document.nodes().size(); ++i) {
        const QRectF& card = geometry.cards()[i];
        if (card.adjusted(-10, -20, 20, 10).intersects(visible))
            paintCard(painter, document.nodes()[i], card, look, theme, zoom, static_cast<int>(i));
    }
    for (const auto& [node, mark] : look.nodeMarks) paintNodeMark(painter, geometry.cards()[static_cast<std::size_t>(node)], mark, theme, zoom);
    paintArrows(painter, geometry, look, theme, zoom);
}

} // namespace orrery
