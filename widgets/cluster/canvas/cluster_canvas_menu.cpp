// The context menu of ClusterCanvas: editing, and supposing that something does not work as drawn.

#include "core/base/json.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "widgets/cluster/fields/platform_change.hpp"
#include "widgets/cluster/what_if/what_if_dialog.hpp"
#include "widgets/cluster/what_if/what_if_entries.hpp"
#include "widgets/common/format.hpp"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMenu>

#include <algorithm>

namespace orrery {
namespace {

QString idText(const std::string& id) { return QString::fromStdString(id); }

} // namespace

void ClusterCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!drawingArea().contains(event->pos())) return;
    if (event->reason() == QContextMenuEvent::Mouse) {
        const QPointF scene = view_.toScene(event->pos());
        if (const int node = geometry_.nodeAt(scene); node >= 0) {
            const std::string& id = document_.nodes()[static_cast<std::size_t>(node)].id;
            if (!look_.selection.nodes.contains(id)) setSelection({{id}, {}});
        } else if (const int link = linkNear(event->pos()); link >= 0) {
            const LinkKey key = document_.keyOf(document_.links()[static_cast<std::size_t>(link)]);
            if (!look_.selection.links.contains(key)) setSelection({{}, {key}});
        } else {
            setSelection({});
        }
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    menu->popup(event->globalPos());
}

void ClusterCanvas::fillMenu(QMenu& menu) {
    addSuppositions(menu);
    addReplacements(menu);
    if (!menu.isEmpty()) menu.addSeparator();
    if (!actions().isEmpty()) {
        menu.addActions(actions());
        return;
    }
    const bool some = !look_.selection.empty(), nodes = !look_.selection.nodes.empty();
    menu.addAction(tr("Copy"), this, &ClusterCanvas::copySelection)->setEnabled(nodes);
    menu.addAction(tr("Paste"), this, &ClusterCanvas::paste)->setEnabled(hasClipboard());
    menu.addAction(tr("Duplicate"), this, &ClusterCanvas::duplicate)->setEnabled(nodes);
    menu.addAction(tr("Delete"), this, &ClusterCanvas::deleteSelection)->setEnabled(some);
    menu.addSeparator();
    menu.addAction(tr("Select all"), this, &ClusterCanvas::selectAll)->setEnabled(!document_.isEmpty());
    menu.addAction(tr("Fit"), this, &ClusterCanvas::fit);
}

void ClusterCanvas::addSuppositions(QMenu& menu) {
    if (document_.isEmpty()) return;
    const ClusterSelection& chosen = look_.selection;
    const auto hosts = std::count_if(chosen.nodes.begin(), chosen.nodes.end(), [this](const std::string& id) { return isHost(id); });
    const bool anySwitch = hosts < static_cast<std::ptrdiff_t>(chosen.nodes.size());
    const bool anyLink = !chosen.links.empty();
    const auto add = [&](const QString& text, auto slot) { return menu.addAction(text, this, slot); };
    if (anyLink || anySwitch) {
        add(tr("Half the bandwidth"), [this] { degradeSelection(0.5); });
        add(tr("Degrade to…"), [this] { askDegrade(); });
        add(tr("Take down"), [this] { takeSelectionDown(); });
    }
    if (hosts > 0) {
        add(tr("Straggler…"), [this] { askStraggler(); });
        if (chosen.nodes.size() == 1) {
            add(tr("Slow NIC…"), [this] { askSlowNic(); })->setEnabled(!linksOfChosenHost().empty());
            add(tr("Second job's traffic from here…"), [this] { askTraffic(); })->setEnabled(document_.nodes().size() > 1);
        } else if (chosen.nodes.size() == 2 && hosts == 2) {
            add(tr("Second job's traffic between these…"), [this] { askTraffic(); });
        }
    }
    if (!chosen.empty()) {
        add(tr("Restore"), [this] { restoreSelection(); })->setEnabled(!editor().restore(chosen).empty());
        return;
    }
    add(tr("Jitter…"), [this] { askJitter(); });
    add(tr("Restore everything"), &ClusterCanvas::restoreEverything)->setEnabled(!whatIfs_.empty());
}

