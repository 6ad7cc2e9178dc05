// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/what_if/what_ifs.hpp"
#include "core/base/json.hpp"
#include "widgets/cluster/what_if/what_if_entries.hpp"
#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

namespace orrery {
namespace {

struct WhatIfText {
    Q_DECLARE_TR_FUNCTIONS(WhatIfText)
};

QString percent(double share) { return Readable{QLocale(QLocale::English).toString(share * 100, 'g', 4), QStringLiteral("%")}.text(); }

QString number(double value) { return QLocale(QLocale::English).toString(value, 'g', 4); }

QString stateText(const QString& what, bool down, double factor) {
    return down ? WhatIfText::tr("%1 down").arg(what) : WhatIfText::tr("%1 at %2").arg(what, percent(factor));
}

WhatIf readChange(const Json& entry, const ClusterDocument& document, const NodeNames& names) {
    WhatIf one;
    const WhatIfEntry read(entry);
    one.down = read.down;
    one.amount = read.factor;
    if (read.to.empty()) {
        one.kind = WhatIf::Kind::node;
        one.nodes = names.cards(read.from, read.replica);
        one.text = stateText(read.title(document.titleOf(read.from)), read.down, read.factor);
        return one;
    }
    for (const EntryCable& cable : cablesOf(read, document, names)) one.links.push_back(cable.link);
    QString what = document.titleOf(read.from) + QStringLiteral(" – ") + document.titleOf(read.to);
    if (read.nic >= 0) what += WhatIfText::tr(", NIC %1").arg(read.nic);
    if (read.replica >= 0) what += WhatIfText::tr(", number %1").arg(read.replica);
    one.text = stateText(what, read.down, read.factor);
    return one;
}

WhatIf readStraggler(const Json& entry, const ClusterDocument& document, const NodeNames& names) {
    WhatIf one;
    one.kind = WhatIf::Kind::straggler;
    const WhatIfEntry read(entry);
    one.amount = read.slowdown;
    QString who;
    if (read.rank >= 0) {
        who = WhatIfText::tr("rank %1").arg(read.rank);
        for (std::size_t n = 0; n < document.nodes().size(); ++n) {
            const DrawnNode& node = document.nodes()[n];
            if (read.rank >= node.firstRank && read.rank < node.firstRank + node.accelerators()) one.nodes = {static_cast<int>(n)};
        }
    } else {
        who = read.title(document.titleOf(read.node));
        one.nodes = names.cards(read.node, read.replica);
    }
    one.text = WhatIfText::tr("%1 takes %2 × as long").arg(who, number(read.slowdown));
    return one;
}

WhatIf readTraffic(const Json& entry, const ClusterDocument& document, const NodeNames& names) {
    WhatIf one;
    one.kind = WhatIf::Kind::traffic;
    const WhatIfEntry read(entry);
    one.amount = read.bandwidth;
    const std::vector<int> from = names.cards(read.from), to = names.cards(read.to);
    if (!from.empty() && !to.empty()) one.nodes = {from.front(), to.front()};
    const QString name = read.name.empty() ? WhatIfText::tr("another job") : QString::fromStdString(read.name);
    one.text = WhatIfText::tr("%1: %2 → %3, %4 GB/s").arg(name, document.titleOf(read.from), document.titleOf(read.to), number(read.bandwidth));
    return one;
}

} // namespace

std::vector<WhatIf> readWhatIfs(const Json& scenario, const ClusterDocument& document, const NodeNames& names) {
    std::vector<WhatIf> found;
    const auto readList = [&](const char* pointer, const auto& readOne) {
        const Json list = listAt(scenario, pointer);
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!list[i].is_object()) continue;
            WhatIf one = readOne(list[i]);
            one.list = pointer;
            one.index = static_cast<int>(i);
            found.push_back(std::move(one));
        }
    };
    readList(degradedPointer, [&](const Json& entry) {
        if (!entry.contains("node") || entry.contains("from")) return readChange(entry, document, names);
        Json asChange = entry; // {"node", "down"}: the whole node
        asChange["from"] = entry["node"];
        return readChange(asChange, document, names);
    });
    readList(stragglersPointer, [&](const Json& entry) { return readStraggler(entry, document, names); });
    readList(trafficPointer, [&](const Json& entry) { return readTraffic(entry, document, names); });
    const Json::json_pointer jitter(jitterPointer);
    const Json given = scenario.is_object() && scenario.contains(jitter) ? scenario.at(jitter) : Json();
    const double sigma = jitterSigma(given);
    const bool hostsVary = given.is_object() && given.contains("hosts"), operatorsVary = given.is_object() && given.contains("operators");
    if (sigma > 0 || hostsVary || operatorsVary) {
        WhatIf one;
        one.kind = WhatIf::Kind::jitter;
        one.list = jitterPointer;
        one.amount = sigma;
        one.text = sigma > 0 ? WhatIfText::tr("times vary by %1").arg(percent(one.amount)) : hostsVary ? WhatIfText::tr("hosts vary")
                                                                                                       : WhatIfText::tr("times vary by operator");
        found.push_back(std::move(one));
    }
    return found;
}

