// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// log x for x > 0 and eˣ for |x| < 700, within a few units in the last place, of additions, multiplications and divisions alone: the same bits on
/// every machine, which a system's mathematical library does not promise.
double portableLog(double x);
double portableExp(double x);

/// Numbers by chance that are the same bits on every machine (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t stream);

    std::uint64_t bits();
    double uniform();           ///< in (0, 1)
    double normal();            ///< mean 0, deviation 1 (inverse distribution function, Acklam's rational form: 1e-9 relative)
    double exponential();       ///< mean 1
    double gamma(double shape); ///< of scale 1, mean `shape` > 0 (Marsaglia and Tsang, ACM TOMS 26, 2000)

private:
    std::uint64_t state_;
};

} // namespace orrery
