// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"

#include <QSizeF>
#include <QString>

#include <optional>

namespace orrery {

/// How a chart leaves the window. Its size is that of the paper, and its letters have their size on that paper: a chart for a
/// narrow column is laid out for the column, not a wide one made small.
struct ExportFormat {
    static constexpr double pixelsPerInch = 96; ///< of `size`, in every kind of file

    QSizeF size{1200, 700};
    double pointSize = 0;                     ///< of the axes' labels; 0: as on the screen (7.8 pt)
    std::optional<ThemeVariant> colours = {}; ///< nothing: as the window
    std::optional<QString> title = {};        ///< nothing: the chart's own line of title; empty: none
    double dotsPerInch = 2 * pixelsPerInch;   ///< of a PNG: sharp on dense screens and in print

    /// The size that the chart is laid out for: larger than the paper where the letters are to be smaller than on the screen.
    QSizeF layoutSize() const { return size / scale(); }
    double scale() const { return pointSize > 0 ? pointSize / screenPointSize : 1; }

    /// What Theme::axisFont() measures on paper.
    static constexpr double screenPointSize = (10.5 - 0.1) * 72 / pixelsPerInch;
};

} // namespace orrery
