// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/pending_placement.hpp"

#include "core/base/json.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"

#include <QPainter>

namespace orrery {

void PendingPlacement::arm(const Json& fragment, const QString& label) {
    fragment_ = fragment;
    label_ = label;
    ghost_ = ClusterDocument(Json{{"cluster", {{"topology", fragment.at("topology")}}},
                                  {"view", {{"cluster", {{"positions", fragment.value("positions", Json::object())}}}}}},
                             catalog_);
    geometry_ = ClusterGeometry(ghost_);
    hide();
}

void PendingPlacement::disarm() {
    fragment_ = Json();
    hide();
}

void PendingPlacement::paint(QPainter& painter, const Theme& theme) const {
    if (!isArmed() || !at_ || ghost_.isEmpty()) return;
    const bool one = ghost_.nodes().size() == 1;
    const QPointF anchor = one ? ghost_.nodes()[0].position : ghost_.bounds().center();
    painter.save();
    painter.setOpacity(0.55);
    painter.translate(scene_.view.origin);
    painter.scale(scene_.view.zoom, scene_.view.zoom);
    painter.translate(one ? snapped(*at_) - anchor : snapped(*at_ - anchor));
    ClusterLook look;
    look.hostLabel = scene_.look.hostLabel;
    look.fabricLabel = scene_.look.fabricLabel;
    paintCluster(painter, ghost_, geometry_, look, theme, scene_.view.zoom, QRectF(-1e7, -1e7, 2e7, 2e7));
    painter.restore();
}

} // namespace orrery
