// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/traffic_overlay.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {

DrawnTraffic::DrawnTraffic(const ClusterDocument& document, const NodeNames& names, const NetworkReport& network)
    : links_(document.links().size()), insides_(document.nodes().size()) {
    const auto cablesOf = [&document](int link) {
        const DrawnLink& drawn = document.links()[static_cast<std::size_t>(link)];
        const auto& nodes = document.nodes();
        const int copies = std::max(nodes[static_cast<std::size_t>(drawn.from)].replicas, nodes[static_cast<std::size_t>(drawn.to)].replicas);
        return static_cast<double>(std::max(1, drawn.count)) * copies;
    };
    for (std::size_t i = 0; i < network.links.size(); ++i) {
        const ReportLink& link = network.links[i];
        const int reported = static_cast<int>(i);
        if (link.kind != LinkKind::cable) {
            const std::vector<int> hosts = names.cards(link.from);
            double replicas = 0;
            for (const int host : hosts) replicas += document.nodes()[static_cast<std::size_t>(host)].replicas;
            for (const int host : hosts) {
                Inside& inside = insides_[static_cast<std::size_t>(host)];
                (link.kind == LinkKind::scale_up ? inside.scaleUp : inside.pcie).push_back(reported);
                inside.part = document.nodes()[static_cast<std::size_t>(host)].replicas / std::max(1.0, replicas);
            }
            continue;
        }
        std::vector<NodeNames::Cable> cables = names.cables(link.from, link.to);
        // Among several between the same ends it is the one at the same place of the file.
        if (!document.isShortForm() && cables.size() > 1) {
            const auto same = std::find_if(cables.begin(), cables.end(), [&](const NodeNames::Cable& cable) {
                return document.links()[static_cast<std::size_t>(cable.link)].index == link.drawn;
            });
            if (same != cables.end()) cables = {*same};
        }
        double all = 0;
        for (const NodeNames::Cable& cable : cables) all += cablesOf(cable.link);
        for (const NodeNames::Cable& cable : cables) {
            Link& drawn = links_[static_cast<std::size_t>(cable.link)];
            // A cable between two alike nodes has its directions by the file's.
            const bool forward = link.from == link.to ? !link.backward : cable.forward;
            (forward ? drawn.forward : drawn.backward) = reported;
            drawn.part = cablesOf(cable.link) / all;
        }
    }
}

std::vector<int> DrawnTraffic::linksOf(int reported) const {
    std::vector<int> found;
    for (std::size_t l = 0; l < links_.size(); ++l)
        if (links_[l].forward == reported || links_[l].backward == reported) found.push_back(static_cast<int>(l));
    return found;
}

std::vector<int> DrawnTraffic::nodesOf(int reported) const {
    std::vector<int> found;
    for (std::size_t n = 0; n < insides_.size(); ++n)
        for (const std::vector<int>* kind : {&insides_[n].scaleUp, &insides_[n].pcie})
            if (std::find(kind->begin(), kind->end(), reported) != kind->end()) found.push_back(static_cast<int>(n));
    return found;
}

std::vector<double> DrawnTraffic::shares(const std::vector<LinkLoad>& loads) const {
    std::vector<double> shares(links_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t l = 0; l < links_.size(); ++l)
        for (const int reported : {links_[l].forward, links_[l].backward})
            if (reported >= 0 && static_cast<std::size_t>(reported) < loads.size()) {
                const double mean = loads[static_cast<std::size_t>(reported)].mean;
                shares[l] = std::isnan(shares[l]) ? mean : std::max(shares[l], mean);
            }
    return shares;
}

std::vector<double> DrawnTraffic::fabricShares(const std::vector<LinkLoad>& loads) const {
    std::vector<double> shares(insides_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t n = 0; n < insides_.size(); ++n)
        for (const int reported : insides_[n].scaleUp)
            if (static_cast<std::size_t>(reported) < loads.size()) {
                const double mean = loads[static_cast<std::size_t>(reported)].mean;
                shares[n] = std::isnan(shares[n]) ? mean : std::max(shares[n], mean);
            }
    return shares;
}

TrafficOverlay::TrafficOverlay(CanvasScene& scene, QObject* parent) : QObject(parent), scene_(scene) {}

