// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/fields/platform_change.hpp"

#include "core/base/json_edits.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/short_form_drawing.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

namespace orrery {
namespace {

struct PlatformText {
    Q_DECLARE_TR_FUNCTIONS(PlatformChange)
};

/// Rounded to a nanosecond: 1.34e-6 s / 1e-6 is not exactly 1.34.
double inMicroseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

double bandwidthUp(const Platform& p) { return p.scaleUpBandwidth / 1e9; }
double latencyUp(const Platform& p) { return inMicroseconds(p.scaleUpLatency); }
double platformDomain(const Platform& p) { return p.scaleUpDomain; }
double bandwidthOut(const Platform& p) { return p.scaleOutBandwidth / 1e9; }
double latencyOut(const Platform& p) { return inMicroseconds(p.scaleOutLatency); }
double countOf(const Platform& p) { return p.acceleratorsPerNode; }

/// A number of the cluster that a platform has an opinion on.
struct PlatformNumber {
    const char* pointer;
    double (*of)(const Platform&);
    const char* what;
    const char* unit;
    bool onlyShortForm;
};

constexpr const char* networkSpeedAt = "/cluster/scale_out/bandwidth_gb_s"; ///< of a drawing only where it is typed

constexpr PlatformNumber platformNumbers[] = {
    {"/cluster/accelerators_per_node", countOf, QT_TRANSLATE_NOOP("PlatformChange", "accelerators per host"), "", true},
    {"/cluster/scale_up/bandwidth_gb_s", bandwidthUp, QT_TRANSLATE_NOOP("PlatformChange", "scale-up bandwidth"), "GB/s", false},
    {"/cluster/scale_up/latency_us", latencyUp, QT_TRANSLATE_NOOP("PlatformChange", "scale-up latency"), "µs", false},
    {"/cluster/scale_up/domain_size", platformDomain, QT_TRANSLATE_NOOP("PlatformChange", "scale-up domain"), "", true},
    {networkSpeedAt, bandwidthOut, QT_TRANSLATE_NOOP("PlatformChange", "network speed"), "GB/s", true},
    {"/cluster/scale_out/latency_us", latencyOut, QT_TRANSLATE_NOOP("PlatformChange", "scale-out latency"), "µs", true},
};

bool sameNumber(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

bool editsTouch(const std::vector<ScenarioEdit>& edits, const std::string& pointer) {
    return std::any_of(edits.begin(), edits.end(), [&pointer](const ScenarioEdit& edit) {
        return pointer.compare(0, edit.pointer.size(), edit.pointer) == 0 && (pointer.size() == edit.pointer.size() || pointer[edit.pointer.size()] == '/');
    });
}

bool mayChangeAccelerators(const std::vector<ScenarioEdit>& edits) {
    return std::any_of(edits.begin(), edits.end(), [](const ScenarioEdit& edit) { return edit.pointer == "/cluster" || edit.pointer.ends_with("/accelerator"); });
}

/// A host of the document before, and of which platform it was and is.
struct ChangedHost {
    int node = -1; ///< in both documents
    const Platform* was = nullptr;
    const Platform* is = nullptr;
};

struct HostChange {
    std::vector<ChangedHost> hosts;
    bool all = false; ///< no host of another accelerator is left
};

/// A platform that hosts are replaced by, where it isn't just the usual one of their new accelerator.
struct Target {
    const Platform* platform = nullptr;
    const std::set<std::string>* hosts = nullptr; ///< null: all

    bool meant(const DrawnNode& host) const { return platform && (!hosts || hosts->contains(host.id)); }
};

HostChange changedHosts(const ClusterDocument& before, const ClusterDocument& after, const Catalog& catalog, const Target& target) {
    HostChange change;
    change.all = true;
    if (before.isShortForm() && after.isShortForm()) {
        // All hosts are alike, and what they would be called when drawn is no matter.
        const DrawnNode &old = before.nodes().front(), &now = after.nodes().front();
        const Platform* sold = soldAs(before, 0, catalog);
        const Platform* was = sold ? sold : platformOf(old, catalog);
        const Platform* is = target.platform ? target.platform : catalog.usualPlatform(now.accelerator);
        if (was && is && (target.platform || old.accelerator != now.accelerator)) change.hosts.push_back({0, was, is});
        change.all = !change.hosts.empty();
        return change;
    }
    for (std::size_t i = 0; i < after.nodes().size(); ++i) {
        const DrawnNode& now = after.nodes()[i];
        if (!now.isHost()) continue;
        const int place = before.indexOf(now.id);
        const DrawnNode* old = place >= 0 ? &before.nodes()[static_cast<std::size_t>(place)] : nullptr;
        if (!old || !old->isHost() || (old->accelerator == now.accelerator && !target.meant(now))) {
            change.all = false;
            continue;
        }
        DrawnNode asUsual = now;
        if (const Platform* usual = catalog.usualPlatform(now.accelerator)) asUsual.count = usual->acceleratorsPerNode;
        const Platform* is = target.meant(now) ? target.platform : platformOf(asUsual, catalog);
        const Platform* sold = soldAs(before, static_cast<std::size_t>(place), catalog);
        const Platform* was = sold ? sold : platformOf(*old, catalog);
        if (was && is) change.hosts.push_back({static_cast<int>(i), was, is});
        else change.all = false;
    }
    if (change.hosts.empty()) change.all = false;
    // Several sorts of hosts at once have no one platform to follow.
    for (const ChangedHost& host : change.hosts)
        if (host.is != change.hosts.front().is || host.was->accelerator != change.hosts.front().was->accelerator) change.all = false;
    return change;
}

/// `words` in `text` where they stand alone, not inside another word.
QString replaced(QString text, const QString& words, const QString& by) {
    if (words.isEmpty() || words == by) return text;
    const QRegularExpression alone(QStringLiteral("(?<![\\w-])%1(?![\\w])").arg(QRegularExpression::escape(words)), QRegularExpression::UseUnicodePropertiesOption);
    return text.replace(alone, by);
}

void followTitle(const Json& scenario, const ChangedHost& host, const Catalog& catalog, std::vector<ScenarioEdit>& edits) {
    const auto name = scenario.find("name");
    if (name == scenario.end() || !name->is_string() || editsTouch(edits, "/name")) return;
    const QString old = QString::fromStdString(name->get<std::string>());
    QString title = replaced(old, QString::fromStdString(host.was->name), QString::fromStdString(host.is->name));
    title = replaced(title, shortAcceleratorName(host.was->accelerator, catalog), shortAcceleratorName(host.is->accelerator, catalog));
    if (title != old) edits.push_back({"/name", title.toStdString()});
}

void followShortForm(const Json& scenario, const ChangedHost& host, const Catalog& catalog, std::vector<ScenarioEdit>& edits) {
    const Platform& was = *host.was;
    const Platform& is = *host.is;
    std::vector<ScenarioEdit> following;
    for (const PlatformNumber& number : platformNumbers) {
        if (editsTouch(edits, number.pointer)) continue;
        const std::optional<double> given = numberAt(scenario, number.pointer);
        // What is left out is the usual platform's, and follows by itself.
        if (!given && !is.usual && catalog.usualPlatform(is.accelerator) && !sameNumber(number.of(*catalog.usualPlatform(is.accelerator)), number.of(is)))
            following.push_back({number.pointer, jsonNumber(number.of(is))});
        else if (given && sameNumber(*given, number.of(was)) && !sameNumber(*given, number.of(is))) following.push_back({number.pointer, jsonNumber(number.of(is))});
    }
    // A domain that is left out is one host, for racks too.
    const char* domain = "/cluster/scale_up/domain_size";
    if (!numberAt(scenario, domain) && !editsTouch(edits, domain) && is.scaleUpDomain > is.acceleratorsPerNode) following.push_back({domain, is.scaleUpDomain});
    edits.insert(edits.end(), following.begin(), following.end());
}

/// Hosts of a rack share its scale-up fabric: as many to a domain as it holds.
void followDomains(const ClusterDocument& before, const HostChange& change, std::vector<ScenarioEdit>& edits) {
    std::set<std::string> taken;
    for (const DrawnNode& node : before.nodes()) taken.insert(node.domain);
    int rack = -1, room = 0;
    std::string name;
    for (const ChangedHost& host : change.hosts) {
        const DrawnNode& node = before.nodes()[static_cast<std::size_t>(host.node)];
        const std::string pointer = before.pointerOf(node) + "/domain";
        if (editsTouch(edits, pointer)) continue;
        const bool wasRack = host.was->scaleUpDomain > host.was->acceleratorsPerNode, isRack = host.is->scaleUpDomain > host.is->acceleratorsPerNode;
        if (wasRack && !isRack && !node.domain.empty()) edits.push_back({pointer, nullptr});
        if (wasRack || !isRack || !node.domain.empty()) continue;
        if (room < node.replicas) {
            do name = "rack-" + std::to_string(++rack);
            while (taken.contains(name));
            room = host.is->scaleUpDomain / std::max(1, host.is->acceleratorsPerNode);
        }
        room -= node.replicas;
        edits.push_back({pointer, name});
    }
}

void followDrawing(const Json& scenario, const ClusterDocument& before, const HostChange& change, std::vector<ScenarioEdit>& edits) {
    std::vector<const ChangedHost*> of(before.nodes().size(), nullptr);
    for (const ChangedHost& host : change.hosts) of[static_cast<std::size_t>(host.node)] = &host;
    for (const ChangedHost& host : change.hosts) {
        const DrawnNode& node = before.nodes()[static_cast<std::size_t>(host.node)];
        const std::string pointer = before.pointerOf(node) + "/count";
        if (node.count == host.was->acceleratorsPerNode && node.count != host.is->acceleratorsPerNode && !editsTouch(edits, pointer))
            edits.push_back({pointer, host.is->acceleratorsPerNode});
    }
    followDomains(before, change, edits);
    const bool statesSpeed = numberAt(scenario, networkSpeedAt).has_value();
    for (const DrawnLink& link : before.links()) {
        const ChangedHost* host = of[static_cast<std::size_t>(link.from)] ? of[static_cast<std::size_t>(link.from)] : of[static_cast<std::size_t>(link.to)];
        if (!host) continue;
        const std::string pointer = before.pointerOf(link);
        const auto follow = [&](const char* key, double given, double was, double is) {
            if (sameNumber(given, was) && !sameNumber(given, is) && !editsTouch(edits, pointer + key)) edits.push_back({pointer + key, jsonNumber(is)});
        };
        if (!statesSpeed) follow("/bandwidth_gb_s", link.bandwidth, bandwidthOut(*host->was), bandwidthOut(*host->is));
        if (link.latencyGiven) follow("/latency_us", link.latency, latencyOut(*host->was), latencyOut(*host->is));
        // One interface an accelerator, all of them in one link.
        follow("/count", link.count, host->was->acceleratorsPerNode, host->is->acceleratorsPerNode);
    }
    if (!change.all) return; // the cluster's own numbers are the other hosts' too
    for (const PlatformNumber& number : platformNumbers) {
        const bool isStatedSpeed = statesSpeed && std::string_view(number.pointer) == networkSpeedAt;
        if ((number.onlyShortForm && !isStatedSpeed) || editsTouch(edits, number.pointer)) continue;
        const std::optional<double> given = numberAt(scenario, number.pointer);
        const ChangedHost& host = change.hosts.front();
        if (given && sameNumber(*given, number.of(*host.was)) && !sameNumber(*given, number.of(*host.is))) edits.push_back({number.pointer, jsonNumber(number.of(*host.is))});
    }
}

QString shownNumber(double value, const QString& unit) {
    const QString text = QLocale().toString(value, 'g', 6);
    return unit.isEmpty() ? text : text + QChar(0x2009) + unit;
}

std::vector<ScenarioEdit> followed(const Json& scenario, std::vector<ScenarioEdit> edits, const Catalog& catalog, const Target& target) {
    const EditOutcome outcome = applyEdits(scenario, edits);
    if (!outcome.error.empty()) return edits;
    const ClusterDocument before(scenario, catalog), after(outcome.document, catalog);
    const HostChange change = changedHosts(before, after, catalog, target);
    if (change.hosts.empty()) return edits;
    if (before.isShortForm() && after.isShortForm()) followShortForm(scenario, change.hosts.front(), catalog, edits);
    else if (!before.isShortForm() && !after.isShortForm()) followDrawing(scenario, before, change, edits);
    else if (before.isShortForm()) {
        // Written out in the same step: what follows is said of the drawing, after it.
        const Json drawn = applyEdits(scenario, before.convertToDrawn()).document;
        std::vector<ScenarioEdit> following;
        followDrawing(drawn, ClusterDocument(drawn, catalog), change, following);
        edits.insert(edits.end(), following.begin(), following.end());
    }
    if (change.all) followTitle(scenario, change.hosts.front(), catalog, edits);
    return edits;
}

} // namespace

std::vector<ScenarioEdit> followPlatform(const Json& scenario, std::vector<ScenarioEdit> edits, const Catalog& catalog) {
    return mayChangeAccelerators(edits) ? followed(scenario, std::move(edits), catalog, {}) : edits;
}

std::vector<ScenarioEdit> replacePlatform(const Json& scenario, const std::set<std::string>& hosts, const Platform& platform, const Catalog& catalog) {
    const ClusterDocument document(scenario, catalog);
    if (document.isShortForm()) return followed(scenario, {{"/cluster/accelerator", platform.accelerator}}, catalog, {&platform, nullptr});
    std::set<std::string> chosen;
    for (const DrawnNode& node : document.nodes())
        if (node.isHost() && (hosts.empty() || hosts.contains(node.id))) chosen.insert(node.id);
    return followed(scenario, document.setNodeProperty(chosen, "accelerator", platform.accelerator), catalog, {&platform, &chosen});
}

KeptNumbers keptOverPlatform(const Json& before, const Json& after, const Catalog& catalog) {
    KeptNumbers kept;
    const auto clusterBefore = before.find("cluster"), clusterAfter = after.find("cluster");
    const bool drawn = clusterBefore != before.end();
    if (drawn == (clusterAfter != after.end()) && (!drawn || *clusterBefore == *clusterAfter)) return kept;
    const ClusterDocument old(before, catalog), now(after, catalog);
    const HostChange change = changedHosts(old, now, catalog, {});
    if (change.hosts.empty()) return kept;
    const ChangedHost& first = change.hosts.front();
    const Platform* is = first.is;
    if (const Platform* sold = soldAs(now, static_cast<std::size_t>(first.node), catalog)) is = sold;
    kept.platform = QString::fromStdString(is->name);
    const auto keep = [&kept](const QString& what, const QString& unit, double value, double platforms, std::vector<ScenarioEdit> mend) {
        kept.numbers.push_back({what, shownNumber(value, unit), shownNumber(platforms, unit), std::move(mend)});
    };
    for (const PlatformNumber& number : platformNumbers) {
        const bool isStatedSpeed = numberAt(after, networkSpeedAt) && std::string_view(number.pointer) == networkSpeedAt;
        if (number.onlyShortForm && !now.isShortForm() && !isStatedSpeed) continue;
        if (!change.all) continue;
        const std::optional<double> given = numberAt(after, number.pointer);
        if (given && !sameNumber(*given, number.of(*is)) && numberAt(before, number.pointer) == given)
            keep(PlatformText::tr(number.what), QString::fromUtf8(number.unit), *given, number.of(*is), {{number.pointer, jsonNumber(number.of(*is))}});
    }
    if (now.isShortForm() || numberAt(after, networkSpeedAt)) return kept;
    // Cables: of all that were kept at one rate, one line.
    std::map<double, std::vector<ScenarioEdit>> cables;
    for (const DrawnLink& link : now.links()) {
        const bool ofChanged = std::any_of(change.hosts.begin(), change.hosts.end(), [&link](const ChangedHost& host) { return host.node == link.from || host.node == link.to; });
        if (ofChanged && is->scaleOutBandwidth > 0 && !sameNumber(link.bandwidth, bandwidthOut(*is)))
            cables[link.bandwidth].push_back({now.pointerOf(link) + "/bandwidth_gb_s", jsonNumber(bandwidthOut(*is))});
    }
    for (auto& [rate, mend] : cables) keep(mend.size() == 1 ? PlatformText::tr("1 cable") : PlatformText::tr("%1 cables").arg(mend.size()), QStringLiteral("GB/s"), rate, bandwidthOut(*is), std::move(mend));
    return kept;
}

} // namespace orrery
