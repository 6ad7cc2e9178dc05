// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"

#include <QWidget>

#include <vector>

namespace orrery {

class Theme;

/// How many runs are how far off: bars of signed errors in percent, those of the chosen group before all; the outline is of left-out
/// predictions. What lies beyond the ends stands in the last bar.
class ErrorHistogram : public ChartWidget {
    Q_OBJECT
public:
    static constexpr double end = 50;     ///< percent
    static constexpr double binWidth = 5; ///< percent
    static constexpr int bins = 20;

    struct Errors {
        std::vector<double> all, chosen, leftOut; ///< percent; `leftOut` are the chosen runs'
        QString title;                            ///< whose `chosen` are
    };

    explicit ErrorHistogram(const Theme& theme, QWidget* parent = nullptr);

    void setErrors(Errors errors);
    static int binOf(double error);
    static std::vector<int> count(const std::vector<double>& errors); ///< by bin
    QRectF barRect(int bin) const;                                    ///< of the chosen runs, on the widget as it is

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Frame {
        QRectF plot;
        double most = 1;
        double step = 1;
        double x(double error) const { return plot.left() + plot.width() * (error + end) / (2 * end); }
        double y(double count) const { return plot.bottom() - plot.height() * count / most; }
    };
    Frame frame(const QRectF& area) const;
    QRectF barRect(const Frame& at, int bin, int count) const;
    void draw(QPainter& painter, const QRectF& area) const;
    void drawAxes(QPainter& painter, const Frame& at, const QRectF& area) const;
    void drawLegend(QPainter& painter, const QRectF& area) const;

    Errors errors_;
    std::vector<int> all_, chosen_, leftOut_;
};

} // namespace orrery
