#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QPainter>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

constexpr double leastZoom = 0.04;
constexpr double mostZoom = 4;
constexpr double mostFitZoom = 1.25; ///< a single host does not fill the window
constexpr double fitMargin = 20;     ///< px

} // namespace

void CanvasView::zoomAbout(QPointF fixed, double factor) {
    const QPointF scene = toScene(fixed);
    zoom = std::clamp(zoom * factor, leastZoom, mostZoom);
    origin = fixed - zoom * scene;
}

ClusterCanvas::ClusterCanvas(const Theme& theme, Selection& shared, const Catalog& catalog, QWidget* parent)
    : QWidget(parent), theme_(theme), shared_(shared), catalog_(catalog) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAcceptDrops(true);
    setAccessibleName(tr("Cluster drawing"));
    buildHeader();

    look_.hostLabel = [this](const DrawnNode& node) {
        return QString::number(node.count) + QStringLiteral(" × ") + shortAcceleratorName(node.accelerator, catalog_);
    };
    look_.fabricLabel = [this](const DrawnNode& node) { return scaleUpName(node, catalog_); };
    look_.rankColour = [this](int rank) {
        const auto place = static_cast<std::size_t>(rank);
        if (place < rankColours_.size()) return rankColours_[place];
        if (place >= stageOfRank_.size() || stageOfRank_[place] < 0) return QColor();
        QColor colour = stageColour(stageOfRank_[place]);
        // The stage chosen elsewhere stands out by the others stepping back.
        if (shared_.stage() >= 0 && shared_.stage() != stageOfRank_[place]) colour.setAlphaF(0.3F);
        return colour;
    };
    look_.groupLabel = [this](int first, int last) { return rankColours_.empty() ? stagesOf(first, last) : QString(); };

    nudgeTimer_.setSingleShot(true);
    nudgeTimer_.setInterval(400);
    connect(&nudgeTimer_, &QTimer::timeout, this, &ClusterCanvas::commitNudge);
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
    connectButton_ = button(tr("Connect"), tr("Connect two nodes: click one, then the other"), [this] {
        setTool(connectButton_->isChecked() ? ClusterTool::connect : ClusterTool::select);
        setFocus();
    });
    connectButton_->setCheckable(true);
    buildLoadMenu();
    button(QStringLiteral("−"), tr("Zoom out"), &ClusterCanvas::zoomOut);
    button(tr("Fit"), tr("Show the whole cluster"), &ClusterCanvas::fit);
    button(QStringLiteral("+"), tr("Zoom in"), &ClusterCanvas::zoomIn);
    column->addWidget(header_);
    column->addStretch(1);
    whatIfList_ = new WhatIfList(theme_, this);
    connect(whatIfList_, &WhatIfList::chosen, this, &ClusterCanvas::showWhatIf);
    connect(whatIfList_, &WhatIfList::removed, this, &ClusterCanvas::takeBack);
    connect(whatIfList_, &WhatIfList::allRemoved, this, &ClusterCanvas::restoreEverything);
    connect(whatIfList_, &WhatIfList::resized, this, [this] {
        placeWhatIfList();
        if (!viewIsUsers_) fit();
    });
}

QRectF ClusterCanvas::drawingArea() const {
    return QRectF(0, PanelHeader::lineHeight, width(), height() - PanelHeader::lineHeight);
}

void ClusterCanvas::setDocument(const Json& scenario) {
    ClusterDocument previous = std::move(document_);
    scenario_ = scenario;
    document_ = ClusterDocument(scenario, catalog_);
    readSuppositions();
    nudgeTimer_.stop();
    nudgeOffset_ = dragOffset_ = {};
    if (gesture_ == Gesture::move || gesture_ == Gesture::connect) gesture_ = Gesture::none;
    connectFrom_ = -1;
    look_.hoveredNode = look_.hoveredLink = -1;
    guides_.clear();
    relayout();
    resolveProblems();
    drawnTraffic_ = traffic_ && traffic_->isKnown() ? DrawnTraffic(document_, names_, traffic_->network()) : DrawnTraffic();
    takeLoads();
    takeLit();

    // Another cluster altogether, or the first platform on an empty canvas, is shown whole; an edit leaves the view alone.
    const bool shared = std::any_of(document_.nodes().begin(), document_.nodes().end(),
                                    [&previous](const DrawnNode& node) { return previous.indexOf(node.id) >= 0; });
    if (!document_.isEmpty() && !shared && (!previous.isEmpty() || document_.nodes().size() > 1)) viewIsUsers_ = false, fit();
    else if (document_.isEmpty() && previous.isEmpty() && !viewIsUsers_) fit();

    ClusterSelection kept;
    for (const std::string& id : look_.selection.nodes)
        if (document_.indexOf(id) >= 0) kept.nodes.insert(id);
    for (const LinkKey& key : look_.selection.links)
        if (document_.contains(key)) kept.links.insert(key);
    header_->setSubtitle(document_.isEmpty() ? QString() : clusterSummary(document_, catalog_));
    look_.selection = std::move(kept);
    redraw();
    emit selectionChanged(look_.selection);
}

void ClusterCanvas::relayout() {
    const QPointF offset = dragOffset_ + nudgeOffset_;
    std::vector<QPointF> centres;
    centres.reserve(document_.nodes().size());
    for (const DrawnNode& node : document_.nodes())
        centres.push_back(look_.selection.nodes.contains(node.id) ? node.position + offset : node.position);
    geometry_ = ClusterGeometry(document_, centres);
    scene_ = {};
}

