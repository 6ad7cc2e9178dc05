// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/network/cluster.hpp"

#include <QPointF>
#include <QRectF>

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// A node of the drawing. `position` is the centre of its card in scene units (1 unit = 1 px at 100 %).
struct DrawnNode {
    std::string id;
    std::string label; ///< what the card says in place of the id; may be empty
    NodeKind kind = NodeKind::host;
    std::string accelerator; ///< id, or the name of one given as an object; hosts only
    int count = 0;           ///< accelerators in one host
    int replicas = 1;
    std::string domain;           ///< scale-up fabric shared by the hosts that name it
    std::string group;            ///< of a dragonfly; switches
    std::vector<int> coordinates; ///< place in a torus; may be empty
    QPointF position;
    int firstRank = 0; ///< of the first replica; hosts only

    bool isHost() const { return kind == NodeKind::host; }
    int accelerators() const { return isHost() ? count * replicas : 0; }
    const std::string& title() const { return label.empty() ? id : label; }
};

/// Cables between two nodes, as numbers of the file: GB/s and µs.
struct DrawnLink {
    int from = -1; ///< index into ClusterDocument::nodes()
    int to = -1;
    double bandwidth = 0; ///< GB/s per cable and direction
    double latency = 0;   ///< µs, one way; the platform's where the file has none
    bool latencyGiven = false;
    int count = 1;
    int index = 0; ///< place in the file's array: links whose ends are unknown are not drawn

    double total() const { return bandwidth * count; }
};

/// Links have no id: named by their ends and, among those with the same ends, by order.
struct LinkKey {
    std::string from;
    std::string to;
    int ordinal = 0;
    auto operator<=>(const LinkKey&) const = default;
};

/// What the user has marked in the drawing; survives a new document as long as the ids do.
struct ClusterSelection {
    std::set<std::string> nodes;
    std::set<LinkKey> links;

    bool empty() const { return nodes.empty() && links.empty(); }
    bool operator==(const ClusterSelection&) const = default;
};

/// What a link gets before the user says more.
struct LinkDefaults {
    double bandwidth = 50; ///< GB/s
    double latency = 2;    ///< µs
    int count = 1;
};

/// The drawing of a scenario's cluster, read once from the document and never changed: every operation gives the edits
/// that would make it so, as replacements at JSON pointers, and the application applies them (and can undo them).
///
/// A cluster in its short form is drawn as what it stands for; the first edit of the drawing writes the drawn form in
/// the same step, with every number unchanged. Reading is lenient: what is broken is left out here and reported by the
/// scenario's reader.
class ClusterDocument {
public:
    ClusterDocument() = default;
    ClusterDocument(const Json& scenario, const Catalog& catalog);

    bool isShortForm() const { return shortForm_; }
    bool isEmpty() const { return nodes_.empty(); }
    const std::vector<DrawnNode>& nodes() const { return nodes_; }
    const std::vector<DrawnLink>& links() const { return links_; }
    int accelerators() const;
    int hosts() const; ///< replicas counted
    /// GB/s per accelerator and direction of the best cabled host: what the network is called by; 0: no host is cabled.
    double networkSpeed() const;

    int indexOf(std::string_view id) const; ///< -1: none
    LinkKey keyOf(const DrawnLink& link) const;
    const DrawnLink* find(const LinkKey& key) const;
    bool contains(const LinkKey& key) const { return find(key) != nullptr; }
    std::string pointerOf(const DrawnNode& node) const; ///< "/cluster/topology/nodes/3"; "/cluster" in the short form
    std::string pointerOf(const DrawnLink& link) const;
    int nodeBelow(std::string_view pointer) const;         ///< the node that "/cluster/topology/nodes/3/count" is about; -1: none
    int linkBelow(std::string_view pointer) const;         ///< index into links(); -1: none
    const Json& cluster() const { return cluster_; }       ///< as the file has it, without `topology`
    const Json& topology() const { return topology_; }     ///< drawn form, expanded where the file is short
    std::string uniqueId(const std::string& wanted) const; ///< "dgx-0" → the first free "dgx-N"
    QString titleOf(const std::string& id) const;          ///< what the drawing calls the node; an id that it doesn't have is its own title
    QRectF bounds() const;                                 ///< of all cards
    /// The place nearest to `at`, to its right or below, where a fragment lies on no card: what is pasted over its original is seen.
    QPointF freePlace(const Json& fragment, QPointF at) const;

