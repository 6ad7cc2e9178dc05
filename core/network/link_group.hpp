// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

/// What a link of a report is.
enum class LinkKind : std::uint8_t {
    cable,    ///< a link of the drawing
    scale_up, ///< the ports of a host's accelerators into their scale-up fabric
    pcie,     ///< between a host's accelerators and its network interfaces
};

/// One direction of a link of the drawing with all its copies: parallel links, and the replicas of its ends.
struct ReportLink {
    LinkKind kind = LinkKind::cable;
    std::string from;      ///< id of the node that sends
    std::string to;        ///< id of the node that receives; for a fabric inside a host the host again
    int drawn = -1;        ///< cable: index into Cluster::links
    bool backward = false; ///< cable: from its `to` end to its `from` end; scale-up, PCIe: into the accelerators
    double capacity = 0;   ///< bytes/s of all copies together
    int copies = 0;        ///< links that share nothing: network interfaces, ports, replicas
};

} // namespace orrery
