// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QWidget>

namespace orrery {

class Theme;

/// Which share of the requests is served within a time: TTFT, TPOT and E2E, with their percentiles and the limits of the service level.
class LatencyChart : public ChartWidget {
    Q_OBJECT
public:
    explicit LatencyChart(const Theme& theme, QWidget* parent = nullptr);

    const std::vector<LatencyValues>& latencies() const { return latencies_; }
    QString percentileText(std::size_t curve) const;   ///< "p50 27.5 · p90 55.2 · p99 150 ms"
    QString limitText(std::size_t curve) const;        ///< "99.5 % within 200 ms"; empty: no limit
    QString describeAt(const QPointF& position) const; ///< the tooltip's text; empty: over no curve

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;

public slots:
    void setResult(orrery::ResultPtr result);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    struct Plot;
    std::vector<Plot> plotsIn(const QRectF& area) const;
    void drawCurve(QPainter& painter, const Plot& plot) const;
    bool hasValues() const;

    ResultPtr result_;
    std::vector<LatencyValues> latencies_;
};

} // namespace orrery
