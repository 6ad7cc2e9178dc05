// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/what_if/what_if_entries.hpp"

#include "core/base/json.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

std::string text(const Json& entry, const char* key) {
    const auto it = entry.find(key);
    return it != entry.end() && it->is_string() ? it->get<std::string>() : std::string();
}

double number(const Json& entry, const char* key, double otherwise) {
    const auto it = entry.find(key);
    return it != entry.end() && it->is_number() && std::isfinite(it->get<double>()) ? it->get<double>() : otherwise;
}

int place(const Json& entry, const char* key) { return static_cast<int>(std::clamp(number(entry, key, -1), -1.0, 1e8)); }

} // namespace

WhatIfEntry::WhatIfEntry(const Json& entry)
    : name(text(entry, "name")), node(text(entry, "node")), from(text(entry, "from")), to(text(entry, "to")), nic(place(entry, "nic")),
      replica(place(entry, "replica")), rank(place(entry, "rank")), factor(number(entry, "factor", 1)), slowdown(number(entry, "slowdown", 1)),
      bandwidth(number(entry, "bandwidth_gb_s", 0)) {
    const auto it = entry.find("down");
    down = (it != entry.end() && it->is_boolean() && it->get<bool>()) || factor == 0;
}

QString WhatIfEntry::title(const QString& who) const {
    return replica < 0 ? who : QCoreApplication::translate("orrery::WhatIfs", "%1, number %2").arg(who).arg(replica);
}

double jitterSigma(const Json& jitter) {
    if (jitter.is_number()) return jitter.get<double>();
    return jitter.is_object() ? number(jitter, "sigma", 0) : 0;
}

Json listAt(const Json& scenario, const char* pointer) {
    const Json::json_pointer path(pointer);
    if (!scenario.is_object() || !scenario.contains(path) || !scenario.at(path).is_array()) return Json::array();
    return scenario.at(path);
}

std::vector<EntryCable> cablesOf(const WhatIfEntry& entry, const ClusterDocument& document, const NodeNames& names) {
    std::vector<NodeNames::Cable> cables = names.cables(entry.from, entry.to);
    // The replica of the replicated end; the other has one, or as many.
    if (entry.replica >= 0 && document.isShortForm()) {
        const std::vector<int> cards = [&] {
            const std::vector<int> ofFrom = names.cards(entry.from), ofTo = names.cards(entry.to);
            return ofFrom.size() >= ofTo.size() ? names.cards(entry.from, entry.replica) : names.cards(entry.to, entry.replica);
        }();
        std::erase_if(cables, [&](const NodeNames::Cable& cable) {
            const DrawnLink& link = document.links()[static_cast<std::size_t>(cable.link)];
            return std::find(cards.begin(), cards.end(), link.from) == cards.end() && std::find(cards.begin(), cards.end(), link.to) == cards.end();
        });
    }
    std::vector<EntryCable> found;
    std::map<int, int> before; // cables of each host in the links so far: a NIC counts through all of them in the short form
    for (const NodeNames::Cable& cable : cables) {
        const DrawnLink& link = document.links()[static_cast<std::size_t>(cable.link)];
        if (entry.nic < 0) {
            found.push_back({cable.link, -1});
            continue;
        }
        const int first = document.isShortForm() ? before[link.from] : 0;
        before[link.from] += link.count;
        if (entry.nic >= first && entry.nic < first + link.count) found.push_back({cable.link, entry.nic - first});
    }
    return found;
}

Json drawnEntries(const Json& list, const ClusterDocument& document, const NodeNames& names) {
    const auto& nodes = document.nodes();
    Json drawn = Json::array();
    for (const Json& entry : list) {
        const WhatIfEntry read(entry.is_object() ? entry : Json::object());
        if (!read.from.empty() && !read.to.empty()) {
            for (const EntryCable& cable : cablesOf(read, document, names)) {
                const DrawnLink& link = document.links()[static_cast<std::size_t>(cable.link)];
                const DrawnNode &from = nodes[static_cast<std::size_t>(link.from)], &to = nodes[static_cast<std::size_t>(link.to)];
                Json copy = entry;
                copy["from"] = from.id;
                copy["to"] = to.id;
                if (cable.nic >= 0 && link.count > 1) copy["nic"] = cable.nic;
                else copy.erase("nic");
                if (read.replica >= 0) copy["replica"] = read.replica - names.of(link.from).firstReplica;
                if (from.replicas == 1 && to.replicas == 1) copy.erase("replica");
                drawn.push_back(std::move(copy));
            }
            continue;
        }
        const char* key = read.node.empty() ? "from" : "node";
        const std::string& id = read.node.empty() ? read.from : read.node;
        const std::vector<int> cards = names.cards(id, read.replica);
        if (id.empty() || cards.empty()) {
            drawn.push_back(entry); // by rank, or about nothing: that is for the reader to say
            continue;
        }
        for (const int card : cards) {
            Json copy = entry;
            copy[key] = nodes[static_cast<std::size_t>(card)].id;
            if (read.replica >= 0 && nodes[static_cast<std::size_t>(card)].replicas > 1) copy["replica"] = read.replica - names.of(card).firstReplica;
            else copy.erase("replica");
            drawn.push_back(std::move(copy));
        }
    }
    return drawn;
}

} // namespace orrery
