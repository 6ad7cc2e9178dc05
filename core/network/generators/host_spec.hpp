// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/platform.hpp"

#include <optional>
#include <string>

namespace orrery {

/// The host that a generator repeats, and the cables out of it.
struct HostSpec {
    std::string stem = "host"; ///< of the hosts' ids: "dgx" makes "dgx-0", "dgx-1" …
    std::string accelerator;   ///< catalogue id
    int accelerators = 8;
    int nics = 0;                  ///< network interfaces of one host; 0: one for each accelerator
    double bandwidth = 50;         ///< GB/s of one interface, each direction
    std::optional<double> latency; ///< µs one way of each link; left out, the platform's own applies
    int hostsPerDomain = 1;        ///< hosts that share a scale-up fabric: 18 for an NVL72 rack; 1: each its own

    int interfaces() const { return nics > 0 ? nics : accelerators; }
};

/// The first word of a platform's hosts' ids: "dgx" for "dgx-h100", "tray" where many hosts share a scale-up fabric.
std::string hostStem(const Platform& platform);

/// A host of a platform as sold, one interface an accelerator. The latency is written only where the platform isn't the
/// one that fills in left out values for its accelerator.
HostSpec hostOf(const Platform& platform);

} // namespace orrery
