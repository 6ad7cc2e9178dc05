// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/network_report.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"

#include <vector>

namespace orrery {

/// Where the links of a report lie in the drawing: both directions of each link, and the fabrics inside each host.
class DrawnTraffic {
public:
    DrawnTraffic() = default;
    DrawnTraffic(const ClusterDocument& document, const NodeNames& names, const NetworkReport& network);

    /// Links of the report behind a drawn one; -1: not reported. Where one of the report stands for many drawn ones, `part`
    /// of its bytes are this one's.
    struct Link {
        int forward = -1; ///< from its `from` end to its `to` end
        int backward = -1;
        double part = 1;
    };
    /// Links of the report inside a host.
    struct Inside {
        std::vector<int> scaleUp;
        std::vector<int> pcie;
        double part = 1;
    };
    const Link& link(std::size_t drawn) const { return links_[drawn]; }
    const Inside& inside(std::size_t node) const { return insides_[node]; }
    bool isEmpty() const { return links_.empty() && insides_.empty(); }

    std::vector<int> linksOf(int reported) const; ///< drawn links of a link of the report
    std::vector<int> nodesOf(int reported) const; ///< hosts with it inside

    /// Share of the bandwidth in use of the busier direction of each drawn link; NaN: unknown.
    std::vector<double> shares(const std::vector<LinkLoad>& loads) const;
    /// The share that each host's scale-up fabric carries.
    std::vector<double> fabricShares(const std::vector<LinkLoad>& loads) const;

private:
    std::vector<Link> links_;     ///< by index into the document's links
    std::vector<Inside> insides_; ///< by index into the document's nodes
};

} // namespace orrery
