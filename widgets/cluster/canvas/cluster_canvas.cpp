// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"

#include <QMenu>
#include <QPaintEvent>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace orrery {
namespace {

constexpr double fitMargin = 20; ///< px

} // namespace

ClusterCanvas::ClusterCanvas(const Theme& theme, Selection& shared, const Catalog& catalog, QWidget* parent)
    : QWidget(parent), theme_(theme), shared_(shared), catalog_(catalog),
      parts_(std::make_unique<CanvasParts>(scene_, theme, shared, catalog, asActions(), *this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAcceptDrops(true);
    setAccessibleName(tr("Cluster drawing"));
    buildHeader();
    buildWhatIfList();

    ClusterLook& look = scene_.look;
    look.hostLabel = [this](const DrawnNode& node) {
        return QString::number(node.count) + QStringLiteral(" × ") + shortAcceleratorName(node.accelerator, catalog_);
    };
    look.fabricLabel = [this](const DrawnNode& node) { return scaleUpName(node, catalog_); };
    look.rankColour = [this](int rank) { return parts_->stages.rankColour(rank); };
    look.groupLabel = [this](int first, int last) { return parts_->stages.groupLabel(first, last); };

    connect(&parts_->traffic, &TrafficOverlay::changed, this, &ClusterCanvas::redraw);
    connect(&parts_->traffic, &TrafficOverlay::mapped, this, &ClusterCanvas::fitUnlessUsers);
    connect(&theme_, &Theme::changed, this, &ClusterCanvas::redraw);
    connect(&shared_, &Selection::stageChanged, this, &ClusterCanvas::redraw);
    setDocument(Json::object());
}

ClusterCanvas::~ClusterCanvas() = default;

void ClusterCanvas::buildHeader() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    header_ = new PanelHeader(theme_, tr("Cluster"), this);
    const auto button = [this](const QString& text, const QString& tip, auto slot) {
        auto* tool = new QToolButton(header_);
        tool->setText(text);
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        tool->setAutoRaise(true);
        tool->setFocusPolicy(Qt::TabFocus);
        connect(tool, &QToolButton::clicked, this, slot);
        header_->tools()->addWidget(tool);
        return tool;
    };
    connectButton_ = button(tr("Connect"), tr("Connect nodes: drag from one to the other, or click both; marked nodes are connected together"), [this] {
        setTool(connectButton_->isChecked() ? ClusterTool::connect : ClusterTool::select);
        setFocus();
    });
    connectButton_->setCheckable(true);
    header_->tools()->addWidget(parts_->traffic.makeButton(header_));
    button(QStringLiteral("−"), tr("Zoom out"), &ClusterCanvas::zoomOut);
    button(tr("Fit"), tr("Show the whole cluster"), &ClusterCanvas::fit);
    button(QStringLiteral("+"), tr("Zoom in"), &ClusterCanvas::zoomIn);
    column->addWidget(header_);
    column->addStretch(1);
}

void ClusterCanvas::buildWhatIfList() {
    WhatIfList* list = parts_->whatIfs.makeList(theme_);
    connect(list, &WhatIfList::chosen, this, [this](int index) {
        if (const WhatIf* one = parts_->whatIfs.at(index)) reveal(scene_.marked(one->nodes, one->links));
    });
    connect(list, &WhatIfList::removed, &parts_->whatIfActions, &WhatIfActions::takeBack);
    connect(list, &WhatIfList::allRemoved, &parts_->whatIfActions, &WhatIfActions::restoreEverything);
    connect(list, &WhatIfList::resized, this, [this] {
        parts_->whatIfs.place();
        fitUnlessUsers();
    });
}

QRectF ClusterCanvas::drawingArea() const {
    return QRectF(0, PanelHeader::lineHeight, width(), height() - PanelHeader::lineHeight);
}

