#include "widgets/memory/memory_panel.hpp"

#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_over_time.hpp"

#include <QButtonGroup>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {

MemoryPanel::MemoryPanel(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Memory"), this)), byStage_(new MemoryChart(theme, selection)),
      overTime_(new MemoryOverTime(theme, selection)), stack_(new QStackedWidget(this)) {
    byStageButton_ = addSwitch(tr("By stage"), tr("Every stage at its peak, by kind"), false);
    overTimeButton_ = addSwitch(tr("Over time"), tr("One stage over the iteration: the chosen one, or the fullest"), true);
    auto* group = new QButtonGroup(this);
    group->addButton(byStageButton_);
    group->addButton(overTimeButton_);
    byStageButton_->setChecked(true);
    stack_->addWidget(byStage_);
    stack_->addWidget(overTime_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(stack_, 1);
    connect(&selection, &Selection::stageChanged, this, &MemoryPanel::updateSubtitle);
    connect(&theme_, &Theme::changed, this, &MemoryPanel::applyTheme);
    applyTheme();
    updateSubtitle();
}

QToolButton* MemoryPanel::addSwitch(const QString& text, const QString& explanation, bool overTime) {
    auto* button = new QToolButton(header_);
    button->setText(text);
    button->setToolTip(explanation);
    button->setCheckable(true);
    button->setAutoRaise(true);
    header_->tools()->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, overTime] { showOverTime(overTime); });
    return button;
}

void MemoryPanel::applyTheme() {
    for (QToolButton* button : {byStageButton_, overTimeButton_}) button->setFont(theme_.secondaryFont());
}

void MemoryPanel::showOverTime(bool overTime) {
    (overTime ? overTimeButton_ : byStageButton_)->setChecked(true);
    stack_->setCurrentWidget(overTime ? static_cast<QWidget*>(overTime_) : byStage_);
    updateSubtitle();
}

bool MemoryPanel::showsOverTime() const { return stack_->currentWidget() == overTime_; }

void MemoryPanel::updateSubtitle() { header_->setSubtitle(showsOverTime() ? overTime_->subtitle() : tr("at its peak")); }

void MemoryPanel::setResult(ResultPtr result) {
    byStage_->setResult(result);
    overTime_->setResult(result);
    updateSubtitle();
}

void MemoryPanel::setBusy(bool busy) {
    byStage_->setBusy(busy);
    overTime_->setBusy(busy);
}

} // namespace orrery
