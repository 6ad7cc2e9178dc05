// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/sensitivity.hpp"
#include "widgets/common/chart_widget.hpp"

#include <QWidget>

#include <optional>

namespace orrery {

class Theme;

/// What a figure becomes when each input is less and more: bars around the figure as it is, the longest on top. Bars of inputs that change nothing are
/// left out. A click, or Enter on the chosen one, asks for a sweep over the input.
class TornadoChart : public ChartWidget {
    Q_OBJECT
public:
    explicit TornadoChart(const Theme& theme, QWidget* parent = nullptr);

    void setSensitivity(std::optional<Sensitivity> sensitivity);
    const std::optional<Sensitivity>& sensitivity() const { return sensitivity_; }
    std::size_t barCount() const { return bars_; } ///< inputs that change the figure
    QRectF barRect(std::size_t row) const;         ///< on the widget as it is
    std::optional<std::size_t> chosen() const { return chosen_; }

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;
    QString whyNothing() const override;

    QSize minimumSizeHint() const override { return {260, 130}; }

signals:
    void sweepRequested(std::size_t row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Frame;
    Frame frameIn(const QRectF& area) const;
    void draw(QPainter& painter, const QRectF& area, bool marks) const;
    std::optional<std::size_t> rowAt(const QPointF& position) const;
    QString words(const SensitivityRow& row) const;

    std::optional<Sensitivity> sensitivity_;
    std::size_t bars_ = 0;
    std::optional<std::size_t> chosen_;
};

} // namespace orrery
