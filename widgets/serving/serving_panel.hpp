// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/paged_panel.hpp"

namespace orrery {

class CounterChart;
class LatencyChart;
class RequestPage;
class Selection;
class Theme;

/// Served requests: their latency, the engine over time, and each of them in a table, switched in the header.
class ServingPanel : public PagedPanel {
    Q_OBJECT
public:
    enum class Page { latency,
                      over_time,
                      requests };

    ServingPanel(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    LatencyChart* latency() const { return latency_; }
    CounterChart* overTime() const { return overTime_; }
    RequestPage* requests() const { return requests_; }
    void showPage(Page page) { showIndex(static_cast<std::size_t>(page)); }
    Page page() const { return static_cast<Page>(shownIndex()); }

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

protected:
    void pageShown(bool changed) override;

private:
    void updateSubtitle();

    LatencyChart* latency_;
    CounterChart* overTime_;
    RequestPage* requests_;
    ResultPtr result_;
};

} // namespace orrery