void ClusterCanvas::setDocument(const Json& scenario) {
    const ClusterDocument previous = std::move(scene_.document);
    scene_.scenario = scenario;
    scene_.document = ClusterDocument(scenario, catalog_);
    scene_.names = NodeNames(scene_.document, catalog_);
    parts_->whatIfs.takeDocument();
    parts_->nudge.forget();
    parts_->link.cancel();
    if (gesture_ && gesture_->endsWithDocument()) gesture_.reset();
    scene_.look.hoveredNode = scene_.look.hoveredLink = -1;
    relayout();
    scene_.markProblems();
    parts_->traffic.takeDocument();

    // Another cluster altogether, or the first platform on an empty canvas, is shown whole; an edit leaves the view alone.
    const ClusterDocument& now = scene_.document;
    const bool shared = std::any_of(now.nodes().begin(), now.nodes().end(),
                                    [&previous](const DrawnNode& node) { return previous.indexOf(node.id) >= 0; });
    if (!now.isEmpty() && !shared && (!previous.isEmpty() || now.nodes().size() > 1)) fit();
    else if (now.isEmpty() && previous.isEmpty()) fitUnlessUsers();

    scene_.keepSelectionThatExists();
    header_->setSubtitle(now.isEmpty() ? QString() : clusterSummary(now, catalog_));
    changed();
}

void ClusterCanvas::relayout() {
    scene_.layOut(parts_->nudge.offset() + (gesture_ ? gesture_->offset() : QPointF()));
    redraw();
}

void ClusterCanvas::redraw() {
    drawing_ = {};
    update();
}

void ClusterCanvas::changed() {
    redraw();
    emit selectionChanged(scene_.look.selection);
}

void ClusterCanvas::request(const QString& undoText, std::vector<ScenarioEdit> edits) {
    if (edits.empty()) return;
    scene_.editor().follow(edits);
    emit editRequested(undoText, edits);
}

void ClusterCanvas::setProblems(const Problems& problems) {
    scene_.problems = problems;
    scene_.markProblems();
    redraw();
}

void ClusterCanvas::setResult(const ResultPtr& result) {
    parts_->stages.setResult(result);
    fitUnlessUsers(); // the legend takes its room
    redraw();
}

void ClusterCanvas::setRankColours(const std::vector<QColor>& colours) {
    parts_->stages.setColours(colours);
    redraw();
}

void ClusterCanvas::setTraffic(NetworkTraffic* traffic) { parts_->traffic.setTraffic(traffic); }

void ClusterCanvas::setSelection(const ClusterSelection& selection) {
    if (selection == scene_.look.selection) return;
    parts_->nudge.commit();
    scene_.look.selection = selection;
    changed();
}

void ClusterCanvas::selectAll() {
    parts_->nudge.commit();
    scene_.look.selection = scene_.everything();
    changed();
}

void ClusterCanvas::chooseReported(int link) {
    const DrawnTraffic& drawn = parts_->traffic.drawn();
    if (drawn.isEmpty()) return;
    reveal(link < 0 ? CanvasScene::Marked() : scene_.marked(drawn.nodesOf(link), drawn.linksOf(link)));
}

std::vector<int> ClusterCanvas::chosenReported() const { return parts_->traffic.selectedReported(); }

const std::vector<WhatIf>& ClusterCanvas::whatIfs() const { return parts_->whatIfs.all(); }

WhatIfActions& ClusterCanvas::whatIfActions() { return parts_->whatIfActions; }

QString ClusterCanvas::describe(QPointF point) const {
    return drawingArea().contains(point) ? parts_->description.at(point) : QString();
}

// What the view shows.

void ClusterCanvas::fit() {
    viewIsUsers_ = false;
    const QRectF area = drawingArea().adjusted(fitMargin, 6, -fitMargin, -fitMargin - parts_->legend.height());
    if (area.width() < 10 || area.height() < 10) return;
    const QRectF drawn = scene_.geometry.bounds();
    CanvasView& view = scene_.view;
    if (drawn.isEmpty()) {
        view = {1, area.center()};
    } else {
        view.fitInto(area, drawn);
        const double covered = parts_->whatIfs.widthBeside(view.toWidget(drawn));
        if (covered > 0 && covered < area.width() / 2) view.fitInto(area.adjusted(0, 0, -covered, 0), drawn);
    }
    redraw();
}

void ClusterCanvas::fitUnlessUsers() {
    if (!viewIsUsers_) fit();
}

