// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/nudge.hpp"

#include "widgets/cluster/editing/cluster_editing.hpp"

namespace orrery {

Nudge::Nudge(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions) : scene_(scene), editing_(editing), actions_(actions) {
    pause_.setSingleShot(true);
    pause_.setInterval(400);
    connect(&pause_, &QTimer::timeout, this, &Nudge::commit);
}

void Nudge::by(QPointF step) {
    if (scene_.look.selection.nodes.empty()) return;
    offset_ += step;
    actions_.relayout();
    pause_.start();
}

void Nudge::commit() {
    const QPointF by = offset_;
    forget();
    if (!by.isNull()) editing_.move(by);
}

void Nudge::forget() {
    pause_.stop();
    offset_ = {};
}

} // namespace orrery
