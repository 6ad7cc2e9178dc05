// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/compared.hpp"

#include <QImage>
#include <QWidget>

#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// The timelines of several scenarios, one above the other on one axis from the start: compute, and below it what is sent. The operator under the
/// mouse is found in the others by its name and phase, marked there, and told with how many times as fast it is. The wheel zooms about the
/// mouse, dragging moves, a double click shows all. One stage of each is shown; one that has fewer shows its last.
class CompareTimelines : public QWidget {
    Q_OBJECT
public:
    explicit CompareTimelines(const Theme& theme, QWidget* parent = nullptr);

    void setCompared(std::vector<ComparedScenario> scenarios); ///< those without a result are left out
    void setStage(int stage);
    int stage() const { return stage_; }
    int stages() const;                   ///< of the scenario that has most
    double from() const { return from_; } ///< s, of what is in view
    double to() const { return to_; }
    QString hint() const { return hint_; }               ///< of the operator under the mouse, in every scenario
    QPointF placeOf(std::size_t row, double time) const; ///< the middle of a row's compute lane

    QSize sizeHint() const override { return {480, 180}; }
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Kind {
        std::string name;
        Phase phase = Phase::forward;
        bool operator==(const Kind&) const = default;
    };
    QRectF plot() const;
    QRectF lane(std::size_t row, int lane) const;
    double x(double time) const;
    double timeAt(double x) const;
    void setRange(double from, double to);
    void drawRow(QPainter& painter, std::size_t row) const;
    void drawAxis(QPainter& painter) const;
    int stageOf(std::size_t row) const;
    std::optional<Kind> kindAt(const QPointF& position) const;
    void setHovered(std::optional<Kind> kind);
    QImage drawn() const;

    const Theme& theme_;
    std::vector<ComparedScenario> rows_;
    int stage_ = 0;
    double longest_ = 0, from_ = 0, to_ = 0;
    std::optional<Kind> hovered_;
    QString hint_;
    double dragFrom_ = 0, dragX_ = 0;
    mutable QImage image_; ///< of the bars as they stand; null: to be drawn
};

} // namespace orrery
