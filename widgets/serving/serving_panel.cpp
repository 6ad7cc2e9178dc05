// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/serving_panel.hpp"

#include "widgets/common/dimming.hpp"
#include "widgets/common/format.hpp"
#include "widgets/serving/counter_chart.hpp"
#include "widgets/serving/latency_chart.hpp"
#include "widgets/serving/request_page.hpp"

#include <QTableView>

namespace orrery {

ServingPanel::ServingPanel(const Theme& theme, Selection& selection, QWidget* parent)
    : PagedPanel(theme, tr("Requests"), parent), latency_(new LatencyChart(theme)), overTime_(new CounterChart(theme, selection)), requests_(new RequestPage(theme, selection)) {
    addPage(tr("Latency"), tr("Which share of the requests is served within a time"), latency_);
    addPage(tr("Over time"), tr("Requests that run and wait, and blocks of the cache in use"), overTime_);
    addPage(tr("Table"), tr("Each request, and what its time was spent in"), requests_);
}

void ServingPanel::pageShown(bool) { updateSubtitle(); }

void ServingPanel::updateSubtitle() {
    if (page() == Page::over_time) return header().setSubtitle(overTime_->heading().subtitle);
    const ServingReport* report = result_ ? result_->serving() : nullptr;
    if (!report) return header().setSubtitle({});
    QString text = tr("%1 of %2 completed").arg(grouped(double(report->served.completed)), grouped(double(report->served.count)));
    if (report->served.rejected > 0) text += QStringLiteral(" · ") + tr("%1 rejected").arg(grouped(double(report->served.rejected)));
    if (report->served.preemptions > 0) text += QStringLiteral(" · ") + tr("%1 preemptions").arg(grouped(double(report->served.preemptions)));
    header().setSubtitle(text);
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
