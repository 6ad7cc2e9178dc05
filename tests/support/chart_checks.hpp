// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/text_recorder.hpp"
#include "widgets/common/theme.hpp"

#include <QByteArray>
#include <QList>
#include <QSize>

namespace orrery::test {

/// A chart written as SVG, PDF and PNG into a fresh folder: what is wrong with the files, nothing when all is well.
QString exportFaults(const Exportable& chart);

/// The cells of a CSV, quotes undone; the first line is the header.
QList<QList<QByteArray>> parseCsv(const QByteArray& text);

/// Sizes at which labels are checked: a small dock, the sketch's column, a window of its own.
inline const QList<QSize> checkedSizes{{300, 220}, {340, 420}, {900, 700}};
inline const QList<ThemeVariant> checkedThemes{ThemeVariant::light, ThemeVariant::dark};

} // namespace orrery::test
