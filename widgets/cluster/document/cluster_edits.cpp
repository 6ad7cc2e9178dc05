// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of ClusterDocument that give edits.

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/document/short_form_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_set>

namespace orrery {

/// Arrays are edited as copies and written back whole; positions one by one, unless some node has none in the file yet:
/// then all are pinned, so that an edit here never moves a node there.
struct ClusterDocument::Change {
    Json nodes = Json::array();
    Json links = Json::array();
    bool nodesTouched = false;
    bool linksTouched = false;
    std::optional<Json> routing;                         ///< a new one; null: none said
    std::map<std::string, QPointF> positions;            ///< of all nodes
    std::map<std::string, std::optional<QPointF>> moved; ///< new, changed, or gone
    std::vector<ScenarioEdit> fine;                      ///< edits of single values, where no array is touched

    void place(const std::string& id, QPointF at) {
        positions[id] = at;
        moved[id] = at;
    }
    void forget(const std::string& id) {
        positions.erase(id);
        moved[id] = std::nullopt;
    }
};

ClusterDocument::Change ClusterDocument::begin() const {
    Change change;
    if (const auto it = topology_.find("nodes"); it != topology_.end() && it->is_array()) change.nodes = *it;
    if (const auto it = topology_.find("links"); it != topology_.end() && it->is_array()) change.links = *it;
    for (const DrawnNode& node : nodes_)
        if (!node.id.empty()) change.positions[node.id] = node.position;
    return change;
}

std::vector<ScenarioEdit> ClusterDocument::finish(const Change& change) const {
    std::vector<ScenarioEdit> edits;
    const bool topologyTouched = change.nodesTouched || change.linksTouched || !change.fine.empty();
    if (topologyTouched) {
        if (shortForm_ || !hasTopology_) {
            Json topology = Json::object();
            if (change.routing && !change.routing->is_null()) topology["routing"] = *change.routing;
            topology["nodes"] = change.nodes;
            topology["links"] = change.links;
            edits.push_back({"/cluster", drawnCluster(cluster_, std::move(topology))});
        } else {
            if (change.routing) edits.push_back({"/cluster/topology/routing", *change.routing});
            if (change.nodesTouched) edits.push_back({"/cluster/topology/nodes", change.nodes});
            const bool linksEdited = change.linksTouched || std::any_of(change.fine.begin(), change.fine.end(), [](const ScenarioEdit& edit) { return edit.pointer.starts_with("/cluster/topology/links/"); });
            // An edited link says its own rate: the speed that was stated of all is written into them, and goes.
            if (isScaled_ && linksEdited) {
                edits.push_back({"/cluster/scale_out", nullptr});
                edits.push_back({"/cluster/topology/links", change.links});
            } else if (change.linksTouched) {
                edits.push_back({"/cluster/topology/links", change.links});
            }
            edits.insert(edits.end(), change.fine.begin(), change.fine.end());
        }
    }
    const auto place = [](QPointF at) { return Json::array({jsonNumber(at.x()), jsonNumber(at.y())}); };
    const bool layoutCouldChange = change.nodesTouched || change.linksTouched;
    if (change.moved.empty() && (allPlaced_ || !layoutCouldChange)) return edits;
    if (allPlaced_ && !nodes_.empty()) {
        for (const auto& [id, at] : change.moved)
            edits.push_back({"/view/cluster/positions/" + pointerToken(id), at ? place(*at) : Json()});
    } else {
        Json all = Json::object();
        for (const auto& [id, at] : change.positions) all[id] = place(at);
        edits.push_back({"/view/cluster/positions", std::move(all)});
    }
    return edits;
}

void ClusterDocument::insertInto(Change& change, const Json& fragment, QPointF at, std::vector<std::string>* newIds) const {
    const Json& nodes = fragment.at("topology").at("nodes");
    // The first thing that is drawn says how it is routed; what comes to others goes their way.
    if (change.nodes.empty())
        if (const Json routing = fragment["topology"].value("routing", Json()); routing != topology_.value("routing", Json()))
            change.routing = routing;
    // Read through a document of its own: the same layout for what has no place, the same sizes.
    Json asScenario{{"cluster", {{"topology", fragment.at("topology")}}},
                    {"view", {{"cluster", {{"positions", fragment.value("positions", Json::object())}}}}}};
    const ClusterDocument drawn(asScenario, Catalog());
    const QPointF shift = drawn.nodes().size() == 1 ? snapped(at) - drawn.nodes()[0].position : snapped(at - drawn.bounds().center());

    std::unordered_set<std::string> taken;
    std::set<std::string> domains, groups;
    for (const Json& node : change.nodes) {
        if (node.contains("id") && node["id"].is_string()) taken.insert(node["id"].get<std::string>());
        if (node.contains("domain") && node["domain"].is_string()) domains.insert(node["domain"].get<std::string>());
        if (node.contains("group") && node["group"].is_string()) groups.insert(node["group"].get<std::string>());
    }
    // The next free number of a stem only grows, so that a thousand hosts do not cost a million look-ups.
    std::map<std::string, int> next;
    const auto fresh = [&next](const std::string& wanted, const auto& isTaken) {
        if (!isTaken(wanted)) return wanted;
        std::string stem = wanted;
        while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
        if (stem.empty() || (stem.back() != '-' && stem.back() != '_')) stem += '-';
        for (int& n = next[stem];; ++n)
            if (std::string id = stem + std::to_string(n); !isTaken(id)) return id;
    };

    // A whole scale-up fabric that comes along stays its own: pasted next to a "rack-0" it is a "rack-1". A lone host
    // joins the fabric it names. So do the groups of a dragonfly and a lone switch.
    const auto renamed = [&](std::set<std::string>& known, const std::string DrawnNode::*name) {
        std::map<std::string, int> members;
        for (const DrawnNode& node : drawn.nodes())
            if (!(node.*name).empty()) members[node.*name] += node.replicas;
        std::map<std::string, std::string> names;
        next.clear();
        for (const auto& [was, count] : members) {
            names[was] = count > 1 ? fresh(was, [&known](const std::string& wanted) { return known.contains(wanted); }) : was;
            known.insert(names[was]);
        }
        return names;
    };
    std::map<std::string, std::string> domainOf = renamed(domains, &DrawnNode::domain);
    std::map<std::string, std::string> groupOf = renamed(groups, &DrawnNode::group);

    next.clear();
    std::map<std::string, std::string> idOf;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Json node = nodes[i];
        const std::string wanted = node.at("id").get<std::string>();
        const std::string id = fresh(wanted, [&taken](const std::string& name) { return taken.contains(name) || name.empty(); });
        taken.insert(id);
        idOf.try_emplace(wanted, id);
        node["id"] = id;
        if (node.contains("domain") && node["domain"].is_string()) node["domain"] = domainOf[node["domain"].get<std::string>()];
        if (node.contains("group") && node["group"].is_string()) node["group"] = groupOf[node["group"].get<std::string>()];
        change.nodes.push_back(std::move(node));
        change.place(id, drawn.nodes()[i].position + shift);
        if (newIds) newIds->push_back(id);
    }
    change.nodesTouched = true;
    for (const Json& link : fragment.at("topology").at("links")) {
        const auto from = idOf.find(link.at("from").get<std::string>()), to = idOf.find(link.at("to").get<std::string>());
        if (from == idOf.end() || to == idOf.end()) continue;
        Json copy = link;
        copy["from"] = from->second;
        copy["to"] = to->second;
        change.links.push_back(std::move(copy));
        change.linksTouched = true;
    }
}

