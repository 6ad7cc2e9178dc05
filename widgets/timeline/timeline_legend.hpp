// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"
#include "widgets/timeline/columns.hpp"

#include <QPainter>
#include <QRectF>

#include <vector>

namespace orrery {

/// What a colour of the timeline means.
struct LegendEntry {
    QColor colour;
    QString text;
};

/// Names only what occurs in the rows, in the order of the phases.
std::vector<LegendEntry> timelineLegend(const TimelineRows& rows, const Theme& theme);

/// Entries side by side, going on in the next line where the width is used up.
int legendHeight(const std::vector<LegendEntry>& entries, const Theme& theme, double width);
void paintLegend(QPainter& painter, const std::vector<LegendEntry>& entries, const Theme& theme, const QRectF& area);

} // namespace orrery
