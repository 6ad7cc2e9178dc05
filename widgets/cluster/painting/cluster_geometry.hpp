// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/document/cluster_document.hpp"

#include <QPainterPath>
#include <QRectF>

#include <string>
#include <vector>

namespace orrery {

/// A link as a cubic between two cards' edges, leaving each at a right angle. Where other hosts lie between, it ends in a
/// riser: down beside the column of cards, and into the side of the one it is for.
struct LinkCurve {
    QPointF start, startControl, endControl, end; ///< the cubic
    bool riser = false;
    QPointF corner; ///< where the riser turns
    QPointF finish; ///< on the card's side

    QPointF at(double t) const;
    QRectF bounds() const;
    QPainterPath path() const;
    QPainterPath cubicPath() const; ///< without the riser
    QPainterPath riserPath() const; ///< empty without one; the same for all links of a host
};

/// The frame around hosts that share a scale-up fabric.
struct DomainFrame {
    std::string domain;
    QRectF rect;
    int accelerators = 0;
};

/// Where everything of a drawing lies, in scene units. Computed when the document or a dragged position changes.
class ClusterGeometry {
public:
    ClusterGeometry() = default;
    /// `centres` replaces the document's positions while nodes are dragged; one for each node.
    explicit ClusterGeometry(const ClusterDocument& document);
    ClusterGeometry(const ClusterDocument& document, const std::vector<QPointF>& centres);

    const std::vector<QRectF>& cards() const { return cards_; }
    const std::vector<LinkCurve>& curves() const { return curves_; }
    const std::vector<DomainFrame>& domains() const { return domains_; }
    QRectF bounds() const { return bounds_; }

    int nodeAt(QPointF point) const;                   ///< the topmost card; -1: none
    int linkAt(QPointF point, double tolerance) const; ///< index into the document's links; -1: none

private:
    void layOutLinks(const ClusterDocument& document);
    void layRisers(const ClusterDocument& document);
    void frameDomains(const ClusterDocument& document);

    std::vector<QRectF> cards_;
    std::vector<LinkCurve> curves_;
    std::vector<DomainFrame> domains_;
    QRectF bounds_;
};

/// Room a stack of replicas takes beyond its card, to the upper right.
inline constexpr double stackOffset = 4;

} // namespace orrery
