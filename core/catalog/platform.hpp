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

} // namespace orrery
