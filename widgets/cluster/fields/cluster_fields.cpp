// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/fields/cluster_fields.hpp"

#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/document/short_form_drawing.hpp"
#include "widgets/cluster/fields/platform_change.hpp"
#include "widgets/cluster/what_if/what_ifs.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace orrery {

bool ClusterFields::has(std::string_view pointer) { return pointer == platform || pointer == accelerator || pointer == perHost || pointer == hosts || pointer == network; }

ClusterFields::ClusterFields(const Json& scenario, const Catalog& catalog) : scenario_(scenario), catalog_(catalog), document_(scenario, catalog) {}

std::vector<const DrawnNode*> ClusterFields::hostNodes() const {
    std::vector<const DrawnNode*> found;
    for (const DrawnNode& node : document_.nodes())
        if (node.isHost()) found.push_back(&node);
    return found;
}

std::set<std::string> ClusterFields::hostIds() const {
    std::set<std::string> ids;
    for (const DrawnNode* host : hostNodes()) ids.insert(host->id);
    return ids;
}

bool ClusterFields::differ(std::string_view pointer) const {
    if (!isDrawn() || pointer == hosts || pointer == network) return false;
    const auto all = hostNodes();
    return std::any_of(all.begin(), all.end(), [&](const DrawnNode* host) {
        const bool otherAccelerator = host->accelerator != all.front()->accelerator, otherCount = host->count != all.front()->count;
        return pointer == accelerator ? otherAccelerator : pointer == perHost ? otherCount
                                                                              : otherAccelerator || otherCount;
    });
}

const Platform* ClusterFields::platformHere() const {
    for (std::size_t i = 0; i < document_.nodes().size(); ++i)
        if (document_.nodes()[i].isHost()) return soldAs(document_, i, catalog_);
    return nullptr;
}

std::optional<Json> ClusterFields::given(std::string_view pointer) const {
    if (document_.isEmpty()) return std::nullopt;
    if (pointer == platform) {
        if (differ(platform) || hostNodes().empty()) return std::nullopt;
        if (const Platform* here = platformHere()) return Json(here->id);
        const DrawnNode& host = *hostNodes().front();
        return Json{{"count", host.count}, {"name", shortAcceleratorName(host.accelerator, catalog_).toStdString()}};
    }
    if (!isDrawn()) {
        const Json::json_pointer place{std::string(pointer)};
        return scenario_.contains(place) && !scenario_.at(place).is_null() ? std::optional<Json>(scenario_.at(place)) : std::nullopt;
    }
    if (pointer == network) {
        const double speed = document_.networkSpeed();
        return speed > 0 ? std::optional(jsonNumber(speed)) : std::nullopt;
    }
    const auto all = hostNodes();
    if (all.empty() || differ(pointer)) return std::nullopt;
    if (pointer == accelerator) return Json(all.front()->accelerator);
    return pointer == perHost ? Json(all.front()->count) : Json(document_.hosts());
}

std::optional<Json> ClusterFields::assumed(std::string_view pointer) const {
    const std::optional<ShortForm> form = readShortForm(document_.cluster(), catalog_);
    if (!form) return std::nullopt;
    if (pointer == perHost) return Json(form->acceleratorsPerNode);
    if (pointer == hosts) return Json(form->nodes);
    if (pointer == network && form->scaleOutBandwidth > 0) return jsonNumber(form->scaleOutBandwidth);
    return std::nullopt;
}

std::vector<ScenarioEdit> ClusterFields::edits(std::string_view pointer, const Json& value) const {
    if (pointer == platform) {
        const Platform* wanted = value.is_string() ? catalog_.platform(value.get<std::string>()) : nullptr;
        return wanted ? replacePlatform(scenario_, {}, *wanted, catalog_) : std::vector<ScenarioEdit>{};
    }
    if (!isDrawn()) return followPlatform(scenario_, {{std::string(pointer), value}}, catalog_);
    if (pointer == network) return {{network, value}}; // said once, of all links; nothing: as drawn
    if (value.is_null()) return {};                    // of a drawing nothing is left out
    if (pointer == accelerator) return followPlatform(scenario_, document_.setNodeProperty(hostIds(), "accelerator", value), catalog_);
    if (!value.is_number_integer()) return {};
    if (pointer == perHost) return document_.setNodeProperty(hostIds(), "count", value);
    ClusterSelection gone;
    std::vector<ScenarioEdit> made = document_.setHosts(value.get<int>(), &gone.nodes);
    const NodeNames names(document_, catalog_);
    const std::vector<ScenarioEdit> following = WhatIfEditor(scenario_, document_, names).afterRemoval(gone);
    if (!gone.nodes.empty()) made.insert(made.end(), following.begin(), following.end());
    return made;
}

QString customHostText(const Json& custom) {
    if (!custom.is_object() || !custom.contains("count") || !custom.contains("name"))
        return custom.is_string() ? QString::fromStdString(custom.get<std::string>()) : QString();
    return QStringLiteral("%1 × %2").arg(custom["count"].get<int>()).arg(QString::fromStdString(custom["name"].get<std::string>()));
}

} // namespace orrery
