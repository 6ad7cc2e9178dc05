// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_plot.hpp"
#include "widgets/common/export_format.hpp"

namespace orrery {

/// A plot for another tool, with its numbers inside: nothing else is needed to draw it again, or to change how it looks. Colours are Okabe and Ito's,
/// bars are hatched so that they stay apart in grey.
struct ScriptedPlot {
    PlotData data;
    QString title;  ///< empty: none
    QSizeF inches;  ///< on paper
    double points;  ///< of letters
    QString source; ///< what wrote it
};

/// "Written by Orrery 0.1.0 (commit …, catalogue …).": every chart that leaves says so.
QString writtenBy();

ScriptedPlot scriptedPlot(PlotData data, const QString& title, const ExportFormat& format);

QByteArray plotAsTex(const ScriptedPlot& plot);      ///< PGFPlots, a document in itself
QByteArray plotAsVegaLite(const ScriptedPlot& plot); ///< Vega-Lite 5
QByteArray plotAsPython(const ScriptedPlot& plot);   ///< matplotlib; writes a PDF beside the script

} // namespace orrery
