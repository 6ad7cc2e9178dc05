// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/screen_fit.hpp"

#include <QScreen>
#include <QTimer>
#include <QWidget>
#include <QWindow>

#include <algorithm>

namespace orrery {
namespace {

void fit(QWidget& window, QSize leastSize) {
    if (window.isMaximized() || window.isFullScreen() || !window.windowHandle()) return;
    const QMargins frame = window.windowHandle()->frameMargins();
    const QRect available = window.screen()->availableGeometry();
    const QRect wanted = fittedToScreen(window.geometry(), frame, available);
    window.setMinimumSize(leastSize.boundedTo(available.marginsRemoved(frame).size()));
    if (wanted != window.geometry()) window.setGeometry(wanted);
}

} // namespace

QRect fittedToScreen(const QRect& inside, const QMargins& frame, const QRect& available) {
    const QRect room = available.marginsRemoved(frame);
    QRect fitted(inside.topLeft(), inside.size().boundedTo(room.size()));
    fitted.moveLeft(std::clamp(fitted.left(), room.left(), room.right() - fitted.width() + 1));
    fitted.moveTop(std::clamp(fitted.top(), room.top(), room.bottom() - fitted.height() + 1));
    return fitted;
}

void keepOnScreen(QWidget& window, QSize leastSize) {
    fit(window, leastSize);
    // The frame comes from the window manager some time after the window is shown.
    for (const int milliseconds : {0, 150, 600}) QTimer::singleShot(milliseconds, &window, [&window, leastSize] { fit(window, leastSize); });
}

} // namespace orrery
