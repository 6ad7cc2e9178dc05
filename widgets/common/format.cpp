// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/format.hpp"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

const QChar thinSpace(0x2009);
const QString noNumber(QStringLiteral("–"));

/// The C locale groups no digits; where nothing better is set numbers are written as in English.
QLocale readingLocale() {
    const QLocale locale;
    return locale.language() == QLocale::C ? QLocale(QLocale::English) : locale;
}

double roundedTo(double value, int digits) {
    if (value == 0) return 0;
    const double scale = std::pow(10.0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
    return std::round(value * scale) / scale;
}

/// `digits` significant ones, but never a rounded whole part: 11.84, 118.4, 1,184.
QString significant(double value, int digits) {
    const double rounded = roundedTo(value, digits);
    const int whole = rounded == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(rounded)))) + 1;
    return readingLocale().toString(value, 'f', std::clamp(digits - whole, 0, digits + 3)); // of the tiny their first digits too
}

struct Prefix {
    double factor;
    const char* name;
};

/// The largest prefix that leaves at least 1 once rounded, so that 999.96 ms is written 1 s.
template <std::size_t count>
const Prefix& prefixFor(double value, const std::array<Prefix, count>& prefixes, int digits) {
    for (const Prefix& prefix : prefixes)
        if (roundedTo(std::abs(value) / prefix.factor, digits) >= 1) return prefix;
    return prefixes.back();
}

} // namespace

QString Readable::text() const { return unit.isEmpty() ? number : number + thinSpace + unit; }

QString grouped(double value, int decimals) {
    return std::isfinite(value) ? readingLocale().toString(value, 'f', decimals) : noNumber;
}

Readable readableTime(double seconds) {
    if (!std::isfinite(seconds)) return {noNumber, {}};
    if (seconds == 0) return {QStringLiteral("0"), QStringLiteral("s")};
    static constexpr std::array<Prefix, 4> prefixes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
    const Prefix& prefix = prefixFor(seconds, prefixes, 4);
    return {significant(seconds / prefix.factor, 4), QString::fromUtf8(prefix.name)};
}

Readable readableBytes(double bytes) {
    if (!std::isfinite(bytes)) return {noNumber, {}};
    static constexpr std::array<Prefix, 4> prefixes{
        {{1099511627776.0 * 10, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
    if (std::abs(bytes) < 1024) return {grouped(bytes), QStringLiteral("B")};
    const Prefix& prefix = prefixFor(bytes, prefixes, 3);
    // Memory is compared with devices of 80 or 141 GiB: the unit changes to TiB only above ten of them.
    const double factor = prefix.factor > 1e12 ? 1099511627776.0 : prefix.factor;
    return {significant(bytes / factor, 3), QString::fromLatin1(prefix.name)};
}

Readable readableRate(double perSecond, const QString& unit) {
    if (!std::isfinite(perSecond)) return {noNumber, unit};
    static constexpr std::array<Prefix, 7> prefixes{
        {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
    if (perSecond == 0) return {QStringLiteral("0"), unit};
    const Prefix& prefix = prefixFor(perSecond, prefixes, 3);
    return {significant(perSecond / prefix.factor, 3), QLatin1String(prefix.name) + unit};
}

Readable readableCount(double count) {
    if (!std::isfinite(count)) return {noNumber, {}};
    const double magnitude = std::abs(count);
    if (magnitude >= 999'999.5) {
        static constexpr std::array<Prefix, 3> prefixes{{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}}};
        const Prefix& prefix = prefixFor(count, prefixes, 3);
        return {significant(count / prefix.factor, 3), QString::fromLatin1(prefix.name)};
    }
    if (count == std::round(count) || magnitude >= 1000) return {grouped(count), {}};
    return {significant(count, 3), {}};
}

Readable readablePercent(double fraction) {
    if (!std::isfinite(fraction)) return {noNumber, {}};
    return {grouped(fraction * 100, 1), QStringLiteral("%")};
}

QString readableTimeRange(double from, double to) {
    if (!(to > from)) return readableTime(from).text();
    const double unit = to >= 1 ? 1 : to >= 1e-3 ? 1e-3
                                                 : 1e-6; // of the later end
    const QString name = to >= 1 ? QStringLiteral("s") : to >= 1e-3 ? QStringLiteral("ms")
                                                                    : QStringLiteral("µs");
    const int decimals = std::clamp(static_cast<int>(std::ceil(2 - std::log10((to - from) / unit))), 0, 6);
    return grouped(from / unit, decimals) + QStringLiteral("–") + Readable{grouped(to / unit, decimals), name}.text();
}

} // namespace orrery
