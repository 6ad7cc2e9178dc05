// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/editing/canvas_gesture.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"

#include <vector>

namespace orrery {

class CanvasActions;
class ClusterEditing;

/// A link that is being drawn: by two clicks with the tool for it, or by a drag from one of the handles of a card.
class LinkDrawing {
public:
    LinkDrawing(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions)
        : scene_(scene), editing_(editing), actions_(actions) {}

    bool isPending() const { return from_ >= 0; }
    bool isFrom(int node) const { return from_ == node; }
    void begin(int node) { from_ = node; }
    void cancel() { from_ = -1; }
    /// -1: nowhere, so no link. From one of several marked nodes, all of them are connected.
    void finish(int node);
    void click(int node); ///< the first end or the second; -1: on the ground

    int handleAt(QPointF widget) const; ///< the card under the mouse whose handle is there; -1: none
    void paint(QPainter& painter, const ThemeColors& colours) const;
    void paintHandles(QPainter& painter, const ThemeColors& colours) const;

private:
    bool hasHandles() const;
    std::vector<QPointF> handles() const; ///< widget, of the card under the mouse

    const CanvasScene& scene_;
    ClusterEditing& editing_;
    CanvasActions& actions_;
    int from_ = -1;
};

/// The drag from a handle to the other end.
class LinkGesture : public CanvasGesture {
public:
    LinkGesture(const CanvasScene& scene, LinkDrawing& drawing) : scene_(scene), drawing_(drawing) {}
    bool move(QPointF, Qt::KeyboardModifiers) override { return false; }
    void release(Qt::KeyboardModifiers) override { drawing_.finish(scene_.nodeUnder(scene_.mouse)); }
    void cancel() override { drawing_.cancel(); }
    std::optional<Qt::CursorShape> cursor() const override { return Qt::CrossCursor; }
    bool endsWithDocument() const override { return true; }

private:
    const CanvasScene& scene_;
    LinkDrawing& drawing_;
};

} // namespace orrery
