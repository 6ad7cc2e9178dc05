// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_panel.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_holders.hpp"
#include "widgets/memory/memory_over_time.hpp"
#include "widgets/memory/memory_treemap.hpp"

namespace orrery {

MemoryPanel::MemoryPanel(const Theme& theme, Selection& selection, MemoryHolders& holders, QWidget* parent)
    : PagedPanel(theme, tr("Memory"), parent), byStage_(new MemoryChart(theme, selection)), overTime_(new MemoryOverTime(theme, selection)),
      byTensor_(new MemoryTreemap(theme, holders)), holders_(holders) {
    addPage(tr("By stage"), tr("Every stage at its peak, by kind"), byStage_);
    addPage(tr("Over time"), tr("One stage or instance over time: the chosen one, or the fullest"), overTime_);
    addPage(tr("Tensors"), tr("What holds the memory at one moment, down to the tensor: where the cursor is, or at the peak"), byTensor_);
    connect(&selection, &Selection::stageChanged, this, &MemoryPanel::updateSubtitle);
    connect(&holders_, &MemoryHolders::changed, this, &MemoryPanel::updateSubtitle);
    connect(byTensor_, &MemoryTreemap::insideChanged, this, &MemoryPanel::updateSubtitle);
    updateSubtitle();
}

void MemoryPanel::pageShown(bool changed) {
    updateSubtitle();
    if (changed) emit pageChanged();
}

void MemoryPanel::updateSubtitle() {
    switch (page()) {
    case Page::by_stage: return header().setSubtitle(tr("at its peak"));
    case Page::over_time: return header().setSubtitle(overTime_->subtitle());
    case Page::by_tensor: break;
    }
    const QString within = byTensor_->crumbs();
    header().setSubtitle(within.isEmpty() ? holders_.subtitle() : tr("%1 · %2").arg(within, holders_.subtitle()));
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
