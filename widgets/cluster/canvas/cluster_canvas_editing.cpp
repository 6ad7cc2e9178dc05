// What ClusterCanvas asks to be edited: clipboard, placing, connecting, moving by keys.

#include "core/base/json.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_fragment.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QToolButton>

#include <algorithm>

namespace orrery {

bool ClusterCanvas::hasClipboard() const {
    const QMimeData* mime = QGuiApplication::clipboard()->mimeData();
    return mime && mime->hasFormat(fragmentMimeType);
}

void ClusterCanvas::copySelection() {
    commitNudge();
    const Json fragment = document_.fragment(look_.selection);
    if (fragment["topology"]["nodes"].empty()) return;
    auto* mime = new QMimeData;
    mime->setData(fragmentMimeType, fragmentBytes(fragment));
    mime->setText(QString::fromStdString(fragment.dump(2))); // so that it can be pasted into an editor
    QGuiApplication::clipboard()->setMimeData(mime);
}

void ClusterCanvas::cutSelection() {
    copySelection();
    deleteSelection();
}

void ClusterCanvas::paste() {
    const QMimeData* mime = QGuiApplication::clipboard()->mimeData();
    if (!mime) return;
    const bool own = mime->hasFormat(fragmentMimeType);
    const std::optional<Json> fragment = readFragment(own ? mime->data(fragmentMimeType) : mime->text().toUtf8());
    if (!fragment) return shared_.setHint(tr("Nothing to paste: the clipboard holds no piece of a cluster"));
    commitNudge();
    // Under the mouse where it is over the drawing, else in the middle.
    const bool over = underMouse() && drawingArea().contains(mouse_);
    const QPointF at = view_.toScene(over ? mouse_ : drawingArea().center());
    std::vector<std::string> ids;
    std::vector<ScenarioEdit> edits = document_.insert(*fragment, document_.freePlace(*fragment, snapped(at)), &ids);
    selectOnly(ids);
    request(ids.size() == 1 ? tr("Paste %1").arg(QString::fromStdString(ids.front()))
                            : tr("Paste %1 nodes").arg(grouped(static_cast<double>(ids.size()))),
            std::move(edits));
}

void ClusterCanvas::deleteSelection() {
    commitNudge();
    const std::size_t nodes = look_.selection.nodes.size(), links = look_.selection.links.size();
    std::vector<ScenarioEdit> edits = document_.remove(look_.selection);
    if (!document_.isShortForm()) {
        const std::vector<ScenarioEdit> following = editor().afterRemoval(look_.selection);
        edits.insert(edits.end(), following.begin(), following.end());
    }
    QString text;
    if (nodes == 1) text = tr("Delete %1").arg(document_.titleOf(*look_.selection.nodes.begin()));
    else if (nodes > 1) text = tr("Delete %1 nodes").arg(grouped(static_cast<double>(nodes)));
    else text = links == 1 ? tr("Delete a link") : tr("Delete %1 links").arg(grouped(static_cast<double>(links)));
    const bool anyLeft = std::any_of(document_.nodes().begin(), document_.nodes().end(), [this](const DrawnNode& node) {
        return node.isHost() && !look_.selection.nodes.contains(node.id);
    });
    request(text, std::move(edits));
    if (nodes > 0 && !anyLeft) shared_.setHint(tr("No host is left: place one from the palette, or undo"));
}

void ClusterCanvas::duplicate() {
    commitNudge();
    std::vector<std::string> ids;
    std::vector<ScenarioEdit> edits = document_.duplicate(look_.selection, &ids);
    if (edits.empty()) return;
    selectOnly(ids);
    request(ids.size() == 1 ? tr("Duplicate as %1").arg(QString::fromStdString(ids.front()))
                            : tr("Duplicate %1 nodes").arg(grouped(static_cast<double>(ids.size()))),
            std::move(edits));
}

void ClusterCanvas::setTool(ClusterTool tool) {
    connectButton_->setChecked(tool == ClusterTool::connect);
    connectFrom_ = -1;
    if (tool != ClusterTool::place && !armed_.is_null()) {
        armed_ = Json();
        ghostAt_.reset();
        emit placementEnded();
    }
    if (tool == tool_) return update();
    tool_ = tool;
    updateCursor();
    update();
    emit toolChanged(tool);
}

void ClusterCanvas::armPlacement(const Json& fragment, const QString& label) {
    armed_ = fragment;
    armedLabel_ = label;
    ghost_ = ClusterDocument(Json{{"cluster", {{"topology", fragment.at("topology")}}},
                                  {"view", {{"cluster", {{"positions", fragment.value("positions", Json::object())}}}}}},
                             catalog_);
    ghostGeometry_ = ClusterGeometry(ghost_);
    ghostAt_.reset();
    setTool(ClusterTool::place);
    setFocus();
}

void ClusterCanvas::placeAt(const Json& fragment, const QString& label, QPointF scene) {
    commitNudge();
    std::vector<std::string> ids;
    std::vector<ScenarioEdit> edits = document_.insert(fragment, snapped(scene), &ids);
    selectOnly(ids);
    request(tr("Add %1").arg(ids.size() == 1 ? QString::fromStdString(ids.front()) : label), std::move(edits));
}

void ClusterCanvas::cancelTool() {
    if (gesture_ == Gesture::move) {
        dragOffset_ = {};
        guides_.clear();
        relayout();
    }
    if (gesture_ == Gesture::rubber_band) setSelection(beforeBand_);
    gesture_ = Gesture::none;
    if (tool_ != ClusterTool::select && connectFrom_ >= 0) connectFrom_ = -1; // first the pending end, then the tool
    else if (tool_ != ClusterTool::select) setTool(ClusterTool::select);
    update();
}

void ClusterCanvas::connectNodes(int from, int to) {
    connectFrom_ = -1;
    if (from < 0 || to < 0 || from == to) return update();
    const std::string a = document_.nodes()[static_cast<std::size_t>(from)].id;
    const std::string b = document_.nodes()[static_cast<std::size_t>(to)].id;
    for (const DrawnLink& link : document_.links())
        if ((link.from == from && link.to == to) || (link.from == to && link.to == from)) {
            // More cables between the two are a number of the link, not another line over the first.
            shared_.setHint(tr("%1 and %2 are connected already: set the number of cables in the properties")
                                .arg(document_.titleOf(a), document_.titleOf(b)));
            setSelection({{}, {document_.keyOf(link)}});
            return;
        }
    std::vector<ScenarioEdit> edits = document_.connect(a, b, linkDefaults(document_, from, to, catalog_));
    look_.selection = {{}, {{a, b, 0}}};
    request(tr("Connect %1 and %2").arg(document_.titleOf(a), document_.titleOf(b)), std::move(edits));
}

void ClusterCanvas::nudge(QPointF by) {
    if (look_.selection.nodes.empty()) return;
    nudgeOffset_ += by;
    relayout();
    update();
    nudgeTimer_.start();
}

void ClusterCanvas::commitNudge() {
    nudgeTimer_.stop();
    const QPointF by = nudgeOffset_;
    if (by.isNull()) return;
    nudgeOffset_ = {};
    const std::size_t count = look_.selection.nodes.size();
    std::vector<ScenarioEdit> edits = document_.move(look_.selection.nodes, by);
    relayout();
    update();
    request(count == 1 ? tr("Move %1").arg(document_.titleOf(*look_.selection.nodes.begin()))
                       : tr("Move %1 nodes").arg(grouped(static_cast<double>(count))),
            std::move(edits));
}

} // namespace orrery
