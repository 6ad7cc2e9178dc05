// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/status_pill.hpp"

#include "widgets/common/theme.hpp"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int pillHeight = 26;
constexpr int sideMargin = 11;
constexpr int dot = 8;
constexpr int gap = 6;

} // namespace

StatusPill::StatusPill(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    set(State::idle, tr("Nothing simulated yet"));
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void StatusPill::setUpToDate(double milliseconds, bool fits) {
    const QString time = milliseconds < 1000 ? tr("%1 ms").arg(std::max(1, static_cast<int>(std::lround(milliseconds))))
                                             : tr("%1 s").arg(milliseconds / 1000, 0, 'f', 1);
    if (fits) {
        set(State::up_to_date, tr("Up to date · %1").arg(time));
    } else {
        set(State::does_not_fit, tr("Doesn't fit · %1").arg(time));
    }
}

void StatusPill::setSimulating(std::optional<double> fraction) {
    set(State::simulating, fraction ? tr("Simulating %1 %").arg(static_cast<int>(std::lround(*fraction * 100))) : tr("Simulating"),
        fraction.value_or(0));
}

void StatusPill::setProblems(int count) { set(State::problem, count > 1 ? tr("%n problem(s)", nullptr, count) : tr("Problem")); }

void StatusPill::setCancelled() { set(State::cancelled, tr("Cancelled")); }

void StatusPill::setRecorded() { set(State::idle, tr("Recorded ranks")); }

void StatusPill::setHeld() { set(State::idle, tr("Waits for your answer")); }

void StatusPill::set(State state, const QString& text, double fraction) {
    const bool resized = text != text_;
    state_ = state;
    text_ = text;
    fraction_ = fraction;
    setToolTip(state == State::simulating ? tr("Click to cancel")
               : state == State::problem  ? tr("Click to see what is wrong")
                                          : tr("Click to simulate again"));
    setAccessibleName(text);
    if (resized) updateGeometry();
    update();
}

QSize StatusPill::sizeHint() const {
    const QFontMetrics metrics(theme_.bodyFont());
    return {2 * sideMargin + dot + gap + metrics.horizontalAdvance(text_) + 2, pillHeight};
}

QColor StatusPill::tone() const {
    const ThemeColors& colors = theme_.colors();
    switch (state_) {
    case State::up_to_date: return colors.good;
    case State::simulating: return colors.accent;
    case State::problem:
    case State::does_not_fit: return colors.error;
    case State::cancelled: return colors.warning;
    case State::idle: break;
    }
    return colors.secondary;
}

void StatusPill::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = tone();
    QColor fill = ink;
    fill.setAlphaF(0.13f);
    const QRectF area(rect());
    QPainterPath outline;
    outline.addRoundedRect(area, area.height() / 2, area.height() / 2);
    painter.fillPath(outline, fill);
    if (fraction_ > 0) {
        painter.setClipPath(outline);
        fill.setAlphaF(0.22f);
        painter.fillRect(QRectF(0, 0, area.width() * std::min(fraction_, 1.0), area.height()), fill);
        painter.setClipping(false);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme_.colors().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), area.height() / 2, area.height() / 2);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawEllipse(QRectF(sideMargin, (area.height() - dot) / 2, dot, dot));
    painter.setPen(ink);
    painter.setFont(theme_.bodyFont());
    painter.drawText(area.adjusted(sideMargin + dot + gap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text_);
}

void StatusPill::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) emit clicked();
}

void StatusPill::keyPressEvent(QKeyEvent* event) {
    const bool click = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
    if (!click) return QWidget::keyPressEvent(event);
    event->accept();
    emit clicked();
}

void StatusPill::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void StatusPill::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace orrery
