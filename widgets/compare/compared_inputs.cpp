// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compared_inputs.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/network/network_speed.hpp"
#include "core/scenario/document/variants.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/rate_words.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace orrery {
namespace {

struct InputText {
    Q_DECLARE_TR_FUNCTIONS(ComparedInputs)
};

const std::string speedAt = "/cluster/scale_out/bandwidth_gb_s", topologyAt = "/cluster/topology", nodesAt = "/cluster/topology/nodes", linksAt = "/cluster/topology/links";

const Json* listAt(const Json& document, const std::string& pointer) {
    const Json* list = valueAt(document, pointer);
    return list && list->is_array() ? list : nullptr;
}

std::optional<double> speedOf(const Json& document) {
    const Json* cluster = valueAt(document, "/cluster");
    return cluster ? statedNetworkSpeed(*cluster) : std::nullopt;
}

/// What a link carries: as drawn, times what a stated speed makes of all links.
std::vector<double> ratesOf(const Json& document) {
    std::vector<double> rates;
    const Json* links = listAt(document, linksAt);
    if (!links) return rates;
    const double drawn = drawnNetworkSpeed(*valueAt(document, topologyAt));
    const double factor = drawn > 0 ? speedOf(document).value_or(drawn) / drawn : 1;
    for (const Json& link : *links) rates.push_back(link.is_object() && link.contains("bandwidth_gb_s") && link["bandwidth_gb_s"].is_number() ? link["bandwidth_gb_s"].get<double>() * factor : 0);
    return rates;
}

/// Whether two drawings' links differ by one factor, none of them included.
bool areOneNetwork(const Json& a, const Json& b) {
    const std::vector<double> before = ratesOf(a), after = ratesOf(b);
    if (before.size() != after.size()) return false;
    double factor = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!(before[i] > 0) || !(after[i] > 0)) return false;
        const double own = after[i] / before[i];
        if (factor == 0) factor = own;
        if (std::abs(own - factor) > 1e-9 * factor) return false;
    }
    return true;
}

bool isRate(const std::string& pointer) { return pointer == speedAt || (pointer.starts_with(linksAt + "/") && pointer.ends_with("/bandwidth_gb_s")); }

double hostsIn(const Json& document) {
    double hosts = 0;
    if (const Json* nodes = listAt(document, nodesAt))
        for (const Json& node : *nodes)
            if (node.is_object() && node.value("kind", Json()) == "host") hosts += node.contains("replicas") && node["replicas"].is_number() ? node["replicas"].get<double>() : 1;
    if (const Json* count = valueAt(document, "/cluster/nodes"); count && count->is_number() && !listAt(document, nodesAt)) hosts = count->get<double>();
    return hosts;
}

/// "/cluster/topology/links/7/latency_us" → the list and what follows the number.
std::optional<std::pair<std::string, std::string>> entryOf(const std::string& pointer) {
    for (const std::string& list : {nodesAt, linksAt}) {
        if (!pointer.starts_with(list + "/")) continue;
        const std::size_t rest = pointer.find('/', list.size() + 1);
        return std::pair(list, rest == std::string::npos ? std::string() : pointer.substr(rest));
    }
    return std::nullopt;
}

} // namespace

bool isOfDrawing(const std::string& pointer) { return pointer.starts_with(topologyAt) || pointer == speedAt || pointer == "/cluster" || pointer == "/cluster/scale_out"; }

std::vector<ComparedInput> comparedInputs(const std::vector<const Json*>& documents, const InputWords& words) {
    std::vector<ComparedInput> inputs;
    if (documents.size() < 2) return inputs;
    const Json& first = *documents.front();
    std::vector<std::string> pointers;
    std::set<std::string> known;
    bool oneNetwork = true, drawingDiffers = false;
    for (std::size_t i = 1; i < documents.size(); ++i) {
        bool differs = false;
        for (const ScenarioEdit& edit : differences(first, *documents[i])) {
            if (isSharedByVariants(edit.pointer) || edit.pointer == "/name") continue;
            differs = differs || isOfDrawing(edit.pointer);
            if (known.insert(edit.pointer).second) pointers.push_back(edit.pointer);
        }
        drawingDiffers = drawingDiffers || differs;
        if (differs) oneNetwork = oneNetwork && areOneNetwork(first, *documents[i]);
    }
    const auto row = [&](const QString& name, const std::string& pointer, const auto& valueOf) {
        ComparedInput input{name, pointer, {}};
        for (std::size_t i = 0; i < documents.size(); ++i) input.values << valueOf(i);
        inputs.push_back(std::move(input));
    };
    if (drawingDiffers) {
        const auto speedWords = [&](std::size_t i) {
            const std::optional<double> speed = speedOf(*documents[i]);
            return speed ? bitRate(*speed) : words(i, speedAt);
        };
        const auto hostWords = [&](std::size_t i) { return grouped(hostsIn(*documents[i])); };
        const auto differ = [&](const auto& valueOf) {
            for (std::size_t i = 1; i < documents.size(); ++i)
                if (valueOf(i) != valueOf(0)) return true;
            return false;
        };
        if (differ(hostWords)) row(InputText::tr("hosts"), nodesAt, hostWords);
        if (differ(speedWords)) row(keyName(speedAt), speedAt, speedWords);
    }
    // What changes from one value to one other in many places is one input with so many places.
    std::map<std::vector<QString>, std::size_t> groups;
    std::map<std::size_t, std::size_t> places;
    for (const std::string& pointer : pointers) {
        if ((isRate(pointer) && oneNetwork) || pointer == speedAt || pointer == "/cluster/scale_out") continue;
        if (pointer == nodesAt || pointer == linksAt || pointer == topologyAt || pointer == "/cluster") {
            const auto countOf = [&](const std::string& list) {
                return [&documents, list](std::size_t i) {
                    const Json* there = listAt(*documents[i], list);
                    return grouped(there ? static_cast<double>(there->size()) : 0);
                };
            };
            if (pointer != nodesAt) row(InputText::tr("drawn links"), pointer, countOf(linksAt));
            continue;
        }
        const auto entry = entryOf(pointer);
        const auto valueOf = [&](std::size_t i) { return words(i, pointer); };
        if (!entry) {
            row(keyTitle(pointer), pointer, valueOf);
            continue;
        }
        std::vector<QString> group{QString::fromStdString(entry->first + entry->second)};
        for (std::size_t i = 0; i < documents.size(); ++i) group.push_back(valueOf(i));
        const auto [found, isNew] = groups.emplace(std::move(group), inputs.size());
        ++places[found->second];
        if (isNew) row(keyTitle(pointer), pointer, valueOf);
    }
    for (const auto& [input, count] : places) {
        const bool ofLinks = inputs[input].pointer.starts_with(linksAt);
        if (count > 1) inputs[input].name = (ofLinks ? InputText::tr("%1 of %2 links") : InputText::tr("%1 of %2 nodes")).arg(inputs[input].name, grouped(static_cast<double>(count)));
    }
    return inputs;
}

} // namespace orrery
