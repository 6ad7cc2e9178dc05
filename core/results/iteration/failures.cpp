// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/failures.hpp"

#include <cmath>

namespace orrery {

double timeOfInterval(const JobFailureLaw& law, double interval) { return law.mtbf * std::exp(law.restart / law.mtbf) * std::expm1((interval + law.checkpoint) / law.mtbf); }

double goodputOf(const JobFailureLaw& law, double interval) {
    const double time = timeOfInterval(law, interval);
    return time > 0 ? interval / time : std::exp(-law.restart / law.mtbf);
}

double bestInterval(const JobFailureLaw& law) {
    const double checkpoint = law.checkpoint / law.mtbf;
    if (!(checkpoint > 0)) return 0;
    // (1 − x) e^(x + d) falls from e^d to 0: halving always ends, at the last digit after some fifty steps.
    double low = 0, high = 1;
    for (int step = 0; step < 200 && low < high; ++step) {
        const double middle = (low + high) / 2;
        if (middle == low || middle == high) break;
        (std::log1p(-middle) + middle + checkpoint > 0 ? low : high) = middle;
    }
    return law.mtbf * high;
}

double youngInterval(const JobFailureLaw& law) { return std::sqrt(2 * law.checkpoint * law.mtbf); }

} // namespace orrery