void ClusterCanvas::redraw() {
    scene_ = {};
    update();
}

void ClusterCanvas::changed() {
    redraw();
    emit selectionChanged(look_.selection);
}

void ClusterCanvas::setProblems(const Problems& problems) {
    problems_ = problems;
    resolveProblems();
    redraw();
}

void ClusterCanvas::resolveProblems() {
    look_.nodeProblems.clear();
    look_.linkProblems.clear();
    const auto note = [](std::map<int, Severity>& found, int index, Severity severity) {
        const auto [it, isNew] = found.try_emplace(index, severity);
        if (!isNew && severity == Severity::error) it->second = severity;
    };
    // In the short form "/cluster" is everything: its problems are shown beside the fields.
    for (const Problem& problem : problems_) {
        if (problem.severity == Severity::note) continue;
        if (const int node = document_.nodeBelow(problem.pointer); node >= 0) note(look_.nodeProblems, node, problem.severity);
        if (const int link = document_.linkBelow(problem.pointer); link >= 0) note(look_.linkProblems, link, problem.severity);
    }
}

void ClusterCanvas::setRankColours(const std::vector<QColor>& colours) {
    rankColours_ = colours;
    redraw();
}

void ClusterCanvas::setSelection(const ClusterSelection& selection) {
    if (selection == look_.selection) return;
    commitNudge();
    look_.selection = selection;
    changed();
}

void ClusterCanvas::request(const QString& undoText, std::vector<ScenarioEdit> edits) {
    if (edits.empty()) return;
    editor().follow(edits);
    emit editRequested(undoText, edits);
}

void ClusterCanvas::fitTo(const QRectF& scene, double most) {
    const QRectF area = drawingArea().adjusted(fitMargin, 6, -fitMargin, -fitMargin - legendHeight());
    if (area.width() < 10 || area.height() < 10) return;
    if (scene.isEmpty()) {
        view_ = {1, area.center()};
    } else {
        const auto fitInto = [&](const QRectF& room) {
            view_.zoom = std::clamp(std::min(room.width() / scene.width(), room.height() / scene.height()), leastZoom, most);
            view_.origin = room.center() - view_.zoom * scene.center();
        };
        fitInto(area);
        const double covered = widthBesideWhatIfs({view_.toWidget(scene.topLeft()), view_.toWidget(scene.bottomRight())});
        if (covered > 0 && covered < area.width() / 2) fitInto(area.adjusted(0, 0, -covered, 0));
    }
    redraw();
}

void ClusterCanvas::fit() {
    viewIsUsers_ = false;
    fitTo(geometry_.bounds(), mostFitZoom);
}

void ClusterCanvas::zoomIn() {
    viewIsUsers_ = true;
    view_.zoomAbout(drawingArea().center(), 1.25);
    redraw();
}

void ClusterCanvas::zoomOut() {
    viewIsUsers_ = true;
    view_.zoomAbout(drawingArea().center(), 0.8);
    redraw();
}

void ClusterCanvas::reveal(const QRectF& scene) {
    const QRectF area = drawingArea();
    const QRectF shown(view_.toWidget(scene.topLeft()), view_.toWidget(scene.bottomRight()));
    if (area.contains(shown)) return;
    viewIsUsers_ = true;
    view_.origin += area.center() - shown.center();
    redraw();
}

void ClusterCanvas::goTo(const std::string& pointer) {
    commitNudge();
    const int node = document_.nodeBelow(pointer), link = document_.linkBelow(pointer);
    if (node < 0 && link < 0) return fit();
    // Centred even when in sight already: that is what the eye was told to look for.
    viewIsUsers_ = true;
    view_.zoom = std::max(view_.zoom, 0.7);
    QPointF centre;
    if (node >= 0) {
        look_.selection = {{document_.nodes()[static_cast<std::size_t>(node)].id}, {}};
        centre = geometry_.cards()[static_cast<std::size_t>(node)].center();
    } else {
        look_.selection = {{}, {document_.keyOf(document_.links()[static_cast<std::size_t>(link)])}};
        centre = geometry_.curves()[static_cast<std::size_t>(link)].at(0.5);
    }
    view_.origin = drawingArea().center() - view_.zoom * centre;
    setFocus();
    changed();
}

void ClusterCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeWhatIfList();
    if (!viewIsUsers_) fit();
    else redraw();
}

void ClusterCanvas::selectOnly(const std::vector<std::string>& ids) {
    look_.selection = {{ids.begin(), ids.end()}, {}};
}

void ClusterCanvas::selectAll() {
    commitNudge();
    look_.selection = {};
    for (const DrawnNode& node : document_.nodes()) look_.selection.nodes.insert(node.id);
    std::map<std::pair<int, int>, int> ordinals;
    for (const DrawnLink& link : document_.links())
        look_.selection.links.insert({document_.nodes()[static_cast<std::size_t>(link.from)].id,
                                      document_.nodes()[static_cast<std::size_t>(link.to)].id,
                                      ordinals[{link.from, link.to}]++});
    changed();
}

void ClusterCanvas::stepNode(int direction) {
    const int n = static_cast<int>(document_.nodes().size());
    int current = -1;
    if (look_.selection.nodes.size() == 1) current = document_.indexOf(*look_.selection.nodes.begin());
    const int next = current < 0 ? (direction > 0 ? 0 : n - 1) : current + direction;
    setSelection({{document_.nodes()[static_cast<std::size_t>(next)].id}, {}});
    reveal(geometry_.cards()[static_cast<std::size_t>(next)]);
}

} // namespace orrery
