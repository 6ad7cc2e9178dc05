// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/rate_words.hpp"

#include <QLocale>

namespace orrery {

QString bitRate(double gigabytesPerSecond) {
    const double gigabits = gigabytesPerSecond * 8;
    const QLocale locale;
    if (gigabits >= 1000) return locale.toString(gigabits / 1000, 'g', 4) + QStringLiteral("\u2009Tb/s");
    return locale.toString(gigabits, 'g', 4) + QStringLiteral("\u2009Gb/s");
}

} // namespace orrery
