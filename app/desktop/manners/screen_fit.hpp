// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMargins>
#include <QRect>
#include <QSize>

class QWidget;

namespace orrery {

/// Where a window's inside goes so that its frame too lies on the free part of the screen: no larger than it, and moved back
/// where it hangs over an edge. `frame` are the widths of the frame around `inside`.
QRect fittedToScreen(const QRect& inside, const QMargins& frame, const QRect& available);

/// Keeps a window's frame on its screen once the window system has given it one.
void keepOnScreen(QWidget& window, QSize leastSize);

} // namespace orrery
