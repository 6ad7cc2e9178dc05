// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"
#include "widgets/timeline/columns.hpp"
#include "widgets/timeline/viewport.hpp"

#include <QByteArray>
#include <QPainter>
#include <QRectF>

namespace orrery {

/// Draws the stretch of time in `viewport` (its width does not matter) with all stages, title, legend and axis. Geometry is
/// folded: runs of one colour are one rectangle, so that a drawing of millions of bars stays below a megabyte.
void renderTimeline(QPainter& painter, const QRectF& area, const Theme& theme, const Timeline& timeline, const TimelineRows& rows,
                    const Viewport& viewport);

/// One line per operator that begins before `to` and ends after `from`; beyond `mostCsvOperators` of them one line per
/// span, as the column `level` says.
QByteArray timelineCsv(const Timeline& timeline, double from, double to);
inline constexpr std::size_t mostCsvOperators = 1'000'000;

} // namespace orrery