void ClusterCanvas::zoom(QPointF fixed, double factor) {
    viewIsUsers_ = true;
    scene_.view.zoomAbout(fixed, factor);
    redraw();
}

void ClusterCanvas::zoomIn() { zoom(drawingArea().center(), 1.25); }

void ClusterCanvas::zoomOut() { zoom(drawingArea().center(), 0.8); }

void ClusterCanvas::moveView(QPointF by) {
    viewIsUsers_ = true;
    scene_.view.origin += by;
    redraw();
}

void ClusterCanvas::reveal(const CanvasScene::Marked& marked) {
    setSelection(marked.selection);
    if (marked.where.isNull()) return;
    const QRectF shown = scene_.view.toWidget(marked.where);
    if (!drawingArea().contains(shown)) moveView(drawingArea().center() - shown.center());
}

void ClusterCanvas::goTo(const std::string& pointer) {
    parts_->nudge.commit();
    const int node = scene_.document.nodeBelow(pointer), link = scene_.document.linkBelow(pointer);
    if (node < 0 && link < 0) return fit();
    // Centred even when in sight already: that is what the eye was told to look for.
    viewIsUsers_ = true;
    scene_.view.zoom = std::max(scene_.view.zoom, 0.7);
    scene_.look.selection = node >= 0 ? scene_.marked({node}, {}).selection : scene_.marked({}, {link}).selection;
    scene_.view.put(node >= 0 ? scene_.card(node).center() : scene_.curve(link).at(0.5), drawingArea().center());
    setFocus();
    changed();
}

// What is edited.

bool ClusterCanvas::hasClipboard() const { return ClusterEditing::clipboardHasCluster(); }

void ClusterCanvas::copySelection() {
    parts_->nudge.commit();
    parts_->editing.copy();
}

void ClusterCanvas::cutSelection() {
    copySelection();
    deleteSelection();
}

void ClusterCanvas::paste() {
    parts_->nudge.commit();
    // Under the mouse where it is over the drawing, else in the middle.
    const bool over = underMouse() && drawingArea().contains(scene_.mouse);
    parts_->editing.paste(scene_.view.toScene(over ? scene_.mouse : drawingArea().center()));
    showMarked();
}

/// What an edit has marked is seen: the view moves no more than it takes, and shows everything where it can't hold that.
void ClusterCanvas::showMarked() {
    QRectF marked;
    for (const std::string& id : selection().nodes)
        if (const int node = document().indexOf(id); node >= 0) marked |= scene_.card(node);
    if (marked.isNull()) return;
    constexpr double air = 12; // px
    const QRectF room = drawingArea().adjusted(air, air, -air, -air), shown = scene_.view.toWidget(marked);
    if (room.contains(shown)) return;
    if (shown.width() > room.width() || shown.height() > room.height()) return fit();
    const auto into = [](double low, double high, double least, double most) { return low < least ? least - low : high > most ? most - high
                                                                                                                              : 0.0; };
    moveView({into(shown.left(), shown.right(), room.left(), room.right()), into(shown.top(), shown.bottom(), room.top(), room.bottom())});
}

void ClusterCanvas::deleteSelection() {
    parts_->nudge.commit();
    parts_->editing.remove();
}

void ClusterCanvas::duplicate() {
    parts_->nudge.commit();
    parts_->editing.duplicate();
    showMarked();
}

void ClusterCanvas::placeAt(const Json& fragment, const QString& label, QPointF scene) {
    parts_->nudge.commit();
    parts_->editing.place(fragment, label, scene);
}

void ClusterCanvas::degradeSelection(double factor) { parts_->whatIfActions.degrade(factor); }

void ClusterCanvas::takeSelectionDown() { parts_->whatIfActions.takeDown(); }

void ClusterCanvas::restoreEverything() { parts_->whatIfActions.restoreEverything(); }

