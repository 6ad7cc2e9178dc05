// Commands that draw: what they place is what the palette places.

#include "app/desktop/main_window.hpp"
#include "app/desktop/window_layout.hpp"
#include "app/desktop/window_views.hpp"
#include "widgets/cluster/cluster_canvas.hpp"
#include "widgets/cluster/palette_items.hpp"

namespace orrery {

void MainWindow::addClusterCommands() {
    commands_.addMenu({"cluster", {}, tr("&Cluster")});
    commands_.addMenu({"cluster.host", "cluster", tr("Place &host")});
    commands_.addMenu({"cluster.switch", "cluster", tr("Place &switch")});
    commands_.addMenu({"cluster.platform", "cluster", tr("Place a whole &platform")});
    ClusterCanvas* canvas = views_->cluster();

    commands_.add({"cluster.draw", "cluster", tr("&Draw"), {QKeySequence("Ctrl+Shift+L")},
                   [this] { views_->setDrawing(!views_->isDrawing()); }, {}, [this] { return views_->isDrawing(); }, {}, false});
    const QHash<QString, QKeySequence> keys = {{"host:dgx-h100", QKeySequence("Ctrl+Shift+H")},
                                               {"switch:leaf", QKeySequence("Ctrl+Shift+W")}};
    for (const PaletteItem& item : paletteItems(catalog_)) {
        const QString menu = item.group == PaletteGroup::host      ? QStringLiteral("cluster.host")
                             : item.group == PaletteGroup::switch_ ? QStringLiteral("cluster.switch")
                                                                   : QStringLiteral("cluster.platform");
        const QString name = item.number > 1 ? QStringLiteral("%1 × %2").arg(item.number).arg(item.label) : item.label;
        const QString text = item.detail.isEmpty() ? name : tr("%1, %2").arg(name, item.detail);
        const QKeySequence key = keys.value(item.key);
        commands_.add({"cluster.place." + item.key, menu, QString(text).replace(u'&', QStringLiteral("&&")),
                       key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key},
                       [this, canvas, item, name] {
                           layout_->setPanelShown("cluster", true);
                           canvas->armPlacement(item.make(std::max(1, item.number)), name);
                           canvas->setFocus();
                       },
                       {}, {}, {}, false});
    }
    commands_.add({"cluster.connect", "cluster", tr("&Connect"), {QKeySequence("Ctrl+L")},
                   [canvas] {
                       canvas->setTool(canvas->tool() == ClusterTool::connect ? ClusterTool::select : ClusterTool::connect);
                       canvas->setFocus();
                   },
                   {}, [canvas] { return canvas->tool() == ClusterTool::connect; }, {}, true});
}

} // namespace orrery
