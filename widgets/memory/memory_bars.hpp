// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QChart>

#include <optional>
#include <vector>

QT_BEGIN_NAMESPACE
class QBarCategoryAxis;
class QStackedBarSeries;
class QValueAxis;
QT_END_NAMESPACE

namespace orrery {

class Theme;

/// The drawing of MemoryChart: Qt Charts lays out and paints the bars; grid and everything with letters in it is drawn here,
/// because Qt Charts cuts labels that do not fit and moves its grid lines only after the next turn of the event loop. Used on screen and, at another size, by exports.
class MemoryBars : public QChart {
    Q_OBJECT
public:
    explicit MemoryBars(const Theme& theme);

    void setResult(ResultPtr result);
    void setBaseline(ResultPtr baseline); ///< its peaks as dotted outlines, stage by stage; null: none
    void setSelectedStage(int stage);     ///< -1: none
    void applyTheme();

    /// The stage under a point of the chart, and the kind when the point is on a bar.
    struct Hit {
        std::size_t stage = 0; ///< index into the report's stages
        std::optional<MemoryKind> kind;
    };
    std::optional<Hit> hitTest(const QPointF& position) const;

    double axisMaximum() const { return axisMaximum_; } ///< GiB
    const std::vector<MemoryKind>& kinds() const { return kinds_; }

protected:
    void resizeEvent(QGraphicsSceneResizeEvent* event) override;

private:
    class Layer;

    struct Label {
        QString text;
        QRectF rect;
    };

    void rebuildSeries();
    void layOut();
    void layOutLegend();
    void drawGrid(QPainter& painter) const;
    void annotate(QPainter& painter) const;
    void drawBaseline(QPainter& painter) const;
    double baselinePeak(std::size_t stage) const; ///< GiB; 0: the baseline has no such stage
    void drawAxis(QPainter& painter) const;
    void drawStageNames(QPainter& painter) const;
    std::vector<Label> drawTotals(QPainter& painter) const;
    QString capacityText() const;
    void drawCapacity(QPainter& painter, const std::vector<Label>& totals) const;
    void drawLegend(QPainter& painter) const;
    int tickCount() const; ///< above zero
    double yOf(double gib) const;
    double slotWidth() const;                ///< px a stage has
    double wordWidth() const;                ///< px that "stage 12" needs; narrower slots show numbers
    QRectF barRect(std::size_t stage) const; ///< from the axis to the top of the stack
    const MemoryReport& report() const { return result_->memory; }

    const Theme& theme_;
    ResultPtr result_;
    ResultPtr baseline_;
    int selectedStage_ = -1;
    std::vector<MemoryKind> kinds_;
    double axisMaximum_ = 1;
    double tickStep_ = 1;
    QRectF legend_; ///< empty when there is no room for one
    double legendRow_ = 18;
    QStackedBarSeries* series_ = nullptr;
    QBarCategoryAxis* stageAxis_ = nullptr;
    QValueAxis* bytesAxis_ = nullptr;
    Layer* grid_ = nullptr;        ///< behind the bars
    Layer* annotations_ = nullptr; ///< over them
};

} // namespace orrery
