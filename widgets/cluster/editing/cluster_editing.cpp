// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/cluster_editing.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/document/host_duties.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/fields/platform_change.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QMimeData>

#include <algorithm>

namespace orrery {

bool ClusterEditing::clipboardHasCluster() {
    const QMimeData* mime = QGuiApplication::clipboard()->mimeData();
    return mime && mime->hasFormat(fragmentMimeType);
}

void ClusterEditing::copy() const {
    const Json fragment = scene_.document.fragment(scene_.look.selection);
    if (fragment["topology"]["nodes"].empty()) return;
    auto* mime = new QMimeData;
    mime->setData(fragmentMimeType, fragmentBytes(fragment));
    mime->setText(QString::fromStdString(fragment.dump(2))); // so that it can be pasted into an editor
    QGuiApplication::clipboard()->setMimeData(mime);
}

void ClusterEditing::paste(QPointF at) {
    const QMimeData* mime = QGuiApplication::clipboard()->mimeData();
    if (!mime) return;
    const bool own = mime->hasFormat(fragmentMimeType);
    const std::optional<Json> fragment = readFragment(own ? mime->data(fragmentMimeType) : mime->text().toUtf8());
    if (!fragment) return shared_.setHint(tr("Nothing to paste: the clipboard holds no piece of a cluster"));
    std::vector<std::string> ids;
    std::vector<ScenarioEdit> edits = scene_.document.insert(*fragment, scene_.document.freePlace(*fragment, snapped(at)), &ids);
    selectOnly(ids);
    actions_.request(ids.size() == 1 ? tr("Paste %1").arg(QString::fromStdString(ids.front()))
                                     : tr("Paste %1 nodes").arg(grouped(static_cast<double>(ids.size()))),
                     std::move(edits));
}

void ClusterEditing::remove() {
    const ClusterDocument& document = scene_.document;
    const ClusterSelection& selection = scene_.look.selection;
    const std::size_t nodes = selection.nodes.size(), links = selection.links.size();
    std::vector<ScenarioEdit> edits = document.remove(selection);
    if (!document.isShortForm()) {
        const std::vector<ScenarioEdit> following = scene_.editor().afterRemoval(selection);
        edits.insert(edits.end(), following.begin(), following.end());
        const std::vector<ScenarioEdit> duties = HostDuties(scene_.scenario, document).afterRemoval(selection.nodes);
        edits.insert(edits.end(), duties.begin(), duties.end());
    }
    QString text;
    if (nodes == 1) text = tr("Delete %1").arg(document.titleOf(*selection.nodes.begin()));
    else if (nodes > 1) text = tr("Delete %1 nodes").arg(grouped(static_cast<double>(nodes)));
    else text = links == 1 ? tr("Delete a link") : tr("Delete %1 links").arg(grouped(static_cast<double>(links)));
    const bool anyLeft = std::any_of(document.nodes().begin(), document.nodes().end(), [&selection](const DrawnNode& node) {
        return node.isHost() && !selection.nodes.contains(node.id);
    });
    actions_.request(text, std::move(edits));
    if (nodes > 0 && !anyLeft) shared_.setHint(tr("No host is left: place one from the palette, or undo"));
}

void ClusterEditing::duplicate() {
    std::vector<std::string> ids;
    std::vector<ScenarioEdit> edits = scene_.document.duplicate(scene_.look.selection, &ids);
    if (edits.empty()) return;
    selectOnly(ids);
    actions_.request(ids.size() == 1 ? tr("Duplicate as %1").arg(QString::fromStdString(ids.front()))
                                     : tr("Duplicate %1 nodes").arg(grouped(static_cast<double>(ids.size()))),
                     std::move(edits));
}

void ClusterEditing::place(const Json& fragment, const QString& label, QPointF at) {
    std::vector<std::string> ids;
    std::vector<ScenarioEdit> edits = scene_.document.insert(fragment, snapped(at), &ids);
    selectOnly(ids);
    actions_.request(tr("Add %1").arg(ids.size() == 1 ? QString::fromStdString(ids.front()) : label), std::move(edits));
}

void ClusterEditing::connectNodes(int from, int to) {
    const ClusterDocument& document = scene_.document;
    const std::string a = scene_.node(from).id;
    const std::string b = scene_.node(to).id;
    for (const DrawnLink& link : document.links())
        if ((link.from == from && link.to == to) || (link.from == to && link.to == from)) {
            // More cables between the two are a number of the link, not another line over the first.
            shared_.setHint(tr("%1 and %2 are connected already: set the number of cables in the properties")
                                .arg(document.titleOf(a), document.titleOf(b)));
            return actions_.setSelection({{}, {document.keyOf(link)}});
        }
    std::vector<ScenarioEdit> edits = document.connect(a, b, linkDefaults(document, from, to, catalog_));
    scene_.look.selection = {{}, {{a, b, 0}}};
    actions_.request(tr("Connect %1 and %2").arg(document.titleOf(a), document.titleOf(b)), std::move(edits));
}

void ClusterEditing::connectAll(int hub) {
    const ClusterDocument& document = scene_.document;
    const std::set<std::string> marked = scene_.look.selection.nodes;
    std::vector<std::pair<std::string, LinkDefaults>> ends;
    for (const std::string& id : marked) {
        const int node = document.indexOf(id);
        const bool connected = std::any_of(document.links().begin(), document.links().end(), [&](const DrawnLink& link) { return (link.from == node && link.to == hub) || (link.from == hub && link.to == node); });
        if (node >= 0 && node != hub && !connected) ends.emplace_back(id, linkDefaults(document, node, hub, catalog_));
    }
    const std::string to = scene_.node(hub).id;
    if (ends.empty()) return shared_.setHint(tr("All of these are connected to %1 already").arg(document.titleOf(to)));
    actions_.request(tr("Connect %1 nodes and %2").arg(grouped(static_cast<double>(ends.size())), document.titleOf(to)), document.connect(ends, to));
}

void ClusterEditing::move(QPointF by) {
    const std::set<std::string>& nodes = scene_.look.selection.nodes;
    std::vector<ScenarioEdit> edits = scene_.document.move(nodes, by);
    const QString text = nodes.size() == 1 ? tr("Move %1").arg(scene_.document.titleOf(*nodes.begin()))
                                           : tr("Move %1 nodes").arg(grouped(static_cast<double>(nodes.size())));
    actions_.relayout(); // an application that refuses the edit leaves everything where it was
    actions_.request(text, std::move(edits));
}

void ClusterEditing::addDuties(QMenu& menu) {
    const std::set<std::string>& chosen = scene_.look.selection.nodes;
    const HostDuties duties(scene_.scenario, scene_.document);
    if (chosen.empty() || !duties.canBeGiven() || !std::all_of(chosen.begin(), chosen.end(), [this](const std::string& id) { return scene_.isHost(id); })) return;
    QMenu* serves = menu.addMenu(tr("Serves"));
    for (const auto& [text, pool] : {std::pair(tr("Prompts (prefill)"), std::string("prefill")), std::pair(tr("Answers (decode)"), std::string("decode")), std::pair(tr("Both, on one engine"), std::string())}) {
        QAction* action = serves->addAction(text, serves, [this, text = text, pool = pool] {
            actions_.request(tr("Serve: %1").arg(text.toLower()), HostDuties(scene_.scenario, scene_.document).toPool(scene_.look.selection.nodes, pool));
        });
        action->setCheckable(true);
        action->setChecked(std::all_of(chosen.begin(), chosen.end(), [&, &pool = pool](const std::string& id) { return duties.poolOf(id) == pool; }));
    }
    if (std::any_of(chosen.begin(), chosen.end(), [&](const std::string& id) { return !duties.jobOf(id).empty(); }))
        menu.addAction(tr("Without the job beside"), &menu, [this] {
            actions_.request(tr("Take the job beside off"), HostDuties(scene_.scenario, scene_.document).toJob(scene_.look.selection.nodes, {}));
        });
}

void ClusterEditing::addReplacements(QMenu& menu) {
    const std::set<std::string>& chosen = scene_.look.selection.nodes;
    if (chosen.empty() || !std::all_of(chosen.begin(), chosen.end(), [this](const std::string& id) { return scene_.isHost(id); })) return;
    QMenu* platforms = menu.addMenu(tr("Replace by"));
    for (const Platform& platform : catalog_.platforms()) {
        if (platform.generated) continue;
        platforms->addAction(QString::fromStdString(platform.name).replace(u'&', QStringLiteral("&&")), platforms, [this, &platform] {
            actions_.request(tr("Replace by %1").arg(QString::fromStdString(platform.name)),
                             replacePlatform(scene_.scenario, scene_.look.selection.nodes, platform, catalog_));
        });
    }
}

void ClusterEditing::selectOnly(const std::vector<std::string>& ids) { scene_.look.selection = {{ids.begin(), ids.end()}, {}}; }

} // namespace orrery
