// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/network_report.hpp"

#include <QString>

namespace orrery {

/// What views call a link of the report and what it carries, translated.
QString linkTitle(const ReportLink& link);                                   ///< "dgx-0 – leaf-1", "dgx-0 · scale-up"; the same for both directions
QString linkDirection(const ReportLink& link);                               ///< "→ leaf-1"; "out of the accelerators" inside a host
QString linkBytes(double bytes, bool perSecond);                             ///< "1.21 GB", "48.2 GB/s": network units are powers of ten
QString linkUsers(const Timeline& timeline, const LinkLoad& load, int most); ///< "all-gather, tensor 62 % · send 38 %"; empty where idle

} // namespace orrery
