// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/network/generators/topology_builder.hpp"
#include "widgets/cluster/document/cluster_document.hpp"

#include <QByteArray>
#include <QPointF>
#include <map>
#include <optional>
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

/// A piece of a cluster as JSON, the one form for the clipboard, for what a palette places and for what is dropped:
/// `{"format": "orrery-cluster-fragment/1", "topology": {"nodes": […], "links": […]}, "positions": {ID: [x, y]}}`.
inline constexpr const char* fragmentFormat = "orrery-cluster-fragment/1";
inline constexpr const char* fragmentMimeType = "application/x-orrery-cluster+json";

Json makeFragment(Json nodes, Json links, const std::map<std::string, QPointF>& positions);
/// What a generator gave, laid out where it is placed. Empty where there are problems.
Json generatedFragment(GeneratedTopology generated);
QByteArray fragmentBytes(const Json& fragment);
/// Nothing when the bytes are no fragment.
std::optional<Json> readFragment(const QByteArray& bytes);

} // namespace orrery
