// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/load_figures.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QCoreApplication>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

struct LoadWords {
    Q_DECLARE_TR_FUNCTIONS(Load)

public:
    static QString waiting(std::optional<WaitsFor> what) {
        if (!what) return {};
        switch (*what) {
        case WaitsFor::cache: return tr("requests wait for blocks of a full KV cache");
        case WaitsFor::sequences: return tr("requests wait for a place in the batch (max_num_seqs)");
        case WaitsFor::tokens: return tr("prompts wait for room in a step (max_num_batched_tokens)");
        case WaitsFor::step: return tr("requests wait for the step under way");
        }
        return {};
    }

    static QString beyond(const QString& what, double seconds, double limit) {
        return tr("p99 of %1 is %2, the SLO %3").arg(what, readableTime(seconds).text(), readableTime(limit).text());
    }
};

} // namespace

QString loadNumber(double load) {
    int decimals = 0;
    for (double scale = 1; decimals < 6 && std::abs(std::round(load * scale) / scale - load) > 1e-9 * load; scale *= 10) ++decimals;
    return grouped(load, decimals);
}

QString loadText(LoadKind kind, double load) {
    if (kind == LoadKind::rate) return LoadWords::tr("%1 requests/s").arg(loadNumber(load));
    return load == 1 ? LoadWords::tr("1 user") : LoadWords::tr("%1 users").arg(loadNumber(load));
}

QString kneeText(const LoadCurve& curve) {
    if (curve.points.empty()) return {};
    const LoadKind kind = curve.present.kind;
    if (!curve.knee) return curve.complete ? LoadWords::tr("No knee up to %1").arg(loadText(kind, curve.points.back().load)) : QString();
    const QString load = loadText(kind, curve.points[curve.knee->point].load);
    return curve.knee->point == 0 ? LoadWords::tr("Too much already at %1").arg(load) : LoadWords::tr("Knee at %1").arg(load);
}

QString kneeReason(const LoadCurve& curve) {
    if (!curve.knee) return {};
    const LoadPoint& point = curve.points[curve.knee->point];
    const ServingMetrics& served = point.served;
    const QString waiting = LoadWords::waiting(curve.knee->waitsFor);
    const bool evicts = static_cast<double>(served.preemptions) > 0.01 * static_cast<double>(served.count);
    const QString evicted = LoadWords::tr("the KV cache is full, %1 preemptions").arg(grouped(static_cast<double>(served.preemptions)));
    const auto because = [](const QString& what, const QString& why) { return why.isEmpty() ? what : what + QStringLiteral(": ") + why; };
    switch (curve.knee->sign) {
    case KneeSign::ttft:
        return because(LoadWords::beyond(LoadWords::tr("TTFT"), served.ttft.p99, *curve.level.ttft),
                       point.waitingShare >= 0.5 ? waiting : LoadWords::tr("the steps of the prompts take most of it"));
    case KneeSign::tpot:
        return because(LoadWords::beyond(LoadWords::tr("TPOT"), served.tpot.p99, *curve.level.tpot), evicts ? evicted : LoadWords::tr("more requests share each step"));
    case KneeSign::e2e: return because(LoadWords::beyond(LoadWords::tr("whole requests"), served.e2e.p99, *curve.level.e2e), evicts ? evicted : waiting);
    case KneeSign::cache_full:
        return evicts ? evicted : LoadWords::tr("the KV cache is full, half of the requests wait for blocks and none runs faster");
    case KneeSign::queueing: return because(LoadWords::tr("half of the requests wait longer than they are worked on"), waiting);
    }
    return {};
}

QString cacheText(const LoadPoint& point) {
    const QString mean = readablePercent(point.served.kvCacheUtilisation).text();
    return point.cachePeak > 0 ? LoadWords::tr("%1, at most %2").arg(mean, readablePercent(point.cachePeak).text()) : mean;
}

QString pointText(LoadKind kind, const LoadPoint& point) {
    const auto both = [](const Distribution& values) { return LoadWords::tr("p50 %1, p99 %2").arg(readableTime(values.p50).text(), readableTime(values.p99).text()); };
    QStringList lines{loadText(kind, point.load),
                      LoadWords::tr("%1 output tokens/s per accelerator").arg(grouped(point.outputTokensPerSecondPerAccelerator)),
                      LoadWords::tr("TTFT %1").arg(both(point.served.ttft)),
                      LoadWords::tr("TPOT %1").arg(both(point.served.tpot)),
                      LoadWords::tr("KV cache %1").arg(cacheText(point))};
    if (point.served.goodput) lines << LoadWords::tr("%1 requests/s within the SLO").arg(grouped(*point.served.goodput, 2));
    if (point.served.preemptions > 0) lines << LoadWords::tr("%1 preemptions").arg(grouped(static_cast<double>(point.served.preemptions)));
    return lines.join(QLatin1Char('\n'));
}

LoadFigures::LoadFigures(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setFixedHeight(fixedHeight);
    setAccessibleName(tr("Figures of this load"));
    connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void LoadFigures::setPoint(const std::optional<LoadPoint>& point) {
    figures_.clear();
    if (point) {
        const ServingMetrics& served = point->served;
        const auto both = [](const Distribution& values) { return tr("p50 %1, p99 %2").arg(readableTime(values.p50).text(), readableTime(values.p99).text()); };
        figures_.push_back({tr("TTFT"), both(served.ttft)});
        figures_.push_back({tr("TPOT"), both(served.tpot)});
        if (served.goodput) figures_.push_back({tr("Goodput"), tr("%1 requests/s").arg(grouped(*served.goodput, *served.goodput < 10 ? 2 : 1))});
        figures_.push_back({tr("KV cache in use"), cacheText(*point)});
        figures_.push_back({tr("Tokens/s per accelerator"), grouped(point->outputTokensPerSecondPerAccelerator, point->outputTokensPerSecondPerAccelerator < 10 ? 2 : 0)});
    }
    setAccessibleDescription(words());
    setToolTip(words());
    update();
}

QString LoadFigures::words() const {
    QStringList all;
    for (const LoadFigure& figure : figures_) all << figure.name + QLatin1Char(' ') + figure.value;
    return all.join(QStringLiteral("; "));
}

void LoadFigures::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    constexpr double margin = 12, gap = 18;
    const QFontMetricsF names(theme_.axisFont()), values(theme_.secondaryFont());
    double left = margin;
    for (const LoadFigure& figure : figures_) {
        const double width = std::max(names.horizontalAdvance(figure.name), values.horizontalAdvance(figure.value)) + 2;
        if (left > margin && left + width > this->width() - margin) return;
        const double room = std::min(width, this->width() - margin - left);
        painter.setFont(theme_.axisFont());
        painter.setPen(theme_.colors().secondary);
        painter.drawText(QRectF(left, 2, room, 15), Qt::AlignLeft | Qt::AlignVCenter, names.elidedText(figure.name, Qt::ElideRight, room));
        painter.setFont(theme_.secondaryFont());
        painter.setPen(theme_.colors().ink);
        painter.drawText(QRectF(left, 17, room, 16), Qt::AlignLeft | Qt::AlignVCenter, values.elidedText(figure.value, Qt::ElideRight, room));
        left += width + gap;
    }
}

} // namespace orrery
