// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace orrery {

/// An axis of numbers: linear, or logarithmic where the numbers lie far apart.
struct ValueAxis {
    double low = 0, high = 1;
    bool logarithmic = false;

    /// Around all of these with some air. `fromZero`: begins at zero unless all lie close together.
    static ValueAxis around(double least, double most, bool fromZero);
    /// The same for positive numbers, logarithmic where the largest is many times the least.
    static ValueAxis aroundSpread(double least, double most);

    double share(double value) const; ///< 0 at `low`, 1 at `high`
    /// Round numbers in between, at most `most` of them, at a unit of `factor`.
    std::vector<double> ticks(int most, double factor) const;
    double step(int most, double factor) const; ///< between linear ticks, in the unit; 0: logarithmic
};

} // namespace orrery