std::vector<ScenarioEdit> ClusterDocument::insert(const Json& fragment, QPointF at, std::vector<std::string>* newIds) const {
    if (fragment.at("topology").at("nodes").empty()) return {};
    Change change = begin();
    insertInto(change, fragment, at, newIds);
    return finish(change);
}

std::vector<ScenarioEdit> ClusterDocument::connect(const std::string& from, const std::string& to,
                                                   const LinkDefaults& link) const {
    return connect({{from, link}}, to);
}

std::vector<ScenarioEdit> ClusterDocument::connect(const std::vector<std::pair<std::string, LinkDefaults>>& ends, const std::string& to) const {
    Change change = begin();
    for (const auto& [from, link] : ends) {
        if (from == to || indexOf(from) < 0 || indexOf(to) < 0) continue;
        change.links.push_back({{"from", from},
                                {"to", to},
                                {"bandwidth_gb_s", jsonNumber(link.bandwidth)},
                                {"latency_us", jsonNumber(link.latency)},
                                {"count", link.count}});
        change.linksTouched = true;
    }
    return change.linksTouched ? finish(change) : std::vector<ScenarioEdit>{};
}

std::vector<ScenarioEdit> ClusterDocument::move(const std::set<std::string>& ids, QPointF by) const {
    if (by.isNull()) return {};
    Change change = begin();
    for (const DrawnNode& node : nodes_)
        if (ids.contains(node.id)) change.place(node.id, (node.position + by).toPoint());
    return finish(change);
}

