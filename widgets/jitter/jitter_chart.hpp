// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/chart_widget.hpp"

#include <QWidget>

#include <optional>

namespace orrery {

class Theme;

/// What jitter costs by the number of accelerators: the mean iteration over one without jitter, between the 5th and the 95th percentile,
/// and how much of it the hosts that differ cost. The scenario's own number of accelerators is marked.
class JitterChart : public ChartWidget {
    Q_OBJECT
public:
    explicit JitterChart(const Theme& theme, QWidget* parent = nullptr);

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;

    QString describe(std::size_t point) const; ///< the tooltip's text
    std::optional<std::size_t> pointAt(const QPointF& position) const;

public slots:
    void setResult(orrery::ResultPtr result);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Axes;
    Axes axesIn(const QRectF& area) const;
    const JitterReport* report() const { return result_ && result_->jitter ? &*result_->jitter : nullptr; }
    QString subtitle() const;
    void drawGrid(QPainter& painter, const Axes& axes) const;
    void drawLines(QPainter& painter, const Axes& axes) const;
    void drawMarks(QPainter& painter, const Axes& axes) const;
    void drawLegend(QPainter& painter, const QRectF& area) const;
    void look(std::optional<std::size_t> point);

    ResultPtr result_;
    std::optional<std::size_t> looked_; ///< index into the curve
};

} // namespace orrery
