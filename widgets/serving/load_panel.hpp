// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/results/report/load_curve.hpp"
#include "core/results/report/result.hpp"

#include <QWidget>

#include <optional>
#include <vector>

QT_BEGIN_NAMESPACE
class QLabel;
class QSlider;
QT_END_NAMESPACE

namespace orrery {

class LoadChart;
class LoadFigures;
class PanelHeader;
class Theme;

/// Throughput against latency, and a slider that tries other loads: while it is dragged the figures below follow, when it is let go the load
/// is the scenario's. Others simulate; this one asks and shows.
class LoadPanel : public QWidget {
    Q_OBJECT
public:
    explicit LoadPanel(const Theme& theme, QWidget* parent = nullptr);

    LoadChart* chart() const { return chart_; }
    QSlider* slider() const { return slider_; }
    const LoadFigures& figures() const { return *figures_; }
    double load() const; ///< where the slider stands
    bool hasLoad() const { return present_.has_value(); }

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);
    void setCurve(const orrery::LoadCurvePtr& curve); ///< of the result shown; null: there is none
    void setTried(const orrery::LoadPoint& point);    ///< the answer to `loadTried`
    void setProgress(double share);                   ///< of the curve; negative: nothing is under way

signals:
    void shown();                ///< it is seen now: a curve is worth its work
    void loadTried(double load); ///< its figures are wanted
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void applyTheme();
    void updateSubtitle();
    void showFigures();
    void placeSlider();
    void moved();
    void settle();

    const Theme& theme_;
    PanelHeader* header_;
    LoadChart* chart_;
    QLabel* name_;
    QSlider* slider_;
    QLabel* value_;
    LoadFigures* figures_;
    ResultPtr result_;
    std::optional<OfferedLoad> present_; ///< of the result; nothing: it has none to vary
    double most_ = 1;                    ///< load at the slider's right end
    int ownStep_ = 1;                    ///< of the slider, for the present load
    double progress_ = -1;
    bool placing_ = false;
};

} // namespace orrery
