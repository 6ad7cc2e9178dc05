// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/network_report.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QObject>
#include <vector>

namespace orrery {

/// Where the links of a report lie in the drawing: both directions of each link, and the fabrics inside each host.
class DrawnTraffic {
public:
    DrawnTraffic() = default;
    DrawnTraffic(const ClusterDocument& document, const NodeNames& names, const NetworkReport& network);

    /// Links of the report behind a drawn one; -1: not reported. Where one of the report stands for many drawn ones, `part`
    /// of its bytes are this one's.
    struct Link {
        int forward = -1; ///< from its `from` end to its `to` end
        int backward = -1;
        double part = 1;
    };
    /// Links of the report inside a host.
    struct Inside {
        std::vector<int> scaleUp;
        std::vector<int> pcie;
        double part = 1;
    };
    const Link& link(std::size_t drawn) const { return links_[drawn]; }
    const Inside& inside(std::size_t node) const { return insides_[node]; }
    bool isEmpty() const { return links_.empty() && insides_.empty(); }

    std::vector<int> linksOf(int reported) const; ///< drawn links of a link of the report
    std::vector<int> nodesOf(int reported) const; ///< hosts with it inside

    /// Share of the bandwidth in use of the busier direction of each drawn link; NaN: unknown.
    std::vector<double> shares(const std::vector<LinkLoad>& loads) const;
    /// The share that each host's scale-up fabric carries.
    std::vector<double> fabricShares(const std::vector<LinkLoad>& loads) const;

private:
    std::vector<Link> links_;     ///< by index into the document's links
    std::vector<Inside> insides_; ///< by index into the document's nodes
};

} // namespace orrery

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