    /// \name Edits; empty where there is nothing to do.
    ///@{
    /// Adds a fragment (see cluster_fragment.hpp) with its centre at `at`; `newIds` receives the ids that it got.
    std::vector<ScenarioEdit> insert(const Json& fragment, QPointF at, std::vector<std::string>* newIds = nullptr) const;
    std::vector<ScenarioEdit> connect(const std::string& from, const std::string& to, const LinkDefaults& link) const;
    /// Several ends, each with a link of its own to one node.
    std::vector<ScenarioEdit> connect(const std::vector<std::pair<std::string, LinkDefaults>>& ends, const std::string& to) const;
    std::vector<ScenarioEdit> move(const std::set<std::string>& ids, QPointF by) const;
    std::vector<ScenarioEdit> remove(const ClusterSelection& selection) const; ///< nodes with their links
    std::vector<ScenarioEdit> rename(const std::string& id, const std::string& newId) const;
    /// A null value removes the key from the node.
    std::vector<ScenarioEdit> setNodeProperty(const std::set<std::string>& ids, const std::string& key, const Json& value) const;
    std::vector<ScenarioEdit> setLinkProperty(const std::set<LinkKey>& links, const std::string& key, const Json& value) const;
    std::vector<ScenarioEdit> convertToDrawn() const;
    /// So many hosts, replicas counted: of a stack its number, else copies of the last host, cabled as it is, or without the last
    /// ones. `gone` receives the ids of those.
    std::vector<ScenarioEdit> setHosts(int count, std::set<std::string>* gone = nullptr) const;
    ///@}

    /// The marked part as a fragment: nodes, the links among them, positions.
    Json fragment(const ClusterSelection& selection) const;
    /// Does what `insert` of the fragment beside the original does, with its links to what stays unmarked.
    std::vector<ScenarioEdit> duplicate(const ClusterSelection& selection, std::vector<std::string>* newIds = nullptr) const;

private:
    struct Change; ///< a topology being rewritten, with what of it was touched

    void takeStatedSpeed();
    void readTopology(const Catalog& catalog);
    void readPositions(const Json& scenario);
    bool liesAsLaidOut() const;
    Change begin() const;
    std::vector<ScenarioEdit> finish(const Change& change) const;
    void insertInto(Change& change, const Json& fragment, QPointF at, std::vector<std::string>* newIds) const;

    Json cluster_; ///< without its topology, which may be long
    Json topology_;
    std::vector<DrawnNode> nodes_;
    std::vector<DrawnLink> links_;
    std::vector<int> nodeIndex_;                                ///< place of each drawn node in the file's array
    std::unordered_map<std::string, int> byId_;                 ///< of two nodes with one id the first
    std::map<std::pair<int, int>, std::vector<int>> linksFrom_; ///< by both ends, in the file's order
    bool shortForm_ = false;
    bool hasTopology_ = false;  ///< the file has it, as an object
    bool isScaled_ = false;     ///< the file states the network's speed beside the links: `links_` and `topology_` have it
    bool allPlaced_ = true;     ///< every position is in the file
    bool placesInFile_ = false; ///< some position is
};

/// `text` with "~" and "/" escaped as one token of a JSON pointer.
std::string pointerToken(std::string_view text);
/// An integer where the value is whole: 50, not 50.0.
Json jsonNumber(double value);

} // namespace orrery
