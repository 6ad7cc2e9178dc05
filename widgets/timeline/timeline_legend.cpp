// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_legend.hpp"

#include "widgets/timeline/composer.hpp"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <array>
#include <functional>

namespace orrery {
namespace {

struct LegendText {
    Q_DECLARE_TR_FUNCTIONS(TimelineView)
};

constexpr double swatch = 9;
constexpr double besideSwatch = 4;
constexpr double betweenEntries = 12;
constexpr double lineHeight = 16;

/// Calls `at` with the place of every entry; gives the number of lines.
int walk(const std::vector<LegendEntry>& entries, const Theme& theme, double width, const std::function<void(const LegendEntry&, QPointF, double)>& at) {
    const QFontMetricsF metrics(theme.axisFont());
    double x = 0;
    int line = 0;
    for (const LegendEntry& entry : entries) {
        const double needed = swatch + besideSwatch + metrics.horizontalAdvance(entry.text);
        if (x > 0 && x + needed > width) {
            x = 0;
            ++line;
        }
        at(entry, {x, line * lineHeight}, needed);
        x += needed + betweenEntries;
    }
    return entries.empty() ? 0 : line + 1;
}

} // namespace

std::vector<LegendEntry> timelineLegend(const TimelineRows& rows, const Theme& theme) {
    std::array<bool, barStyleCount> seen{};
    bool memory = false;
    for (const StageRows& stage : rows.stages) {
        memory |= !stage.memory.time.empty();
        for (const StreamRow& row : stage.streams)
            for (const BarStyle style : row.bars.mips.styles) seen[static_cast<std::size_t>(style)] = true;
    }
    const RasterPalette palette = rasterPalette(theme, rows.kind);
    const bool trains = rows.kind == TimelineKind::iteration, serves = rows.kind == TimelineKind::requests, records = rows.kind == TimelineKind::recorded;
    std::array<QString, barStyleCount> names{LegendText::tr("F forward"), LegendText::tr("B backward"),
                                             LegendText::tr("W backward for weights"), LegendText::tr("R recomputation"),
                                             LegendText::tr("tensor"), LegendText::tr("pipeline"),
                                             LegendText::tr("data"), LegendText::tr("optimizer"),
                                             LegendText::tr("waiting for other ranks"), LegendText::tr("host"),
                                             LegendText::tr("kernels beside communication")};
    if (rows.kind == TimelineKind::loop) {
        names[static_cast<std::size_t>(BarStyle::forward)] = LegendText::tr("rollout");
        names[static_cast<std::size_t>(BarStyle::backward)] = LegendText::tr("training");
        names[static_cast<std::size_t>(BarStyle::recompute)] = LegendText::tr("parking the trainer");
        names[static_cast<std::size_t>(BarStyle::data)] = LegendText::tr("new weights");
        names[static_cast<std::size_t>(BarStyle::optimizer)] = LegendText::tr("rewards");
    } else if (records) {
        names[static_cast<std::size_t>(BarStyle::forward)] = LegendText::tr("kernels");
        names[static_cast<std::size_t>(BarStyle::tensor)] = LegendText::tr("communication");
        names[static_cast<std::size_t>(BarStyle::pipeline)] = LegendText::tr("copies and fills");
    } else if (!trains) {
        names[static_cast<std::size_t>(BarStyle::forward)] = serves ? LegendText::tr("prefill, mixed") : LegendText::tr("prefill");
        names[static_cast<std::size_t>(BarStyle::backward_weights)] = LegendText::tr("decode");
    }
    std::vector<LegendEntry> entries;
    for (std::size_t style = 0; style < barStyleCount; ++style)
        if (seen[style]) entries.push_back({QColor::fromRgb(palette.bars[style]), names[style]});
    if (!memory) return entries;
    entries.push_back({QColor::fromRgb(palette.activations), serves ? LegendText::tr("keys and values") : records ? LegendText::tr("allocated")
                                                                                                                  : LegendText::tr("activations")});
    if (serves) return entries;
    entries.push_back({QColor::fromRgb(palette.temporary), records ? LegendText::tr("reserved") : LegendText::tr("temporary")});
    return entries;
}

int legendHeight(const std::vector<LegendEntry>& entries, const Theme& theme, double width) {
    return static_cast<int>(walk(entries, theme, width, [](const LegendEntry&, QPointF, double) {}) * lineHeight);
}

void paintLegend(QPainter& painter, const std::vector<LegendEntry>& entries, const Theme& theme, const QRectF& area) {
    painter.setFont(theme.axisFont());
    walk(entries, theme, area.width(), [&](const LegendEntry& entry, QPointF at, double width) {
        const QRectF place(area.topLeft() + at, QSizeF(width + 2, lineHeight));
        painter.fillRect(QRectF(place.left(), place.center().y() - swatch / 2, swatch, swatch), entry.colour);
        painter.setPen(theme.colors().secondary);
        painter.drawText(place.adjusted(swatch + besideSwatch, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, entry.text);
    });
}

} // namespace orrery
