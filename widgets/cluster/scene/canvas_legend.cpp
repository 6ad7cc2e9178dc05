// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/canvas_legend.hpp"

#include "widgets/cluster/painting/cluster_link_painter.hpp"
#include "widgets/cluster/scene/rank_stages.hpp"
#include "widgets/cluster/scene/traffic_overlay.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QPainter>

#include <algorithm>

namespace orrery {

double CanvasLegend::height() const { return stages_.shownStages() > 1 || (stages_.shownStages() > 0 && !stages_.jobs().empty()) || traffic_.showsLoads() ? 22 : 0; }

void CanvasLegend::paint(QPainter& painter, const QRectF& area) const {
    if (height() == 0) return;
    // On its own ground, so that it can be read where the drawing reaches below it.
    painter.fillRect(QRectF(area.left(), area.bottom() - height() - 2, area.width(), height() + 2), theme_.colors().panel);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme_.axisFont());
    const QRectF row(area.left() + 12, area.bottom() - 20, area.width() - 24, 14);
    const double taken = traffic_.showsLoads() ? paintLoads(painter, row) : 0;
    if (stages_.shownStages() > 1 || !stages_.jobs().empty()) paintStages(painter, row.adjusted(0, 0, taken > 0 ? -taken - 16 : 0, 0));
}

double CanvasLegend::paintLoads(QPainter& painter, const QRectF& row) const {
    const ThemeColors& colours = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    constexpr double gap = 6, barWidth = 64;
    const QString none = QStringLiteral("0"), all = readablePercent(1).text();
    QString what = tr("link load %1").arg(traffic_.traffic().scopeText());
    // A lit path says first whose it is and how it runs, then what the colours mean.
    if (!scene_.look.litLinks.empty()) what = traffic_.traffic().litText() + QStringLiteral(" · ") + what;
    const double scale = metrics.horizontalAdvance(none) + gap + barWidth + gap + metrics.horizontalAdvance(all);
    const QString shown = metrics.elidedText(what, Qt::ElideLeft, std::max(0.0, row.width() * 0.7 - scale));
    const double width = scale + (shown.isEmpty() ? 0 : metrics.horizontalAdvance(shown) + 10);
    double x = row.right() - width;
    const auto write = [&](const QString& text, const QColor& ink) {
        painter.setPen(ink);
        painter.drawText(QRectF(x, row.top(), metrics.horizontalAdvance(text) + 2, row.height()), Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text);
    };
    if (!shown.isEmpty()) {
        write(shown, colours.secondary);
        x += 10;
    }
    write(none, colours.secondary);
    x += gap;
    // A wedge: fuller links are wider as well.
    painter.setPen(Qt::NoPen);
    constexpr int steps = 16;
    for (int step = 0; step < steps; ++step) {
        const double load = (step + 0.5) / steps, height = 2 * loadWidening(load);
        painter.setBrush(loadColour(load, colours, idleLinkColour(colours)));
        painter.drawRect(QRectF(x + barWidth * step / steps, row.center().y() - height / 2, barWidth / steps + 0.3, height));
    }
    x += barWidth + gap;
    write(all, colours.secondary);
    return width;
}

/// One chip a stage with its number on it, as on nothing else: a place is not told by its colour alone.
void CanvasLegend::paintStages(QPainter& painter, const QRectF& row) const {
    const int stages = stages_.shownStages();
    const QFontMetricsF metrics(theme_.axisFont());
    const bool one = stages == 1;
    const QString title = stages_.showsInstances() ? (one ? tr("Instance") : tr("Instances")) : (one ? tr("Stage") : tr("Stages"));
    const QString range = tr("%1–%2").arg(0).arg(stages - 1);
    const double titleWidth = metrics.horizontalAdvance(title) + 8;
    const double chip = std::max(16.0, metrics.horizontalAdvance(QString::number(stages - 1)) + 8);
    constexpr double gap = 3;
    const bool all = titleWidth + stages * (chip + gap) <= row.width();
    const double room = row.width() - titleWidth - (all ? 0 : metrics.horizontalAdvance(range) + 8);
    const int shown = std::clamp(static_cast<int>(room / (chip + gap)), 0, stages);
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().secondary);
    painter.drawText(QRectF(row.left(), row.top(), titleWidth, row.height()), Qt::AlignVCenter, title);
    double x = row.left() + titleWidth;
    for (int s = 0; s < shown; ++s, x += chip + gap) {
        const QRectF place(x, row.center().y() - 7, chip, 14);
        painter.setPen(Qt::NoPen);
        painter.setBrush(stages_.stageColour(s));
        painter.drawRoundedRect(place, 3, 3);
        painter.setPen(theme_.textOn(stages_.stageColour(s)));
        painter.drawText(place, Qt::AlignCenter, QString::number(s));
    }
    painter.setPen(theme_.colors().secondary);
    if (!all) {
        painter.drawText(QRectF(x + 4, row.top(), metrics.horizontalAdvance(range) + 2, row.height()), Qt::AlignVCenter, range);
        x += metrics.horizontalAdvance(range) + 10;
    }
    // Jobs beside have a name, no number.
    for (std::size_t job = 0; job < stages_.jobs().size(); ++job) {
        const QString text = tr("beside: %1").arg(stages_.jobs()[job]);
        x += 10;
        const double width = std::min(metrics.horizontalAdvance(text) + 2, row.right() - x - 18);
        if (width < 40) break;
        painter.fillRect(QRectF(x, row.center().y() - 5, 10, 10), stages_.jobColour(static_cast<int>(job)));
        painter.setPen(theme_.colors().secondary);
        painter.drawText(QRectF(x + 14, row.top(), width, row.height()), Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, width));
        x += 14 + width;
    }
}

} // namespace orrery
