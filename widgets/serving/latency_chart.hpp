// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/exportable.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QWidget>

namespace orrery {

class Theme;

/// Which share of the requests is served within a time: TTFT, TPOT and E2E, with their percentiles and the limits of the service level.
class LatencyChart : public QWidget, public Exportable {
    Q_OBJECT
public:
    explicit LatencyChart(const Theme& theme, QWidget* parent = nullptr);

    const std::vector<LatencyValues>& latencies() const { return latencies_; }
    QString percentileText(std::size_t curve) const;   ///< "p50 27.5 · p90 55.2 · p99 150 ms"
    QString limitText(std::size_t curve) const;        ///< "99.5 % within 200 ms"; empty: no limit
    QString describeAt(const QPointF& position) const; ///< the tooltip's text; empty: over no curve

    QString exportName() const override;
    const Theme& chartTheme() const override { return theme_; }
    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;

    QSize sizeHint() const override { return {480, 200}; }
    QSize minimumSizeHint() const override { return {200, 120}; }

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    struct Plot;
    std::vector<Plot> plotsIn(const QRectF& area) const;
    void drawCurve(QPainter& painter, const Plot& plot) const;
    bool hasValues() const;

    const Theme& theme_;
    ResultPtr result_;
    std::vector<LatencyValues> latencies_;
};

} // namespace orrery
