// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/paged_panel.hpp"

namespace orrery {

class MemoryChart;
class MemoryHolders;
class MemoryOverTime;
class MemoryTreemap;
class Selection;
class Theme;

/// Memory, "by stage", "over time" or "by tensor" at one moment, switched in the header.
class MemoryPanel : public PagedPanel {
    Q_OBJECT
public:
    enum class Page { by_stage,
                      over_time,
                      by_tensor };

    MemoryPanel(const Theme& theme, Selection& selection, MemoryHolders& holders, QWidget* parent = nullptr);

    MemoryChart* byStage() const { return byStage_; }
    MemoryOverTime* overTime() const { return overTime_; }
    MemoryTreemap* byTensor() const { return byTensor_; }
    void showPage(Page page) { showIndex(static_cast<std::size_t>(page)); }
    Page page() const { return static_cast<Page>(shownIndex()); }

signals:
    void pageChanged();

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

protected:
    void pageShown(bool changed) override;

private:
    void updateSubtitle();

    MemoryChart* byStage_;
    MemoryOverTime* overTime_;
    MemoryTreemap* byTensor_;
    MemoryHolders& holders_;
};

} // namespace orrery
