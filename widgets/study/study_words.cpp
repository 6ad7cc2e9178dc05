#include "widgets/study/study_words.hpp"

#include <cmath>

namespace orrery {

Readable studyNumber(double value, const QString& unit) {
    if (unit == QLatin1String("bytes")) return readableBytes(value);
    if (unit == QLatin1String("s")) return readableTime(value);
    if (unit == QLatin1String("1")) return readablePercent(value);
    return {readableCount(value).text(), unit};
}

AxisUnit axisUnit(double largest, const QString& unit) {
    if (unit == QLatin1String("1")) return {0.01, QStringLiteral("%")};
    const bool bytes = unit == QLatin1String("bytes");
    if (!bytes && unit != QLatin1String("s")) return {1, unit};
    const struct { double factor; const char* name; } sizes[] = {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}},
                                                      times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    for (const auto& one : bytes ? sizes : times)
        if (largest >= one.factor) return {one.factor, QString::fromUtf8(one.name)};
    return {bytes ? 1 : 1e-9, bytes ? QStringLiteral("B") : QStringLiteral("ns")};
}

} // namespace orrery
