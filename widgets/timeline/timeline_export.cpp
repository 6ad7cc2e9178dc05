// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_export.hpp"

#include "widgets/common/format.hpp"
#include "widgets/timeline/composer.hpp"
#include "widgets/timeline/lanes.hpp"
#include "widgets/timeline/names.hpp"
#include "widgets/timeline/timeline_legend.hpp"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

constexpr std::size_t mostRectangles = 5000;       ///< about 80 bytes of SVG each
constexpr std::size_t mostLabels = 700;            ///< about 400 bytes each
constexpr double labelPixels[] = {10.5, 8.5, 7.5}; ///< sizes of letters on bars; below these nobody reads them on paper
constexpr double narrowestLabel = 6;               ///< px
constexpr qsizetype fewestLettersShown = 4;        ///< and an ellipsis: less says nothing
constexpr std::size_t mostPlainBars = 250;         ///< of a row, drawn one by one with a hairline between them
constexpr int inkSteps = 4;
constexpr double axisBand = 40;
constexpr double legendRow = 18;
constexpr double legendGap = 6; ///< below the legend
constexpr double margin = 12;

struct ExportText {
    Q_DECLARE_TR_FUNCTIONS(TimelineView)
};

/// A size of letters on bars.
struct LabelType {
    QFont font;
    QFontMetricsF metrics;
};

struct Run {
    double from = 0; ///< px from the left of the lanes
    double to = 0;
    BarStyle style = BarStyle::forward;
    float ink = 1;
};

std::vector<Run> foldedRuns(const BarColumns& bars, const Viewport& viewport, int columnCount) {
    std::vector<PixelColumn> columns;
    rasterBars(bars, {viewport.from, viewport.to, static_cast<double>(columnCount)}, columns);
    const double pixel = viewport.width / columnCount;
    std::vector<Run> runs;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (columns[x].coverage <= 0) continue;
        const float ink = std::ceil(inkFor(columns[x].coverage) * inkSteps) / inkSteps;
        const double from = static_cast<double>(x) * pixel;
        if (!runs.empty() && std::abs(runs.back().to - from) < pixel / 2 && runs.back().style == columns[x].style && runs.back().ink == ink)
            runs.back().to = from + pixel;
        else runs.push_back({from, from + pixel, columns[x].style, ink});
    }
    return runs;
}

std::vector<Run> plainRuns(const BarColumns& bars, const Viewport& viewport) {
    std::vector<Run> runs;
    for (std::size_t bar = bars.firstEndingAfter(viewport.from); bar < bars.size() && bars.start[bar] < viewport.to; ++bar) {
        const double from = std::max(pixelAt(viewport, bars.start[bar]), 0.0);
        const double to = std::min(pixelAt(viewport, bars.end[bar]), viewport.width);
        const double hairline = to - from >= separableWidth ? 0.75 : 0;
        runs.push_back({from, std::max(to - hairline, from + 0.5), bars.style[bar], 1});
    }
    return runs;
}

std::size_t barsInView(const BarColumns& bars, const Viewport& viewport) {
    const std::size_t first = bars.firstEndingAfter(viewport.from);
    return std::max(bars.firstStartingAtOrAfter(viewport.to), first) - first;
}

class Drawing {
public:
    Drawing(QPainter& painter, const QRectF& area, const Theme& theme, const Timeline& timeline, const TimelineRows& rows, const Viewport& viewport)
        : painter_(painter), area_(area), theme_(theme), timeline_(timeline), rows_(rows), layout_(layoutLanes(rows)),
          palette_(rasterPalette(theme, rows.kind)), legend_(timelineLegend(rows, theme)) {
        for (const double pixels : labelPixels) labelTypes_.push_back({theme.font(pixels), QFontMetricsF(theme.font(pixels))});
        const QFontMetricsF titles(theme.titleFont());
        const QFontMetricsF secondary(theme.secondaryFont());
        double gutter = 60;
        for (const StageTimeline& stage : timeline.stages)
            gutter = std::max({gutter, titles.horizontalAdvance(stageTitle(timeline, stage)), secondary.horizontalAdvance(stageSubtitle(stage))});
        for (const TimelineLane& lane : layout_.lanes) gutter = std::max(gutter, secondary.horizontalAdvance(laneTitle(timeline, lane)));
        gutter = std::min(gutter, area.width() / 4) + 8;
        lanes_ = area.adjusted(margin + gutter, 0, -margin, -axisBand);
        lanes_.setTop(lanes_.top() + layOutLegend(false));
        lanes_.setSize(lanes_.size().expandedTo(QSizeF(10, 10)));
        viewport_ = {viewport.from, viewport.to, lanes_.width()};
        layout_ = layoutLanes(rows, static_cast<int>(lanes_.height()));
        scale_ = std::min(1.0, lanes_.height() / std::max(layout_.height, 1));
        lanes_.setHeight(layout_.height * scale_);
    }

