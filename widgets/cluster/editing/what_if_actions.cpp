// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/what_if_actions.hpp"
#include "core/base/json.hpp"
#include "widgets/cluster/editing/canvas_actions.hpp"
#include "widgets/cluster/scene/what_if_overlay.hpp"
#include "widgets/cluster/what_if/what_if_entries.hpp"
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/format.hpp"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
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

// The questions of WhatIfActions: each opens a dialog, whose answer becomes an edit.

void WhatIfActions::askDegrade() {
    auto* dialog = new WhatIfDialog(tr("Degrade"), tr("What is left of the bandwidth of %1, in both directions.").arg(degradableText()), &window_);
    QDoubleSpinBox* left = dialog->addNumber(QStringLiteral("left"), tr("Bandwidth left"), tr("%"), {0.1, 100, 50, 1});
    connect(dialog, &QDialog::accepted, this, [this, left] { degrade(left->value() / 100); });
    dialog->open();
}

void WhatIfActions::askStraggler() {
    std::set<std::string> hosts;
    int replicas = 1;
    for (const std::string& id : scene_.look.selection.nodes)
        if (scene_.isHost(id)) {
            hosts.insert(id);
            replicas = std::max(replicas, scene_.node(scene_.document.indexOf(id)).replicas);
        }
    if (hosts.empty()) return;
    const QString who = hosts.size() == 1 ? titleOf(*hosts.begin()) : tr("%1 hosts").arg(grouped(static_cast<double>(hosts.size())));
    auto* dialog = new WhatIfDialog(tr("Straggler"), tr("How much longer everything takes that %1 computes.").arg(who), &window_);
    QDoubleSpinBox* slowdown = dialog->addNumber(QStringLiteral("slowdown"), tr("Takes"), tr("× as long"), {1, 100, 1.3, 2});
    QDoubleSpinBox* which = nullptr;
    if (hosts.size() == 1 && replicas > 1) {
        which = dialog->addNumber(QStringLiteral("replica"), tr("Which of the stack"), {}, {-1, replicas - 1.0, 0, 0});
        which->setSpecialValueText(tr("all of them"));
    }
    connect(dialog, &QDialog::accepted, this, [this, hosts, who, slowdown, which] {
        const int replica = which ? static_cast<int>(which->value()) : -1;
        actions_.request(tr("Let %1 straggle").arg(who), scene_.editor().straggler(hosts, replica, slowdown->value()));
    });
    dialog->open();
}

void WhatIfActions::askSlowNic() {
    const std::vector<LinkKey> links = linksOfChosenHost();
    if (links.empty()) return;
    const std::string host = *scene_.look.selection.nodes.begin();
    const DrawnNode& node = scene_.node(scene_.document.indexOf(host));
    auto* dialog = new WhatIfDialog(tr("Slow NIC"), tr("What is left of the bandwidth of one network interface of %1.").arg(titleOf(host)), &window_);
    QStringList ends;
    int most = 1;
    for (const LinkKey& key : links) {
        const DrawnLink& link = *scene_.document.find(key);
        const QString other = titleOf(key.from == host ? key.to : key.from);
        ends << (link.count > 1 ? tr("%1 (%2 cables)").arg(other).arg(link.count) : other);
        most = std::max(most, link.count);
    }
    QComboBox* to = dialog->addChoice(QStringLiteral("to"), tr("Cabled to"), ends);
    QDoubleSpinBox* nic = most > 1 ? dialog->addNumber(QStringLiteral("nic"), tr("Which of the cables"), {}, {0, most - 1.0, 0, 0}) : nullptr;
    QDoubleSpinBox* which = nullptr;
    if (node.replicas > 1) {
        which = dialog->addNumber(QStringLiteral("replica"), tr("Which of the stack"), {}, {-1, node.replicas - 1.0, 0, 0});
        which->setSpecialValueText(tr("all of them"));
    }
    QDoubleSpinBox* left = dialog->addNumber(QStringLiteral("left"), tr("Bandwidth left"), tr("%"), {0.1, 100, 25, 1});
    connect(dialog, &QDialog::accepted, this, [this, links, host, to, nic, which, left] {
        const LinkKey& key = links[static_cast<std::size_t>(to->currentIndex())];
        const int count = scene_.document.find(key) ? scene_.document.find(key)->count : 1;
        const int cable = nic && count > 1 ? std::min(static_cast<int>(nic->value()), count - 1) : count > 1 ? 0
                                                                                                             : -1;
        actions_.request(tr("Slow a NIC of %1").arg(titleOf(host)),
                         scene_.editor().slowNic(key, cable, which ? static_cast<int>(which->value()) : -1, left->value() / 100));
    });
    dialog->open();
}

void WhatIfActions::askTraffic() {
    if (scene_.look.selection.nodes.empty()) return;
    const std::string from = *scene_.look.selection.nodes.begin();
    const std::string second = scene_.look.selection.nodes.size() == 2 ? *std::next(scene_.look.selection.nodes.begin()) : std::string();
    auto* dialog = new WhatIfDialog(tr("Second job's traffic"),
                                    tr("What another job sends from %1 all the time. The links share their bandwidth with it.").arg(titleOf(from)), &window_);
    QStringList others;
    int current = 0;
    for (const DrawnNode& node : scene_.document.nodes()) {
        if (node.id == from) continue;
        if (node.id == second) current = static_cast<int>(others.size());
        others << QString::fromStdString(node.id);
    }
    QComboBox* to = dialog->addChoice(QStringLiteral("to"), tr("To"), others, current);
    QDoubleSpinBox* rate = dialog->addNumber(QStringLiteral("bandwidth"), tr("Asks for"), tr("GB/s"), {0.01, 1e6, 25, 2});
    QLineEdit* name = dialog->addText(QStringLiteral("name"), tr("Name"), tr("job %1").arg(scene_.look.arrows.size() + 2));
    connect(dialog, &QDialog::accepted, this, [this, from, to, rate, name] {
        actions_.request(tr("Add traffic from %1").arg(titleOf(from)),
                         scene_.editor().traffic(name->text().trimmed().toStdString(), from, to->currentText().toStdString(), rate->value()));
    });
    dialog->open();
}

void WhatIfActions::askJitter() {
    const Json::json_pointer path(jitterPointer);
    const Json now = scene_.scenario.is_object() && scene_.scenario.contains(path) ? scene_.scenario.at(path) : Json();
    const double sigma = jitterSigma(now);
    const double seed = now.is_object() && now.contains("seed") && now["seed"].is_number() ? now["seed"].get<double>() : 1;
    auto* dialog = new WhatIfDialog(tr("Jitter"), tr("How much the times of equal work vary from one to the next; 0 for not at all."), &window_);
    QDoubleSpinBox* spread = dialog->addNumber(QStringLiteral("sigma"), tr("Standard deviation"), tr("%"), {0, 100, sigma > 0 ? sigma * 100 : 3, 1});
    QDoubleSpinBox* start = dialog->addNumber(QStringLiteral("seed"), tr("Seed"), {}, {0, 1e9, seed, 0});
    connect(dialog, &QDialog::accepted, this, [this, spread, start] {
        actions_.request(tr("Change jitter"), scene_.editor().jitter(spread->value() / 100, static_cast<int>(start->value())));
    });
    dialog->open();
}

} // namespace orrery