std::vector<ScenarioEdit> ClusterDocument::remove(const ClusterSelection& selection) const {
    Change change = begin();
    std::unordered_set<int> deadLinks;
    for (const LinkKey& key : selection.links)
        if (const DrawnLink* link = find(key)) deadLinks.insert(link->index);
    Json nodes = Json::array(), links = Json::array();
    std::set<std::string> gone;
    for (const Json& node : change.nodes) {
        const bool dead = node.is_object() && node.contains("id") && node["id"].is_string() &&
                          selection.nodes.contains(node["id"].get<std::string>());
        if (dead) gone.insert(node["id"].get<std::string>());
        else nodes.push_back(node);
    }
    for (std::size_t i = 0; i < change.links.size(); ++i) {
        const Json& link = change.links[i];
        const auto touches = [&](const char* end) {
            return link.is_object() && link.contains(end) && link[end].is_string() && gone.contains(link[end].get<std::string>());
        };
        if (!deadLinks.contains(static_cast<int>(i)) && !touches("from") && !touches("to")) links.push_back(link);
    }
    change.nodesTouched = nodes.size() != change.nodes.size();
    change.linksTouched = links.size() != change.links.size();
    change.nodes = std::move(nodes);
    change.links = std::move(links);
    for (const std::string& id : gone) change.forget(id);
    return finish(change);
}

std::vector<ScenarioEdit> ClusterDocument::rename(const std::string& id, const std::string& newId) const {
    const int node = indexOf(id);
    if (node < 0 || newId.empty() || newId == id || indexOf(newId) >= 0) return {};
    Change change = begin();
    for (Json& json : change.nodes)
        if (json.is_object() && json.value("id", Json()) == id) {
            json["id"] = newId;
            break;
        }
    change.nodesTouched = true;
    for (Json& link : change.links)
        for (const char* end : {"from", "to"})
            if (link.is_object() && link.value(end, Json()) == id) {
                link[end] = newId;
                change.linksTouched = true;
            }
    const QPointF at = nodes_[static_cast<std::size_t>(node)].position;
    change.forget(id);
    change.place(newId, at);
    return finish(change);
}

namespace {

/// Sets or removes `key`; false when it already is so.
bool assign(Json& object, const std::string& key, const Json& value) {
    const auto it = object.find(key);
    if (value.is_null()) {
        if (it == object.end()) return false;
        object.erase(key);
        return true;
    }
    if (it != object.end() && *it == value) return false;
    object[key] = value;
    return true;
}

} // namespace

std::vector<ScenarioEdit> ClusterDocument::setNodeProperty(const std::set<std::string>& ids, const std::string& key,
                                                           const Json& value) const {
    Change change = begin();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!ids.contains(nodes_[i].id)) continue;
        Json& json = change.nodes[static_cast<std::size_t>(nodeIndex_[i])];
        if (assign(json, key, value)) change.fine.push_back({pointerOf(nodes_[i]) + "/" + pointerToken(key), value});
    }
    return finish(change);
}

std::vector<ScenarioEdit> ClusterDocument::setLinkProperty(const std::set<LinkKey>& links, const std::string& key,
                                                           const Json& value) const {
    Change change = begin();
    for (const LinkKey& name : links) {
        const DrawnLink* link = find(name);
        if (!link) continue;
        Json& json = change.links[static_cast<std::size_t>(link->index)];
        if (assign(json, key, value)) change.fine.push_back({pointerOf(*link) + "/" + pointerToken(key), value});
    }
    return finish(change);
}

std::vector<ScenarioEdit> ClusterDocument::convertToDrawn() const {
    if (!shortForm_) return {};
    Change change = begin();
    change.nodesTouched = change.linksTouched = true;
    return finish(change);
}

namespace {

/// Hosts of a drawing that a field asks for stand by themselves up to this many; more of them are stacks. (Cards on one screen, as
/// generated topologies draw them.)
constexpr int mostSingleHosts = 64;
constexpr int leastRow = 8; ///< hosts of a row, however narrow the drawing is

} // namespace

