// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QWidget>

namespace orrery {

class Selection;
class Theme;

/// What the engine holds over the run: requests that run and that wait, blocks of the cache in use under their number. The cursor and the
/// range are those of all views.
class CounterChart : public ChartWidget {
    Q_OBJECT
public:
    CounterChart(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    const ServingCounters& counters() const { return counters_; }
    QString describe(double seconds) const; ///< "12.3 s: 31 running, 2 waiting, 1,204 of 28,354 blocks"

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
    void leaveEvent(QEvent*) override;

private:
    struct Lane;
    QRectF plotIn(const QRectF& area) const;
    double x(const QRectF& plot, double seconds) const;
    void drawLane(QPainter& painter, const Lane& lane) const;
    void drawTimes(QPainter& painter, const QRectF& plot) const;
    bool hasValues() const { return counters_.duration > 0; }

    Selection& selection_;
    ResultPtr result_;
    ServingCounters counters_;
};

} // namespace orrery