    void draw() {
        painter_.save();
        painter_.setRenderHint(QPainter::Antialiasing, false);
        layOutLegend(true);
        drawAxis();
        drawBars();
        for (const TimelineLane& lane : layout_.lanes)
            if (lane.kind == LaneKind::memory) drawMemory(lane);
        drawTitles();
        drawLabels();
        painter_.restore();
    }

private:
    QRectF areaOf(const TimelineLane& lane) const {
        return {lanes_.left(), lanes_.top() + lane.top * scale_, lanes_.width(), lane.height * scale_};
    }
    const StageRows& stageOf(const TimelineLane& lane) const { return rows_.stages[static_cast<std::size_t>(lane.stage)]; }
    const StreamRow& rowOf(const TimelineLane& lane) const { return stageOf(lane).streams[static_cast<std::size_t>(lane.row)]; }

    std::vector<Run> runsOf(const TimelineLane& lane, int columns) const {
        const BarColumns& bars = rowOf(lane).bars;
        return barsInView(bars, viewport_) <= mostPlainBars ? plainRuns(bars, viewport_) : foldedRuns(bars, viewport_, columns);
    }

    /// How many pixel columns the budget of rectangles allows.
    int affordableColumns() const {
        int columns = std::max(1, static_cast<int>(lanes_.width()));
        while (columns > 16) {
            std::size_t runs = 0;
            for (const TimelineLane& lane : layout_.lanes)
                if (lane.kind == LaneKind::bars) runs += runsOf(lane, columns).size();
            if (runs <= mostRectangles) break;
            columns = columns * 3 / 4;
        }
        return columns;
    }

    void drawBars() {
        const int columns = affordableColumns();
        painter_.setPen(Qt::NoPen);
        for (const TimelineLane& lane : layout_.lanes) {
            if (lane.kind != LaneKind::bars) continue;
            const QRectF area = areaOf(lane);
            std::map<QRgb, QPainterPath> paths; // one element a colour instead of one a bar
            QPainterPath hatch, waiting;
            for (const Run& run : runsOf(lane, columns)) {
                const QRectF bar(area.left() + run.from, area.top(), run.to - run.from, area.height());
                paths[blended(palette_.panel, palette_.bar(run.style), stageOf(lane).isVirtual ? run.ink * 0.38F : run.ink)].addRect(bar);
                if (run.style == BarStyle::waiting && run.ink >= 1) waiting.addRect(bar.adjusted(0, area.height() * 0.75, 0, 0));
                if (run.style == BarStyle::recompute && run.ink >= 1) hatch.addRect(bar.adjusted(0, area.height() * 0.75, 0, 0));
            }
            for (const auto& [colour, path] : paths) painter_.fillPath(path, QColor::fromRgb(colour));
            painter_.fillPath(waiting, QColor::fromRgb(blended(palette_.bar(BarStyle::waiting), qRgb(0, 0, 0), 0.35F)));
            painter_.fillPath(hatch, QColor::fromRgb(blended(palette_.bar(BarStyle::recompute), qRgb(0, 0, 0), 0.35F)));
            if (lane.stream == StreamKind::compute) drawPassEdges(lane);
        }
    }

