// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QString>

#include <optional>

class QPainter;

namespace orrery {

class Catalog; // core/catalog
class Theme;

/// What the next click places, and its ghost below the mouse.
class PendingPlacement {
public:
    PendingPlacement(const CanvasScene& scene, const Catalog& catalog) : scene_(scene), catalog_(catalog) {}

    void arm(const Json& fragment, const QString& label);
    void disarm();
    bool isArmed() const { return !fragment_.is_null(); }
    const Json& fragment() const { return fragment_; }
    const QString& label() const { return label_; }

    void showAt(QPointF widget) { at_ = scene_.view.toScene(widget); }
    void hide() { at_.reset(); }
    bool isShown() const { return at_.has_value(); }
    void paint(QPainter& painter, const Theme& theme) const;

private:
    const CanvasScene& scene_;
    const Catalog& catalog_;
    Json fragment_; ///< null: nothing
    QString label_;
    ClusterDocument ghost_;
    ClusterGeometry geometry_;
    std::optional<QPointF> at_; ///< scene
};

} // namespace orrery
