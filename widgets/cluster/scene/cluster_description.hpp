// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QCoreApplication>
#include <QStringList>

namespace orrery {

class Catalog; // core/catalog
class RankStages;
class TrafficOverlay;
class WhatIfOverlay;

/// What there is to say about a node or a link of the drawing, as rich text: for tool tips and for the row of hints.
class ClusterDescription {
    Q_DECLARE_TR_FUNCTIONS(orrery::ClusterDescription)
public:
    ClusterDescription(const CanvasScene& scene, const Catalog& catalog, const RankStages& stages, const TrafficOverlay& traffic,
                       const WhatIfOverlay& whatIfs)
        : scene_(scene), catalog_(catalog), stages_(stages), traffic_(traffic), whatIfs_(whatIfs) {}

    QString at(QPointF widget) const;     ///< of what lies there; empty: nothing
    QString hintAt(QPointF widget) const; ///< the same as one line of plain text

private:
    QString node(int index) const;
    QString link(int index) const;
    QStringList loads(const std::vector<int>& reported, double part) const;
    QStringList loadsOfNode(int index) const;
    QStringList loadsOfLink(int index) const;

    const CanvasScene& scene_;
    const Catalog& catalog_;
    const RankStages& stages_;
    const TrafficOverlay& traffic_;
    const WhatIfOverlay& whatIfs_;
};

} // namespace orrery
