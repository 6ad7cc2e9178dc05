// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <Qt>

#include <optional>

class QPainter;

namespace orrery {

struct ThemeColors;

/// What the mouse does from a press to its release. The scene knows where it was pressed and where it is.
class CanvasGesture {
public:
    virtual ~CanvasGesture() = default;

    /// The mouse went on by `step` px. False: what lies below it is looked at as without a gesture.
    virtual bool move(QPointF step, Qt::KeyboardModifiers modifiers) = 0;
    virtual void release(Qt::KeyboardModifiers) {} ///< the canvas has let go of the gesture
    virtual void cancel() {}                       ///< the same
    virtual void paint(QPainter&, const ThemeColors&) const {}
    virtual std::optional<Qt::CursorShape> cursor() const { return {}; }
    virtual QPointF offset() const { return {}; }           ///< scene; what is selected is shown so far from its place
    virtual bool endsWithDocument() const { return false; } ///< it is about nodes that another document may not have
};

} // namespace orrery
