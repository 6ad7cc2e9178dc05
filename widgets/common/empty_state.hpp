// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"

#include <QPainter>
#include <QWidget>

namespace orrery {

/// What a view says while it has nothing to show: what would be here, and how to get there. Centred, wrapped.
inline void drawEmptyState(QPainter& painter, const QRectF& area, const Theme& theme, const QString& what, const QString& how) {
    const QRectF inner = area.adjusted(12, 8, -12, -8);
    if (inner.width() < 20 || inner.height() < 10) return;
    constexpr int flags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
    const QRectF whatSize = QFontMetricsF(theme.bodyFont()).boundingRect(inner, flags, what);
    const QRectF howSize = QFontMetricsF(theme.secondaryFont()).boundingRect(inner, flags, how);
    const double gap = 4;
    const double top = inner.top() + std::max(0.0, (inner.height() - whatSize.height() - gap - howSize.height()) / 2);
    painter.save();
    painter.setFont(theme.bodyFont());
    painter.setPen(theme.colors().ink);
    painter.drawText(QRectF(inner.left(), top, inner.width(), whatSize.height()), flags, what);
    painter.setFont(theme.secondaryFont());
    painter.setPen(theme.colors().secondary);
    painter.drawText(QRectF(inner.left(), top + whatSize.height() + gap, inner.width(), howSize.height()), flags, how);
    painter.restore();
}

/// The same as a widget, for views made of other widgets.
class EmptyState : public QWidget {
public:
    EmptyState(const Theme& theme, const QString& what, const QString& how, QWidget* parent = nullptr)
        : QWidget(parent), theme_(theme), what_(what), how_(how) {
        setAccessibleName(what + QLatin1Char(' ') + how);
        connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
    }

    void setHow(const QString& how) {
        how_ = how;
        setAccessibleName(what_ + QLatin1Char(' ') + how_);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), theme_.colors().panel);
        drawEmptyState(painter, rect(), theme_, what_, how_);
    }

private:
    const Theme& theme_;
    QString what_;
    QString how_;
};

} // namespace orrery