void ClusterCanvas::addReplacements(QMenu& menu) {
    const std::set<std::string>& chosen = look_.selection.nodes;
    if (chosen.empty() || !std::all_of(chosen.begin(), chosen.end(), [this](const std::string& id) { return isHost(id); })) return;
    QMenu* platforms = menu.addMenu(tr("Replace by"));
    for (const Platform& platform : catalog_.platforms()) {
        if (platform.generated) continue;
        platforms->addAction(QString::fromStdString(platform.name).replace(u'&', QStringLiteral("&&")), this, [this, &platform] {
            request(tr("Replace by %1").arg(QString::fromStdString(platform.name)), replacePlatform(scenario_, look_.selection.nodes, platform, catalog_));
        });
    }
}

bool ClusterCanvas::isHost(const std::string& id) const {
    const int node = document_.indexOf(id);
    return node >= 0 && document_.nodes()[static_cast<std::size_t>(node)].isHost();
}

ClusterSelection ClusterCanvas::degradable() const {
    ClusterSelection what = look_.selection;
    std::erase_if(what.nodes, [this](const std::string& id) { return document_.indexOf(id) < 0 || isHost(id); });
    std::erase_if(what.links, [this](const LinkKey& key) { return !document_.contains(key); });
    return what;
}

QString ClusterCanvas::degradableText() const {
    const ClusterSelection what = degradable();
    const std::size_t count = what.nodes.size() + what.links.size();
    if (count != 1) return tr("%1 links and switches").arg(grouped(static_cast<double>(count)));
    if (!what.nodes.empty()) return document_.titleOf(*what.nodes.begin());
    return document_.titleOf(what.links.begin()->from) + QStringLiteral(" – ") + document_.titleOf(what.links.begin()->to);
}

void ClusterCanvas::degradeSelection(double factor) {
    request(tr("Degrade %1 to %2").arg(degradableText(), readablePercent(factor).text()), editor().degrade(degradable(), factor));
}

void ClusterCanvas::takeSelectionDown() { request(tr("Take down %1").arg(degradableText()), editor().takeDown(degradable())); }

void ClusterCanvas::restoreSelection() { request(tr("Restore what is selected"), editor().restore(look_.selection)); }

void ClusterCanvas::askDegrade() {
    auto* dialog = new WhatIfDialog(tr("Degrade"), tr("What is left of the bandwidth of %1, in both directions.").arg(degradableText()), this);
    QDoubleSpinBox* left = dialog->addNumber(QStringLiteral("left"), tr("Bandwidth left"), tr("%"), {0.1, 100, 50, 1});
    connect(dialog, &QDialog::accepted, this, [this, left] { degradeSelection(left->value() / 100); });
    dialog->open();
}

void ClusterCanvas::askStraggler() {
    std::set<std::string> hosts;
    int replicas = 1;
    for (const std::string& id : look_.selection.nodes)
        if (isHost(id)) {
            hosts.insert(id);
            replicas = std::max(replicas, document_.nodes()[static_cast<std::size_t>(document_.indexOf(id))].replicas);
        }
    if (hosts.empty()) return;
    const QString who = hosts.size() == 1 ? document_.titleOf(*hosts.begin()) : tr("%1 hosts").arg(grouped(static_cast<double>(hosts.size())));
    auto* dialog = new WhatIfDialog(tr("Straggler"), tr("How much longer everything takes that %1 computes.").arg(who), this);
    QDoubleSpinBox* slowdown = dialog->addNumber(QStringLiteral("slowdown"), tr("Takes"), tr("× as long"), {1, 100, 1.3, 2});
    QDoubleSpinBox* which = nullptr;
    if (hosts.size() == 1 && replicas > 1) {
        which = dialog->addNumber(QStringLiteral("replica"), tr("Which of the stack"), {}, {-1, replicas - 1.0, 0, 0});
        which->setSpecialValueText(tr("all of them"));
    }
    connect(dialog, &QDialog::accepted, this, [this, hosts, who, slowdown, which] {
        const int replica = which ? static_cast<int>(which->value()) : -1;
        request(tr("Let %1 straggle").arg(who), editor().straggler(hosts, replica, slowdown->value()));
    });
    dialog->open();
}

