// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/window_views.hpp"

#include "app/desktop/explore/explore_panel.hpp"
#include "app/desktop/explore/search_page.hpp"
#include "app/desktop/explore/sensitivity_page.hpp"
#include "app/desktop/explore/solve_page.hpp"
#include "app/desktop/explore/sweep_page.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/results/derivation/explain_estimated.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/palette/cluster_palette.hpp"
#include "widgets/cluster/properties/cluster_properties.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/compare/compare_panel.hpp"
#include "widgets/compare/waterfall_chart.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/heat_map.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/tornado_chart.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/insight/assumed_list.hpp"
#include "widgets/insight/operator_table.hpp"
#include "widgets/insight/problem_list.hpp"
#include "widgets/insight/why_panel.hpp"
#include "widgets/jitter/jitter_chart.hpp"
#include "widgets/lessons/lesson_panel.hpp"
#include "widgets/memory/holder_table.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/memory/memory_over_time.hpp"
#include "widgets/memory/memory_panel.hpp"
#include "widgets/memory/memory_treemap.hpp"
#include "widgets/network/link_load_table.hpp"
#include "widgets/network/network_traffic.hpp"
#include "widgets/recorded/record_panel.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/serving/counter_chart.hpp"
#include "widgets/serving/latency_chart.hpp"
#include "widgets/serving/load_chart.hpp"
#include "widgets/serving/load_panel.hpp"
#include "widgets/serving/serving_panel.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

