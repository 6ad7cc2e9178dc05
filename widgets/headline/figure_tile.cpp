// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/figure_tile.hpp"

#include "widgets/common/theme.hpp"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {
constexpr int sideMargin = 12;
constexpr int topMargin = 8;
constexpr double gap = 5; ///< px between number, unit and change
} // namespace

FigureTile::FigureTile(const Theme& theme, QWidget* parent) : QAbstractButton(parent), theme_(theme) {
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] { neededWidths_.clear(); });
}

void FigureTile::setFigure(const Figure& figure) {
    figure_ = figure;
    neededWidths_.clear();
    setText(figure.title);
    setAccessibleName(QStringLiteral("%1: %2 %3").arg(figure.title, figure.number, figure.unit).trimmed());
    setAccessibleDescription(figure.change.isEmpty() ? figure.detail : figure.change + QStringLiteral(", ") + figure.detail);
    setObjectName(QStringLiteral("headline") + figure.pointer); // the form has fields named by bare pointers
    update();
}

void FigureTile::setDimmed(bool dimmed) {
    if (dimmed == dimmed_) return;
    dimmed_ = dimmed;
    update();
}

void FigureTile::setNumberSize(double pixels) {
    if (pixels == numberSize_) return;
    numberSize_ = pixels;
    updateGeometry();
    update();
}

int FigureTile::neededWidth(double numberPixels) const {
    if (const auto known = neededWidths_.find(numberPixels); known != neededWidths_.end()) return known->second;
    const QFontMetricsF number(theme_.font(numberPixels, QFont::DemiBold));
    const QFontMetricsF secondary(theme_.secondaryFont());
    double middle = number.horizontalAdvance(figure_.number);
    for (const QString& text : {figure_.unit, figure_.change})
        if (!text.isEmpty()) middle += gap + secondary.horizontalAdvance(text);
    const double widest = std::max({secondary.horizontalAdvance(figure_.title), middle, secondary.horizontalAdvance(figure_.detail)});
    return neededWidths_[numberPixels] = static_cast<int>(std::ceil(widest)) + 2 * sideMargin + 1;
}

int FigureTile::lineHeights() const {
    const double secondary = QFontMetricsF(theme_.secondaryFont()).height();
    return static_cast<int>(std::ceil(2 * topMargin + 2 * secondary + QFontMetricsF(theme_.figureFont()).height()));
}

void FigureTile::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& colors = theme_.colors();
    painter.fillRect(rect(), underMouse() && isEnabled() ? colors.field : colors.panel);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colors.accent, 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(3.5, 3.5, -3.5, -3.5), 5, 5);
    }
    // Old numbers stay readable while new ones are on their way, only quieter.
    if (dimmed_) painter.setOpacity(0.45);

    const QFont secondary = theme_.secondaryFont();
    const QFontMetricsF small(secondary);
    const QFont numberFont = theme_.font(numberSize_, QFont::DemiBold);
    const QFontMetricsF large(numberFont);
    const double middleHeight = QFontMetricsF(theme_.figureFont()).height();

    double y = topMargin + small.ascent();
    painter.setFont(secondary);
    painter.setPen(colors.secondary);
    painter.drawText(QPointF(sideMargin, y), figure_.title);

    y = topMargin + small.height() + (middleHeight - large.height()) / 2 + large.ascent();
    double x = sideMargin;
    painter.setFont(numberFont);
    painter.setPen(figure_.alarm ? colors.error : colors.ink);
    painter.drawText(QPointF(x, y), figure_.number);
    x += large.horizontalAdvance(figure_.number) + gap;
    painter.setFont(secondary);
    if (!figure_.unit.isEmpty()) {
        painter.setPen(colors.secondary);
        painter.drawText(QPointF(x, y), figure_.unit);
        x += small.horizontalAdvance(figure_.unit) + gap;
    }
    if (!figure_.change.isEmpty()) {
        painter.setPen(figure_.verdict == Verdict::better ? colors.good : figure_.verdict == Verdict::worse ? colors.warning
                                                                                                            : colors.secondary);
        painter.drawText(QPointF(x, y), figure_.change);
    }

    y = topMargin + small.height() + middleHeight + small.ascent();
    painter.setPen(figure_.alarm ? colors.error : colors.secondary);
    painter.drawText(QPointF(sideMargin, y), figure_.detail);
}

void FigureTile::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void FigureTile::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

} // namespace orrery
