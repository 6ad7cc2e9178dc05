// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/roofline/roofline_points.hpp"

#include <qcustomplot.h>

#include <optional>

namespace orrery {

class Theme;

/// The drawing of RooflineChart: log-log axes, ceilings and points by QCustomPlot, texts placed so that none covers another.
/// Used on screen and, at another size, by exports.
class RooflinePlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit RooflinePlot(const Theme& theme, QWidget* parent = nullptr);

    void setResult(ResultPtr result);            ///< null: no points
    void setBaseline(const ResultPtr& baseline); ///< its points as rings, each with a line to what it became; null: none
    std::size_t ghosts() const { return ghosts_.size(); }
    void setSelected(const QString& name, const QString& phase);
    void setLevels(bool shown); ///< L2 and shared memory: their ceilings, and each product under them
    bool showsLevels() const { return levels_; }
    void applyTheme();

    const RooflineData& data() const { return data_; }
    std::optional<std::size_t> pointAt(const QPointF& position) const; ///< index into data().points
    QPointF pixelOf(std::size_t point) const;
    double radiusOf(std::size_t point) const;
    std::optional<std::size_t> selected() const { return selected_; }
    QString note() const; ///< what is not drawn; empty when everything is

private:
    class Annotations;

    void rebuild();
    void sizeMarks();
    void layOutMargins();
    void setRanges();
    struct LevelRoof {
        double bandwidth = 0;
        QString name;
        QColor color;
        Qt::PenStyle style = Qt::DashLine;
    };
    std::vector<LevelRoof> levelRoofs() const; ///< above DRAM's, the lowest first
    void addLevelMarks();
    void addGhosts();
    /// First and last intensity at which a memory's ceiling is between the axes: SVG cuts nothing off that leaves them.
    std::pair<double, double> roofSpan(double bandwidth) const;
    bool addRoof(double bandwidth, const QString& name, const QPen& pen); ///< false: no part of it is between the axes
    QLineF roofLine(double bandwidth) const;                              ///< px; null as above
    QCPScatterStyle scatterStyle(std::size_t point) const;
    void annotate(QCPPainter& painter);
    QPolygonF roofName(QCPPainter& painter, const QString& text, double bandwidth, bool above, const QColor& color, const LabelObstacles& obstacles) const;
    QRectF drawPhases(QCPPainter& painter, const LabelObstacles& obstacles) const;
    void drawPointNames(QCPPainter& painter, const LabelObstacles& obstacles) const;
    QPointF pixel(double intensity, double flopsPerSecond) const;

    const Theme& theme_;
    ResultPtr result_; ///< keeps what data_ points to
    RooflineData data_;
    std::vector<RooflinePoint> ghosts_; ///< of the baseline
    QString selectedName_, selectedPhase_;
    std::optional<std::size_t> selected_;
    std::vector<QCPGraph*> marks_; ///< one a point
    bool levels_ = false;
    Annotations* annotations_ = nullptr;
};

} // namespace orrery
