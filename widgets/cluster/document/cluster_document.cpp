// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/cluster_document.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/network/cluster.hpp"
#include "core/network/network_speed.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/document/short_form_drawing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

std::string text(const Json& object, const char* key) {
    const auto it = object.find(key);
    if (it == object.end()) return {};
    if (it->is_string()) return it->get<std::string>();
    if (!it->is_object()) return {};
    // An accelerator given as an object is known by its id or its name.
    for (const char* name : {"id", "name"})
        if (const auto inner = it->find(name); inner != it->end() && inner->is_string()) return inner->get<std::string>();
    return {};
}

double number(const Json& object, const char* key, double otherwise) {
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? it->get<double>() : otherwise;
}

/// Counts are drawn, so an absurd one is clamped here; the scenario's reader says what is wrong with it.
int wholeNumber(const Json& object, const char* key, int otherwise) {
    const double value = number(object, key, otherwise);
    return std::isfinite(value) ? static_cast<int>(std::clamp(value, 0.0, 1e6)) : otherwise;
}

std::vector<int> integers(const Json& object, const char* key) {
    std::vector<int> values;
    const auto it = object.find(key);
    if (it == object.end() || !it->is_array()) return values;
    for (const Json& value : *it) {
        if (!value.is_number_integer()) return {};
        values.push_back(static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), -1'000'000, 1'000'000)));
    }
    return values;
}

/// What the scenario's reader assumes for links without a latency, in µs: the usual platform's.
double platformLatency(const std::vector<DrawnNode>& nodes, const Json& cluster, const Catalog& catalog) {
    constexpr double unknown = 2;
    const auto host = std::find_if(nodes.begin(), nodes.end(), [](const DrawnNode& node) { return node.isHost(); });
    if (host == nodes.end()) return unknown;
    const std::string accelerator = host->accelerator.empty() && cluster.is_object() ? text(cluster, "accelerator") : host->accelerator;
    const Platform* platform = catalog.usualPlatform(accelerator);
    return platform ? std::round(platform->scaleOutLatency * 1e12) / 1e6 : unknown;
}

/// Where the file puts a node; nothing when it says no place on any screen.
std::optional<QPointF> placeIn(const Json& places, const std::string& id) {
    const auto it = places.find(id);
    if (it == places.end() || !it->is_array() || it->size() != 2 || !(*it)[0].is_number() || !(*it)[1].is_number()) return std::nullopt;
    constexpr double farthest = 1e6;
    const double x = (*it)[0].get<double>(), y = (*it)[1].get<double>();
    if (!(std::abs(x) < farthest) || !(std::abs(y) < farthest)) return std::nullopt;
    return QPointF(x, y);
}

/// The array index that follows `base` in a pointer; -1: none.
int indexBelow(std::string_view pointer, std::string_view base) {
    if (!pointer.starts_with(base)) return -1;
    pointer.remove_prefix(base.size());
    int place = -1;
    const auto [end, error] = std::from_chars(pointer.data(), pointer.data() + pointer.size(), place);
    const bool whole = end == pointer.data() + pointer.size() || *end == '/';
    return error == std::errc() && whole ? place : -1;
}

const Json* arrayIn(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto it = object.find(key);
    return it != object.end() && it->is_array() ? &*it : nullptr;
}

QRectF cardOf(const DrawnNode& node) {
    const QSizeF size = cardSize(node);
    return {QPointF(node.position.x() - size.width() / 2, node.position.y() - size.height() / 2), size};
}

} // namespace

std::string pointerToken(std::string_view token) {
    std::string escaped;
    for (const char c : token) {
        if (c == '~') escaped += "~0";
        else if (c == '/') escaped += "~1";
        else escaped += c;
    }
    return escaped;
}

Json jsonNumber(double value) {
    if (std::isfinite(value) && value == std::round(value) && std::abs(value) < 1e15)
        return static_cast<std::int64_t>(value);
    return value;
}

ClusterDocument::ClusterDocument(const Json& scenario, const Catalog& catalog) {
    const Json* topology = nullptr;
    if (scenario.is_object())
        if (const auto it = scenario.find("cluster"); it != scenario.end() && it->is_object()) {
            cluster_ = Json::object();
            for (const auto& [key, value] : it->items()) {
                if (key == "topology") topology = &value;
                else cluster_[key] = value;
            }
        }
    hasTopology_ = topology != nullptr && topology->is_object();
    if (topology) {
        if (hasTopology_) topology_ = *topology;
    } else if (std::optional<Json> expanded = shortFormTopology(cluster_, catalog)) {
        topology_ = std::move(*expanded);
        shortForm_ = true;
    }
    if (!topology_.is_object()) topology_ = Json::object();
    if (!shortForm_) takeStatedSpeed();
    readTopology(catalog);
    readPositions(scenario);
}

