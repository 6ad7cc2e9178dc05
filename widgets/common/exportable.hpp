// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_plot.hpp"
#include "widgets/common/export_format.hpp"

#include <QByteArray>
#include <QPainter>
#include <QRectF>
#include <QString>

class QMimeData;

namespace orrery {

/// The line over a chart that leaves the window.
struct ChartHeading {
    QString title;
    QString subtitle; ///< what it is of, in secondary ink
};

/// A chart that can leave the window: as a drawing (SVG, PDF, PNG) and as its data (CSV).
class Exportable {
public:
    virtual ~Exportable() = default;
    virtual QString exportName() const = 0; ///< "timeline": the suggested file name
    virtual const Theme& chartTheme() const = 0;
    virtual ChartHeading heading() const = 0;
    /// Vector drawing with axes and legend, folded geometry. Nothing may lie outside `area`: SVG knows no clipping.
    virtual void renderBody(QPainter& painter, const QRectF& area) const = 0;
    virtual QByteArray csv() const = 0;             ///< header line first, units in the header
    virtual ChartPlot asPlot() const { return {}; } ///< how other tools plot that
    /// What the chart would show and how to get there, when it has nothing to draw; empty otherwise.
    virtual QString whyNothing() const { return {}; }

    /// Ground, heading and body. A heading without words takes no room.
    void renderChart(QPainter& painter, const QRectF& area) const { renderChart(painter, area, heading()); }
    void renderChart(QPainter& painter, const QRectF& area, const ChartHeading& heading) const;
};

/// The endings that charts are written by: "svg", "pdf", "png", "csv", "tex" (PGFPlots), "vl.json" (Vega-Lite), "py" (matplotlib).
const QStringList& chartEndings();
/// The one that a file's name has; empty: none.
QString chartEndingOf(const QString& fileName);

/// Whether the chart has something to write in a file of this ending.
bool canWrite(const Exportable& chart, const QString& ending);

/// Writes a chart to `fileName` by its ending, atomically. Gives an error text, or nothing.
QString exportChart(const Exportable& chart, const QString& fileName, const ExportFormat& format = {});

/// The chart as the clipboard takes it: pixels and vectors, so that each program finds what it can paste. Null when there is nothing.
QMimeData* chartForClipboard(const Exportable& chart, const ExportFormat& format);

/// The chart as lines and letters, a whole SVG document.
QByteArray chartSvg(const Exportable& chart, const ExportFormat& format);

/// The chart as a picture of `dotsPerInch` pixels an inch; for the clipboard and for a preview.
QImage chartImage(const Exportable& chart, const ExportFormat& format);

} // namespace orrery
