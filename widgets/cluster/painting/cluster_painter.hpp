// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/painting/cluster_geometry.hpp"

#include <QColor>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>
#include <set>
#include <vector>

class QPainter;

namespace orrery {

class Theme;

/// A link that does not work as drawn.
struct LinkMark {
    bool down = false; ///< struck; else dashed: degraded
};

/// A node that does not work as drawn.
struct NodeMark {
    bool down = false;
    bool degraded = false;
    double slowdown = 1; ///< above 1: a straggler
};

/// What goes from one card to another beside the job.
struct TrafficArrow {
    int from = -1; ///< index into the document's nodes
    int to = -1;
    QString label; ///< "checkpoint · 40 GB/s"
};

/// What is shown beyond the topology itself.
struct ClusterLook {
    ClusterSelection selection;
    int hoveredNode = -1;
    int hoveredLink = -1;
    std::map<int, Severity> nodeProblems;                               ///< by index into the document's nodes
    std::map<int, Severity> linkProblems;                               ///< by index into the document's links
    std::function<QColor(int rank)> rankColour;                         ///< invalid colour: no group known
    std::function<QStringList(int firstRank, int lastRank)> groupLabel; ///< "stage 0", longest first: the first that has room is shown; colour is never the only sign
    std::function<QString(const DrawnNode&)> hostLabel;                 ///< "8 × H100"
    std::function<QString(const DrawnNode&)> fabricLabel;               ///< "NVSwitch"
    std::vector<double> linkLoad;                                       ///< share of the bandwidth in use, by index into the document's links; NaN or missing: unknown
    std::vector<double> fabricLoad;                                     ///< of the scale-up fabric, by index into the document's nodes; NaN or missing: unknown
    std::vector<bool> litLinks;                                         ///< the path of what is chosen elsewhere: the others step back; empty: none is
    std::vector<bool> litFabrics;                                       ///< by index into the document's nodes; as long as the nodes where litLinks is not empty
    std::map<int, LinkMark> linkMarks;                                  ///< what-ifs by index into the document's links
    std::map<int, NodeMark> nodeMarks;                                  ///< what-ifs by index into the document's nodes
    std::vector<TrafficArrow> arrows;                                   ///< a second job's traffic
};

/// Paints links, then domains and cards, of what lies within `visible` (scene units). The painter maps scene units to
/// the device at `zoom` pixels a unit; text and fine detail are left out where they could not be read.
void paintCluster(QPainter& painter, const ClusterDocument& document, const ClusterGeometry& geometry, const ClusterLook& look,
                  const Theme& theme, double zoom, const QRectF& visible);

/// One card alone, for ghosts and icons.
void paintCard(QPainter& painter, const DrawnNode& node, const QRectF& card, const ClusterLook& look, const Theme& theme,
               double zoom, int index = -1);

/// Pen width in scene units of a link that carries so many GB/s.
double linkWidth(double gigabytesPerSecond);

} // namespace orrery