/// Links are drawn, and edited, at the rate that the stated speed of the network gives them.
void ClusterDocument::takeStatedSpeed() {
    const std::optional<double> stated = statedNetworkSpeed(cluster_);
    const double drawn = drawnNetworkSpeed(topology_);
    if (!stated || !(drawn > 0) || *stated == drawn) return;
    isScaled_ = true;
    for (Json& link : topology_["links"])
        if (link.is_object() && link.contains("bandwidth_gb_s") && link["bandwidth_gb_s"].is_number()) link["bandwidth_gb_s"] = jsonNumber(link["bandwidth_gb_s"].get<double>() * *stated / drawn);
}

double ClusterDocument::networkSpeed() const { return drawnNetworkSpeed(topology_); }

void ClusterDocument::readTopology(const Catalog& catalog) {
    int rank = 0;
    if (const Json* nodes = arrayIn(topology_, "nodes")) {
        for (std::size_t i = 0; i < nodes->size(); ++i) {
            const Json& json = (*nodes)[i];
            if (!json.is_object()) continue;
            DrawnNode node;
            node.id = text(json, "id");
            node.label = text(json, "label");
            node.kind = fromText<NodeKind>(text(json, "kind")).value_or(NodeKind::host);
            node.replicas = std::max(1, wholeNumber(json, "replicas", 1));
            if (node.isHost()) {
                node.accelerator = text(json, "accelerator");
                node.count = wholeNumber(json, "count", 0);
                node.domain = text(json, "domain");
                node.firstRank = rank;
                rank += node.accelerators();
            }
            node.group = text(json, "group");
            node.coordinates = integers(json, "coordinates");
            // Where two nodes have one id, links mean the first; the reader reports the second.
            byId_.try_emplace(node.id, static_cast<int>(nodes_.size()));
            nodes_.push_back(std::move(node));
            nodeIndex_.push_back(static_cast<int>(i));
        }
    }
    const double usualLatency = platformLatency(nodes_, cluster_, catalog);
    if (const Json* links = arrayIn(topology_, "links")) {
        for (std::size_t i = 0; i < links->size(); ++i) {
            const Json& json = (*links)[i];
            if (!json.is_object()) continue;
            const auto from = byId_.find(text(json, "from")), to = byId_.find(text(json, "to"));
            if (from == byId_.end() || to == byId_.end()) continue;
            linksFrom_[{from->second, to->second}].push_back(static_cast<int>(links_.size()));
            links_.push_back({.from = from->second,
                              .to = to->second,
                              .bandwidth = number(json, "bandwidth_gb_s", 0),
                              .latency = number(json, "latency_us", usualLatency),
                              .latencyGiven = json.contains("latency_us"),
                              .count = wholeNumber(json, "count", 1),
                              .index = static_cast<int>(i)});
        }
    }
}

void ClusterDocument::readPositions(const Json& scenario) {
    const Json* places = nullptr;
    const Json::json_pointer path("/view/cluster/positions");
    if (scenario.is_object() && scenario.contains(path) && scenario.at(path).is_object()) places = &scenario.at(path);
    std::vector<std::size_t> unplaced;
    QRectF placed;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (const std::optional<QPointF> at = places ? placeIn(*places, nodes_[i].id) : std::nullopt) {
            nodes_[i].position = *at;
            const QSizeF size = cardSize(nodes_[i]);
            placed |= QRectF(QPointF(at->x() - size.width() / 2, at->y() - size.height() / 2), size);
        } else {
            unplaced.push_back(i);
        }
    }
    allPlaced_ = unplaced.empty();
    placesInFile_ = unplaced.size() < nodes_.size();
    if (allPlaced_) return;
    if (unplaced.size() == nodes_.size()) {
        const std::vector<QPointF> centres = tidyLayout(nodes_, links_);
        for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].position = centres[i];
        return;
    }
    // What someone added by hand in the file goes below what has its place.
    std::vector<DrawnNode> loose;
    for (const std::size_t i : unplaced) loose.push_back(nodes_[i]);
    const std::vector<QPointF> centres = tidyLayout(loose, {});
    double top = 0;
    for (std::size_t k = 0; k < loose.size(); ++k) top = std::min(top, centres[k].y() - cardSize(loose[k]).height() / 2);
    for (std::size_t k = 0; k < loose.size(); ++k)
        nodes_[unplaced[k]].position = snapped(centres[k] + QPointF(placed.center().x(), placed.bottom() + 40 - top));
}

