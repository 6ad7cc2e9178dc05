// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/traffic_overlay.hpp"

#include "widgets/network/network_traffic.hpp"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace orrery {

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
