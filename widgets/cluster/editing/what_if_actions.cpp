// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/what_if_actions.hpp"

#include "widgets/cluster/editing/canvas_actions.hpp"
#include "widgets/cluster/scene/what_if_overlay.hpp"
#include "widgets/common/format.hpp"

#include <QMenu>
#include <QWidget>

#include <algorithm>

namespace orrery {

WhatIfActions::WhatIfActions(const CanvasScene& scene, const WhatIfOverlay& overlay, CanvasActions& actions, QWidget& window)
    : scene_(scene), overlay_(overlay), actions_(actions), window_(window) {}

ClusterSelection WhatIfActions::degradable() const {
    ClusterSelection what = scene_.look.selection;
    std::erase_if(what.nodes, [this](const std::string& id) { return scene_.document.indexOf(id) < 0 || scene_.isHost(id); });
    std::erase_if(what.links, [this](const LinkKey& key) { return !scene_.document.contains(key); });
    return what;
}

QString WhatIfActions::degradableText() const {
    const ClusterSelection what = degradable();
    const std::size_t count = what.nodes.size() + what.links.size();
    if (count != 1) return tr("%1 links and switches").arg(grouped(static_cast<double>(count)));
    if (!what.nodes.empty()) return titleOf(*what.nodes.begin());
    return titleOf(what.links.begin()->from) + QStringLiteral(" – ") + titleOf(what.links.begin()->to);
}

std::vector<LinkKey> WhatIfActions::linksOfChosenHost() const {
    std::vector<LinkKey> found;
    if (scene_.look.selection.nodes.size() != 1) return found;
    const int host = scene_.document.indexOf(*scene_.look.selection.nodes.begin());
    for (const DrawnLink& link : scene_.document.links())
        if (link.from == host || link.to == host) found.push_back(scene_.document.keyOf(link));
    return found;
}

void WhatIfActions::addTo(QMenu& menu) {
    if (scene_.document.isEmpty()) return;
    const ClusterSelection& chosen = scene_.look.selection;
    const auto hosts = std::count_if(chosen.nodes.begin(), chosen.nodes.end(), [this](const std::string& id) { return scene_.isHost(id); });
    const bool anySwitch = hosts < static_cast<std::ptrdiff_t>(chosen.nodes.size());
    const bool anyLink = !chosen.links.empty();
    const auto add = [&](const QString& text, auto slot) { return menu.addAction(text, this, slot); };
    if (anyLink || anySwitch) {
        add(tr("Half the bandwidth"), [this] { degrade(0.5); });
        add(tr("Degrade to…"), [this] { askDegrade(); });
        add(tr("Take down"), [this] { takeDown(); });
    }
    if (hosts > 0) {
        add(tr("Straggler…"), [this] { askStraggler(); });
        if (chosen.nodes.size() == 1) {
            add(tr("Slow NIC…"), [this] { askSlowNic(); })->setEnabled(!linksOfChosenHost().empty());
            add(tr("Second job's traffic from here…"), [this] { askTraffic(); })->setEnabled(scene_.document.nodes().size() > 1);
        } else if (chosen.nodes.size() == 2 && hosts == 2) {
            add(tr("Second job's traffic between these…"), [this] { askTraffic(); });
        }
    }
    if (!chosen.empty()) {
        add(tr("Restore"), [this] { restore(); })->setEnabled(!scene_.editor().restore(chosen).empty());
        return;
    }
    add(tr("Jitter…"), [this] { askJitter(); });
    add(tr("Restore everything"), &WhatIfActions::restoreEverything)->setEnabled(!overlay_.all().empty());
}

void WhatIfActions::degrade(double factor) {
    actions_.request(tr("Degrade %1 to %2").arg(degradableText(), readablePercent(factor).text()), scene_.editor().degrade(degradable(), factor));
}

void WhatIfActions::takeDown() { actions_.request(tr("Take down %1").arg(degradableText()), scene_.editor().takeDown(degradable())); }

void WhatIfActions::restore() { actions_.request(tr("Restore what is selected"), scene_.editor().restore(scene_.look.selection)); }

void WhatIfActions::restoreEverything() { actions_.request(tr("Restore everything"), scene_.editor().removeAll()); }

void WhatIfActions::takeBack(int index) {
    if (const WhatIf* one = overlay_.at(index)) actions_.request(tr("Take back: %1").arg(one->text), scene_.editor().remove(*one));
}

} // namespace orrery
