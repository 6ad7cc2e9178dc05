#pragma once

#include <QByteArray>
#include <QPainter>
#include <QRectF>
#include <QString>

namespace orrery {

/// A chart that can leave the window: as a drawing (SVG, PDF, PNG) and as its data (CSV).
class Exportable {
public:
    virtual ~Exportable() = default;
    virtual QString exportName() const = 0;                                    ///< "timeline": the suggested file name
    virtual void renderChart(QPainter& painter, const QRectF& area) const = 0; ///< vector drawing with titles and legend, folded geometry
    virtual QByteArray csv() const = 0;                                        ///< header line first, units in the header
};

/// Writes a chart to `fileName` by its ending (.svg, .pdf, .png, .csv), atomically. Gives an error text, or nothing.
QString exportChart(const Exportable& chart, const QString& fileName, const QSizeF& size = {1200, 700});

} // namespace orrery
