// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QObject>

class QMenu;
class QWidget;

namespace orrery {

class CanvasActions;
class WhatIfOverlay;

/// Supposing that what is selected does not work as drawn, and taking that back; with the questions that some of it needs.
class WhatIfActions : public QObject {
    Q_OBJECT
public:
    /// Questions open above `window`.
    WhatIfActions(const CanvasScene& scene, const WhatIfOverlay& overlay, CanvasActions& actions, QWidget& window);

    ClusterSelection degradable() const; ///< links and switches of the selection
    void addTo(QMenu& menu);             ///< what can be supposed of what is selected

    void degrade(double factor); ///< links and switches to this share of their bandwidth
    void takeDown();
    void restore();
    void restoreEverything();
    void takeBack(int index); ///< of the list on the canvas
    void askDegrade();
    void askStraggler();
    void askSlowNic();
    void askTraffic();
    void askJitter();

private:
    QString degradableText() const;
    std::vector<LinkKey> linksOfChosenHost() const;
    QString titleOf(const std::string& id) const { return scene_.document.titleOf(id); }

    const CanvasScene& scene_;
    const WhatIfOverlay& overlay_;
    CanvasActions& actions_;
    QWidget& window_;
};

} // namespace orrery
