// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/axis_ticks.hpp"

#include <cmath>

namespace orrery {

double roundTickStep(double span, int ticks) {
    if (!(span > 0) || ticks < 1) return 1;
    const double least = span / ticks;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

} // namespace orrery
