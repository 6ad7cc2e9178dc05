// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/composer.hpp"

#include "widgets/timeline/names.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double namedWidth = 6;   ///< px, mean width of operators from which on they are named
constexpr double labelPadding = 2; ///< px on each side of a text in a bar
constexpr float paleShare = 0.38F;

QRgb mixed(const QColor& under, const QColor& over, float share) { return blended(under.rgb(), over.rgb(), share); }

/// Labels are looked for only where bars can be wide enough to hold one.
bool mayHoldLabels(std::size_t bars, double width) { return static_cast<double>(bars) <= 2 * width; }

} // namespace

bool showsOperators(const TimelineRows& rows, const Viewport& viewport) {
    if (!rows.hasPasses()) return true;
    double covered = 0;
    double bars = 0;
    for (const StageRows& stage : rows.stages) {
        for (const StreamRow& row : stage.streams) {
            if (row.kind != StreamKind::compute) continue;
            covered += row.covered;
            bars += static_cast<double>(row.bars.size());
        }
    }
    return bars > 0 && covered / bars >= namedWidth * viewport.secondsPerPixel();
}

RasterPalette rasterPalette(const Theme& theme, TimelineKind kind) {
    const ThemeColors& colors = theme.colors();
    RasterPalette palette;
    palette.panel = colors.panel.rgb();
    palette.grid = colors.grid.rgb();
    // What an engine's memory follows is its cache.
    const QColor held = theme.color(kind == TimelineKind::requests ? MemoryKind::kv_cache : MemoryKind::activations);
    palette.activations = mixed(colors.panel, held, 0.30F);
    palette.activationsEdge = mixed(colors.panel, held, 0.85F);
    palette.temporary = mixed(colors.panel, colors.tensor, 0.55F);
    const std::array<QColor, barStyleCount> bars{colors.forward, colors.backward, colors.backwardWeights, colors.recompute,
                                                 colors.tensor, colors.pipeline, colors.data, colors.optimizer,
                                                 QColor::fromRgb(mixed(colors.panel, colors.faint, 0.55F)), QColor::fromRgb(mixed(colors.panel, colors.lastStage, 0.7F)),
                                                 QColor::fromRgb(mixed(colors.forward, colors.tensor, 0.55F))};
    for (std::size_t style = 0; style < barStyleCount; ++style) palette.bars[style] = bars[style].rgb();
    return palette;
}

QRgb readableInk(QRgb fill) {
    const QColor light(Qt::white);
    const QColor dark(0x10141c);
    return contrastRatio(light, QColor::fromRgb(fill)) > contrastRatio(dark, QColor::fromRgb(fill)) ? light.rgb() : dark.rgb();
}

void TimelineComposer::setLook(const Theme& theme, double devicePixelRatio, TimelineKind kind) {
    ratio_ = devicePixelRatio;
    palette_ = rasterPalette(theme, kind);
    stripPalette_ = palette_;
    for (QRgb& colour : stripPalette_.bars) colour = blended(palette_.panel, colour, paleShare);
    ink_ = theme.colors().ink.rgb();
    std::transform(palette_.bars.begin(), palette_.bars.end(), barInks_.begin(), readableInk);
    std::transform(stripPalette_.bars.begin(), stripPalette_.bars.end(), stripInks_.begin(), readableInk);
    labels_.setFont(theme.secondaryFont(), devicePixelRatio);
    smallLabels_.setFont(theme.axisFont(), devicePixelRatio);
}

int TimelineComposer::device(int logical) const { return static_cast<int>(std::lround(logical * ratio_)); }

QRect TimelineComposer::deviceArea(Strip strip) const {
    const int top = device(strip.top);
    return {0, top, image_.width(), device(strip.top + strip.height) - top};
}

