// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_panel.hpp"

#include "core/base/json.hpp"
#include "core/results/comparison/accounts.hpp"
#include "core/results/comparison/compare.hpp"
#include "core/results/derivation/explain.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/section.hpp"
#include "widgets/compare/compare_layers.hpp"
#include "widgets/compare/compare_memory.hpp"
#include "widgets/compare/compare_tables.hpp"
#include "widgets/compare/compare_timelines.hpp"
#include "widgets/compare/waterfall_chart.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/roofline/roofline_chart.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {
namespace {

QWidget* titled(PanelHeader* header, QWidget* content) {
    auto* box = new QWidget;
    setRole(*box, "panel");
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    auto* around = new QHBoxLayout; // letters begin where the heading's do
    const int margin = qobject_cast<CompareTable*>(content) ? 9 : 0;
    around->setContentsMargins(margin, 0, margin, 0);
    around->addWidget(content);
    column->addLayout(around, 1);
    return box;
}

QSplitter* stacked(std::initializer_list<QWidget*> boxes, const QList<int>& sizes) {
    auto* column = new QSplitter(Qt::Vertical);
    column->setChildrenCollapsible(false);
    column->setHandleWidth(1);
    for (QWidget* box : boxes) column->addWidget(box);
    column->setSizes(sizes);
    return column;
}

} // namespace

ComparePanel::ComparePanel(const Theme& theme, Selection& selection, QWidget* parent) : QWidget(parent), theme_(theme), selection_(selection) { build(); }

void ComparePanel::build() {
    setRole(*this, "panel");
    inputs_ = new InputsTable(theme_);
    figures_ = new FiguresTable(theme_);
    connect(figures_, &FiguresTable::whyRequested, this, [this](std::size_t scenario, const std::string& pointer) {
        const ResultPtr result = scenario < scenarios_.size() ? scenarios_[scenario].result : nullptr;
        std::optional<Quantity> quantity = result ? explain(*result, pointer) : std::nullopt;
        if (!quantity) return;
        quantity->name = tr("%1 of %2", "figure, scenario").arg(figureName(pointer), scenarios_[scenario].name).toStdString();
        emit quantityRequested(*quantity);
    });
    connect(figures_, &FiguresTable::differenceRequested, this, [this](std::size_t, const std::string& pointer) {
        const int index = dividedBox_->findData(QString::fromStdString(pointer));
        if (index < 0) return;
        dividedBox_->setCurrentIndex(index);
        divided_ = pointer;
        divide();
    });
    timelines_ = new CompareTimelines(theme_);
    waterfall_ = new WaterfallChart(theme_);
    memory_ = new CompareMemory(theme_);
    layers_ = new CompareLayers(theme_);
    memoryTabs_ = new QTabWidget;
    memoryTabs_->setDocumentMode(true);
    operators_ = new MatchedOperators(theme_);
    roofline_ = new RooflineChart(theme_, selection_);
    operatorTabs_ = new QTabWidget;
    operatorTabs_->setDocumentMode(true);
    inputsHead_ = new PanelHeader(theme_, tr("Inputs that differ"));
    waterfallHead_ = new PanelHeader(theme_, tr("Where the difference comes from"));
    memoryHead_ = new PanelHeader(theme_, tr("Memory"));
    auto* figuresHead = new PanelHeader(theme_, tr("Results"));
    figuresHead->setSubtitle(tr("green is better"));
    auto* timelinesHead = new PanelHeader(theme_, tr("Timelines"));
    timelinesHead->setSubtitle(tr("on one axis from the start"));
    stageBox_ = new QComboBox;
    stageBox_->setAccessibleName(tr("Stage of the timelines"));
    stageBox_->setToolTip(tr("A scenario with fewer stages shows its last"));
    stageBox_->hide();
    connect(stageBox_, qOverload<int>(&QComboBox::activated), timelines_, &CompareTimelines::setStage);
    timelinesHead->tools()->addWidget(stageBox_);
    dividedBox_ = new QComboBox;
    dividedBox_->setAccessibleName(tr("Figure whose difference is divided"));
    dividedBox_->setToolTip(tr("The figure whose difference is divided into its parts"));
    dividedBox_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    dividedBox_->hide();
    connect(dividedBox_, qOverload<int>(&QComboBox::activated), this, [this](int index) {
        divided_ = dividedBox_->itemData(index).toString().toStdString();
        divide();
    });
    waterfallHead_->tools()->addWidget(dividedBox_);
    auto* operatorsHead = new PanelHeader(theme_, tr("Operators"));
    operatorsHead->setSubtitle(tr("matched by name, mean of one"));
    auto* row = new QSplitter(Qt::Horizontal);
    row->setChildrenCollapsible(false);
    row->setHandleWidth(1);
    row->addWidget(stacked({titled(inputsHead_, inputs_), titled(figuresHead, figures_)}, {200, 300}));
    row->addWidget(stacked({titled(timelinesHead, timelines_), titled(waterfallHead_, waterfall_)}, {220, 280}));
    operatorTabs_->addTab(titled(operatorsHead, operators_), tr("Operators"));
    operatorTabs_->addTab(roofline_, tr("Roofline"));
    operatorTabs_->setTabToolTip(1, tr("Under the ceilings of the accelerator; rings are the baseline"));
    memoryTabs_->addTab(titled(memoryHead_, memory_), tr("By kind"));
    memoryTabs_->addTab(layers_, tr("By layer"));
    memoryTabs_->setTabToolTip(1, tr("What each layer holds when its stage holds most; outlines are the baseline"));
    row->addWidget(stacked({memoryTabs_, operatorTabs_}, {220, 280}));
    row->setStretchFactor(0, 28);
    row->setStretchFactor(1, 46);
    row->setStretchFactor(2, 26);
    row->setSizes({340, 600, 320});
    note_ = new QLabel;
    note_->setWordWrap(true);
    note_->setContentsMargins(12, 6, 12, 6);
    note_->hide();
    setRole(*note_, "secondary");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(note_);
    column->addWidget(row, 1);
}

