#pragma once

#include "widgets/common/format.hpp"

namespace orrery {

/// A number of a study in its unit: "bytes", "s", "1" (shown in percent), or any other word after the number.
Readable studyNumber(double value, const QString& unit);

/// One unit for a whole axis up to `largest`: what its numbers are divided by, and its name.
struct AxisUnit {
    double factor = 1;
    QString name;
};
AxisUnit axisUnit(double largest, const QString& unit);

} // namespace orrery
