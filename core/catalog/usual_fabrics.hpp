// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace orrery {

class Catalog;
struct Accelerator;

/// What joins accelerators of a kind unless a scenario says otherwise, and from where that is known.
struct UsualFabrics {
    double scaleUpBandwidth = 0;                     ///< bytes/s per accelerator and direction; 0: nobody knows
    double scaleUpLatency = 0;                       ///< s, one way, per hop
    double scaleOutBandwidth = 0;                    ///< bytes/s per accelerator and direction; 0: nobody knows
    double scaleOutLatency = 0;                      ///< s, one way, per hop
    std::string scaleUpWhy, scaleOutWhy, latencyWhy; ///< for people
};

/// Its usual platform's, but a link whose rate the accelerator, given as an object, states otherwise than the catalogue has that rate.
/// Without a platform what its own fields state, and PhysicsConstants::unknownLatency.
UsualFabrics usualFabrics(const Accelerator& accelerator, const Catalog& catalog);

/// Rounded to the millionth, so that what the catalogue's files state in that unit comes out as they state it: 1.1, not 1.0999999999999999.
double inUnit(double value, double unit);

} // namespace orrery
