// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/editing/canvas_actions.hpp"
#include "widgets/cluster/editing/canvas_gesture.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"

namespace orrery {

/// The view follows the mouse.
class PanGesture : public CanvasGesture {
public:
    explicit PanGesture(CanvasActions& actions) : actions_(actions) {}
    bool move(QPointF step, Qt::KeyboardModifiers modifiers) override;
    std::optional<Qt::CursorShape> cursor() const override { return Qt::ClosedHandCursor; }

private:
    CanvasActions& actions_;
};

/// A rubber band: what it touches is selected, beside what was before.
class BandGesture : public CanvasGesture {
public:
    BandGesture(const CanvasScene& scene, CanvasActions& actions) : scene_(scene), actions_(actions), before_(scene.look.selection) {}
    bool move(QPointF step, Qt::KeyboardModifiers modifiers) override;
    void cancel() override { actions_.setSelection(before_); }
    void paint(QPainter& painter, const ThemeColors& colours) const override;

private:
    const CanvasScene& scene_;
    CanvasActions& actions_;
    ClusterSelection before_;
};

} // namespace orrery