/// Whether every node is where the layout would put it: moved as a whole, at most.
bool ClusterDocument::liesAsLaidOut() const {
    if (!placesInFile_) return true;
    if (nodes_.empty()) return false;
    const std::vector<QPointF> laid = tidyLayout(nodes_, links_);
    const QPointF shift = nodes_.front().position - laid.front();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const QPointF off = nodes_[i].position - laid[i] - shift;
        if (std::abs(off.x()) > 1 || std::abs(off.y()) > 1) return false;
    }
    return true;
}

std::vector<ScenarioEdit> ClusterDocument::setHosts(int count, std::set<std::string>* gone) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].isHost()) places.push_back(i);
    const int now = hosts();
    if (places.empty() || count < 1 || count == now) return {};
    // A drawing that nobody arranged by hand is laid out anew with its new number of hosts.
    const bool tidy = liesAsLaidOut();
    const auto laidOutAnew = [this, tidy](std::vector<ScenarioEdit> edits) {
        if (shortForm_ || !tidy) return edits;
        std::erase_if(edits, [](const ScenarioEdit& edit) { return edit.pointer.starts_with("/view/"); });
        if (placesInFile_) edits.push_back({"/view/cluster/positions", nullptr});
        return edits;
    };
    if (places.size() == 1) return setNodeProperty({nodes_[places.front()].id}, "replicas", count);
    if (count < now) {
        ClusterSelection last;
        int left = now;
        for (auto place = places.rbegin(); place != places.rend() && left > count; ++place) {
            const DrawnNode& host = nodes_[*place];
            // A stack that is too large to go as a whole loses a part.
            if (left - host.replicas < count) return setNodeProperty({host.id}, "replicas", host.replicas - (left - count));
            left -= host.replicas;
            last.nodes.insert(host.id);
        }
        if (gone) *gone = last.nodes;
        return laidOutAnew(remove(last));
    }
    const std::size_t place = places.back();
    const DrawnNode& pattern = nodes_[place];
    std::map<std::string, int> inDomain;
    for (const std::size_t i : places) inDomain[nodes_[i].domain] += nodes_[i].replicas;
    int fullest = 0;
    for (const auto& [domain, members] : inDomain) fullest = std::max(fullest, members);
    std::string domain = pattern.domain;
    const bool whole = !domain.empty() && inDomain.size() > 1;
    if (pattern.replicas > 1 && !whole) return setNodeProperty({pattern.id}, "replicas", pattern.replicas + count - now);

    Change change = begin();
    // Numbers only grow, so that a thousand hosts do not cost a million look-ups.
    const auto numbered = [](const std::string& name, int& next, const auto& isTaken) {
        std::string stem = name;
        while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
        if (stem.empty() || stem.size() == name.size()) stem += '-';
        for (;; ++next)
            if (std::string free = stem + std::to_string(next); !isTaken(free)) return free;
    };
    // The size is known before anything is copied: what is more than a screen holds is drawn as stacks, each with the pattern's
    // cables. Where hosts share scale-up domains, a stack is what one domain still takes.
    const bool stacked = count > mostSingleHosts;
    int nextHost = 0, nextDomain = 0;
    std::unordered_set<std::string> taken;
    for (const DrawnNode& node : nodes_) taken.insert(node.id);
    const double step = cardSize(pattern).width() + 16;
    // Below what was arranged by hand, row by row in the columns that its last row of hosts has.
    std::set<double> columns;
    for (const std::size_t i : places)
        if (nodes_[i].position.y() == pattern.position.y()) columns.insert(nodes_[i].position.x());
    const QRectF drawing = bounds();
    for (double x = drawing.left() + step / 2; static_cast<int>(columns.size()) < leastRow; x += step)
        if (std::none_of(columns.begin(), columns.end(), [&](double other) { return std::abs(other - x) < step; })) columns.insert(x);
    const double rowHeight = cardSize(pattern).height() + 24, firstRow = drawing.bottom() + rowHeight - cardSize(pattern).height() / 2;
    int placed = 0;
    const auto freeInRow = [&] {
        const int row = placed / static_cast<int>(columns.size());
        return QPointF(*std::next(columns.begin(), placed++ % static_cast<int>(columns.size())), firstRow + row * rowHeight);
    };
    for (int k = now; k < count;) {
        Json copy = change.nodes[static_cast<std::size_t>(nodeIndex_[place])];
        const std::string id = numbered(pattern.id, nextHost, [&taken](const std::string& name) { return taken.contains(name); });
        taken.insert(id);
        copy["id"] = id;
        copy.erase("label"); // a name is one host's
        // Where the drawing has several scale-up domains, a full one is followed by another.
        if (whole && inDomain[domain] >= fullest) domain = numbered(domain, nextDomain, [&inDomain](const std::string& name) { return inDomain.contains(name); });
        const int replicas = stacked ? whole ? std::clamp(fullest - inDomain[domain], 1, count - k) : count - k
                                     : 1;
        k += replicas;
        copy.erase("replicas");
        if (replicas > 1) copy["replicas"] = replicas;
        if (!domain.empty()) {
            copy["domain"] = domain;
            inDomain[domain] += replicas;
        }
        change.nodes.push_back(std::move(copy));
        change.nodesTouched = true;
        if (allPlaced_) change.place(id, freeInRow());
        for (const DrawnLink& link : links_) {
            if (link.from != static_cast<int>(place) && link.to != static_cast<int>(place)) continue;
            Json cable = topology_["links"][static_cast<std::size_t>(link.index)];
            cable[link.from == static_cast<int>(place) ? "from" : "to"] = id;
            change.links.push_back(std::move(cable));
            change.linksTouched = true;
        }
    }
    return laidOutAnew(finish(change));
}

