// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/export_format.hpp"

#include <QSettings>

#include <optional>

namespace orrery {

/// Lengths that a figure can be given in.
enum class LengthUnit { inches,
                        millimetres,
                        pixels };

double pixelsPer(LengthUnit unit); ///< pixels of 1/96 inch, ExportFormat's
QString unitSign(LengthUnit unit); ///< "in", "mm", "px"

/// "3.5in", "89 mm", "8.9cm", "252pt" or "1200px" in pixels of 1/96 inch; nothing for what is no length of a figure
/// (0.5 in to 200 in).
std::optional<double> lengthFrom(const QString& text);

/// "1200x700", in pixels of 1/96 inch, 200x150 to 20000x20000.
std::optional<QSizeF> sizeFrom(const QString& text);

/// How charts were exported last; before the first time light, for paper is.
ExportFormat storedExportFormat(const QSettings& settings);
void storeExportFormat(QSettings& settings, const ExportFormat& format); ///< all but the title: that is of one chart

} // namespace orrery
