// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/load_curve.hpp"

#include <QString>

namespace orrery {

QString loadNumber(double load);               ///< "24", "2.7": no digit that says nothing
QString loadText(LoadKind kind, double load);  ///< "24 requests/s", "1 user"
QString kneeText(const LoadCurve& curve);      ///< "Knee at 82 users"; of a curve without one, how far it was looked for
QString kneeReason(const LoadCurve& curve);    ///< "the KV cache is full: requests wait for blocks …"; empty: there is none
QString pointText(LoadKind, const LoadPoint&); ///< a point in a few lines
QString cacheText(const LoadPoint& point);     ///< "7.3 %, at most 12 %"

} // namespace orrery
