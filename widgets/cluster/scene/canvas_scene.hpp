// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/painting/cluster_geometry.hpp"
#include "widgets/cluster/painting/cluster_painter.hpp"
#include "widgets/cluster/scene/canvas_view.hpp"
#include "widgets/cluster/what_if/what_ifs.hpp"

#include <vector>

namespace orrery {

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
