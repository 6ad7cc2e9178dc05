// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/document/cluster_document.hpp"

#include <map>
#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// What the simulation calls the nodes of a drawing. In the drawn form their ids; a cluster in its short form is drawn host
/// by host and simulated as few nodes with replicas ("node", "leaf", "spine"), each of which stands for many cards here.
class NodeNames {
public:
    NodeNames() = default;
    NodeNames(const ClusterDocument& document, const Catalog& catalog);

    /// The node behind a card.
    struct Name {
        std::string id;
        int firstReplica = 0; ///< of the node, that the card begins with
    };
    const Name& of(int node) const { return names_[static_cast<std::size_t>(node)]; }

    /// Cards of a node, or the one that holds its `replica`; empty: no such node.
    std::vector<int> cards(const std::string& id, int replica = -1) const;

    /// Links of the document between two nodes; `forward`: the file's direction is the asked one.
    struct Cable {
        int link = 0;
        bool forward = true;
    };
    std::vector<Cable> cables(const std::string& from, const std::string& to) const;

private:
    std::vector<Name> names_; ///< by index into the document's nodes
    std::vector<int> replicas_;
    std::map<std::string, std::vector<int>> cards_;
    std::map<std::pair<std::string, std::string>, std::vector<Cable>> cables_;
};

} // namespace orrery
