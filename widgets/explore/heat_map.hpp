// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "widgets/common/chart_widget.hpp"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Theme;

/// A figure over the values of two keys.
struct HeatMapData {
    struct Cell {
        std::optional<double> figure;
        std::optional<bool> fits; ///< nothing: not tried yet, or no result
        QString problem;          ///< why there is none
    };
    std::string rowKey, columnKey, figure; ///< pointers
    std::vector<BoxedJson> rows, columns;
    std::vector<Cell> cells; ///< row by row; its index is the point's
};

/// Cells coloured by a figure, with its number where there is room; a line around all that fits the memory, and hatching on what does not. The best
/// that fits is framed. A click or an arrow key chooses a cell, a double click or Enter opens it.
class HeatMap : public ChartWidget {
    Q_OBJECT
public:
    explicit HeatMap(const Theme& theme, QWidget* parent = nullptr);

    void setData(HeatMapData data);
    const HeatMapData& data() const { return data_; }
    QRectF cellRect(std::size_t point) const; ///< on the widget as it is
    std::optional<std::size_t> best() const;  ///< of those that fit
    std::optional<std::size_t> chosen() const { return chosen_; }
    void choose(std::optional<std::size_t> point);

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QByteArray csv() const override;
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
    QRectF gridIn(const QRectF& area) const;
    QRectF cellIn(const QRectF& grid, std::size_t point) const;
    void draw(QPainter& painter, const QRectF& area, bool marks) const;
    void drawCell(QPainter& painter, const QRectF& box, const HeatMapData::Cell& cell, double least, double most) const;
    void drawContour(QPainter& painter, const QRectF& grid) const;
    void drawLabels(QPainter& painter, const QRectF& area, const QRectF& grid) const;
    std::optional<std::size_t> pointAt(const QPointF& position) const;
    QString words(std::size_t point) const;
    void pick(std::size_t point);

    HeatMapData data_;
    std::optional<std::size_t> chosen_;
};

} // namespace orrery
