// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "widgets/cluster/document/cluster_document.hpp"

#include <QString>

#include <vector>

namespace orrery {

/// What the parts that edit ask of the canvas.
class CanvasActions {
public:
    /// Asks for edits of the document; with none there is nothing to ask.
    virtual void request(const QString& undoText, std::vector<ScenarioEdit> edits) = 0;
    virtual void setSelection(const ClusterSelection& selection) = 0;
    virtual void moveView(QPointF by) = 0; ///< px; from then on the view is the user's
    virtual void relayout() = 0;           ///< what is selected lies elsewhere
    virtual void repaintOverlay() = 0;     ///< the drawing below it stays

protected:
    ~CanvasActions() = default;
};

} // namespace orrery