int ClusterDocument::accelerators() const {
    int total = 0;
    for (const DrawnNode& node : nodes_) total += node.accelerators();
    return total;
}

int ClusterDocument::hosts() const {
    int total = 0;
    for (const DrawnNode& node : nodes_) total += node.isHost() ? node.replicas : 0;
    return total;
}

int ClusterDocument::indexOf(std::string_view id) const {
    const auto it = byId_.find(std::string(id));
    return it == byId_.end() ? -1 : it->second;
}

LinkKey ClusterDocument::keyOf(const DrawnLink& link) const {
    const std::vector<int>& same = linksFrom_.at({link.from, link.to});
    const auto place = std::find(same.begin(), same.end(), static_cast<int>(&link - links_.data()));
    return {nodes_[static_cast<std::size_t>(link.from)].id, nodes_[static_cast<std::size_t>(link.to)].id,
            static_cast<int>(place - same.begin())};
}

const DrawnLink* ClusterDocument::find(const LinkKey& key) const {
    const auto it = linksFrom_.find({indexOf(key.from), indexOf(key.to)});
    if (it == linksFrom_.end() || key.ordinal < 0 || static_cast<std::size_t>(key.ordinal) >= it->second.size()) return nullptr;
    return &links_[static_cast<std::size_t>(it->second[static_cast<std::size_t>(key.ordinal)])];
}

int ClusterDocument::nodeBelow(std::string_view pointer) const {
    const int place = shortForm_ ? -1 : indexBelow(pointer, "/cluster/topology/nodes/");
    const auto it = std::lower_bound(nodeIndex_.begin(), nodeIndex_.end(), place);
    return place >= 0 && it != nodeIndex_.end() && *it == place ? static_cast<int>(it - nodeIndex_.begin()) : -1;
}

int ClusterDocument::linkBelow(std::string_view pointer) const {
    const int place = shortForm_ ? -1 : indexBelow(pointer, "/cluster/topology/links/");
    const auto it = std::lower_bound(links_.begin(), links_.end(), place, [](const DrawnLink& link, int wanted) { return link.index < wanted; });
    return place >= 0 && it != links_.end() && it->index == place ? static_cast<int>(it - links_.begin()) : -1;
}

std::string ClusterDocument::pointerOf(const DrawnNode& node) const {
    if (shortForm_) return "/cluster";
    const auto place = static_cast<std::size_t>(&node - nodes_.data());
    return "/cluster/topology/nodes/" + std::to_string(nodeIndex_[place]);
}

std::string ClusterDocument::pointerOf(const DrawnLink& link) const {
    return shortForm_ ? "/cluster" : "/cluster/topology/links/" + std::to_string(link.index);
}

std::string ClusterDocument::uniqueId(const std::string& wanted) const {
    if (indexOf(wanted) < 0 && !wanted.empty()) return wanted;
    std::string stem = wanted;
    while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
    if (stem.empty()) stem = "node-";
    else if (stem.back() != '-' && stem.back() != '_') stem += '-';
    std::set<std::string_view> taken;
    for (const DrawnNode& node : nodes_) taken.insert(node.id);
    for (int n = 0;; ++n)
        if (std::string id = stem + std::to_string(n); !taken.contains(id)) return id;
}

QString ClusterDocument::titleOf(const std::string& id) const {
    const int node = indexOf(id);
    return QString::fromStdString(node < 0 ? id : nodes_[static_cast<std::size_t>(node)].title());
}

QRectF ClusterDocument::bounds() const {
    QRectF all;
    for (const DrawnNode& node : nodes_) all |= cardOf(node);
    return all;
}

QPointF ClusterDocument::freePlace(const Json& fragment, QPointF at) const {
    const Json asScenario{{"cluster", {{"topology", fragment.at("topology")}}},
                          {"view", {{"cluster", {{"positions", fragment.value("positions", Json::object())}}}}}};
    const ClusterDocument piece(asScenario, Catalog());
    const QRectF own = piece.bounds();
    const QPointF anchor = piece.nodes().size() == 1 ? piece.nodes()[0].position : own.center();
    const auto isFree = [&](QPointF place) {
        const QRectF area = own.translated(place - anchor);
        return std::none_of(nodes_.begin(), nodes_.end(), [&area](const DrawnNode& node) { return cardOf(node).intersects(area); });
    };
    if (isFree(at)) return at;
    constexpr double air = 16;
    for (int steps = 1;; ++steps) { // somewhere there is nothing: nodes are finite
        const QPointF right = at + QPointF(steps * (own.width() + air), 0), below = at + QPointF(0, steps * (own.height() + air));
        if (isFree(right)) return right;
        if (isFree(below)) return below;
    }
}

} // namespace orrery
