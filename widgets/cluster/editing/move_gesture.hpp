// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/editing/canvas_gesture.hpp"

#include <QLineF>

#include <vector>

namespace orrery {

class CanvasActions;
class ClusterEditing;
struct CanvasScene;

/// Drags what is selected. The card under the press leads: it lands on the grid, or in line with another card.
class MoveGesture : public CanvasGesture {
public:
    MoveGesture(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions)
        : scene_(scene), editing_(editing), actions_(actions) {}
    bool move(QPointF step, Qt::KeyboardModifiers modifiers) override;
    void release(Qt::KeyboardModifiers modifiers) override;
    void cancel() override;
    void paint(QPainter& painter, const ThemeColors& colours) const override;
    QPointF offset() const override { return offset_; }
    bool endsWithDocument() const override { return true; }

private:
    int leader() const;                          ///< node; -1: none
    QPointF landing(int leader, QPointF wanted); ///< scene; and the guides to it

    const CanvasScene& scene_;
    ClusterEditing& editing_;
    CanvasActions& actions_;
    QPointF offset_;
    std::vector<QLineF> guides_; ///< scene, from the leader to the cards that it is in line with
};

} // namespace orrery
