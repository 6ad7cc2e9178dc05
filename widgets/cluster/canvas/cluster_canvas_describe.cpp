// What ClusterCanvas says about what is under the mouse.

#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/common/format.hpp"
#include "widgets/network/link_words.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QLocale>

#include <algorithm>

namespace orrery {
namespace {

QString rankRange(int first, int last) {
    return first == last ? QString::number(first) : QString::number(first) + QStringLiteral("–") + QString::number(last);
}

} // namespace

QString ClusterCanvas::stagesOf(int first, int last) const {
    int low = -1, high = -1;
    for (int rank = first; rank <= last; ++rank) {
        const auto place = static_cast<std::size_t>(rank);
        if (place >= stageOfRank_.size() || stageOfRank_[place] < 0) continue;
        low = low < 0 ? stageOfRank_[place] : std::min<int>(low, stageOfRank_[place]);
        high = std::max<int>(high, stageOfRank_[place]);
    }
    if (low < 0) return {};
    return low == high ? tr("stage %1").arg(low) : tr("stages %1–%2").arg(low).arg(high);
}

QStringList ClusterCanvas::describeLoads(const std::vector<int>& reported, double part) const {
    QStringList lines;
    if (!traffic_ || !traffic_->isKnown()) return lines;
    const bool moment = traffic_->scope() == NetworkTraffic::Scope::moment;
    for (const int index : reported) {
        if (index < 0 || static_cast<std::size_t>(index) >= traffic_->loads().size()) continue;
        const ReportLink& link = traffic_->network().links[static_cast<std::size_t>(index)];
        const LinkLoad& load = traffic_->loads()[static_cast<std::size_t>(index)];
        const QString where = (link.kind == LinkKind::cable ? linkDirection(link)
                               : link.kind == LinkKind::pcie ? tr("PCIe, %1").arg(linkDirection(link)) : tr("scale-up, %1").arg(linkDirection(link))).toHtmlEscaped();
        if (!(load.bytes > 0)) {
            lines << tr("%1: idle").arg(where);
            continue;
        }
        QString line = tr("%1: %2, %3 of the bandwidth").arg(where, linkBytes(load.bytes * part, moment), readablePercent(load.mean).text());
        if (load.peak > load.mean * 1.005) line += tr(", busiest %1").arg(readablePercent(load.peak).text());
        lines << line;
        lines << QStringLiteral("&nbsp;&nbsp;") + linkUsers(traffic_->timeline(), load, 4).toHtmlEscaped();
    }
    if (!lines.isEmpty()) lines.prepend(QStringLiteral("<i>%1</i>").arg(traffic_->scopeText()));
    return lines;
}

QString ClusterCanvas::describeNode(const DrawnNode& node) const {
    QStringList lines;
    lines << QStringLiteral("<b>%1</b>").arg(QString::fromStdString(node.id).toHtmlEscaped());
    if (!node.label.empty()) lines.front() += QStringLiteral(" · ") + QString::fromStdString(node.label).toHtmlEscaped();
    double bandwidth = 0;
    int cables = 0;
    for (const DrawnLink& link : document_.links())
        if (&document_.nodes()[static_cast<std::size_t>(link.from)] == &node || &document_.nodes()[static_cast<std::size_t>(link.to)] == &node) {
            bandwidth += link.total();
            cables += link.count;
        }
    if (node.isHost()) {
        lines << hostName(node, catalog_).toHtmlEscaped() + (node.replicas > 1 ? tr(", %1 identical hosts").arg(grouped(node.replicas)) : QString());
        if (node.accelerators() > 0) {
            const int last = node.firstRank + node.accelerators() - 1;
            const QString stages = stagesOf(node.firstRank, last);
            lines << tr("ranks %1").arg(rankRange(node.firstRank, last)) + (stages.isEmpty() ? QString() : QStringLiteral(" · ") + stages);
        }
        if (!node.domain.empty()) lines << tr("scale-up domain %1").arg(QString::fromStdString(node.domain).toHtmlEscaped());
    } else {
        lines << tr("switch");
    }
    lines << (cables > 0 ? tr("%1 cables, %2 GB/s each way").arg(grouped(cables), grouped(bandwidth)) : tr("not connected"));
    return lines.join(QStringLiteral("<br>"));
}

QString ClusterCanvas::describeLink(const DrawnLink& link) const {
    const QString ends = QStringLiteral("<b>%1 – %2</b>")
                             .arg(QString::fromStdString(document_.nodes()[static_cast<std::size_t>(link.from)].title()).toHtmlEscaped(),
                                  QString::fromStdString(document_.nodes()[static_cast<std::size_t>(link.to)].title()).toHtmlEscaped());
    const QString number = link.count == 1 ? QString() : grouped(link.count) + QStringLiteral(" × ");
    const QLocale locale(QLocale::English);
    return ends + QStringLiteral("<br>") +
           tr("%1%2 GB/s each way (%3), %4 µs")
               .arg(number, locale.toString(link.bandwidth, 'g', 6), bitRate(link.bandwidth), locale.toString(link.latency, 'g', 4));
}

QString ClusterCanvas::describe(QPointF point) const {
    if (!drawingArea().contains(point)) return {};
    const QPointF scene = view_.toScene(point);
    const int node = geometry_.nodeAt(scene);
    const int link = node < 0 ? geometry_.linkAt(scene, 5 / view_.zoom) : -1;
    QString text;
    if (node >= 0) text = describeNode(document_.nodes()[static_cast<std::size_t>(node)]);
    else if (link >= 0) text = describeLink(document_.links()[static_cast<std::size_t>(link)]);
    else return {};
    if (!drawnTraffic_.isEmpty()) {
        QStringList loads;
        if (link >= 0) {
            const DrawnTraffic::Link& ways = drawnTraffic_.link(static_cast<std::size_t>(link));
            loads = describeLoads({ways.forward, ways.backward}, ways.part);
        } else {
            const DrawnTraffic::Inside& inside = drawnTraffic_.inside(static_cast<std::size_t>(node));
            std::vector<int> reported = inside.scaleUp;
            reported.insert(reported.end(), inside.pcie.begin(), inside.pcie.end());
            loads = describeLoads(reported, inside.part);
        }
        for (const QString& line : loads) text += QStringLiteral("<br>") + line;
    }
    for (const WhatIf& one : whatIfs_) {
        const std::vector<int>& places = link >= 0 ? one.links : one.nodes;
        if (std::find(places.begin(), places.end(), link >= 0 ? link : node) != places.end())
            text += QStringLiteral("<br><b>") + tr("What-if: %1").arg(one.text.toHtmlEscaped()) + QStringLiteral("</b>");
    }
    for (const Problem& problem : problems_)
        if ((node >= 0 && document_.nodeBelow(problem.pointer) == node) || (link >= 0 && document_.linkBelow(problem.pointer) == link))
            text += QStringLiteral("<br>") + QString::fromStdString(problem.message).toHtmlEscaped() +
                    (problem.mend.empty() ? QString() : ' ' + QString::fromStdString(problem.mend).toHtmlEscaped());
    return text;
}

} // namespace orrery