QString ComparePanel::note() const { return note_->isHidden() ? QString() : note_->text(); }

void ComparePanel::setCompared(std::vector<ComparedScenario> scenarios, std::size_t shown) {
    scenarios_ = std::move(scenarios);
    shown_ = std::min(shown, scenarios_.empty() ? 0 : scenarios_.size() - 1);
    stale_ = true;
    if (isVisible()) refresh();
}

void ComparePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) refresh();
}

/// There are as many stages as the scenario with most has; what was looked at stays where it is still there.
void ComparePanel::refreshStages() {
    const int stages = timelines_->stages();
    if (stageBox_->count() != stages) {
        stageBox_->clear();
        for (int stage = 0; stage < stages; ++stage) stageBox_->addItem(tr("stage %1").arg(stage));
    }
    if (timelines_->stage() >= stages) timelines_->setStage(0);
    stageBox_->setCurrentIndex(timelines_->stage());
    stageBox_->setVisible(stages > 1);
}

void ComparePanel::refresh() {
    stale_ = false;
    // Writing a result down is work: it is done once for each.
    std::vector<BoxedJson> documents;
    std::vector<ResultPtr> of;
    documents.reserve(scenarios_.size());
    of.reserve(scenarios_.size());
    for (const ComparedScenario& one : scenarios_) {
        const auto known = std::find(documentsOf_.begin(), documentsOf_.end(), one.result);
        if (!one.result) documents.emplace_back(Json());
        else if (known != documentsOf_.end()) documents.push_back(documents_[static_cast<std::size_t>(known - documentsOf_.begin())]);
        else documents.emplace_back(toJson(*one.result));
        of.push_back(one.result);
    }
    documents_ = std::move(documents);
    documentsOf_ = std::move(of);

    const bool several = scenarios_.size() > 1;
    QString note;
    if (!several) note = tr("Tick two scenarios or more in the row above. A new variant begins as a copy of what is open.");
    else if (scenarios_.front().result && scenarios_[shown_].result && !areOfOneKind(*scenarios_.front().result, *scenarios_[shown_].result))
        note = tr("%1 and %2 are of different kinds of workload: their figures can't be compared.").arg(scenarios_.front().name, scenarios_[shown_].name);
    note_->setText(note);
    note_->setVisible(!note.isEmpty());

    inputs_->setCompared(scenarios_);
    inputsHead_->setSubtitle(several ? inputs_->pointers().empty() ? tr("none") : QString::number(inputs_->pointers().size()) : QString());
    figures_->setCompared(scenarios_, documents_);
    timelines_->setCompared(scenarios_);
    refreshStages();
    memory_->setCompared(scenarios_, shown_);
    memoryHead_->setSubtitle(tr("fullest stage, at its peak"));
    roofline_->setResult(scenarios_.empty() ? nullptr : scenarios_[shown_].result);
    roofline_->setBaseline(several && shown_ > 0 ? scenarios_.front().result : nullptr);
    layers_->setCompared(several && shown_ > 0 ? &scenarios_.front() : nullptr, scenarios_.empty() ? nullptr : &scenarios_[shown_]);
    if (several && scenarios_.front().result && scenarios_[shown_].result && note.isEmpty()) operators_->setCompared(scenarios_.front(), scenarios_[shown_]);
    else operators_->clearCompared();
    refreshDivided();
    divide();
}

