// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/node_names.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/network/short_form.hpp"
#include "widgets/cluster/document/short_form_drawing.hpp"

#include <algorithm>

namespace orrery {

NodeNames::NodeNames(const ClusterDocument& document, const Catalog& catalog) {
    const auto& nodes = document.nodes();
    for (const DrawnNode& node : nodes) {
        names_.push_back({node.id, 0});
        replicas_.push_back(node.replicas);
    }
    const std::optional<ShortForm> form = document.isShortForm() ? readShortForm(document.cluster(), catalog) : std::nullopt;
    if (form) {
        // The names are those of the core's expandShortForm(): one node for all hosts, or one for each scale-up domain.
        const int hostsPerDomain = std::max(1, form->domainSize / std::max(1, form->acceleratorsPerNode));
        const bool domains = hostsPerDomain > 1 && document.hosts() > 1;
        const bool blocking = form->oversubscription > 1;
        std::vector<int> domainOf, firstOf; // of each host: its domain's number and that domain's first host
        if (domains)
            for (const int held : hostsByDomain(document.hosts(), hostsPerDomain)) {
                const int number = domainOf.empty() ? 0 : domainOf.back() + 1, first = static_cast<int>(domainOf.size());
                domainOf.insert(domainOf.end(), static_cast<std::size_t>(held), number);
                firstOf.insert(firstOf.end(), static_cast<std::size_t>(held), first);
            }
        std::vector<std::string> suffix(nodes.size());
        for (std::size_t i = 0, first = 0; i < nodes.size(); ++i) {
            if (!nodes[i].isHost()) {
                names_[i].id = blocking ? "spine" : "leaf";
                continue;
            }
            if (domains && first < domainOf.size()) suffix[i] = "-" + std::to_string(domainOf[first]);
            names_[i] = {"node" + suffix[i], static_cast<int>(first) - (domains && first < firstOf.size() ? firstOf[first] : 0)};
            first += static_cast<std::size_t>(nodes[i].replicas);
        }
        // A leaf of a host's own has the host's number.
        for (const DrawnLink& link : document.links()) {
            const auto host = static_cast<std::size_t>(link.from), leaf = static_cast<std::size_t>(link.to);
            if (blocking && nodes[host].isHost()) names_[leaf] = {"leaf" + suffix[host], names_[host].firstReplica};
        }
    }
    for (std::size_t i = 0; i < names_.size(); ++i) cards_[names_[i].id].push_back(static_cast<int>(i));
    for (std::size_t l = 0; l < document.links().size(); ++l) {
        const DrawnLink& link = document.links()[l];
        const std::string &from = of(link.from).id, &to = of(link.to).id;
        cables_[{from, to}].push_back({static_cast<int>(l), true});
        if (from != to) cables_[{to, from}].push_back({static_cast<int>(l), false});
    }
}

std::vector<int> NodeNames::cards(const std::string& id, int replica) const {
    const auto it = cards_.find(id);
    if (it == cards_.end()) return {};
    if (replica < 0) return it->second;
    for (const int card : it->second) {
        const int first = of(card).firstReplica;
        if (replica >= first && replica < first + replicas_[static_cast<std::size_t>(card)]) return {card};
    }
    return it->second.size() == 1 && replica == 0 ? it->second : std::vector<int>{};
}

std::vector<NodeNames::Cable> NodeNames::cables(const std::string& from, const std::string& to) const {
    const auto it = cables_.find({from, to});
    return it == cables_.end() ? std::vector<Cable>{} : it->second;
}

Json makeFragment(Json nodes, Json links, const std::map<std::string, QPointF>& positions) {
    Json places = Json::object();
    for (const auto& [id, at] : positions) places[id] = Json::array({jsonNumber(at.x()), jsonNumber(at.y())});
    return Json{{"format", fragmentFormat},
                {"topology", {{"nodes", std::move(nodes)}, {"links", std::move(links)}}},
                {"positions", std::move(places)}};
}

Json generatedFragment(GeneratedTopology generated) {
    Json fragment = makeFragment(Json::array(), Json::array(), {});
    if (generated.ok()) fragment["topology"] = std::move(generated.topology);
    return fragment;
}

QByteArray fragmentBytes(const Json& fragment) { return QByteArray::fromStdString(fragment.dump()); }

std::optional<Json> readFragment(const QByteArray& bytes) {
    Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!json.is_object() || json.value("format", Json()) != fragmentFormat) return std::nullopt;
    const auto topology = json.find("topology");
    if (topology == json.end() || !topology->is_object()) return std::nullopt;
    const auto nodes = topology->find("nodes");
    if (nodes == topology->end() || !nodes->is_array()) return std::nullopt;
    for (const Json& node : *nodes)
        if (!node.is_object() || !node.contains("id") || !node["id"].is_string()) return std::nullopt;
    const auto links = topology->find("links");
    if (links == topology->end() || !links->is_array()) (*topology)["links"] = Json::array();
    for (const Json& link : (*topology)["links"])
        if (!link.is_object() || !link.contains("from") || !link.contains("to") || !link["from"].is_string() ||
            !link["to"].is_string())
            return std::nullopt;
    if (!json.contains("positions") || !json["positions"].is_object()) json["positions"] = Json::object();
    return json;
}

} // namespace orrery
