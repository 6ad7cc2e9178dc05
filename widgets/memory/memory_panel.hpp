#pragma once

#include "core/report/result.hpp"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QStackedWidget;
class QToolButton;
QT_END_NAMESPACE

namespace orrery {

class MemoryChart;
class MemoryOverTime;
class PanelHeader;
class Selection;
class Theme;

/// Memory, "by stage" or "over time", switched in the header.
class MemoryPanel : public QWidget {
    Q_OBJECT
public:
    MemoryPanel(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    MemoryChart* byStage() const { return byStage_; }
    MemoryOverTime* overTime() const { return overTime_; }
    void showOverTime(bool overTime);
    bool showsOverTime() const;

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

private:
    void applyTheme();
    void updateSubtitle();
    QToolButton* addSwitch(const QString& text, const QString& explanation, bool overTime);

    const Theme& theme_;
    PanelHeader* header_;
    MemoryChart* byStage_;
    MemoryOverTime* overTime_;
    QStackedWidget* stack_;
    QToolButton* byStageButton_;
    QToolButton* overTimeButton_;
};

} // namespace orrery