/// Figures that both results divide; the one that was chosen stays where it is still there.
void ComparePanel::refreshDivided() {
    dividedBox_->clear();
    const bool comparable = scenarios_.size() > 1 && note().isEmpty() && scenarios_.front().result && scenarios_[shown_].result;
    if (comparable) {
        const auto isDivided = [](const Json& result, const std::string& pointer) { return accountOf(result, pointer) || drivenBy(result, pointer); };
        for (const std::string& pointer : figures_->pointers())
            if (isDivided(*documents_.front(), pointer) && isDivided(*documents_[shown_], pointer)) dividedBox_->addItem(figureName(pointer), QString::fromStdString(pointer));
    }
    const int chosen = dividedBox_->findData(QString::fromStdString(divided_));
    if (dividedBox_->count() > 0) dividedBox_->setCurrentIndex(std::max(0, chosen));
    dividedBox_->setVisible(dividedBox_->count() > 1);
}

void ComparePanel::divide() {
    std::optional<Comparison> comparison;
    if (dividedBox_->count() > 0) {
        Problems ignored; // what can't be compared has no steps
        comparison = compareResults(*documents_.front(), *documents_[shown_], ignored, dividedBox_->currentData().toString().toStdString());
    }
    if (comparison) waterfall_->setComparison(comparison, scenarios_.front().name, scenarios_[shown_].name);
    else waterfall_->setComparison(std::nullopt, {}, {});
    QString subtitle = comparison ? waterfall_->heading().subtitle : QString();
    if (comparison) {
        const ResultPtr &a = scenarios_.front().result, &b = scenarios_[shown_].result;
        if (b->differences) judge(*comparison, *b->differences, a->scenario, b->scenario);
        subtitle += howSure(*comparison, scenarios_.front().name, scenarios_[shown_].name);
    }
    waterfallHead_->setSubtitle(subtitle);
}

/// " · "Baseline" is better in 93 % of such comparisons"; empty where nobody knows.
QString ComparePanel::howSure(const Comparison& comparison, const QString& a, const QString& b) {
    const std::optional<double> chance = comparison.probabilityABetter();
    if (!chance) return {};
    const bool first = *chance >= 0.5;
    return tr(" · %1 is better in %2 % of such comparisons").arg(first ? a : b, grouped(100 * (first ? *chance : 1 - *chance)));
}

} // namespace orrery
