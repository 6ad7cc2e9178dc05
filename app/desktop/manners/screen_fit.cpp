// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/screen_fit.hpp"
#include "widgets/common/own_markup.hpp"

#include <QHelpEvent>
#include <QScreen>
#include <QTextDocument>
#include <QTimer>
#include <QToolTip>
#include <QWidget>
#include <QWindow>
#include <algorithm>

namespace orrery {
namespace {

constexpr int lowWidget = 90;      ///< px; higher ones are views
constexpr int besideWidget = 4;    ///< px between widget and tooltip
constexpr QPoint ownOffset(2, 16); ///< what QToolTip adds to the place that it is given

/// px that the tooltip will take, by the rules that QToolTip lays text out.
int heightOf(const QString& text) {
    if (!isOwnMarkup(text)) return QFontMetrics(QToolTip::font()).size(0, text).height() + 16;
    QTextDocument words;
    words.setDefaultFont(QToolTip::font());
    words.setHtml(text);
    words.adjustSize();
    return static_cast<int>(words.size().height()) + 16;
}

} // namespace

bool showToolTipBeside(QWidget& widget, const QHelpEvent& event) {
    const QString text = widget.toolTip();
    if (text.isEmpty() || widget.height() > lowWidget) return false;
    const QPoint below = widget.mapToGlobal(QPoint(0, widget.height() + besideWidget));
    const int room = widget.screen()->availableGeometry().bottom() - below.y();
    const int needed = heightOf(text);
    QPoint at(std::max(below.x(), std::min(event.globalPos().x() - 40, below.x() + widget.width() / 2)), below.y());
    if (needed > room) at.setY(widget.mapToGlobal(QPoint(0, -besideWidget)).y() - needed);
    QToolTip::showText(at - ownOffset, text, &widget, widget.rect());
    return true;
}

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
