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

QString say(const char* source) { return QCoreApplication::translate("orrery::WhatIfs", source); }

QString percent(double share) { return Readable{QLocale(QLocale::English).toString(share * 100, 'g', 4), QStringLiteral("%")}.text(); }

QString number(double value) { return QLocale(QLocale::English).toString(value, 'g', 4); }

QString stateText(const QString& what, bool down, double factor) {
    return down ? say("%1 down").arg(what) : say("%1 at %2").arg(what, percent(factor));
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
    if (read.nic >= 0) what += say(", NIC %1").arg(read.nic);
    if (read.replica >= 0) what += say(", number %1").arg(read.replica);
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
        who = say("rank %1").arg(read.rank);
        for (std::size_t n = 0; n < document.nodes().size(); ++n) {
            const DrawnNode& node = document.nodes()[n];
            if (read.rank >= node.firstRank && read.rank < node.firstRank + node.accelerators()) one.nodes = {static_cast<int>(n)};
        }
    } else {
        who = read.title(document.titleOf(read.node));
        one.nodes = names.cards(read.node, read.replica);
    }
    one.text = say("%1 takes %2 × as long").arg(who, number(read.slowdown));
    return one;
}

WhatIf readTraffic(const Json& entry, const ClusterDocument& document, const NodeNames& names) {
    WhatIf one;
    one.kind = WhatIf::Kind::traffic;
    const WhatIfEntry read(entry);
    one.amount = read.bandwidth;
    const std::vector<int> from = names.cards(read.from), to = names.cards(read.to);
    if (!from.empty() && !to.empty()) one.nodes = {from.front(), to.front()};
    const QString name = read.name.empty() ? say("another job") : QString::fromStdString(read.name);
    one.text = say("%1: %2 → %3, %4 GB/s").arg(name, document.titleOf(read.from), document.titleOf(read.to), number(read.bandwidth));
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
        one.text = sigma > 0 ? say("times vary by %1").arg(percent(one.amount)) : hostsVary ? say("hosts vary")
                                                                                            : say("times vary by operator");
        found.push_back(std::move(one));
    }
    return found;
}

} // namespace orrery
