// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/cluster_fragment.hpp"

#include "core/base/json.hpp"
#include "widgets/cluster/document/cluster_document.hpp"

namespace orrery {

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
