// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QStringList>

namespace orrery {

/// A round distance between axis ticks (1, 2 or 5 times a power of ten), so that at most `ticks` fit into `span`.
double roundTickStep(double span, int ticks);

/// Writes the first of the texts that is no wider than the box, the longest first; where none is, the last one in letters as small as it
/// takes. Nothing is cut: a chart on paper has no tool tip that tells the rest.
void drawFitting(QPainter& painter, const QRectF& box, Qt::Alignment alignment, const QFont& font, const QStringList& texts);

} // namespace orrery
