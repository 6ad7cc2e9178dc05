// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/host_spec.hpp"

#include "core/base/units.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

std::string hostStem(const Platform& platform) {
    if (platform.scaleUpDomain > platform.acceleratorsPerNode) return "tray";
    const std::string head = platform.id.substr(0, platform.id.find('-'));
    return head.empty() ? "host" : head;
}

HostSpec hostOf(const Platform& platform) {
    HostSpec host;
    host.stem = hostStem(platform);
    host.accelerator = platform.accelerator;
    host.accelerators = platform.acceleratorsPerNode;
    host.hostsPerDomain = std::max(1, platform.scaleUpDomain / std::max(1, platform.acceleratorsPerNode));
    if (platform.scaleOutBandwidth > 0) host.bandwidth = platform.scaleOutBandwidth / units::gigabyte;
    // Rounded to a nanosecond: 1.34e-6 s / 1e-6 is not exactly 1.34.
    if (!platform.usual && platform.scaleOutLatency > 0) host.latency = std::round(platform.scaleOutLatency * 1e9) / 1e3;
    return host;
}

} // namespace orrery