QToolButton* TrafficOverlay::makeButton(QWidget* parent) {
    button_ = new QToolButton(parent);
    button_->setText(tr("Load"));
    button_->setToolTip(tr("What the links' colours and widths show"));
    button_->setAccessibleName(button_->toolTip());
    button_->setAutoRaise(true);
    button_->setFocusPolicy(Qt::TabFocus);
    button_->setPopupMode(QToolButton::InstantPopup);
    button_->hide();
    auto* menu = new QMenu(button_);
    auto* group = new QActionGroup(menu);
    const auto choice = [&](const QString& text, bool shown, bool whole) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(shown && !whole);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, shown, whole] {
            loadsShown_ = shown;
            if (traffic_) traffic_->setAlwaysWhole(whole);
            takeLoads();
        });
    };
    choice(tr("Load at the cursor, or over the chosen range"), true, false);
    choice(tr("Load over the whole time"), true, true);
    choice(tr("No load"), false, false);
    button_->setMenu(menu);
    return button_;
}

void TrafficOverlay::setTraffic(NetworkTraffic* traffic) {
    if (traffic_) traffic_->disconnect(this);
    traffic_ = traffic;
    if (traffic_) {
        connect(traffic_, &NetworkTraffic::replaced, this, &TrafficOverlay::takeTraffic);
        connect(traffic_, &NetworkTraffic::changed, this, &TrafficOverlay::takeLoads);
        connect(traffic_, &NetworkTraffic::litChanged, this, &TrafficOverlay::takeLit);
    }
    if (button_) button_->setVisible(traffic_ != nullptr);
    takeTraffic();
}

void TrafficOverlay::map() {
    drawn_ = traffic_ && traffic_->isKnown() ? DrawnTraffic(scene_.document, scene_.names, traffic_->network()) : DrawnTraffic();
}

void TrafficOverlay::takeDocument() {
    map();
    takeLoads();
    takeLit();
}

void TrafficOverlay::takeTraffic() {
    takeDocument();
    emit mapped();
}

bool TrafficOverlay::isKnown() const { return traffic_ && traffic_->isKnown() && !drawn_.isEmpty(); }

bool TrafficOverlay::showsLoads() const { return loadsShown_ && isKnown(); }

void TrafficOverlay::takeLoads() {
    ClusterLook& look = scene_.look;
    const bool had = !look.linkLoad.empty() || !look.fabricLoad.empty();
    look.linkLoad.clear();
    look.fabricLoad.clear();
    if (showsLoads()) {
        look.linkLoad = drawn_.shares(traffic_->loads());
        look.fabricLoad = drawn_.fabricShares(traffic_->loads());
    } else if (!had) {
        return;
    }
    emit changed();
}

void TrafficOverlay::takeLit() {
    ClusterLook& look = scene_.look;
    look.litLinks.clear();
    look.litFabrics.clear();
    if (isKnown() && !traffic_->lit().empty()) {
        const std::vector<bool>& lit = traffic_->lit();
        const auto isLit = [&lit](int reported) { return reported >= 0 && static_cast<std::size_t>(reported) < lit.size() && lit[static_cast<std::size_t>(reported)]; };
        for (std::size_t l = 0; l < scene_.document.links().size(); ++l)
            look.litLinks.push_back(isLit(drawn_.link(l).forward) || isLit(drawn_.link(l).backward));
        for (std::size_t n = 0; n < scene_.document.nodes().size(); ++n) {
            const std::vector<int>& fabrics = drawn_.inside(n).scaleUp;
            look.litFabrics.push_back(std::any_of(fabrics.begin(), fabrics.end(), isLit));
        }
    }
    emit changed();
}

std::vector<int> TrafficOverlay::selectedReported() const {
    std::vector<int> reported;
    if (drawn_.isEmpty()) return reported;
    const auto add = [&reported](int link) {
        if (link >= 0 && std::find(reported.begin(), reported.end(), link) == reported.end()) reported.push_back(link);
    };
    const ClusterDocument& document = scene_.document;
    for (const LinkKey& key : scene_.look.selection.links)
        if (const DrawnLink* link = document.find(key)) {
            const DrawnTraffic::Link& ways = drawn_.link(static_cast<std::size_t>(link - document.links().data()));
            add(ways.forward);
            add(ways.backward);
        }
    for (const std::string& id : scene_.look.selection.nodes) {
        const int node = document.indexOf(id);
        if (node < 0) continue;
        const DrawnTraffic::Inside& inside = drawn_.inside(static_cast<std::size_t>(node));
        for (const int link : inside.scaleUp) add(link);
        for (const int link : inside.pcie) add(link);
    }
    return reported;
}

} // namespace orrery