Json ClusterDocument::fragment(const ClusterSelection& selection) const {
    Json nodes = Json::array(), links = Json::array();
    std::map<std::string, QPointF> positions;
    std::vector<bool> inside(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (selection.nodes.contains(nodes_[i].id)) {
            inside[i] = true;
            nodes.push_back(topology_["nodes"][static_cast<std::size_t>(nodeIndex_[i])]);
            positions[nodes_[i].id] = nodes_[i].position;
        }
    for (const DrawnLink& link : links_)
        if (inside[static_cast<std::size_t>(link.from)] && inside[static_cast<std::size_t>(link.to)])
            links.push_back(topology_["links"][static_cast<std::size_t>(link.index)]);
    Json piece = makeFragment(std::move(nodes), std::move(links), positions);
    if (topology_.contains("routing")) piece["topology"]["routing"] = topology_["routing"];
    return piece;
}

std::vector<ScenarioEdit> ClusterDocument::duplicate(const ClusterSelection& selection, std::vector<std::string>* newIds) const {
    const Json piece = fragment(selection);
    const Json& nodes = piece.at("topology").at("nodes");
    if (nodes.empty()) return {};
    QRectF bounds;
    for (const DrawnNode& node : nodes_)
        if (selection.nodes.contains(node.id)) {
            const QSizeF size = cardSize(node);
            bounds |= QRectF(QPointF(node.position.x() - size.width() / 2, node.position.y() - size.height() / 2), size);
        }
    // To the right of the original, as far as it takes to lie on nothing.
    const auto covered = [this](const QRectF& area) {
        return std::any_of(nodes_.begin(), nodes_.end(), [&area](const DrawnNode& node) {
            const QSizeF size = cardSize(node);
            return area.intersects(QRectF(QPointF(node.position.x() - size.width() / 2, node.position.y() - size.height() / 2), size));
        });
    };
    const double step = bounds.width() + 16;
    QRectF target = bounds;
    do target.translate(step, 0);
    while (covered(target));

    std::vector<std::string> ids;
    Change change = begin();
    const QPointF anchor = nodes_[static_cast<std::size_t>(indexOf(nodes[0]["id"].get<std::string>()))].position;
    const QPointF at = (nodes.size() == 1 ? anchor : bounds.center()) + QPointF(target.left() - bounds.left(), 0);
    insertInto(change, piece, at, &ids);

    std::map<std::string, std::string> copyOf;
    for (std::size_t i = 0; i < nodes.size(); ++i) copyOf[nodes[i]["id"].get<std::string>()] = ids[i];
    for (const DrawnLink& link : links_) {
        const std::string& from = nodes_[static_cast<std::size_t>(link.from)].id;
        const std::string& to = nodes_[static_cast<std::size_t>(link.to)].id;
        if (copyOf.contains(from) == copyOf.contains(to)) continue;
        Json copy = topology_["links"][static_cast<std::size_t>(link.index)];
        if (copyOf.contains(from)) copy["from"] = copyOf[from];
        else copy["to"] = copyOf[to];
        change.links.push_back(std::move(copy));
        change.linksTouched = true;
    }
    if (newIds) *newIds = std::move(ids);
    return finish(change);
}

} // namespace orrery
