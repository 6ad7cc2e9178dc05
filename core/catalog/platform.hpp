// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/citation.hpp"

#include <string>

namespace orrery {

/// A node as sold: how many accelerators and which fabrics.
struct Platform {
    std::string id; ///< "dgx-h100"
    std::string name;
    std::string accelerator;
    int acceleratorsPerNode = 8;
    double scaleUpBandwidth = 0; ///< bytes/s per accelerator and direction
    double scaleUpLatency = 0;   ///< s, one way, per hop
    int scaleUpDomain = 8;
    double scaleOutBandwidth = 0; ///< bytes/s per accelerator and direction
    double scaleOutLatency = 0;
    bool usual = false;     ///< the platform that fills in what a short-form cluster leaves out for its accelerator
    bool generated = false; ///< made from the accelerator's own fields, because no platform of it is listed
    std::string notes;
    Citation citation;
};

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
