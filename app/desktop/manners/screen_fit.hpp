// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMargins>
#include <QPoint>
#include <QRect>
#include <QSize>

class QHelpEvent;
class QWidget;

namespace orrery {

/// Shows the tooltip of a low widget (a field, a button, a figure) below it, or above it where the screen ends, so that it never
/// covers what it explains. False: the widget has none, or is a view that explains what is under the mouse itself.
bool showToolTipBeside(QWidget& widget, const QHelpEvent& event);

} // namespace orrery

class QWidget;

namespace orrery {

/// Where a window's inside goes so that its frame too lies on the free part of the screen: no larger than it, and moved back
/// where it hangs over an edge. `frame` are the widths of the frame around `inside`.
QRect fittedToScreen(const QRect& inside, const QMargins& frame, const QRect& available);

/// Keeps a window's frame on its screen once the window system has given it one.
void keepOnScreen(QWidget& window, QSize leastSize);

} // namespace orrery
