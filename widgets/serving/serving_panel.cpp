// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/serving_panel.hpp"

#include "widgets/common/dimming.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/serving/counter_chart.hpp"
#include "widgets/serving/latency_chart.hpp"
#include "widgets/serving/request_page.hpp"

#include <QButtonGroup>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {

ServingPanel::ServingPanel(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Requests"), this)), latency_(new LatencyChart(theme)),
      overTime_(new CounterChart(theme, selection)), requests_(new RequestPage(theme, selection)), stack_(new QStackedWidget(this)) {
    addSwitch(tr("Latency"), tr("Which share of the requests is served within a time"), latency_);
    addSwitch(tr("Over time"), tr("Requests that run and wait, and blocks of the cache in use"), overTime_);
    addSwitch(tr("Table"), tr("Each request, and what its time was spent in"), requests_);
    auto* group = new QButtonGroup(this);
    for (QToolButton* button : switches_) group->addButton(button);
    switches_.front()->setChecked(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(stack_, 1);
    connect(&theme_, &Theme::changed, this, &ServingPanel::applyTheme);
    applyTheme();
}

void ServingPanel::addSwitch(const QString& text, const QString& explanation, QWidget* view) {
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

void ServingPanel::applyTheme() {
    for (QToolButton* button : switches_) button->setFont(theme_.secondaryFont());
}

void ServingPanel::showPage(Page page) {
    switches_[static_cast<std::size_t>(page)]->setChecked(true);
    stack_->setCurrentIndex(static_cast<int>(page));
    updateSubtitle();
}

ServingPanel::Page ServingPanel::page() const { return static_cast<Page>(stack_->currentIndex()); }

void ServingPanel::updateSubtitle() {
    if (page() == Page::over_time) return header_->setSubtitle(overTime_->heading().subtitle);
    const ServingReport* report = result_ ? result_->serving() : nullptr;
    if (!report) return header_->setSubtitle({});
    QString text = tr("%1 of %2 completed").arg(grouped(double(report->served.completed)), grouped(double(report->served.count)));
    if (report->served.rejected > 0) text += QStringLiteral(" · ") + tr("%1 rejected").arg(grouped(double(report->served.rejected)));
    if (report->served.preemptions > 0) text += QStringLiteral(" · ") + tr("%1 preemptions").arg(grouped(double(report->served.preemptions)));
    header_->setSubtitle(text);
}

void ServingPanel::setResult(ResultPtr result) {
    result_ = result;
    latency_->setResult(result);
    overTime_->setResult(result);
    requests_->setResult(result);
    setBusy(false);
    updateSubtitle();
}

void ServingPanel::setBusy(bool busy) {
    latency_->setBusy(busy);
    overTime_->setBusy(busy);
    setDimmed(*requests_->view()->viewport(), busy);
}

} // namespace orrery
