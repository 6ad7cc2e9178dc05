// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <QPainter>

namespace orrery {

class LinkLoadModel;
class Theme;

/// The table as a drawing for exports: header, then as many rows as fit, from the first shown; what is left is counted.
void drawLinkLoads(QPainter& painter, const QRectF& area, const LinkLoadModel& model, const Theme& theme);

} // namespace orrery
