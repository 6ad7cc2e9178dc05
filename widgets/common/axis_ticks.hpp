// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// A round distance between axis ticks (1, 2 or 5 times a power of ten), so that at most `ticks` fit into `span`.
double roundTickStep(double span, int ticks);

} // namespace orrery
