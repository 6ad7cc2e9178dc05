// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/editing/cluster_editing.hpp"
#include "widgets/cluster/editing/link_drawing.hpp"
#include "widgets/cluster/editing/nudge.hpp"
#include "widgets/cluster/editing/pending_placement.hpp"
#include "widgets/cluster/editing/what_if_actions.hpp"
#include "widgets/cluster/scene/canvas_legend.hpp"
#include "widgets/cluster/scene/cluster_description.hpp"
#include "widgets/cluster/scene/rank_stages.hpp"
#include "widgets/cluster/scene/traffic_overlay.hpp"
#include "widgets/cluster/scene/what_if_overlay.hpp"

namespace orrery {

/// What the canvas is made of, one concern each. Later ones use earlier ones.
struct CanvasParts {
    CanvasParts(CanvasScene& scene, const Theme& theme, Selection& shared, const Catalog& catalog, CanvasActions& actions, QWidget& canvas)
        : stages(theme, shared), traffic(scene), whatIfs(scene, canvas), description(scene, catalog, stages, traffic, whatIfs),
          legend(scene, theme, stages, traffic), editing(scene, catalog, shared, actions), nudge(scene, editing, actions),
          whatIfActions(scene, whatIfs, actions, canvas), link(scene, editing, actions), placement(scene, catalog) {}

    RankStages stages;
    TrafficOverlay traffic;
    WhatIfOverlay whatIfs;
    ClusterDescription description;
    CanvasLegend legend;
    ClusterEditing editing;
    Nudge nudge;
    WhatIfActions whatIfActions;
    LinkDrawing link;
    PendingPlacement placement;
};

} // namespace orrery
