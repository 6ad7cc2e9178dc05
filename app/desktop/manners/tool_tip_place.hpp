// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>

class QHelpEvent;
class QWidget;

namespace orrery {

/// Shows the tooltip of a low widget (a field, a button, a figure) below it, or above it where the screen ends, so that it never
/// covers what it explains. False: the widget has none, or is a view that explains what is under the mouse itself.
bool showToolTipBeside(QWidget& widget, const QHelpEvent& event);

} // namespace orrery
