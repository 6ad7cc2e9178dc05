// SPDX-License-Identifier: GPL-3.0-or-later
// What the fields of ClusterProperties hold.

#include "core/base/json.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/host_duties.hpp"
#include "widgets/cluster/document/short_form_drawing.hpp"
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "widgets/cluster/properties/cluster_properties.hpp"
#include "widgets/cluster/properties/property_field.hpp"
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/format.hpp"

#include <QLabel>
#include <QLocale>

#include <algorithm>

namespace orrery {
namespace {

/// The value they share under `key`, null where none has it; nothing where they differ.
template <typename Items, typename Get>
std::optional<Json> common(const Items& items, Get get) {
    std::optional<Json> value;
    for (const auto* item : items) {
        Json own = get(*item);
        if (value && *value != own) return std::nullopt;
        value = std::move(own);
    }
    return value ? value : Json();
}

QString shown(double value) { return QLocale(QLocale::C).toString(value, 'g', 10); }

} // namespace

void ClusterProperties::updateValues() {
    switch (built_) {
    case Subject::empty: return;
    case Subject::short_form:
    case Subject::drawing: return updateClusterFields();
    case Subject::link:
    case Subject::links: return updateLinkFields();
    default: return updateNodeFields();
    }
}

void ClusterProperties::updateClusterFields() {
    const Json& cluster = document_.cluster();
    if (summary_)
        summary_->setText(tr("%1\n%2 accelerators").arg(clusterSummary(document_, catalog_), grouped(document_.accelerators())));
    const std::optional<ShortForm> form = readShortForm(cluster, catalog_);
    const auto placeholder = [this](const char* key, double value) {
        if (PropertyField* made = field(QLatin1String(key))) made->setPlaceholder(value > 0 ? shown(value) : QString());
    };
    if (form) {
        placeholder("accelerators_per_node", form->acceleratorsPerNode);
        placeholder("nodes", 1);
        placeholder("scale_up/bandwidth_gb_s", form->scaleUpBandwidth);
        placeholder("scale_up/latency_us", form->scaleUpLatency);
        placeholder("scale_up/domain_size", form->domainSize);
        placeholder("scale_out/bandwidth_gb_s", form->scaleOutBandwidth);
        placeholder("scale_out/latency_us", form->scaleOutLatency);
        placeholder("scale_out/oversubscription", 1);
    } else if (!document_.nodes().empty()) {
        for (const DrawnNode& node : document_.nodes())
            if (const Platform* platform = node.isHost() ? orrery::platformOf(node, catalog_) : nullptr) {
                placeholder("scale_up/bandwidth_gb_s", platform->scaleUpBandwidth / 1e9);
                placeholder("scale_up/latency_us", platform->scaleUpLatency * 1e6);
                break;
            }
    }
    for (const auto& [key, made] : fields_) {
        if (key == QStringLiteral("platform")) {
            made->setValue(document_.nodes().empty() ? Json() : platformOf(document_.nodes().front()));
            continue;
        }
        const Json::json_pointer path("/" + key.toStdString());
        made->setValue(cluster.is_object() && cluster.contains(path) ? cluster.at(path) : Json());
    }
}

QString ClusterProperties::describe(const std::vector<const DrawnNode*>& nodes) const {
    int hosts = 0, accelerators = 0, switches = 0;
    for (const DrawnNode* node : nodes) {
        hosts += node->isHost() ? node->replicas : 0;
        switches += node->isHost() ? 0 : node->replicas;
        accelerators += node->accelerators();
    }
    QStringList parts;
    if (nodes.size() == 1 && hosts == 1) parts << hostName(*nodes[0], catalog_);
    else if (hosts > 0) parts << (hosts == 1 ? tr("1 host") : tr("%1 hosts").arg(grouped(hosts)));
    if (nodes.size() == 1 && accelerators > 0) {
        const int last = nodes[0]->firstRank + accelerators - 1;
        parts << (accelerators == 1 ? tr("rank %1").arg(last) : tr("ranks %1–%2").arg(nodes[0]->firstRank).arg(last));
    } else if (hosts > 0) {
        parts << tr("%1 accelerators").arg(grouped(accelerators));
    }
    if (switches > 0 && nodes.size() > 1) parts << (switches == 1 ? tr("1 switch") : tr("%1 switches").arg(grouped(switches)));
    if (nodes.size() == 1) {
        double rate = 0;
        int cables = 0;
        for (const DrawnLink& link : document_.links())
            for (const int end : {link.from, link.to})
                if (&document_.nodes()[static_cast<std::size_t>(end)] == nodes[0]) {
                    rate += link.total();
                    cables += link.count;
                }
        parts << (cables == 0 ? tr("not connected") : tr("%1 cables, %2 GB/s each way").arg(grouped(cables), grouped(rate)));
    }
    return parts.join(QStringLiteral(" · "));
}

void ClusterProperties::updateNodeFields() {
    const auto nodes = chosenNodes();
    if (summary_) summary_->setText(describe(nodes));
    const HostDuties duties(scenario_, document_);
    for (const auto& [key, made] : fields_) {
        std::vector<std::string> pointers;
        if (key == QStringLiteral("pool") || key == QStringLiteral("job")) {
            const bool isPool = key == QStringLiteral("pool");
            for (const DrawnNode* node : nodes)
                for (std::string& pointer : isPool ? duties.poolPointers(node->id) : duties.jobPointers(node->id)) pointers.push_back(std::move(pointer));
            made->setPointers(std::move(pointers));
            made->setValue(common(nodes, [&](const DrawnNode& node) {
                const std::string text = isPool ? duties.poolOf(node.id) : duties.jobOf(node.id);
                return text.empty() ? Json() : Json(text);
            }));
            continue;
        }
        for (const DrawnNode* node : nodes) pointers.push_back(document_.pointerOf(*node) + "/" + key.toStdString());
        made->setPointers(std::move(pointers));
        if (key == QStringLiteral("replicas")) made->setPlaceholder(QStringLiteral("1"));
        if (key == QStringLiteral("domain")) made->setPlaceholder(tr("its own"));
        made->setValue(common(nodes, [this, &key = key](const DrawnNode& node) -> Json {
            if (key == QStringLiteral("id")) return node.id;
            if (key == QStringLiteral("platform")) return platformOf(node);
            if (key == QStringLiteral("accelerator")) return node.accelerator;
            if (key == QStringLiteral("count")) return node.count;
            if (key == QStringLiteral("replicas")) return node.replicas;
            return node.domain.empty() ? Json() : Json(node.domain);
        }));
    }
}

void ClusterProperties::updateLinkFields() {
    const auto links = chosenLinks();
    if (summary_) {
        double total = 0;
        for (const DrawnLink* link : links) total += link->total();
        const QString rate = tr("%1 GB/s each way in all").arg(grouped(total));
        summary_->setText(links.size() == 1 ? tr("%1 – %2\n%3")
                                                  .arg(QString::fromStdString(document_.nodes()[static_cast<std::size_t>(links[0]->from)].id),
                                                       QString::fromStdString(document_.nodes()[static_cast<std::size_t>(links[0]->to)].id), rate)
                                            : tr("%1 links\n%2").arg(grouped(static_cast<double>(links.size())), rate));
    }
    for (const auto& [key, made] : fields_) {
        std::vector<std::string> pointers;
        for (const DrawnLink* link : links) pointers.push_back(document_.pointerOf(*link) + "/" + key.toStdString());
        made->setPointers(std::move(pointers));
        made->setValue(common(links, [&key = key](const DrawnLink& link) -> Json {
            if (key == QStringLiteral("bandwidth_gb_s")) return jsonNumber(link.bandwidth);
            if (key == QStringLiteral("latency_us")) return link.latencyGiven ? jsonNumber(link.latency) : Json();
            return link.count;
        }));
    }
}

void ClusterProperties::showProblems() {
    for (const auto& [key, made] : fields_) {
        const Problem* worst = nullptr;
        for (const Problem& problem : problems_) {
            const auto& pointers = made->pointers();
            if (problem.severity == Severity::note || std::find(pointers.begin(), pointers.end(), problem.pointer) == pointers.end()) continue;
            if (!worst || problem.severity == Severity::error) worst = &problem;
        }
        made->setProblem(worst);
    }
}

void ClusterProperties::updateWhatIfs() {
    whatIfs_ = readWhatIfs(scenario_, document_, names_);
    // What is selected counts, or all.
    if (!selection_.empty())
        std::erase_if(whatIfs_, [this](const WhatIf& one) {
            return std::none_of(one.nodes.begin(), one.nodes.end(), [this](int node) { return selection_.nodes.contains(document_.nodes()[static_cast<std::size_t>(node)].id); }) &&
                   std::none_of(one.links.begin(), one.links.end(), [this](int link) { return selection_.links.contains(document_.keyOf(document_.links()[static_cast<std::size_t>(link)])); });
        });
    QStringList texts;
    for (const WhatIf& one : whatIfs_) texts << one.text;
    whatIfList_->setTexts(texts);
    whatIfRoom_->setVisible(!texts.isEmpty());
}

} // namespace orrery
