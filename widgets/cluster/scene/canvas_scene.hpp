// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/painting/cluster_geometry.hpp"
#include "widgets/cluster/painting/cluster_painter.hpp"
#include "widgets/cluster/what_if/what_ifs.hpp"

#include <QPointF>
#include <QRectF>
#include <vector>

namespace orrery {

/// How a view maps scene units to widget pixels: pixel = origin + zoom * unit.
struct CanvasView {
    double zoom = 1;
    QPointF origin;

    QPointF toWidget(QPointF scene) const { return origin + zoom * scene; }
    QRectF toWidget(const QRectF& scene) const { return {toWidget(scene.topLeft()), toWidget(scene.bottomRight())}; }
    QPointF toScene(QPointF widget) const { return (widget - origin) / zoom; }
    QRectF toScene(const QRectF& widget) const { return {toScene(widget.topLeft()), toScene(widget.bottomRight())}; }
    /// Zooms by `factor` with the scene point under `fixed` staying there.
    void zoomAbout(QPointF fixed, double factor);
    /// Shows all of `scene` in the middle of `room` (widget), as large as fits; a single host does not fill the window.
    void fitInto(const QRectF& room, const QRectF& scene);
    /// Moves so that a scene point lies at `place` (widget).
    void put(QPointF scene, QPointF place) { origin = place - zoom * scene; }
};

/// What the canvas shows at this moment. All its parts read it; each field of `look` is written by the part that knows it.
struct CanvasScene {
    Json scenario;
    ClusterDocument document;
    NodeNames names;
    Problems problems;
    ClusterGeometry geometry;
    ClusterLook look;
    CanvasView view;
    QPointF pressedAt; ///< widget; where a mouse button went down last
    QPointF mouse;     ///< widget

    const DrawnNode& node(int index) const { return document.nodes()[static_cast<std::size_t>(index)]; }
    const DrawnLink& link(int index) const { return document.links()[static_cast<std::size_t>(index)]; }
    const QRectF& card(int node) const { return geometry.cards()[static_cast<std::size_t>(node)]; }
    const LinkCurve& curve(int link) const { return geometry.curves()[static_cast<std::size_t>(link)]; }
    bool isHost(const std::string& id) const;
    int nodeUnder(QPointF widget) const { return geometry.nodeAt(view.toScene(widget)); } ///< -1: none
    int linkNear(QPointF widget) const;                                                   ///< index into the document's links; -1: none
    bool isDragged() const;                                                               ///< the mouse is far enough from where it was pressed
    ClusterSelection everything() const;
    WhatIfEditor editor() const { return {scenario, document, names}; }

    /// Nodes and links as a selection, with the ground they cover.
    struct Marked {
        ClusterSelection selection;
        QRectF where; ///< scene; null: nothing
    };
    Marked marked(const std::vector<int>& nodes, const std::vector<int>& links) const;

    /// Lays everything out again, what is selected `offset` away from its place.
    void layOut(QPointF offset);
    void keepSelectionThatExists(); ///< after another document
    void markProblems();
};

} // namespace orrery
