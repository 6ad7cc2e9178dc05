// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsOpacityEffect>
#include <QWidget>

namespace orrery {

/// Dims a view whose numbers are about to be replaced. It stays usable: the old numbers are old, not wrong.
inline void setDimmed(QWidget& widget, bool dimmed) {
    if (dimmed == (widget.graphicsEffect() != nullptr)) return;
    if (!dimmed) return widget.setGraphicsEffect(nullptr);
    auto* effect = new QGraphicsOpacityEffect(&widget);
    effect->setOpacity(0.4);
    widget.setGraphicsEffect(effect);
}

} // namespace orrery
