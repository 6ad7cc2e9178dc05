// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"
#include "widgets/explore/value_axis.hpp"

#include <QPointF>
#include <QWidget>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Theme;

/// Plans by two figures.
struct FrontChartData {
    struct Plan {
        double x = 0, y = 0;
        std::size_t point = 0; ///< what is opened
        bool feasible = true;  ///< fits and satisfies every constraint
        bool onFront = false;
        QString words; ///< "t4 p8"
    };
    std::string xFigure, yFigure; ///< pointers
    bool mostOfX = false, mostOfY = false;
    std::vector<Plan> plans;
    std::optional<double> limitOfX{}; ///< a target that plans are read at
};

/// Every plan that was simulated as a point; those that no other beats in both figures are joined by a step line and say what they are. Those that
/// don't fit, or break a constraint, are hollow and grey. A click or an arrow key chooses a plan of the front, a double click or Enter opens it.
class FrontChart : public ChartWidget {
    Q_OBJECT
public:
    explicit FrontChart(const Theme& theme, QWidget* parent = nullptr);

    void setData(FrontChartData data);
    const FrontChartData& data() const { return data_; }
    QPointF placeOf(std::size_t point) const; ///< on the widget as it is; null point: there is no such plan
    std::optional<std::size_t> chosen() const { return chosen_; }
    void choose(std::optional<std::size_t> point);

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;
    QString whyNothing() const override;

signals:
    void pointChosen(std::size_t point);
    void openRequested(std::size_t point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Frame;
    Frame frameIn(const QRectF& area) const;
    void draw(QPainter& painter, const QRectF& area, bool marks) const;
    void drawAxes(QPainter& painter, const Frame& frame) const;
    void drawFront(QPainter& painter, const Frame& frame) const;
    void drawNames(QPainter& painter, const Frame& frame) const;
    const FrontChartData::Plan* planAt(const QPointF& position) const;
    std::vector<const FrontChartData::Plan*> front() const; ///< by x
    QString words(const FrontChartData::Plan& plan) const;
    void pick(const FrontChartData::Plan& plan);

    FrontChartData data_;
    std::optional<std::size_t> chosen_;
};

} // namespace orrery
