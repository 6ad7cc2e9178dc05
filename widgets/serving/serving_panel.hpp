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

class CounterChart;
class LatencyChart;
class PanelHeader;
class RequestPage;
class Selection;
class Theme;

/// Served requests: their latency, the engine over time, and each of them in a table, switched in the header.
class ServingPanel : public QWidget {
    Q_OBJECT
public:
    enum class Page { latency,
                      over_time,
                      requests };

    ServingPanel(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    LatencyChart* latency() const { return latency_; }
    CounterChart* overTime() const { return overTime_; }
    RequestPage* requests() const { return requests_; }
    void showPage(Page page);
    Page page() const;

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

private:
    void applyTheme();
    void updateSubtitle();
    void addSwitch(const QString& text, const QString& explanation, QWidget* view);

    const Theme& theme_;
    PanelHeader* header_;
    LatencyChart* latency_;
    CounterChart* overTime_;
    RequestPage* requests_;
    QStackedWidget* stack_;
    std::vector<QToolButton*> switches_; ///< in the pages' order
    ResultPtr result_;
};

} // namespace orrery
