// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that draw: what they place is what the palette places.

#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/window/main_window.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/editing/what_if_actions.hpp"
#include "widgets/cluster/palette/palette_items.hpp"

namespace orrery {

void MainWindow::addClusterCommands() {
    commands_.addMenu({"cluster", {}, tr("&Cluster")});
    commands_.addMenu({"cluster.host", "cluster", tr("Place &host")});
    commands_.addMenu({"cluster.switch", "cluster", tr("Place &switch")});
    commands_.addMenu({"cluster.platform", "cluster", tr("Place a whole &platform")});
    ClusterCanvas* canvas = views_->cluster();

    commands_.add({"cluster.draw", "cluster", tr("&Draw"), {QKeySequence("Ctrl+Shift+L")}, [this] { views_->setDrawing(!views_->isDrawing()); }, {}, [this] { return views_->isDrawing(); }, {}, false});
    const QHash<QString, QKeySequence> keys = {{"host:dgx-h100", QKeySequence("Ctrl+Shift+H")},
                                               {"switch:leaf", QKeySequence("Ctrl+Shift+W")}};
    for (const PaletteItem& item : paletteItems(catalog_)) {
        const QString menu = item.group == PaletteGroup::host      ? QStringLiteral("cluster.host")
                             : item.group == PaletteGroup::switch_ ? QStringLiteral("cluster.switch")
                                                                   : QStringLiteral("cluster.platform");
        const QString name = item.number > 1 ? QStringLiteral("%1 × %2").arg(item.number).arg(item.label) : item.label;
        const QString text = item.detail.isEmpty() ? name : tr("%1, %2").arg(name, item.detail);
        const QKeySequence key = keys.value(item.key);
        commands_.add({"cluster.place." + item.key, menu, QString(text).replace(u'&', QStringLiteral("&&")), key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key}, [this, canvas, item, name] {
                           layout_->reveal("cluster", "draw");
                           canvas->armPlacement(item.make(std::max(1, item.number)), name);
                           canvas->setFocus();
                       },
                       {},
                       {},
                       {},
                       false});
    }
    commands_.add({"cluster.connect", "cluster", tr("&Connect"), {QKeySequence("Ctrl+L")}, [canvas] {
                       canvas->setTool(canvas->tool() == ClusterTool::connect ? ClusterTool::select : ClusterTool::connect);
                       canvas->setFocus(); }, {}, [canvas] { return canvas->tool() == ClusterTool::connect; }, {}, true});
    addWhatIfCommands();
}

void MainWindow::addWhatIfCommands() {
    ClusterCanvas* canvas = views_->cluster();
    WhatIfActions* actions = &canvas->whatIfActions();
    commands_.addMenu({"cluster.what_if", "cluster", tr("&What if")});
    const auto chosen = [canvas] { return !canvas->selection().empty(); };
    const auto links = [actions] { return !actions->degradable().empty(); };
    const auto aHost = [canvas] {
        const auto& nodes = canvas->selection().nodes;
        const int node = nodes.empty() ? -1 : canvas->document().indexOf(*nodes.begin());
        return node >= 0 && canvas->document().nodes()[static_cast<std::size_t>(node)].isHost();
    };
    const auto add = [this](const char* id, const QString& text, std::function<void()> run, std::function<bool()> enabled, bool separated = false) {
        commands_.add({QStringLiteral("cluster.what_if.") + QLatin1String(id), "cluster.what_if", text, {}, std::move(run), std::move(enabled), {}, {}, separated});
    };
    add(
        "half", tr("&Half the bandwidth of what is selected"), [actions] { actions->degrade(0.5); }, links);
    add(
        "degrade", tr("&Degrade what is selected…"), [actions] { actions->askDegrade(); }, links);
    add(
        "down", tr("&Take down what is selected"), [actions] { actions->takeDown(); }, links);
    add(
        "straggler", tr("&Straggler…"), [actions] { actions->askStraggler(); }, aHost, true);
    add(
        "nic", tr("Slow &NIC…"), [actions] { actions->askSlowNic(); }, aHost);
    add(
        "traffic", tr("Second job's traf&fic…"), [actions] { actions->askTraffic(); }, aHost);
    add("jitter", tr("&Jitter…"), [actions] { actions->askJitter(); }, {});
    add(
        "restore", tr("&Restore what is selected"), [actions] { actions->restore(); }, chosen, true);
    add(
        "restore_all", tr("Restore &everything"), [actions] { actions->restoreEverything(); }, [canvas] { return !canvas->whatIfs().empty(); });
}

} // namespace orrery