const QImage& TimelineComposer::compose(const TimelineScene& scene) {
    const QSize size(device(static_cast<int>(scene.viewport.width)), device(scene.height));
    if (image_.size() != size) image_ = QImage(size, QImage::Format_RGB32);
    image_.setDevicePixelRatio(1); // the raster counts in device pixels
    deviceViewport_ = {scene.viewport.from, scene.viewport.to, static_cast<double>(size.width())};

    background_.assign(static_cast<std::size_t>(size.width()), palette_.panel);
    for (const Tick& tick : ticksFor(scene.viewport, tickSpacing).ticks) {
        const double x = std::floor(pixelAt(deviceViewport_, tick.time));
        if (x >= 0 && x < size.width()) background_[static_cast<std::size_t>(x)] = palette_.grid;
    }
    fillBetweenLanes(scene);

    placements_.clear();
    const bool operators = showsOperators(*scene.rows, scene.viewport);
    for (const TimelineLane& lane : scene.layout->lanes) {
        if (lane.top + lane.height <= scene.scroll || lane.top >= scene.scroll + scene.height) continue;
        if (lane.kind == LaneKind::memory) composeMemory(scene, lane);
        else if (lane.stream == StreamKind::compute) composeCompute(scene, lane, operators);
        else composeStream(scene, lane);
    }
    image_.setDevicePixelRatio(ratio_);
    drawPlacements();
    return image_;
}

/// Rows of bars bring their own background; filling all of the picture first would double its cost.
void TimelineComposer::fillBetweenLanes(const TimelineScene& scene) {
    int filled = 0;
    for (const TimelineLane& lane : scene.layout->lanes) {
        const int top = std::clamp(lane.top - scene.scroll, filled, std::max(filled, scene.height));
        if (top > filled) fillRows(image_, deviceArea({filled, top - filled}), background_);
        // Memory draws only where there is some.
        filled = std::max(filled, lane.kind == LaneKind::memory ? top : lane.top - scene.scroll + lane.height);
    }
    if (filled < scene.height) fillRows(image_, deviceArea({filled, scene.height - filled}), background_);
}

void TimelineComposer::composeCompute(const TimelineScene& scene, const TimelineLane& lane, bool operators) {
    const StageRows& stage = scene.rows->stages[static_cast<std::size_t>(lane.stage)];
    const StreamRow& row = stage.streams[static_cast<std::size_t>(lane.row)];
    const Strip whole{lane.top - scene.scroll, lane.height};
    rasterBars(stage.passes.bars, deviceViewport_, passColumns_);
    if (!operators) {
        drawBars(scene, row, lane.stage, whole, &passColumns_);
        placePassLabels(scene, lane, whole, false);
        return;
    }
    const int strip = passStripOf(*scene.rows);
    const Strip passes{whole.top, strip};
    const Strip bars{whole.top + strip, lane.height - strip};
    colourColumns(passColumns_, {}, stripPalette_, background_, line_);
    fillRows(image_, deviceArea(passes), line_);
    drawBars(scene, row, lane.stage, bars, nullptr);
    placePassLabels(scene, lane, passes, true);
    placeOperatorLabels(scene, row, bars, stage.isVirtual);
}

void TimelineComposer::composeStream(const TimelineScene& scene, const TimelineLane& lane) {
    const StreamRow& row = scene.rows->stages[static_cast<std::size_t>(lane.stage)].streams[static_cast<std::size_t>(lane.row)];
    const Strip strip{lane.top - scene.scroll, lane.height};
    drawBars(scene, row, lane.stage, strip, nullptr);
    placeOperatorLabels(scene, row, strip, scene.rows->stages[static_cast<std::size_t>(lane.stage)].isVirtual);
}

void TimelineComposer::composeMemory(const TimelineScene& scene, const TimelineLane& lane) {
    rasterMemory(scene.rows->stages[static_cast<std::size_t>(lane.stage)].memory, deviceViewport_, memoryColumns_);
    fillMemory(image_, deviceArea({lane.top - scene.scroll, lane.height}), memoryColumns_, scene.rows->memoryPeak,
               std::max(1, device(1)), palette_);
}

void TimelineComposer::drawBars(const TimelineScene& scene, const StreamRow& row, int stage, Strip strip,
                                const std::vector<PixelColumn>* passes) {
    rasterBars(row.bars, deviceViewport_, columns_);
    if (passes != nullptr) // while operators run together only passes are told apart
        for (std::size_t x = 0; x < columns_.size(); ++x) columns_[x].edge = (*passes)[x].edge;
    markedShare_.clear();
    if (scene.marked != nullptr && scene.marked->any()) {
        const Stream& stream = scene.timeline->stages[static_cast<std::size_t>(stage)].streams[row.stream];
        rasterStretches(stream, scene.marked->stretches(row.kind), deviceViewport_, markedShare_);
    }
    const bool isVirtual = scene.rows->stages[static_cast<std::size_t>(stage)].isVirtual;
    colourColumns(columns_, markedShare_, isVirtual ? stripPalette_ : palette_, background_, line_);
    const QRect area = deviceArea(strip);
    fillRows(image_, area, line_);
    hatchRecomputation(image_, area, columns_, std::max(3, device(6)));
}

