// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"
#include "widgets/explore/parallel_plans.hpp"
#include "widgets/explore/value_axis.hpp"

#include <QPixmap>
#include <QPointF>
#include <QWidget>

namespace orrery {

class Theme;

/// Plans as lines across many axes, one a key and one a figure. A drag along an axis limits it (a brush), a drag of a brush moves it, a click
/// beside it takes it away; plans outside fade, those that don't fit or break a constraint are grey and dotted, those that fell unsimulated
/// grey, at the best figures that they could have. Arrow keys choose an axis and
/// step its limit, Escape takes all limits away. A click on a line chooses its plan, a double click opens it.
class ParallelChart : public ChartWidget {
    Q_OBJECT
public:
    explicit ParallelChart(const Theme& theme, QWidget* parent = nullptr);

    void setData(ParallelPlans data); ///< brushes stay where the axes are the same
    const ParallelPlans& data() const { return data_; }
    const Brushes& brushes() const { return brushes_; }
    void setBrush(std::size_t axis, std::optional<Brush> brush); ///< emits `brushed` where that changes something
    void clearBrushes();
    std::vector<std::size_t> within() const; ///< simulated plans inside every brush, as index into the data's
    void choose(std::optional<std::size_t> point);
    std::optional<std::size_t> chosen() const { return chosen_; }
    QPointF placeOf(std::size_t axis, double at) const; ///< on the widget as it is

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QByteArray csv() const override;
    QString whyNothing() const override;

signals:
    void brushed();
    void pointChosen(std::size_t point);
    void openRequested(std::size_t point);

protected:
    void dress() override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Frame;
    /// What the mouse does since it was pressed on an axis.
    struct Drag {
        std::size_t axis = 0;
        double from = 0;            ///< share of the axis
        std::optional<Brush> moved; ///< the brush as it was, where it was pressed
        bool far = false;           ///< far enough to be more than a click
    };
    Frame frameIn(const QRectF& area) const;
    QString legend() const;
    double widestValue(std::size_t axis) const; ///< px
    void drawLines(QPainter& painter, const Frame& frame) const;
    void drawLine(QPainter& painter, const Frame& frame, const ParallelPlans::Plan& plan) const;
    void drawAxes(QPainter& painter, const Frame& frame, bool marks) const;
    void drawTicks(QPainter& painter, const Frame& frame, std::size_t axis) const;
    void drawBrushes(QPainter& painter, const Frame& frame) const;
    std::optional<std::size_t> axisAt(const QPointF& position) const;
    const ParallelPlans::Plan* planAt(const QPointF& position) const;
    Brush brushOf(std::size_t axis, double fromShare, double toShare) const; ///< of a key: whole values
    void stepBrush(int steps);
    QString words(const ParallelPlans::Plan& plan) const;

    ParallelPlans data_;
    Brushes brushes_;
    std::vector<ValueAxis> scales_; ///< by axis
    std::optional<std::size_t> chosen_;
    std::optional<std::size_t> current_; ///< axis of the keys
    std::optional<Drag> drag_;
    QPixmap lines_; ///< of the widget as it is; null: to be drawn anew
};

} // namespace orrery