    void drawPassEdges(const TimelineLane& lane) {
        const BarColumns& passes = stageOf(lane).passes.bars;
        if (barsInView(passes, viewport_) > mostPlainBars || barsInView(rowOf(lane).bars, viewport_) <= mostPlainBars) return;
        QPainterPath edges;
        const QRectF area = areaOf(lane);
        for (std::size_t pass = passes.firstEndingAfter(viewport_.from); pass < passes.size() && passes.end[pass] < viewport_.to; ++pass) {
            const double to = pixelAt(viewport_, passes.end[pass]);
            if (to - pixelAt(viewport_, passes.start[pass]) >= separableWidth) edges.addRect(QRectF(area.left() + to - 0.75, area.top(), 0.75, area.height()));
        }
        painter_.fillPath(edges, theme_.colors().panel);
    }

    void drawMemory(const TimelineLane& lane) {
        const MemoryColumns& memory = stageOf(lane).memory;
        const QRectF area = areaOf(lane);
        std::vector<MemoryColumn> columns;
        const int count = static_cast<int>(std::clamp(lanes_.width() / 2, 8.0, 6000.0 / std::max<std::size_t>(rows_.stages.size(), 1)));
        rasterMemory(memory, {viewport_.from, viewport_.to, static_cast<double>(count)}, columns);
        if (!(rows_.memoryPeak > 0)) return;
        const double perByte = area.height() / static_cast<double>(rows_.memoryPeak);
        const auto outline = [&](float MemoryColumn::*value) {
            QPainterPath path(area.bottomLeft());
            double last = -1;
            for (std::size_t x = 0; x < columns.size(); ++x) {
                const double height = static_cast<double>(columns[x].*value) * perByte;
                if (std::abs(height - last) < 0.25) continue; // less than can be seen
                const double at = area.left() + static_cast<double>(x) * area.width() / static_cast<double>(count);
                if (last >= 0) path.lineTo(at, area.bottom() - last);
                path.lineTo(at, area.bottom() - height);
                last = height;
            }
            path.lineTo(area.right(), area.bottom() - std::max(last, 0.0));
            path.lineTo(area.bottomRight());
            path.closeSubpath();
            return path;
        };
        painter_.fillPath(outline(&MemoryColumn::total), QColor::fromRgb(palette_.temporary));
        painter_.fillPath(outline(&MemoryColumn::activations), QColor::fromRgb(palette_.activations));
    }

    void drawAxis() {
        const TickSet set = ticksFor(viewport_, tickSpacing);
        const QFontMetricsF metrics(theme_.axisFont());
        const QString unit = QChar(0x2009) + QString::fromUtf8(set.unit.symbol.data(), static_cast<int>(set.unit.symbol.size()));
        painter_.setFont(theme_.axisFont());
        for (const Tick& tick : set.ticks) {
            const double x = lanes_.left() + pixelAt(viewport_, tick.time);
            painter_.setPen(theme_.colors().grid);
            painter_.drawLine(QPointF(x, lanes_.top()), QPointF(x, lanes_.bottom() + 4));
            const QString text = (set.anchor > 0 ? QStringLiteral("+") : QString()) + grouped(tick.value, set.decimals) + unit;
            const double half = metrics.horizontalAdvance(text) / 2;
            const double centre = std::clamp(x, lanes_.left() + half - margin, area_.right() - half - 2);
            painter_.setPen(theme_.colors().secondary);
            painter_.drawText(QRectF(centre - half - 2, lanes_.bottom() + 5, 2 * half + 4, 15), Qt::AlignCenter, text);
        }
        QString title = timeline_.kind == TimelineKind::iteration  ? ExportText::tr("time into the iteration")
                        : timeline_.kind == TimelineKind::recorded ? ExportText::tr("time into the record")
                                                                   : ExportText::tr("time into the run");
        if (set.anchor > 0) title = ExportText::tr("time after %1").arg(grouped(set.anchor, set.anchorDecimals) + QChar(0x2009) + QLatin1Char('s'));
        painter_.setPen(theme_.colors().secondary);
        painter_.drawText(QRectF(lanes_.left(), lanes_.bottom() + 20, lanes_.width(), 16), Qt::AlignCenter, title);
    }