namespace orrery {
namespace {

constexpr int paletteWidth = 184;
constexpr int propertiesWidth = 224;
constexpr int leastWidthForBothSides = 1060; // below it the drawing has less than half of the width

/// The header that a panel brings along, to put another tool into.
PanelHeader* headerOf(const QWidget& panel) {
    for (QWidget* child : panel.findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (auto* header = dynamic_cast<PanelHeader*>(child)) return header;
    }
    return nullptr;
}

QWidget* verticalLine() {
    auto* line = new QFrame;
    line->setFixedWidth(1);
    setRole(*line, "hairline");
    return line;
}

} // namespace

WindowViews::WindowViews(const Catalog& catalog, const Theme& theme, Selection& selection, QObject* parent)
    : QObject(parent), traffic_(new NetworkTraffic(selection, this)), headline_(new HeadlineStrip(theme)), form_(new ScenarioForm(catalog, theme)),
      cluster_(new ClusterCanvas(theme, selection, catalog)), palette_(new ClusterPalette(theme, catalog)),
      properties_(new ClusterProperties(theme, catalog)), timeline_(new TimelineView(theme, selection)),
      operators_(new OperatorTable(theme, selection)), links_(new LinkLoadTable(theme, *traffic_)), holders_(new MemoryHolders(selection, holdersAt, this)),
      holderTable_(new HolderTable(theme, *holders_)), memory_(new MemoryPanel(theme, selection, *holders_)),
      roofline_(new RooflineChart(theme, selection)), why_(new WhyPanel(theme)), findings_(new QTabWidget),
      problems_(new ProblemList(theme)), assumed_(new AssumedList(theme)), jitter_(new JitterChart(theme)),
      serving_(new ServingPanel(theme, selection)), load_(new LoadPanel(theme)), explore_(new ExplorePanel(catalog, theme)), compare_(new ComparePanel(theme, selection)), recorded_(new RecordPanel(theme)), lesson_(new LessonPanel(theme)) {
    buildClusterPanel();
    buildTables();
    findings_->addTab(problems_, tr("Problems"));
    findings_->addTab(assumed_, tr("Assumed"));
    findings_->setDocumentMode(true);

    connect(form_, &ScenarioForm::editRequested, this, &WindowViews::editRequested);
    connect(form_, &ScenarioForm::openConfigRequested, this, &WindowViews::openConfigRequested);
    connect(why_, &WhyPanel::editRequested, this, &WindowViews::editRequested);
    connect(why_, &WhyPanel::pointerRequested, this, &WindowViews::showWhy);
    connect(compare_, &ComparePanel::quantityRequested, this, [this](const Quantity& quantity) {
        emit panelNeeded(QStringLiteral("why"));
        why_->showQuantity(quantity);
    });
    connect(load_, &LoadPanel::editRequested, this, &WindowViews::editRequested);
    connect(explore_, &ExplorePanel::editRequested, this, &WindowViews::editRequested);
    connect(form_, &ScenarioForm::sweepRequested, this, [this](const QString& pointer, const QString& values) {
        emit panelNeeded(QStringLiteral("explore"));
        explore_->sweep(pointer, values);
    });
    connect(problems_, &ProblemList::editRequested, this, &WindowViews::editRequested);
    connect(problems_, &ProblemList::goTo, this, &WindowViews::goTo);
    connect(assumed_, &AssumedList::editRequested, this, &WindowViews::editRequested);
    connect(assumed_, &AssumedList::goTo, this, &WindowViews::goTo);
    headline_->setExplainers([](const Result& result, std::string_view pointer) { return explain(result, pointer); }, explainEstimated);
    connect(headline_, &HeadlineStrip::askedWhy, this, &WindowViews::showWhy);

    charts_ = {{"timeline", tr("&Timeline"), timeline_},
               {"memory", tr("&Memory by stage"), memory_->byStage()},
               {"memory_over_time", tr("Memory over t&ime"), memory_->overTime()},
               {"memory_by_tensor", tr("Memory by te&nsor"), memory_->byTensor()},
               {"roofline", tr("Roo&fline"), roofline_},
               {"jitter", tr("&Jitter"), jitter_},
               {"latency", tr("L&atency of requests"), serving_->latency()},
               {"engine_over_time", tr("&Engine over time"), serving_->overTime()},
               {"throughput_latency", tr("Throu&ghput and latency"), load_->chart()},
               {"cluster", tr("&Cluster"), cluster_},
               {"links", tr("&Links by load"), links_},
               {"difference", tr("&Difference of variants"), compare_->waterfall()},
               {"sweep", tr("S&weep"), explore_->sweepPage()->lines()},
               {"sweep_map", tr("Sweep of two ke&ys"), explore_->sweepPage()->map()},
               {"front", tr("Plans of the &search"), explore_->searchPage()->chart()},
               {"solve", tr("Solved val&ue"), explore_->solvePage()->chart()},
               {"sensitivity", tr("Sensiti&vity"), explore_->sensitivityPage()->chart()},
               {"recorded", tr("Recorded ran&ks"), recorded_->timeline()}};
}

void WindowViews::buildClusterPanel() {
    clusterPanel_ = new QWidget;
    setRole(*clusterPanel_, "panel");
    paletteSide_ = new QWidget;
    propertiesSide_ = new QWidget;
    const auto side = [](QWidget* box, QWidget* content, int width, bool lineFirst) {
        auto* row = new QHBoxLayout(box);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(0);
        if (lineFirst) row->addWidget(verticalLine());
        row->addWidget(content, 1);
        if (!lineFirst) row->addWidget(verticalLine());
        box->setFixedWidth(std::max({width, content->minimumSizeHint().width(), content->minimumWidth()}) + 1);
        box->hide();
    };
    side(paletteSide_, palette_, paletteWidth, false);
    side(propertiesSide_, properties_, propertiesWidth, true);
    auto* row = new QHBoxLayout(clusterPanel_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(paletteSide_);
    row->addWidget(cluster_, 1);
    row->addWidget(propertiesSide_);

    drawButton_ = new QToolButton;
    drawButton_->setText(tr("Draw"));
    drawButton_->setToolTip(tr("Show what can be placed, and the properties of what is marked"));
    drawButton_->setAutoRaise(true);
    drawButton_->setCheckable(true);
    connect(drawButton_, &QToolButton::toggled, this, &WindowViews::setDrawing);
    if (PanelHeader* header = headerOf(*cluster_)) header->tools()->insertWidget(0, drawButton_);

    connect(palette_, &ClusterPalette::armed, cluster_, &ClusterCanvas::armPlacement);
    connect(palette_, &ClusterPalette::disarmed, cluster_, &ClusterCanvas::cancelTool);
    connect(cluster_, &ClusterCanvas::placementEnded, palette_, &ClusterPalette::placementEnded);
    connect(cluster_, &ClusterCanvas::editRequested, this, &WindowViews::editRequested);
    connect(cluster_, &ClusterCanvas::selectionChanged, properties_, &ClusterProperties::setSelection);
    connect(cluster_, &ClusterCanvas::selectionChanged, this, &WindowViews::placeSides);
    clusterPanel_->installEventFilter(this);
    connect(properties_, &ClusterProperties::editRequested, this, &WindowViews::editRequested);
}

void WindowViews::buildTables() {
    tables_ = new QStackedWidget;
    tables_->addWidget(operators_);
    tables_->addWidget(links_);
    tables_->addWidget(holderTable_);
    // Each table's first line has the way to the others: no row of tabs above so few rows.
    const auto way = [this](QHBoxLayout* tools, const QString& text, const QString& tip, Table table) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, [this, table] { showTable(table); });
        tools->addWidget(button);
    };
    for (QHBoxLayout* tools : {operators_->headerTools(), links_->headerTools(), holderTable_->headerTools()}) {
        if (tools != operators_->headerTools()) way(tools, tr("Operators"), tr("Show the operators by time"), Table::operators);
        if (tools != links_->headerTools()) way(tools, tr("Links"), tr("Show the links of the cluster by load"), Table::links);
        if (tools != holderTable_->headerTools()) way(tools, tr("Tensors"), tr("Show what holds the memory, down to the tensor"), Table::memory);
    }
    connect(memory_, &MemoryPanel::pageChanged, this, &WindowViews::watchHolders);