// The edits of WhatIfEditor.

namespace {

bool isAboutLink(const WhatIfEntry& entry, const std::string& from, const std::string& to) {
    return (entry.from == from && entry.to == to) || (entry.from == to && entry.to == from);
}

/// About the whole node, not about one of its links.
bool isAboutNode(const WhatIfEntry& entry, const std::string& id) { return entry.node == id || (entry.from == id && entry.to.empty()); }

bool mentions(const WhatIfEntry& entry, const std::string& id) { return entry.node == id || entry.from == id || entry.to == id; }

template <typename Predicate>
void eraseIf(Json& list, Predicate unwanted) {
    Json kept = Json::array();
    for (const Json& entry : list)
        if (!entry.is_object() || !unwanted(WhatIfEntry(entry))) kept.push_back(entry);
    list = std::move(kept);
}

} // namespace

/// The lists being rewritten, with the edits that must come before.
struct WhatIfEditor::Change {
    Edits before;
    Json degraded, stragglers, traffic;
};

WhatIfEditor::Change WhatIfEditor::begin(bool needsDrawing) const {
    Change change;
    change.degraded = listAt(scenario_, degradedPointer);
    change.stragglers = listAt(scenario_, stragglersPointer);
    change.traffic = listAt(scenario_, trafficPointer);
    if (needsDrawing && document_.isShortForm()) {
        change.before = document_.convertToDrawn();
        change.degraded = drawnEntries(change.degraded, document_, names_);
        change.stragglers = drawnEntries(change.stragglers, document_, names_);
    }
    return change;
}

WhatIfEditor::Edits WhatIfEditor::finish(const Change& change) const {
    Edits edits = change.before;
    const auto write = [&](const char* pointer, const Json& list) {
        const Json old = listAt(scenario_, pointer);
        if (list == old) return;
        edits.push_back({pointer, list.empty() ? Json() : list});
    };
    write(degradedPointer, change.degraded);
    write(stragglersPointer, change.stragglers);
    write(trafficPointer, change.traffic);
    return edits.size() == change.before.size() ? Edits{} : edits;
}

