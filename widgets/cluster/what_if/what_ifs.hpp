// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"

#include <QString>
#include <vector>

namespace orrery {

/// Something of a scenario that is supposed not to work as drawn, or to be there beside the job.
struct WhatIf {
    enum class Kind { link,
                      node,
                      straggler,
                      jitter,
                      traffic };
    Kind kind = Kind::link;
    std::string list; ///< pointer to the array that it is in; of jitter to the value itself
    int index = -1;   ///< in that array
    bool down = false;
    double amount = 1;      ///< factor of the bandwidth, slowdown, sigma, or GB/s
    std::vector<int> nodes; ///< cards that show it; of traffic from and to
    std::vector<int> links; ///< by index into the document's links
    QString text;           ///< "dgx-0 – leaf-1 at 50 %"
};

/// All of a scenario, in its order. Reading is lenient, as of the drawing itself: what is broken is reported elsewhere.
std::vector<WhatIf> readWhatIfs(const Json& scenario, const ClusterDocument& document, const NodeNames& names);

/// Makes edits that suppose something else. A cluster in its short form has no host or cable of its own to point at: there
/// the edit writes the drawn form in the same step, and what was supposed before comes along.
class WhatIfEditor {
public:
    WhatIfEditor(const Json& scenario, const ClusterDocument& document, const NodeNames& names)
        : scenario_(scenario), document_(document), names_(names) {}

    using Edits = std::vector<ScenarioEdit>;

    Edits degrade(const ClusterSelection& what, double factor) const; ///< links and whole switches to this share of their bandwidth
    Edits takeDown(const ClusterSelection& what) const;
    Edits restore(const ClusterSelection& what) const; ///< everything supposed about these
    /// One network interface of a host: the `nic`-th cable of the link between the two, of one replica (-1: all).
    Edits slowNic(const LinkKey& link, int nic, int replica, double factor) const;
    Edits straggler(const std::set<std::string>& hosts, int replica, double slowdown) const;
    Edits stragglingRank(int rank, double slowdown) const;
    Edits jitter(double sigma, int seed) const; ///< sigma 0: none
    Edits traffic(const std::string& name, const std::string& from, const std::string& to, double gigabytesPerSecond) const;
    Edits remove(const WhatIf& one) const;
    Edits removeAll() const;

    /// Appends to edits of the drawing what follows for the lists of entries where they write the short form out.
    void follow(Edits& edits) const;
    Edits afterRename(const std::string& id, const std::string& newId) const; ///< to be appended to the edits that rename
    Edits afterRemoval(const ClusterSelection& gone) const;

private:
    struct Change;
    Change begin(bool needsDrawing) const;
    Edits finish(const Change& change) const;

    const Json& scenario_;
    const ClusterDocument& document_;
    const NodeNames& names_;
};

} // namespace orrery