    cluster_->setTraffic(traffic_);
    connect(links_, &LinkLoadTable::linkChosen, cluster_, &ClusterCanvas::chooseReported);
    connect(cluster_, &ClusterCanvas::selectionChanged, links_, [this] { links_->setChosen(cluster_->chosenReported()); });
}

WindowViews::Table WindowViews::table() const { return static_cast<Table>(tables_->currentIndex()); }

void WindowViews::showTable(Table table) {
    if (table == this->table()) return;
    tables_->setCurrentIndex(static_cast<int>(table));
    watchHolders();
    emit tableChanged();
}

void WindowViews::showMemoryByTensor() {
    memory_->showPage(MemoryPanel::Page::by_tensor);
    showTable(Table::memory);
    memory_->byTensor()->setFocus();
}

/// Looking up every tensor is work: it is done only for eyes.
void WindowViews::watchHolders() { holders_->setActive(memory_->page() == MemoryPanel::Page::by_tensor || table() == Table::memory); }

void WindowViews::setDrawing(bool drawing) {
    if (drawing == drawing_) return;
    drawing_ = drawing;
    drawButton_->setChecked(drawing);
    placeSides();
    emit drawingChanged(drawing);
}

bool WindowViews::isDrawing() const { return drawing_; }

void WindowViews::placeSides() {
    // Where there is room for one side only, it is what can be placed, or the properties of what is marked.
    const bool both = clusterPanel_->width() >= leastWidthForBothSides;
    const bool marked = !cluster_->selection().empty();
    paletteSide_->setVisible(drawing_ && (both || !marked));
    propertiesSide_->setVisible(drawing_ && (both || marked));
}

bool WindowViews::eventFilter(QObject* watched, QEvent* event) {
    if (watched == clusterPanel_ && event->type() == QEvent::Resize) placeSides();
    return QObject::eventFilter(watched, event);
}

void WindowViews::setDocument(const Json& document) {
    form_->setDocument(document);
    cluster_->setDocument(document);
    properties_->setDocument(document);
    explore_->setDocument(document);
}

void WindowViews::setProblems(const Problems& problems) {
    // Nothing wrong before and nothing now: every field, card and link is told of it already.
    if (problems.empty() && !toldProblems_) return listProblems(problems);
    toldProblems_ = !problems.empty();
    form_->setProblems(problems);
    cluster_->setProblems(problems);
    properties_->setProblems(problems);
    listProblems(problems);
}

void WindowViews::listProblems(const Problems& problems) { problems_->setProblems(problems); }

void WindowViews::setResult(const ResultPtr& result) {
    turns_.clear();
    headline_->setResult(result);
    result_ = result;
    estimate_.reset();
    resultIsNew_ = result != nullptr;
    if (resultIsNew_) headline_->setBusy(false);
    const auto tell = [this, &result](auto* view) { turns_.add(view, [view, result] { view->setResult(result); }); };
    tell(form_);
    tell(cluster_);
    // Part of the result: it lives as long as that.
    turns_.add(cluster_, [this, result] { traffic_->setResult(result, result ? NetworkReportPtr(result, &result->network) : nullptr); });
    tell(memory_);
    turns_.add(memory_, [this, result] { holders_->setResult(result); });
    tell(roofline_);
    tell(operators_);
    tell(why_);
    tell(jitter_);
    tell(serving_);
    tell(load_);
    tell(explore_);
    tell(assumed_);
    if (!result) turns_.finish(); // nothing of what is gone stays on screen for another picture
}