WhatIfEditor::Edits WhatIfEditor::degrade(const ClusterSelection& what, double factor) const {
    if (!(factor > 0) || factor > 1) return {};
    if (factor == 1) return restore(what);
    Change change = begin(true);
    for (const LinkKey& link : what.links) {
        eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutLink(entry, link.from, link.to) && entry.nic < 0; });
        change.degraded.push_back({{"from", link.from}, {"to", link.to}, {"factor", factor}});
    }
    for (const std::string& id : what.nodes) {
        eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutNode(entry, id); });
        change.degraded.push_back({{"node", id}, {"factor", factor}});
    }
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::takeDown(const ClusterSelection& what) const {
    Change change = begin(true);
    for (const LinkKey& link : what.links) {
        // What was slow of it before says nothing any more.
        eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutLink(entry, link.from, link.to); });
        change.degraded.push_back({{"from", link.from}, {"to", link.to}, {"down", true}});
    }
    for (const std::string& id : what.nodes) {
        eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutNode(entry, id); });
        change.degraded.push_back({{"node", id}, {"down", true}});
    }
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::restore(const ClusterSelection& what) const {
    if (document_.isShortForm()) {
        // Entries name the short form's nodes here, each of which is many cards: they go whole.
        Change change = begin(false);
        std::vector<WhatIf> all = readWhatIfs(scenario_, document_, names_);
        for (auto one = all.rbegin(); one != all.rend(); ++one) {
            const bool hit = std::any_of(one->nodes.begin(), one->nodes.end(), [&](int n) { return what.nodes.contains(document_.nodes()[static_cast<std::size_t>(n)].id); }) ||
                             std::any_of(one->links.begin(), one->links.end(), [&](int l) { return what.links.contains(document_.keyOf(document_.links()[static_cast<std::size_t>(l)])); });
            if (!hit || one->index < 0) continue;
            Json& list = one->list == degradedPointer ? change.degraded : one->list == stragglersPointer ? change.stragglers
                                                                                                         : change.traffic;
            list.erase(static_cast<std::size_t>(one->index));
        }
        return finish(change);
    }
    Change change = begin(false);
    for (const LinkKey& link : what.links)
        eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutLink(entry, link.from, link.to); });
    for (const std::string& id : what.nodes) {
        eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutNode(entry, id); });
        const int node = document_.indexOf(id);
        if (node < 0) continue;
        const DrawnNode& drawn = document_.nodes()[static_cast<std::size_t>(node)];
        eraseIf(change.stragglers, [&](const WhatIfEntry& entry) {
            return entry.node == id || (entry.rank >= drawn.firstRank && entry.rank < drawn.firstRank + drawn.accelerators());
        });
        eraseIf(change.traffic, [&](const WhatIfEntry& entry) { return entry.from == id || entry.to == id; });
    }
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::slowNic(const LinkKey& link, int nic, int replica, double factor) const {
    if (!(factor > 0) || factor > 1) return {};
    Change change = begin(true);
    eraseIf(change.degraded, [&](const WhatIfEntry& entry) {
        return isAboutLink(entry, link.from, link.to) && entry.nic == nic && entry.replica == replica;
    });
    Json entry{{"from", link.from}, {"to", link.to}};
    if (nic >= 0) entry["nic"] = nic;
    if (replica >= 0) entry["replica"] = replica;
    entry["factor"] = factor;
    if (factor < 1) change.degraded.push_back(std::move(entry));
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::straggler(const std::set<std::string>& hosts, int replica, double slowdown) const {
    if (!(slowdown > 0)) return {};
    Change change = begin(true);
    for (const std::string& id : hosts) {
        const int node = document_.indexOf(id);
        if (node < 0 || !document_.nodes()[static_cast<std::size_t>(node)].isHost()) continue;
        eraseIf(change.stragglers, [&](const WhatIfEntry& entry) { return entry.node == id && entry.replica == replica; });
        Json entry{{"node", id}};
        if (replica >= 0) entry["replica"] = replica;
        entry["slowdown"] = slowdown;
        if (slowdown != 1) change.stragglers.push_back(std::move(entry));
    }
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::stragglingRank(int rank, double slowdown) const {
    if (!(slowdown > 0) || rank < 0) return {};
    Change change = begin(false); // ranks are the same in both forms
    eraseIf(change.stragglers, [&](const WhatIfEntry& entry) { return entry.rank == rank; });
    if (slowdown != 1) change.stragglers.push_back({{"rank", rank}, {"slowdown", slowdown}});
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::jitter(double sigma, int seed) const {
    const Json::json_pointer path(jitterPointer);
    const Json old = scenario_.is_object() && scenario_.contains(path) ? scenario_.at(path) : Json();
    Json now;
    if (sigma > 0) {
        if (old.is_object()) now = old; // by class of operator and host, what the form says of it
        now["sigma"] = sigma;
        now["seed"] = seed;
    }
    return now == old ? Edits{} : Edits{{jitterPointer, now}};
}

WhatIfEditor::Edits WhatIfEditor::traffic(const std::string& name, const std::string& from, const std::string& to, double gigabytesPerSecond) const {
    if (!(gigabytesPerSecond > 0) || from == to || document_.indexOf(from) < 0 || document_.indexOf(to) < 0) return {};
    Change change = begin(true);
    change.traffic.push_back({{"name", name}, {"from", from}, {"to", to}, {"bandwidth_gb_s", jsonNumber(gigabytesPerSecond)}});
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::remove(const WhatIf& one) const {
    if (one.kind == WhatIf::Kind::jitter) return jitter(0, 0);
    Change change = begin(false);
    Json& list = one.list == degradedPointer ? change.degraded : one.list == stragglersPointer ? change.stragglers
                                                                                               : change.traffic;
    if (one.index < 0 || static_cast<std::size_t>(one.index) >= list.size()) return {};
    list.erase(static_cast<std::size_t>(one.index));
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::removeAll() const {
    Edits edits = jitter(0, 0);
    for (const char* pointer : {degradedPointer, stragglersPointer, trafficPointer})
        if (!listAt(scenario_, pointer).empty()) edits.push_back({pointer, Json()});
    return edits;
}

void WhatIfEditor::follow(Edits& edits) const {
    if (!document_.isShortForm()) return;
    const auto touches = [&edits](std::string_view pointer) {
        return std::any_of(edits.begin(), edits.end(), [&](const ScenarioEdit& edit) { return edit.pointer == pointer; });
    };
    // The edits here bring their own.
    if (!touches("/cluster") || touches(degradedPointer) || touches(stragglersPointer) || touches(trafficPointer)) return;
    Change change = begin(true);
    change.before.clear();
    // What the same edit takes away of the drawing has nothing supposed of it any more.
    std::set<std::string> left;
    const Json topology = std::find_if(edits.begin(), edits.end(), [](const ScenarioEdit& edit) { return edit.pointer == "/cluster"; })->value->value("topology", Json::object());
    for (const Json& node : topology.value("nodes", Json::array())) left.insert(node.value("id", std::string()));
    for (Json* list : {&change.degraded, &change.stragglers})
        eraseIf(*list, [&](const WhatIfEntry& entry) {
            for (const std::string* id : {&entry.node, &entry.from, &entry.to})
                if (document_.indexOf(*id) >= 0 && !left.contains(*id)) return true;
            return false;
        });
    const Edits following = finish(change);
    edits.insert(edits.end(), following.begin(), following.end());
}

WhatIfEditor::Edits WhatIfEditor::afterRename(const std::string& id, const std::string& newId) const {
    Change change = begin(false);
    for (Json* list : {&change.degraded, &change.stragglers, &change.traffic})
        for (Json& entry : *list)
            for (const char* key : {"node", "from", "to"})
                if (entry.is_object() && entry.contains(key) && entry[key] == id) entry[key] = newId;
    return finish(change);
}

WhatIfEditor::Edits WhatIfEditor::afterRemoval(const ClusterSelection& gone) const {
    Change change = begin(false);
    for (Json* list : {&change.degraded, &change.stragglers, &change.traffic})
        eraseIf(*list, [&](const WhatIfEntry& entry) {
            return std::any_of(gone.nodes.begin(), gone.nodes.end(), [&](const std::string& id) { return mentions(entry, id); });
        });
    // A link that has a twin between the same ends leaves it what was supposed.
    for (const LinkKey& key : gone.links) {
        int left = 0;
        for (const auto& [from, to] : {std::pair(key.from, key.to), std::pair(key.to, key.from)})
            for (int ordinal = 0; document_.contains({from, to, ordinal}); ++ordinal) left += gone.links.contains({from, to, ordinal}) ? 0 : 1;
        if (left == 0) eraseIf(change.degraded, [&](const WhatIfEntry& entry) { return isAboutLink(entry, key.from, key.to); });
    }
    return finish(change);
}

} // namespace orrery
