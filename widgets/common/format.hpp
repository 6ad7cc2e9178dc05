// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace orrery {

/// Numbers as a person reads them: three or four significant digits, thin space before the unit.
struct Readable {
    QString number; ///< "11.84"
    QString unit;   ///< "s"
    QString text() const;
};

Readable readableTime(double seconds);                        ///< s, ms, µs
Readable readableBytes(double bytes);                         ///< GiB, MiB, KiB
Readable readableRate(double perSecond, const QString& unit); ///< k, M, G, T prefixes
Readable readableCount(double count);                         ///< "70.6 B", "1,384"
Readable readablePercent(double fraction);                    ///< one decimal
QString readableTimeRange(double from, double to);            ///< "3.10–9.04 ms": as many decimals as tell the ends apart
QString grouped(double value, int decimals = 0);              ///< thousands separators of the locale

} // namespace orrery
