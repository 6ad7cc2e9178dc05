// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/chart_widget.hpp"
#include "widgets/memory/memory_fold.hpp"

#include <QWidget>

#include <optional>

namespace orrery {

class Selection;
class Theme;

/// Memory of one stage over the iteration: what stays, activations, temporary, under the capacity. The stage is the chosen
/// one, or else the one with the highest peak. Moving the mouse moves the shared cursor, a click puts it down as the shared
/// moment, dragging chooses the shared range, a double click lets both go. Arrow keys move the moment from event to event.
class MemoryOverTime : public ChartWidget {
    Q_OBJECT
public:
    MemoryOverTime(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override; ///< every event of the stage shown, bytes
    ChartPlot asPlot() const override;

    int shownStage() const;          ///< -1 without a result
    MemoryKind changingKind() const; ///< what comes and goes: activations, of an engine keys and values
    QString subtitle() const;

public slots:
    void setResult(orrery::ResultPtr result);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    /// Where things are in one drawing; screen and export differ in size only.
    struct Frame {
        QRectF plot;
        double maximum = 1;  ///< GiB
        double duration = 1; ///< s
        double x(double seconds) const { return plot.left() + plot.width() * seconds / duration; }
        double y(double gib) const { return plot.bottom() - plot.height() * gib / maximum; }
        double time(double px) const { return std::clamp((px - plot.left()) / plot.width(), 0.0, 1.0) * duration; }
    };

    Frame frame(const QRectF& area) const;
    void draw(QPainter& painter, const QRectF& area, bool marks) const;
    void drawAxes(QPainter& painter, const Frame& frame) const;
    void drawBands(QPainter& painter, const Frame& frame) const;
    void drawCapacity(QPainter& painter, const Frame& frame) const;
    void drawLegend(QPainter& painter, const Frame& frame, const QRectF& area) const;
    void drawMarks(QPainter& painter, const Frame& frame) const;
    void setMoment(double time);
    double peakTime() const;
    QString describe(double time) const;
    const StageTimeline* stageTimeline() const;

    Selection& selection_;
    ResultPtr result_;
    std::optional<double> pressedAt_; ///< s, while a range is being dragged
    // Folding is repeated only when the plot's width, the stage or the result changes, not for a moved cursor.
    mutable std::vector<FoldedMemory> columns_;
    mutable const StageTimeline* foldedStage_ = nullptr;
};

} // namespace orrery
