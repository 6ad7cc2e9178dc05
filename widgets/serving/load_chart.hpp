// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/load_curve.hpp"
#include "widgets/common/chart_widget.hpp"

#include <QWidget>

#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// What latency costs throughput: TTFT and TPOT over the output tokens/s of each accelerator, a point a load. The limits of the service
/// level, the scenario's own point and the knee are marked; the knee is told in words.
class LoadChart : public ChartWidget {
    Q_OBJECT
public:
    explicit LoadChart(const Theme& theme, QWidget* parent = nullptr);

    void setCurve(LoadCurvePtr curve);
    const LoadCurvePtr& curve() const { return curve_; }
    void setTried(std::optional<LoadPoint> point); ///< another load, marked beside the scenario's own
    const std::optional<LoadPoint>& tried() const { return tried_; }
    void setWhyNothing(const QString& text); ///< why there is no curve
    std::optional<std::size_t> pointAt(const QPointF& position) const;

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;

private:
    struct Plot;
    std::vector<Plot> plotsIn(const QRectF& area) const;
    int wordLines(const QRectF& area) const; ///< above the plots
    void drawWords(QPainter& painter, const QRectF& area) const;
    void drawPlot(QPainter& painter, const Plot& plot) const;
    void drawAxes(QPainter& painter, const Plot& plot) const;
    void drawCurve(QPainter& painter, const Plot& plot) const;
    bool hasValues() const { return curve_ && !curve_->points.empty(); }

    LoadCurvePtr curve_;
    std::optional<LoadPoint> tried_;
    QString whyNothing_;
    std::optional<std::size_t> looked_; ///< index into the curve
};

} // namespace orrery
