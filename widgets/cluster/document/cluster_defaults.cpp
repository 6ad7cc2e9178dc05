// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/cluster_defaults.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace orrery {

QString shortAcceleratorName(const std::string& accelerator, const Catalog& catalog) {
    const Accelerator* known = catalog.accelerator(accelerator);
    if (!known || known->name.empty()) {
        // "h100-sxm5-80gb" reads as "H100" too; "h100" is the whole id on old files.
        const QString id = QString::fromStdString(accelerator);
        const QString head = id.section('-', 0, 0);
        return head.contains(QRegularExpression("\\d")) ? head.toUpper() : id;
    }
    static const QRegularExpression digit("\\d"), memory("^\\d+G[iB]", QRegularExpression::CaseInsensitiveOption);
    const QStringList words = QString::fromStdString(known->name).split(' ', Qt::SkipEmptyParts);
    for (int i = 0; i < words.size(); ++i) {
        if (!words[i].contains(digit) || words[i].contains(memory)) continue;
        // "TPU v4", "Ascend 910B", "RTX 4090": the number alone names nothing.
        const bool needsFamily = words[i][0].isDigit() || words[i][0] == 'v';
        return needsFamily && i > 0 ? words[i - 1] + ' ' + words[i] : words[i];
    }
    return QString::fromStdString(known->name);
}

const Platform* platformOf(const DrawnNode& host, const Catalog& catalog) {
    const Platform* best = nullptr;
    int bestScore = 0;
    for (const Platform& platform : catalog.platforms()) {
        if (platform.accelerator != host.accelerator) continue;
        const int score = 1 + (platform.acceleratorsPerNode == host.count ? 4 : 0) + (platform.usual ? 2 : 0);
        if (score > bestScore) {
            best = &platform;
            bestScore = score;
        }
    }
    return best;
}

const Platform* soldAs(const ClusterDocument& document, std::size_t node, const Catalog& catalog) {
    const DrawnNode& host = document.nodes()[node];
    const auto index = static_cast<int>(node);
    double out = 0; // GB/s of one network card
    if (document.isShortForm()) {
        const Json::json_pointer place("/scale_out/bandwidth_gb_s");
        if (document.cluster().contains(place) && document.cluster().at(place).is_number()) out = document.cluster().at(place).get<double>();
    } else if (const auto link = std::find_if(document.links().begin(), document.links().end(), [index](const DrawnLink& one) { return one.from == index || one.to == index; });
               link != document.links().end()) {
        out = link->bandwidth;
    }
    const Platform* likely = platformOf(host, catalog);
    for (const Platform& each : catalog.platforms())
        if (each.accelerator == host.accelerator && each.acceleratorsPerNode == host.count && std::abs(each.scaleOutBandwidth / 1e9 - out) < 1e-9 * out) likely = &each;
    return likely && likely->acceleratorsPerNode == host.count ? likely : nullptr;
}

QString hostName(const DrawnNode& host, const Catalog& catalog) {
    const Platform* platform = platformOf(host, catalog);
    if (platform && platform->acceleratorsPerNode == host.count) {
        if (platform->scaleUpDomain <= platform->acceleratorsPerNode) return QString::fromStdString(platform->name);
        return QCoreApplication::translate("ClusterDefaults", "%1 tray").arg(shortAcceleratorName(host.accelerator, catalog));
    }
    return QString::number(host.count) + QStringLiteral(" × ") + shortAcceleratorName(host.accelerator, catalog);
}

QString scaleUpName(const DrawnNode& host, const Catalog& catalog) {
    if (!host.isHost() || (host.count < 2 && host.domain.empty())) return {};
    const Accelerator* known = catalog.accelerator(host.accelerator);
    if (!known) return QCoreApplication::translate("ClusterDefaults", "Scale-up");
    const Platform* platform = platformOf(host, catalog);
    const double bandwidth = platform ? platform->scaleUpBandwidth : known->scaleUpBandwidth;
    constexpr double fastestPcie = 64e9; // bytes/s per direction: above it, it is a fabric of its own
    if (bandwidth <= fastestPcie) return QStringLiteral("PCIe");
    if (known->vendor == "AMD") return QStringLiteral("Infinity Fabric");
    if (known->vendor == "Google") return QStringLiteral("ICI");
    if (known->vendor == "AWS") return QStringLiteral("NeuronLink");
    if (known->vendor == "NVIDIA") return known->releaseYear < 2020 ? QStringLiteral("NVLink") : QStringLiteral("NVSwitch");
    return QCoreApplication::translate("ClusterDefaults", "Scale-up");
}

Json hostNode(const Platform& platform) {
    Json node{{"id", hostStem(platform) + "-0"},
              {"kind", "host"},
              {"accelerator", platform.accelerator},
              {"count", platform.acceleratorsPerNode}};
    if (platform.scaleUpDomain > platform.acceleratorsPerNode) node["domain"] = "rack-0";
    return node;
}

LinkDefaults linkDefaults(const ClusterDocument& document, int from, int to, const Catalog& catalog) {
    LinkDefaults link;
    const DrawnNode& a = document.nodes()[static_cast<std::size_t>(from)];
    const DrawnNode& b = document.nodes()[static_cast<std::size_t>(to)];
    const DrawnNode* host = a.isHost() ? &a : b.isHost() ? &b
                                                         : nullptr;
    const auto hostIndex = host == &a ? from : to;
    const DrawnLink* sibling = nullptr; // a link of the same sort at one of the ends
    int cabled = 0;
    for (const DrawnLink& other : document.links()) {
        const bool touchesHost = host && (other.from == hostIndex || other.to == hostIndex);
        if (touchesHost) cabled += other.count;
        const bool touches = host ? touchesHost : other.from == from || other.to == from || other.from == to || other.to == to;
        if (!touches) continue;
        const bool otherHasHost = document.nodes()[static_cast<std::size_t>(other.from)].isHost() ||
                                  document.nodes()[static_cast<std::size_t>(other.to)].isHost();
        if (!sibling || (!host && !otherHasHost)) sibling = &other;
    }
    if (sibling) {
        link.bandwidth = sibling->bandwidth;
        link.latency = sibling->latency;
        link.count = host ? link.count : sibling->count;
    }
    if (host) {
        if (const Platform* platform = platformOf(*host, catalog); platform && !sibling) {
            if (platform->scaleOutBandwidth > 0) link.bandwidth = platform->scaleOutBandwidth / 1e9;
            // Rounded to a nanosecond: 2e-6 s / 1e-6 is not exactly 2.
            if (platform->scaleOutLatency > 0) link.latency = std::round(platform->scaleOutLatency * 1e9) / 1e3;
        }
        link.count = std::max(1, host->count - cabled);
    }
    return link;
}

} // namespace orrery
