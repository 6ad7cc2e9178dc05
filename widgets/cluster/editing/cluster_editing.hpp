// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/editing/canvas_actions.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QCoreApplication>

class QMenu;

namespace orrery {

class Catalog; // core/catalog
class Selection;

/// Edits of what is drawn: the clipboard, placing, connecting, moving, replacing. Each is asked for with its words for undo.
class ClusterEditing {
    Q_DECLARE_TR_FUNCTIONS(orrery::ClusterEditing)
public:
    ClusterEditing(CanvasScene& scene, const Catalog& catalog, Selection& shared, CanvasActions& actions)
        : scene_(scene), catalog_(catalog), shared_(shared), actions_(actions) {}

    static bool clipboardHasCluster();

    void copy() const;
    void paste(QPointF at); ///< scene
    void remove();
    void duplicate();
    void place(const Json& fragment, const QString& label, QPointF at);
    void connectNodes(int from, int to);
    void connectAll(int hub); ///< each marked node to this one, in one step
    void move(QPointF by);
    void addDuties(QMenu& menu);       ///< what the marked hosts serve
    void addReplacements(QMenu& menu); ///< other platforms for the hosts that are selected

private:
    void selectOnly(const std::vector<std::string>& ids);

    CanvasScene& scene_;
    const Catalog& catalog_;
    Selection& shared_;
    CanvasActions& actions_;
};

} // namespace orrery