std::vector<LinkKey> ClusterCanvas::linksOfChosenHost() const {
    std::vector<LinkKey> found;
    if (look_.selection.nodes.size() != 1) return found;
    const int host = document_.indexOf(*look_.selection.nodes.begin());
    for (const DrawnLink& link : document_.links())
        if (link.from == host || link.to == host) found.push_back(document_.keyOf(link));
    return found;
}

void ClusterCanvas::askSlowNic() {
    const std::vector<LinkKey> links = linksOfChosenHost();
    if (links.empty()) return;
    const std::string host = *look_.selection.nodes.begin();
    const DrawnNode& node = document_.nodes()[static_cast<std::size_t>(document_.indexOf(host))];
    auto* dialog = new WhatIfDialog(tr("Slow NIC"), tr("What is left of the bandwidth of one network interface of %1.").arg(document_.titleOf(host)), this);
    QStringList ends;
    int most = 1;
    for (const LinkKey& key : links) {
        const DrawnLink& link = *document_.find(key);
        const QString other = document_.titleOf(key.from == host ? key.to : key.from);
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
        const int count = document_.find(key) ? document_.find(key)->count : 1;
        const int cable = nic && count > 1 ? std::min(static_cast<int>(nic->value()), count - 1) : count > 1 ? 0 : -1;
        request(tr("Slow a NIC of %1").arg(document_.titleOf(host)),
                editor().slowNic(key, cable, which ? static_cast<int>(which->value()) : -1, left->value() / 100));
    });
    dialog->open();
}

void ClusterCanvas::askTraffic() {
    if (look_.selection.nodes.empty()) return;
    const std::string from = *look_.selection.nodes.begin();
    const std::string second = look_.selection.nodes.size() == 2 ? *std::next(look_.selection.nodes.begin()) : std::string();
    auto* dialog = new WhatIfDialog(tr("Second job's traffic"),
                                    tr("What another job sends from %1 all the time. The links share their bandwidth with it.").arg(document_.titleOf(from)), this);
    QStringList others;
    int current = 0;
    for (const DrawnNode& node : document_.nodes()) {
        if (node.id == from) continue;
        if (node.id == second) current = static_cast<int>(others.size());
        others << idText(node.id);
    }
    QComboBox* to = dialog->addChoice(QStringLiteral("to"), tr("To"), others, current);
    QDoubleSpinBox* rate = dialog->addNumber(QStringLiteral("bandwidth"), tr("Asks for"), tr("GB/s"), {0.01, 1e6, 25, 2});
    QLineEdit* name = dialog->addText(QStringLiteral("name"), tr("Name"), tr("job %1").arg(look_.arrows.size() + 2));
    connect(dialog, &QDialog::accepted, this, [this, from, to, rate, name] {
        request(tr("Add traffic from %1").arg(document_.titleOf(from)),
                editor().traffic(name->text().trimmed().toStdString(), from, to->currentText().toStdString(), rate->value()));
    });
    dialog->open();
}

void ClusterCanvas::askJitter() {
    const Json::json_pointer path(jitterPointer);
    const Json now = scenario_.is_object() && scenario_.contains(path) ? scenario_.at(path) : Json();
    const double sigma = jitterSigma(now);
    const double seed = now.is_object() && now.contains("seed") && now["seed"].is_number() ? now["seed"].get<double>() : 1;
    auto* dialog = new WhatIfDialog(tr("Jitter"), tr("How much the times of equal work vary from one to the next; 0 for not at all."), this);
    QDoubleSpinBox* spread = dialog->addNumber(QStringLiteral("sigma"), tr("Standard deviation"), tr("%"), {0, 100, sigma > 0 ? sigma * 100 : 3, 1});
    QDoubleSpinBox* start = dialog->addNumber(QStringLiteral("seed"), tr("Seed"), {}, {0, 1e9, seed, 0});
    connect(dialog, &QDialog::accepted, this, [this, spread, start] {
        request(tr("Change jitter"), editor().jitter(spread->value() / 100, static_cast<int>(start->value())));
    });
    dialog->open();
}

} // namespace orrery
