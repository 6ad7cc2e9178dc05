// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QStackedWidget;
class QToolButton;
QT_END_NAMESPACE

namespace orrery {

class MemoryChart;
class MemoryHolders;
class MemoryOverTime;
class MemoryTreemap;
class PanelHeader;
class Selection;
class Theme;

/// Memory, "by stage", "over time" or "by tensor" at one moment, switched in the header.
class MemoryPanel : public QWidget {
    Q_OBJECT
public:
    enum class Page { by_stage,
                      over_time,
                      by_tensor };

    MemoryPanel(const Theme& theme, Selection& selection, MemoryHolders& holders, QWidget* parent = nullptr);

    MemoryChart* byStage() const { return byStage_; }
    MemoryOverTime* overTime() const { return overTime_; }
    MemoryTreemap* byTensor() const { return byTensor_; }
    void showPage(Page page);
    Page page() const;

signals:
    void pageChanged();

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

private:
    void applyTheme();
    void updateSubtitle();
    void addSwitch(const QString& text, const QString& explanation, QWidget* view);

    const Theme& theme_;
    PanelHeader* header_;
    MemoryChart* byStage_;
    MemoryOverTime* overTime_;
    MemoryTreemap* byTensor_;
    MemoryHolders& holders_;
    QStackedWidget* stack_;
    std::vector<QToolButton*> switches_; ///< in the pages' order
};

} // namespace orrery
