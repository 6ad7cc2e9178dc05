// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/scene/canvas_scene.hpp"
#include "widgets/cluster/scene/drawn_traffic.hpp"

#include <QObject>

class QToolButton;

namespace orrery {

class NetworkTraffic;

/// The traffic of a result over the drawing: loads of links and fabrics, and the path of the operator chosen elsewhere. Writes them
/// into the look.
class TrafficOverlay : public QObject {
    Q_OBJECT
public:
    explicit TrafficOverlay(CanvasScene& scene, QObject* parent = nullptr);

    /// A button whose menu says over which time loads are shown, if at all; hidden without traffic. `parent` owns it.
    QToolButton* makeButton(QWidget* parent);
    void setTraffic(NetworkTraffic* traffic); ///< not owned; null: none
    void takeDocument();                      ///< the scene has another document

    bool isKnown() const;                                       ///< there is traffic, and it lies on links of the drawing
    bool showsLoads() const;                                    ///< isKnown(), and the user wants to see it
    const NetworkTraffic& traffic() const { return *traffic_; } ///< only where isKnown()
    const DrawnTraffic& drawn() const { return drawn_; }
    /// Links of the traffic's report that are selected, or inside selected hosts.
    std::vector<int> selectedReported() const;

signals:
    void mapped();  ///< other traffic, or none: the legend comes or goes
    void changed(); ///< the look has

private:
    void map();
    void takeTraffic();
    void takeLoads();
    void takeLit();

    CanvasScene& scene_;
    QToolButton* button_ = nullptr;
    NetworkTraffic* traffic_ = nullptr;
    DrawnTraffic drawn_;
    bool loadsShown_ = true;
};

} // namespace orrery