    /// In as many rows as it takes; gives their height, and paints them if it is to.
    double layOutLegend(bool paint) {
        const ThemeColors& colors = theme_.colors();
        double x = lanes_.left(), y = area_.top();
        const QFontMetricsF metrics(theme_.axisFont());
        painter_.setFont(theme_.axisFont());
        for (const auto& [colour, name] : legend_) {
            if (x > lanes_.left() && x + 14 + metrics.horizontalAdvance(name) > area_.right() - 2) {
                x = lanes_.left();
                y += legendRow;
            }
            const double at = x;
            x += 14 + metrics.horizontalAdvance(name) + 14;
            if (!paint) continue;
            painter_.fillRect(QRectF(at, y + 4, 10, 10), colour);
            painter_.setPen(colors.secondary);
            painter_.drawText(QRectF(at + 14, y, metrics.horizontalAdvance(name) + 4, legendRow), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
        return y + legendRow + legendGap - area_.top();
    }

    void drawTitles() {
        const double gutter = lanes_.left() - area_.left() - margin - 6;
        const double left = area_.left() + margin;
        // Many stages share the height: their lanes' titles then need the smaller type to stand side by side.
        const QFont laneFont = scale_ < 1 ? theme_.axisFont() : theme_.secondaryFont();
        const QFontMetricsF titles(theme_.titleFont());
        const QFontMetricsF secondary(laneFont);
        double free = lanes_.top() - 2; // the first y that no title above reaches
        for (const TimelineLane& lane : layout_.lanes) {
            const QRectF area = areaOf(lane);
            const bool stage = lane.kind == LaneKind::bars && lane.stream == StreamKind::compute;
            const StageTimeline& line = timeline_.stages[static_cast<std::size_t>(lane.stage)];
            const QFontMetricsF& metrics = stage ? titles : secondary;
            const double top = stage ? area.top() + std::max(0.0, (area.height() - titles.height() - secondary.height()) / 2) : area.center().y() - metrics.height() / 2;
            if (top < free - 1.5) continue;
            painter_.setFont(stage ? theme_.titleFont() : laneFont);
            painter_.setPen(stage ? theme_.colors().ink : theme_.colors().secondary);
            const QString text = stage ? stageTitle(timeline_, line) : laneTitle(timeline_, lane);
            painter_.drawText(QRectF(left, top, gutter, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, gutter));
            free = top + metrics.height();
            if (!stage || area.height() < metrics.height() + secondary.height() - 2) continue;
            painter_.setFont(laneFont);
            painter_.setPen(theme_.colors().secondary);
            painter_.drawText(QRectF(left, free, gutter, secondary.height()), Qt::AlignLeft | Qt::AlignVCenter,
                              secondary.elidedText(stageSubtitle(line), Qt::ElideRight, gutter));
            free += secondary.height();
        }
    }

    /// A bar wide enough for letters.
    struct LabelPlace {
        std::size_t bar = 0;
        double from = 0; ///< px from the left of the lanes
        double to = 0;
        double width() const { return to - from; }
    };

    /// The widest bars of a lane, as many as it may label, from left to right.
    std::vector<LabelPlace> labelPlaces(const BarColumns& bars, std::size_t most) const {
        std::vector<LabelPlace> places;
        for (std::size_t bar = bars.firstEndingAfter(viewport_.from); bar < bars.size() && bars.start[bar] < viewport_.to; ++bar) {
            const LabelPlace place{bar, std::max(pixelAt(viewport_, bars.start[bar]), 0.0) + 1, std::min(pixelAt(viewport_, bars.end[bar]), viewport_.width) - 1};
            if (place.width() >= narrowestLabel) places.push_back(place);
        }
        if (places.size() <= most) return places;
        const auto end = places.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(places.begin(), end, places.end(), [](const LabelPlace& a, const LabelPlace& b) { return a.width() > b.width(); });
        places.erase(end, places.end());
        std::sort(places.begin(), places.end(), [](const LabelPlace& a, const LabelPlace& b) { return a.from < b.from; });
        return places;
    }

    void drawLabels() {
        const bool operators = showsOperators(rows_, viewport_);
        const auto lanes = static_cast<std::size_t>(
            std::count_if(layout_.lanes.begin(), layout_.lanes.end(), [](const TimelineLane& lane) { return lane.kind == LaneKind::bars; }));
        // Each lane has its own share: those below must not go without because those above are full.
        const std::size_t most = mostLabels / std::max<std::size_t>(1, lanes);
        for (const TimelineLane& lane : layout_.lanes) {
            if (lane.kind != LaneKind::bars) continue;
            const QRectF area = areaOf(lane);
            const bool passes = lane.stream == StreamKind::compute && !operators;
            const BarColumns& bars = passes ? stageOf(lane).passes.bars : rowOf(lane).bars;
            const std::vector<LabelPlace> places = labelPlaces(bars, most);
            if (passes) {
                drawPassLabels(lane, bars, places);
                continue;
            }
            for (const LabelPlace& place : places) {
                painter_.setPen(QColor::fromRgb(readableInk(palette_.bar(bars.style[place.bar]))));
                drawOperatorLabel(QString::fromStdString(timeline_.operators[bars.label[place.bar]].op.name), roomOf(place, area));
            }
        }
    }

    QRectF roomOf(const LabelPlace& place, const QRectF& area) const { return {lanes_.left() + place.from, area.top(), place.width(), area.height()}; }

    static bool fits(const QString& text, const LabelType& type, const QRectF& room) {
        return type.metrics.height() - 2 <= room.height() && type.metrics.horizontalAdvance(text) <= room.width();
    }

    /// "F12", or the number alone where that is too wide, for the colour tells the phase. One form and one size in a lane: the
    /// first that nearly all of the bars take which any could take.
    void drawPassLabels(const TimelineLane& lane, const BarColumns& bars, const std::vector<LabelPlace>& places) {
        const QRectF area = areaOf(lane);
        const auto textOf = [&](const LabelPlace& place, bool whole) {
            const Pass& pass = stageOf(lane).passes.passes[bars.label[place.bar]];
            return whole || pass.microBatch < 0 ? passLabel(pass, timeline_, stageOf(lane).chunked) : QString::number(pass.microBatch);
        };
        const auto countOf = [&](const LabelType& type, bool whole) {
            return std::count_if(places.begin(), places.end(), [&](const LabelPlace& place) { return fits(textOf(place, whole), type, roomOf(place, area)); });
        };
        const auto most = countOf(labelTypes_.back(), false);
        if (most == 0) return;
        for (const bool whole : {true, false})
            for (const LabelType& type : labelTypes_) {
                if (10 * countOf(type, whole) < 9 * most) continue;
                painter_.setFont(type.font);
                for (const LabelPlace& place : places) {
                    const QString text = textOf(place, whole);
                    if (!fits(text, type, roomOf(place, area))) continue;
                    painter_.setPen(QColor::fromRgb(readableInk(palette_.bar(bars.style[place.bar]))));
                    painter_.drawText(roomOf(place, area), Qt::AlignCenter | Qt::TextSingleLine, text);
                }
                return;
            }
    }

    /// Draws the name the window's way: whole, or what of it can still be told.
    void drawOperatorLabel(const QString& name, const QRectF& room) {
        for (const LabelType& type : labelTypes_) {
            if (!fits(name, type, room)) continue;
            painter_.setFont(type.font);
            painter_.drawText(room, Qt::AlignCenter | Qt::TextSingleLine, name);
            return;
        }
        const LabelType& smallest = labelTypes_.back();
        if (smallest.metrics.height() - 2 > room.height()) return;
        const QString shown = smallest.metrics.elidedText(name, Qt::ElideRight, room.width());
        if (shown.size() <= fewestLettersShown) return;
        painter_.setFont(smallest.font);
        painter_.drawText(room, Qt::AlignCenter | Qt::TextSingleLine, shown);
    }

    QPainter& painter_;
    QRectF area_;
    QRectF lanes_;
    const Theme& theme_;
    const Timeline& timeline_;
    const TimelineRows& rows_;
    LaneLayout layout_;
    RasterPalette palette_;
    std::vector<LegendEntry> legend_;
    Viewport viewport_;
    double scale_ = 1;
    std::vector<LabelType> labelTypes_; ///< the largest first
};

} // namespace

void renderTimeline(QPainter& painter, const QRectF& area, const Theme& theme, const Timeline& timeline, const TimelineRows& rows,
                    const Viewport& viewport) {
    Drawing(painter, area, theme, timeline, rows, viewport).draw();
}

} // namespace orrery
