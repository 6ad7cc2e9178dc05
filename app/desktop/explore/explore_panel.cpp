// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/explore_panel.hpp"

#include "app/desktop/explore/search_page.hpp"
#include "app/desktop/explore/sensitivity_page.hpp"
#include "app/desktop/explore/solve_page.hpp"
#include "app/desktop/explore/sweep_page.hpp"
#include "widgets/common/section.hpp"

#include <QTabWidget>
#include <QVBoxLayout>

namespace orrery {

ExplorePanel::ExplorePanel(const Catalog& catalog, const Theme& theme, QWidget* parent)
    : QWidget(parent), context_(catalog, theme), tabs_(new QTabWidget), sweep_(new SweepPage(context_)), search_(new SearchPage(context_)), solve_(new SolvePage(context_)),
      sensitivity_(new SensitivityPage(context_)) {
    tabs_->setDocumentMode(true);
    tabs_->addTab(sweep_, tr("Sweep"));
    tabs_->addTab(search_, tr("Search"));
    tabs_->addTab(solve_, tr("Solve"));
    tabs_->addTab(sensitivity_, tr("Sensitivity"));
    tabs_->setTabToolTip(0, tr("What a figure becomes when one or two keys take other values"));
    tabs_->setTabToolTip(1, tr("The best plans of a space"));
    tabs_->setTabToolTip(2, tr("Which value of a key makes a figure what it should be"));
    tabs_->setTabToolTip(3, tr("What a figure hangs on"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(tabs_);
    connect(&context_, &ExploreContext::editRequested, this, &ExplorePanel::editRequested);
    connect(tabs_, &QTabWidget::currentChanged, this, [this](int page) {
        if (tabs_->widget(page) == search_) search_->showSearch();
    });
    connect(sensitivity_, &SensitivityPage::sweepRequested, this, [this](const SensitivityInput& input, const QString& values, const std::string& measure) {
        sweep_->propose(QString::fromStdString(input.pointer), values, input);
        sweep_->ask(measure);
        tabs_->setCurrentWidget(sweep_);
    });
}

ExplorePanel::~ExplorePanel() = default;

void ExplorePanel::setResult(const ResultPtr& result) {
    // Every kind of workload has its own figures; those of one kind are the same from result to result, and listing them is work.
    const auto kindOf = [](const ResultPtr& of) { return !of ? -1 : static_cast<int>(of->scenario.workload.index()); };
    if (kindOf(result) != kindOf(context_.result())) stale_ = true;
    context_.setResult(result);
    if (stale_ && isVisible()) refresh();
}

void ExplorePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) refresh();
    if (tabs_->currentWidget() == search_) search_->showSearch();
}

void ExplorePanel::refresh() {
    stale_ = !context_.result();
    sweep_->refreshMeasures();
    search_->refreshMeasures();
    solve_->refreshMeasures();
    sensitivity_->refreshMeasures();
}

void ExplorePanel::sweep(const QString& pointer, const QString& values) {
    tabs_->setCurrentWidget(sweep_);
    sweep_->propose(pointer, values);
}

} // namespace orrery
