// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_panel.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/memory/memory_over_time.hpp"
#include "widgets/memory/memory_treemap.hpp"

#include <QButtonGroup>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {

MemoryPanel::MemoryPanel(const Theme& theme, Selection& selection, MemoryHolders& holders, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Memory"), this)), byStage_(new MemoryChart(theme, selection)),
      overTime_(new MemoryOverTime(theme, selection)), byTensor_(new MemoryTreemap(theme, holders)), holders_(holders),
      stack_(new QStackedWidget(this)) {
    addSwitch(tr("By stage"), tr("Every stage at its peak, by kind"), byStage_);
    addSwitch(tr("Over time"), tr("One stage or instance over time: the chosen one, or the fullest"), overTime_);
    addSwitch(tr("Tensors"), tr("What holds the memory at one moment, down to the tensor: where the cursor is, or at the peak"), byTensor_);
    auto* group = new QButtonGroup(this);
    for (QToolButton* button : switches_) group->addButton(button);
    switches_.front()->setChecked(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(stack_, 1);
    connect(&selection, &Selection::stageChanged, this, &MemoryPanel::updateSubtitle);
    connect(&holders_, &MemoryHolders::changed, this, &MemoryPanel::updateSubtitle);
    connect(byTensor_, &MemoryTreemap::insideChanged, this, &MemoryPanel::updateSubtitle);
    connect(&theme_, &Theme::changed, this, &MemoryPanel::applyTheme);
    applyTheme();
    updateSubtitle();
}

void MemoryPanel::addSwitch(const QString& text, const QString& explanation, QWidget* view) {
    auto* button = new QToolButton(header_);
    button->setText(text);
    button->setToolTip(explanation);
    button->setCheckable(true);
    button->setAutoRaise(true);
    header_->tools()->addWidget(button);
    stack_->addWidget(view);
    connect(button, &QToolButton::clicked, this, [this, page = static_cast<Page>(switches_.size())] { showPage(page); });
    switches_.push_back(button);
}

void MemoryPanel::applyTheme() {
    for (QToolButton* button : switches_) button->setFont(theme_.secondaryFont());
}

void MemoryPanel::showPage(Page page) {
    switches_[static_cast<std::size_t>(page)]->setChecked(true);
    const bool changed = page != this->page();
    stack_->setCurrentIndex(static_cast<int>(page));
    updateSubtitle();
    if (changed) emit pageChanged();
}

MemoryPanel::Page MemoryPanel::page() const { return static_cast<Page>(stack_->currentIndex()); }

void MemoryPanel::updateSubtitle() {
    switch (page()) {
    case Page::by_stage: return header_->setSubtitle(tr("at its peak"));
    case Page::over_time: return header_->setSubtitle(overTime_->subtitle());
    case Page::by_tensor: break;
    }
    const QString within = byTensor_->crumbs();
    header_->setSubtitle(within.isEmpty() ? holders_.subtitle() : tr("%1 · %2").arg(within, holders_.subtitle()));
}

void MemoryPanel::setResult(ResultPtr result) {
    byStage_->setResult(result);
    overTime_->setResult(result);
    updateSubtitle();
}

void MemoryPanel::setBusy(bool busy) {
    byStage_->setBusy(busy);
    overTime_->setBusy(busy);
    byTensor_->setBusy(busy);
}

} // namespace orrery
