// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QLineF>
#include <algorithm>

namespace orrery {
namespace {

constexpr double leastZoom = 0.04;
constexpr double mostZoom = 4;
constexpr double mostFitZoom = 1.25; ///< a single host does not fill the window

} // namespace

void CanvasView::zoomAbout(QPointF fixed, double factor) {
    const QPointF scene = toScene(fixed);
    zoom = std::clamp(zoom * factor, leastZoom, mostZoom);
    put(scene, fixed);
}

void CanvasView::fitInto(const QRectF& room, const QRectF& scene) {
    zoom = std::clamp(std::min(room.width() / scene.width(), room.height() / scene.height()), leastZoom, mostFitZoom);
    put(scene.center(), room.center());
}

namespace {

constexpr double linkTolerance = 5; ///< px beside a link
constexpr double dragDistance = 4;  ///< px before a press becomes a drag

} // namespace

bool CanvasScene::isHost(const std::string& id) const {
    const int index = document.indexOf(id);
    return index >= 0 && node(index).isHost();
}

int CanvasScene::linkNear(QPointF widget) const { return geometry.linkAt(view.toScene(widget), linkTolerance / view.zoom); }

bool CanvasScene::isDragged() const { return QLineF(pressedAt, mouse).length() >= dragDistance; }

ClusterSelection CanvasScene::everything() const {
    ClusterSelection all;
    for (const DrawnNode& one : document.nodes()) all.nodes.insert(one.id);
    std::map<std::pair<int, int>, int> ordinals;
    for (const DrawnLink& one : document.links())
        all.links.insert({node(one.from).id, node(one.to).id, ordinals[{one.from, one.to}]++});
    return all;
}

CanvasScene::Marked CanvasScene::marked(const std::vector<int>& nodes, const std::vector<int>& links) const {
    Marked found;
    for (const int index : links) {
        found.selection.links.insert(document.keyOf(link(index)));
        found.where |= curve(index).bounds();
    }
    for (const int index : nodes) {
        found.selection.nodes.insert(node(index).id);
        found.where |= card(index);
    }
    return found;
}

void CanvasScene::layOut(QPointF offset) {
    std::vector<QPointF> centres;
    centres.reserve(document.nodes().size());
    for (const DrawnNode& one : document.nodes())
        centres.push_back(look.selection.nodes.contains(one.id) ? one.position + offset : one.position);
    geometry = ClusterGeometry(document, centres);
}

void CanvasScene::keepSelectionThatExists() {
    std::erase_if(look.selection.nodes, [this](const std::string& id) { return document.indexOf(id) < 0; });
    std::erase_if(look.selection.links, [this](const LinkKey& key) { return !document.contains(key); });
}

void CanvasScene::markProblems() {
    look.nodeProblems.clear();
    look.linkProblems.clear();
    const auto note = [](std::map<int, Severity>& found, int index, Severity severity) {
        const auto [it, isNew] = found.try_emplace(index, severity);
        if (!isNew && severity == Severity::error) it->second = severity;
    };
    // In the short form "/cluster" is everything: its problems are shown beside the fields.
    for (const Problem& problem : problems) {
        if (problem.severity == Severity::note) continue;
        if (const int below = document.nodeBelow(problem.pointer); below >= 0) note(look.nodeProblems, below, problem.severity);
        if (const int below = document.linkBelow(problem.pointer); below >= 0) note(look.linkProblems, below, problem.severity);
    }
}

} // namespace orrery