void WindowViews::setBaseline(const ResultPtr& baseline, const QString& name) {
    const bool nothingWaits = turns_.isEmpty();
    turns_.add(why_, [this, baseline, name] { why_->setBaseline(baseline, name); });
    turns_.add(roofline_, [this, baseline] { roofline_->setBaseline(baseline); });
    turns_.add(memory_, [this, baseline] { memory_->byStage()->setBaseline(baseline); });
    if (nothingWaits) turns_.finish();
}

void WindowViews::expectResult() { resultIsNew_ = false; }

void WindowViews::setEstimate(const ResultPtr& estimate) {
    estimate_ = estimate;
    headline_->setEstimate(estimate);
}

void WindowViews::setRows(const ResultPtr& result, const TimelineRowsPtr& rows) {
    turns_.add(timeline_, [this, result, rows] { timeline_->setTimeline(result, rows); });
    if (!result) turns_.finish();
}

void WindowViews::setFreshness(Freshness freshness) {
    headline_->setBusy(freshness == Freshness::running && !resultIsNew_);
    headline_->setStale(freshness == Freshness::stale);
    const bool old = freshness != Freshness::current;
    timeline_->setBusy(old);
    memory_->setBusy(old);
    roofline_->setBusy(old);
    operators_->setBusy(old);
    links_->setBusy(old);
    holderTable_->setBusy(old);
    why_->setBusy(old);
    jitter_->setBusy(old);
    serving_->setBusy(old);
    load_->setBusy(old);
}

void WindowViews::showWhy(const QString& pointer) {
    if (const auto estimated = estimate_ ? explainEstimated(*estimate_, pointer.toStdString()) : std::nullopt) {
        emit panelNeeded(QStringLiteral("why"));
        why_->showQuantity(*estimated);
        return;
    }
    std::optional<Quantity> quantity = result_ ? explain(*result_, pointer.toStdString()) : std::nullopt;
    if (quantity) {
        const std::string errorBar = pointer == QStringLiteral("/memory/peak_bytes") ? "/uncertainty/peak_memory_bytes" : "/uncertainty" + pointer.toStdString();
        if (std::optional<Quantity> bar = explain(*result_, errorBar)) quantity->inputs.push_back(std::move(*bar));
        emit panelNeeded(QStringLiteral("why"));
        why_->showQuantity(*quantity);
    } else {
        goTo(pointer); // a price that is not set is a field of the form
    }
}

QWidget* WindowViews::formPanel() const { return form_; }
QWidget* WindowViews::timelinePanel() const { return timeline_; }
QWidget* WindowViews::tablePanel() const { return tables_; }
QWidget* WindowViews::memoryPanel() const { return memory_; }
QWidget* WindowViews::rooflinePanel() const { return roofline_; }
QWidget* WindowViews::jitterPanel() const { return jitter_; }
QWidget* WindowViews::servingPanel() const { return serving_; }
QWidget* WindowViews::loadPanel() const { return load_; }
QWidget* WindowViews::explorePanel() const { return explore_; }
QWidget* WindowViews::comparePanel() const { return compare_; }
QWidget* WindowViews::recordedPanel() const { return recorded_; }
QWidget* WindowViews::lessonPanel() const { return lesson_; }
QWidget* WindowViews::whyPanel() const { return why_; }
QWidget* WindowViews::findingsPanel() const { return findings_; }

void WindowViews::showProblems() { findings_->setCurrentWidget(problems_); }
void WindowViews::showAssumed() { findings_->setCurrentWidget(assumed_); }

void WindowViews::goTo(const QString& pointer) {
    if (pointer.startsWith(QStringLiteral("/cluster/topology"))) {
        emit panelNeeded(QStringLiteral("cluster"));
        cluster_->goTo(pointer.toStdString());
    } else {
        emit panelNeeded(QStringLiteral("scenario"));
        form_->focusField(pointer);
    }
}

} // namespace orrery
