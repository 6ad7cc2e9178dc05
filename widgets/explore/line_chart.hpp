// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "widgets/common/chart_widget.hpp"
#include "widgets/explore/value_axis.hpp"

#include <QPointF>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Theme;

/// A figure over the values of a key, a line for each value of another.
struct LineChartData {
    struct Place {
        std::optional<double> figure; ///< nothing: not tried yet, or no result
        std::optional<bool> fits;
        std::size_t point = 0; ///< what is opened
    };
    struct Line {
        QString name; ///< stands at its end
        std::vector<Place> places;
    };
    std::string key, figure;   ///< pointers
    std::vector<BoxedJson> xs; ///< the key's values; each line has a place for each
    std::vector<Line> lines;
    std::optional<double> target;   ///< a level that is asked for
    std::optional<double> answered; ///< the key's value that reaches it
};

/// Lines with their names at their ends. Places that do not fit the memory are hollow. A click chooses a place, a double click opens it; arrow
/// keys walk along a line and from line to line.
class LineChart : public ChartWidget {
    Q_OBJECT
public:
    explicit LineChart(const Theme& theme, const QString& emptyWhat, const QString& emptyHow, QWidget* parent = nullptr);

    void setData(LineChartData data);
    const LineChartData& data() const { return data_; }
    QPointF placeOf(std::size_t line, std::size_t x) const; ///< on the widget as it is; null point: nothing is there
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
    void drawLines(QPainter& painter, const Frame& frame, bool marks) const;
    void drawNames(QPainter& painter, const Frame& frame) const;
    const LineChartData::Place* placeAt(const QPointF& position, std::size_t& line, std::size_t& x) const;
    QColor lineColor(std::size_t line) const;
    QString words(std::size_t line, std::size_t x) const;

    QString emptyWhat_, emptyHow_;
    LineChartData data_;
    std::optional<std::size_t> chosen_;
};

} // namespace orrery
