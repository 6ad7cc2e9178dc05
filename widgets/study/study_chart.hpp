// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"
#include "widgets/study/study_bars.hpp"

#include <QWidget>

namespace orrery {

class Theme;

/// A study's plot as grouped bars: a group for each value of the first axis, a bar for each combination of the others, and a
/// line across a bar where its closed form says it must end. Arrow keys walk the bars, Enter opens one.
class StudyChart : public ChartWidget {
    Q_OBJECT
public:
    explicit StudyChart(const Theme& theme, QWidget* parent = nullptr);

    std::size_t plot() const { return plot_; }
    bool showsShares() const { return shares_; }
    int chosen() const { return chosen_; }     ///< index of a point; -1: none
    QRectF barRect(std::size_t point) const;   ///< on the widget as it is; empty for a bar without a value
    QString describe(std::size_t point) const; ///< the tooltip's text

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override; ///< a line a point, every plot in its own unit

public slots:
    void setResult(const orrery::StudyResultPtr& result); ///< may still be running
    void setPlot(int plot);
    void setShares(bool shares); ///< as shares of the baseline
    void choose(int point);

signals:
    void chosenChanged(int point);
    void openRequested(int point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    /// Where things are in one drawing; screen and export differ in size only.
    struct Frame {
        QRectF plot;
        double groupWidth = 0;
        double barWidth = 0;
        double maximum = 1; ///< in the axis's unit
        double step = 1;
        double factor = 1; ///< of the axis's unit
        QString unit;
        double y(double value) const { return plot.bottom() - plot.height() * value / factor / maximum; }
        double barLeft(std::size_t group, std::size_t bar, std::size_t bars) const;
    };

    void rebuild();
    Frame frame(const QRectF& area) const;
    double layOutLegend(const QRectF& area, QPainter* painter) const; ///< its height; paints when there is a painter
    void draw(QPainter& painter, const QRectF& area, bool marks) const;
    void drawAxis(QPainter& painter, const Frame& frame) const;
    void drawGroup(QPainter& painter, const Frame& frame, std::size_t group, bool marks) const;
    void drawNumbers(QPainter& painter, const Frame& frame, std::size_t group) const;
    std::optional<std::size_t> pointAt(const QPointF& position) const;
    QRectF barRect(const Frame& frame, std::size_t group, std::size_t bar) const;
    QColor seriesColor(std::size_t series) const;
    std::optional<std::size_t> boundPlot() const;              ///< of the study: the plot that names each point's bottleneck
    std::optional<QColor> boundColor(std::size_t point) const; ///< of the point's bottleneck; none where nothing says it

    StudyResultPtr result_;
    StudyBars bars_;
    std::size_t plot_ = 0;
    bool shares_ = false;
    int chosen_ = -1;
};

} // namespace orrery
