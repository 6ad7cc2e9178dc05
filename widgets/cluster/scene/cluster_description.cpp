// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/cluster_description.hpp"

#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/scene/rank_stages.hpp"
#include "widgets/cluster/scene/traffic_overlay.hpp"
#include "widgets/cluster/scene/what_if_overlay.hpp"
#include "widgets/common/format.hpp"
#include "widgets/network/link_load_model.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QLocale>
#include <QTextDocumentFragment>

#include <algorithm>

namespace orrery {
namespace {

QString rankRange(int first, int last) {
    return first == last ? QString::number(first) : QString::number(first) + QStringLiteral("–") + QString::number(last);
}

} // namespace

QStringList ClusterDescription::loads(const std::vector<int>& reported, double part) const {
    QStringList lines;
    const NetworkTraffic& traffic = traffic_.traffic();
    const bool moment = traffic.scope() == NetworkTraffic::Scope::moment;
    for (const int index : reported) {
        if (index < 0 || static_cast<std::size_t>(index) >= traffic.loads().size()) continue;
        const ReportLink& one = traffic.network().links[static_cast<std::size_t>(index)];
        const LinkLoad& load = traffic.loads()[static_cast<std::size_t>(index)];
        const QString where = (one.kind == LinkKind::cable  ? linkDirection(one)
                               : one.kind == LinkKind::pcie ? tr("PCIe, %1").arg(linkDirection(one))
                                                            : tr("scale-up, %1").arg(linkDirection(one)))
                                  .toHtmlEscaped();
        if (!(load.bytes > 0)) {
            lines << tr("%1: idle").arg(where);
            continue;
        }
        QString line = tr("%1: %2, %3 of the bandwidth").arg(where, linkBytes(load.bytes * part, moment), readablePercent(load.mean).text());
        if (load.peak > load.mean * 1.005) line += tr(", busiest %1").arg(readablePercent(load.peak).text());
        lines << line;
        lines << QStringLiteral("&nbsp;&nbsp;") + linkUsers(traffic.timeline(), load, 4).toHtmlEscaped();
    }
    if (!lines.isEmpty()) lines.prepend(QStringLiteral("<i>%1</i>").arg(traffic.scopeText()));
    return lines;
}

QStringList ClusterDescription::loadsOfNode(int index) const {
    const DrawnTraffic::Inside& inside = traffic_.drawn().inside(static_cast<std::size_t>(index));
    std::vector<int> reported = inside.scaleUp;
    reported.insert(reported.end(), inside.pcie.begin(), inside.pcie.end());
    return loads(reported, inside.part);
}

QStringList ClusterDescription::loadsOfLink(int index) const {
    const DrawnTraffic::Link& ways = traffic_.drawn().link(static_cast<std::size_t>(index));
    return loads({ways.forward, ways.backward}, ways.part);
}

QString ClusterDescription::node(int index) const {
    const DrawnNode& one = scene_.node(index);
    QStringList lines;
    lines << QStringLiteral("<b>%1</b>").arg(QString::fromStdString(one.id).toHtmlEscaped());
    if (!one.label.empty()) lines.front() += QStringLiteral(" · ") + QString::fromStdString(one.label).toHtmlEscaped();
    double bandwidth = 0;
    int cables = 0;
    for (const DrawnLink& each : scene_.document.links())
        if (each.from == index || each.to == index) {
            bandwidth += each.total();
            cables += each.count;
        }
    if (one.isHost()) {
        lines << hostName(one, catalog_).toHtmlEscaped() + (one.replicas > 1 ? tr(", %1 identical hosts").arg(grouped(one.replicas)) : QString());
        if (one.accelerators() > 0) {
            const int last = one.firstRank + one.accelerators() - 1;
            const QString stages = stages_.stagesOf(one.firstRank, last);
            lines << tr("ranks %1").arg(rankRange(one.firstRank, last)) + (stages.isEmpty() ? QString() : QStringLiteral(" · ") + stages);
        }
        if (!one.domain.empty()) lines << tr("scale-up domain %1").arg(QString::fromStdString(one.domain).toHtmlEscaped());
    } else {
        lines << tr("switch");
    }
    lines << (cables > 0 ? tr("%1 cables, %2 GB/s each way").arg(grouped(cables), grouped(bandwidth)) : tr("not connected"));
    return lines.join(QStringLiteral("<br>"));
}

QString ClusterDescription::link(int index) const {
    const DrawnLink& one = scene_.link(index);
    const QString ends = QStringLiteral("<b>%1 – %2</b>")
                             .arg(QString::fromStdString(scene_.node(one.from).title()).toHtmlEscaped(),
                                  QString::fromStdString(scene_.node(one.to).title()).toHtmlEscaped());
    const QString number = one.count == 1 ? QString() : grouped(one.count) + QStringLiteral(" × ");
    const QLocale locale(QLocale::English);
    return ends + QStringLiteral("<br>") +
           tr("%1%2 GB/s each way (%3), %4 µs")
               .arg(number, locale.toString(one.bandwidth, 'g', 6), bitRate(one.bandwidth), locale.toString(one.latency, 'g', 4));
}

QString ClusterDescription::at(QPointF widget) const {
    const int nodeThere = scene_.nodeUnder(widget);
    const int linkThere = nodeThere < 0 ? scene_.linkNear(widget) : -1;
    if (nodeThere < 0 && linkThere < 0) return {};
    QString text = nodeThere >= 0 ? node(nodeThere) : link(linkThere);
    const QString newLine = QStringLiteral("<br>");
    if (traffic_.isKnown())
        for (const QString& line : linkThere >= 0 ? loadsOfLink(linkThere) : loadsOfNode(nodeThere)) text += newLine + line;
    for (const WhatIf& one : whatIfs_.all()) {
        const std::vector<int>& places = linkThere >= 0 ? one.links : one.nodes;
        if (std::find(places.begin(), places.end(), linkThere >= 0 ? linkThere : nodeThere) != places.end())
            text += newLine + QStringLiteral("<b>") + tr("What-if: %1").arg(one.text.toHtmlEscaped()) + QStringLiteral("</b>");
    }
    const ClusterDocument& document = scene_.document;
    for (const Problem& problem : scene_.problems)
        if ((nodeThere >= 0 && document.nodeBelow(problem.pointer) == nodeThere) || (linkThere >= 0 && document.linkBelow(problem.pointer) == linkThere))
            text += newLine + QString::fromStdString(problem.message).toHtmlEscaped() +
                    (problem.mend.empty() ? QString() : ' ' + QString::fromStdString(problem.mend).toHtmlEscaped());
    return text;
}

QString ClusterDescription::hintAt(QPointF widget) const {
    return QTextDocumentFragment::fromHtml(at(widget)).toPlainText().trimmed().replace(QLatin1Char('\n'), QStringLiteral(" · "));
}

} // namespace orrery
