// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/value_axis.hpp"

#include "widgets/common/axis_ticks.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

ValueAxis ValueAxis::around(double least, double most, bool fromZero) {
    if (!(most > least)) {
        const double size = std::abs(least) > 0 ? std::abs(least) : 1;
        if (fromZero && least >= 0) return {0, least + 0.2 * size};
        return {least - 0.1 * size, most + 0.1 * size};
    }
    constexpr double close = 0.6; // of the largest: all that lies above it is told apart better without a zero
    const double air = 0.06 * (most - least);
    if (fromZero && least >= 0 && least < close * most) return {0, most + 0.06 * most};
    const double low = least >= 0 ? std::max(0.0, least - air) : least - air;
    return {low, most + air};
}

ValueAxis ValueAxis::aroundSpread(double least, double most) {
    constexpr double far = 20;
    if (!(least > 0) || most < far * least) return around(least, most, false);
    const double air = std::pow(most / least, 0.06);
    return {least / air, most * air, true};
}

double ValueAxis::share(double value) const {
    if (!logarithmic) return (value - low) / (high - low);
    return std::log(std::max(value, low * 1e-3) / low) / std::log(high / low);
}

double ValueAxis::step(int most, double factor) const { return logarithmic ? 0 : roundTickStep((high - low) / factor, std::max(1, most)); }

std::vector<double> ValueAxis::ticks(int most, double factor) const {
    std::vector<double> all;
    if (logarithmic) {
        const double decades = std::log10(high / low);
        for (int power = static_cast<int>(std::floor(std::log10(low / factor))); std::pow(10.0, power) * factor <= high; ++power) {
            for (const double digit : {1.0, 2.0, 5.0}) {
                if (digit > 1 && 3 * decades > most) continue;
                const double value = digit * std::pow(10.0, power) * factor;
                if (value >= low && value <= high) all.push_back(value);
            }
        }
        return all;
    }
    const double apart = step(most, factor) * factor;
    for (double number = std::ceil(low / apart - 1e-9); number * apart <= high * (1 + 1e-12) + 1e-300; ++number) all.push_back(number * apart);
    return all;
}

} // namespace orrery