void ClusterCanvas::fillMenu(QMenu& menu) {
    parts_->whatIfActions.addTo(menu);
    parts_->editing.addReplacements(menu);
    parts_->editing.addDuties(menu);
    if (!menu.isEmpty()) menu.addSeparator();
    if (!actions().isEmpty()) {
        menu.addActions(actions());
        return;
    }
    const bool some = !selection().empty(), nodes = !selection().nodes.empty();
    menu.addAction(tr("Copy"), this, &ClusterCanvas::copySelection)->setEnabled(nodes);
    menu.addAction(tr("Paste"), this, &ClusterCanvas::paste)->setEnabled(hasClipboard());
    menu.addAction(tr("Duplicate"), this, &ClusterCanvas::duplicate)->setEnabled(nodes);
    menu.addAction(tr("Delete"), this, &ClusterCanvas::deleteSelection)->setEnabled(some);
    menu.addSeparator();
    menu.addAction(tr("Select all"), this, &ClusterCanvas::selectAll)->setEnabled(!document().isEmpty());
    menu.addAction(tr("Fit"), this, &ClusterCanvas::fit);
}

// What ClusterCanvas paints, on screen and for export.

void ClusterCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF area = drawingArea();
    if (document().isEmpty() && !parts_->placement.isShown()) {
        painter.fillRect(rect(), theme_.colors().panel);
        drawEmptyState(painter, area, theme_, tr("The cluster: its hosts, its switches, and how they are connected"),
                       tr("Place a host from the palette, or drop a platform"));
        return paintOverlay(painter);
    }
    const double ratio = devicePixelRatioF();
    if (drawing_.isNull() || drawing_.size() != size() * ratio || drawing_.devicePixelRatio() != ratio) paintDrawing();
    painter.drawPixmap(0, 0, drawing_);
    painter.setClipRect(area);
    paintOverlay(painter);
}

void ClusterCanvas::paintDrawing() {
    drawing_ = QPixmap(size() * devicePixelRatioF());
    drawing_.setDevicePixelRatio(devicePixelRatioF());
    drawing_.fill(theme_.colors().panel);
    const QRectF area = drawingArea();
    QPainter painter(&drawing_);
    painter.setClipRect(area);
    painter.save();
    painter.translate(view().origin);
    painter.scale(view().zoom, view().zoom);
    paintCluster(painter, document(), scene_.geometry, look(), theme_, view().zoom, view().toScene(area));
    painter.restore();
    parts_->legend.paint(painter, area);
}

void ClusterCanvas::paintOverlay(QPainter& painter) const {
    const ThemeColors& colours = theme_.colors();
    painter.setRenderHint(QPainter::Antialiasing);
    if (gesture_) gesture_->paint(painter, colours);
    if (parts_->link.isPending()) parts_->link.paint(painter, colours);
    else if (tool_ == ClusterTool::select && !gesture_) parts_->link.paintHandles(painter, colours);
    if (tool_ == ClusterTool::place) parts_->placement.paint(painter, theme_);
    if (hasFocus() && focusByKey_ && selection().empty()) {
        painter.setPen(QPen(colours.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(drawingArea().adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

ChartHeading ClusterCanvas::heading() const { return {tr("Cluster"), document().isEmpty() ? QString() : clusterSummary(document(), catalog_)}; }

QString ClusterCanvas::whyNothing() const { return document().isEmpty() ? tr("The cluster is empty: place a host from the palette, or drop a platform.") : QString(); }

void ClusterCanvas::renderBody(QPainter& painter, const QRectF& body) const {
    if (document().isEmpty()) return drawEmptyState(painter, body, theme_, tr("The cluster is empty"), {});
    const QRectF room = body.adjusted(20, 6, -20, -20 - parts_->legend.height());
    const QRectF scene = scene_.geometry.bounds();
    const double zoom = std::min({room.width() / scene.width(), room.height() / scene.height(), 1.5});
    ClusterLook shown = look();
    shown.selection = {};
    shown.hoveredNode = shown.hoveredLink = -1;
    painter.save();
    painter.translate(room.center() - zoom * scene.center());
    painter.scale(zoom, zoom);
    paintCluster(painter, document(), scene_.geometry, shown, theme_, zoom, scene.adjusted(-50, -50, 50, 50));
    painter.restore();
    parts_->legend.paint(painter, body);
}

QString ClusterCanvas::exportName() const { return QStringLiteral("cluster"); }

QByteArray ClusterCanvas::csv() const { return clusterCsv(document()); }

} // namespace orrery