void TimelineComposer::placePassLabels(const TimelineScene& scene, const TimelineLane& lane, Strip strip, bool strips) {
    const StageRows& stage = scene.rows->stages[static_cast<std::size_t>(lane.stage)];
    const BarColumns& bars = stage.passes.bars;
    const std::size_t first = bars.firstEndingAfter(scene.viewport.from);
    const std::size_t last = bars.firstStartingAtOrAfter(scene.viewport.to);
    if (last <= first || !mayHoldLabels(last - first, scene.viewport.width)) return;
    const bool receding = scene.marked != nullptr && scene.marked->any();
    for (std::size_t bar = first; bar < last; ++bar) {
        const double from = pixelAt(scene.viewport, bars.start[bar]);
        const double to = pixelAt(scene.viewport, bars.end[bar]);
        if (to - from < 8) continue;
        const Pass& pass = stage.passes.passes[bars.label[bar]];
        const auto style = static_cast<std::size_t>(bars.style[bar]);
        const QRgb ink = strips ? stripInks_[style] : barInks_[style];
        const QString text = passLabel(pass, *scene.timeline, stage.chunked);
        const bool small = strips || labels_.widthOf(text) > to - from - 2 * labelPadding;
        place(small ? smallLabels_ : labels_, small, text, from, to, strip, receding && !strips ? ink_ : ink, pass.microBatch < 0);
    }
}

void TimelineComposer::placeOperatorLabels(const TimelineScene& scene, const StreamRow& row, Strip strip, bool isVirtual) {
    const BarColumns& bars = row.bars;
    const std::size_t first = bars.firstEndingAfter(scene.viewport.from);
    const std::size_t last = bars.firstStartingAtOrAfter(scene.viewport.to);
    if (last <= first || !mayHoldLabels(last - first, scene.viewport.width)) return;
    const bool receding = scene.marked != nullptr && scene.marked->any();
    for (std::size_t bar = first; bar < last; ++bar) {
        const double from = pixelAt(scene.viewport, bars.start[bar]);
        const double to = pixelAt(scene.viewport, bars.end[bar]);
        if (to - from < 24) continue;
        const std::uint32_t op = bars.label[bar];
        const bool receded = (receding && !scene.marked->contains(op)) || isVirtual;
        place(smallLabels_, true, QString::fromStdString(scene.timeline->operators[op].op.name), from, to, strip,
              receded ? ink_ : barInks_[static_cast<std::size_t>(bars.style[bar])], true);
    }
}

void TimelineComposer::place(BarLabels& labels, bool small, const QString& text, double from, double to, Strip strip, QRgb ink,
                             bool elide) {
    // A bar that reaches out of the picture carries its text in the part that is seen.
    const double left = std::max(from, 0.0) + labelPadding;
    const double room = std::min(to, deviceViewport_.width / ratio_) - labelPadding - left;
    const double width = labels.widthOf(text);
    const QString shown = width <= room ? text : elide ? labels.elided(text, room)
                                                       : QString();
    if (shown.isEmpty()) return;
    const double x = left + (room - labels.widthOf(shown)) / 2;
    const double y = strip.top + (strip.height - labels.height()) / 2;
    placements_.push_back({shown, x, y, ink, small});
}

void TimelineComposer::drawPlacements() {
    if (placements_.empty()) return;
    QPainter painter(&image_);
    for (const Placement& placement : placements_) {
        BarLabels& labels = placement.small ? smallLabels_ : labels_;
        // Whole device pixels: a text between two would be blurred.
        const QPointF at(std::round(placement.x * ratio_) / ratio_, std::round(placement.y * ratio_) / ratio_);
        painter.drawImage(at, labels.image(placement.text, placement.ink));
    }
}

} // namespace orrery
