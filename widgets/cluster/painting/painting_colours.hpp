// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "widgets/common/theme.hpp"

#include <QColor>

#include <cmath>

namespace orrery {

inline QColor blend(const QColor& a, const QColor& b, double share) {
    const auto mix = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

inline QColor problemColour(Severity severity, const ThemeColors& colours) {
    return severity == Severity::error ? colours.error : colours.warning;
}

} // namespace orrery
