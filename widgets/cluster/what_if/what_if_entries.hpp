// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"

#include <QString>

#include <string>
#include <vector>

namespace orrery {

inline constexpr const char* degradedPointer = "/execution/degraded_links";
inline constexpr const char* stragglersPointer = "/execution/stragglers";
inline constexpr const char* jitterPointer = "/execution/jitter";
inline constexpr const char* trafficPointer = "/cluster/topology/traffic";

/// One entry of any of these lists, with what it leaves out at its default.
struct WhatIfEntry {
    explicit WhatIfEntry(const Json& entry);

    std::string name, node, from, to;
    int nic = -1;     ///< -1: all
    int replica = -1; ///< -1: all
    int rank = -1;    ///< -1: not by rank
    bool down = false;
    double factor = 1;
    double slowdown = 1;
    double bandwidth = 0; ///< GB/s

    QString title(const QString& who) const; ///< "dgx-0", "dgx-0, number 4"
};

/// What {"sigma", "seed"}, or the number alone, says; 0: none.
double jitterSigma(const Json& jitter);

/// The array at `pointer`; empty where there is none.
Json listAt(const Json& scenario, const char* pointer);

/// A drawn link that an entry about a link is about. `nic`: of the cables of this one; -1: all.
struct EntryCable {
    int link = -1; ///< index into the document's links
    int nic = -1;
};
std::vector<EntryCable> cablesOf(const WhatIfEntry& entry, const ClusterDocument& document, const NodeNames& names);

/// The entries of one list in the names of the drawn form.
Json drawnEntries(const Json& list, const ClusterDocument& document, const NodeNames& names);

} // namespace orrery
