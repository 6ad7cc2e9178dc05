// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/comparison/compare.hpp"
#include "widgets/common/chart_widget.hpp"

#include <QWidget>

#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// Where a difference comes from: from one figure to the other in steps, one for each part. The steps that are too small to be seen are one,
/// so that the steps sum to the whole.
class WaterfallChart : public ChartWidget {
    Q_OBJECT
public:
    explicit WaterfallChart(const Theme& theme, QWidget* parent = nullptr);

    void setComparison(std::optional<Comparison> comparison, const QString& from, const QString& to);
    /// What is drawn between the two figures, in order.
    const std::vector<Comparison::Part>& steps() const { return steps_; }
    std::optional<QRectF> stepRect(std::size_t step) const; ///< on the widget; nothing: there is no such step

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;
    QString whyNothing() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    struct Frame;
    Frame frameIn(const QRectF& area) const;
    bool needsRows(const Frame& frame) const;
    void drawRows(QPainter& painter, const QRectF& area) const;
    void draw(QPainter& painter, const QRectF& area) const;

    std::optional<Comparison> comparison_;
    std::vector<Comparison::Part> steps_;
    QString from_, to_;
};

} // namespace orrery
