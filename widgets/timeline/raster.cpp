// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/raster.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace orrery {
namespace {

/// A bar of no length is still an event: it inks its pixel as faintly as anything visible.
constexpr double leastCoverage = 1e-6;

/// Gathers what falls into one pixel column after another.
class ColumnSweep {
public:
    explicit ColumnSweep(std::vector<PixelColumn>& columns) : columns_(columns) {}

    /// [from, to) in pixels, in order.
    void add(double from, double to, BarStyle style, bool separable) {
        // Neighbours may overlap by the rounding of an addition; a column once left is never gone back to.
        from = std::max(from, reached_);
        reached_ = std::max(reached_, to);
        const auto count = static_cast<std::ptrdiff_t>(columns_.size());
        auto column = static_cast<std::ptrdiff_t>(std::floor(from));
        if (column >= count) return;
        if (to <= static_cast<double>(column + 1)) {
            part(column, std::max(to - from, leastCoverage), style, separable);
            return;
        }
        if (from > static_cast<double>(column)) {
            part(column, static_cast<double>(column + 1) - from, style, separable);
            ++column;
        }
        const auto whole = std::min(static_cast<std::ptrdiff_t>(std::floor(to)), count);
        if (column < whole) flush();
        for (; column < whole; ++column) columns_[static_cast<std::size_t>(column)] = {1, style, false};
        if (column < count && to > static_cast<double>(column)) part(column, to - static_cast<double>(column), style, separable);
    }

    void flush() {
        if (current_ < 0) return;
        PixelColumn& column = columns_[static_cast<std::size_t>(current_)];
        double sum = 0;
        std::size_t best = 0;
        int styles = 0;
        for (std::size_t style = 0; style < barStyleCount; ++style) {
            sum += mix_[style];
            styles += mix_[style] > 0 ? 1 : 0;
            if (mix_[style] > mix_[best]) best = style;
        }
        // A sliver between two wide bars of its own colour is seen as their hairline; one of another colour shows it.
        const bool edge = separables_ > 1 || (separables_ == 1 && touching_ > 1 && styles == 1);
        column = {static_cast<float>(std::min(sum, 1.0)), static_cast<BarStyle>(best), edge};
        mix_.fill(0);
        separables_ = 0;
        touching_ = 0;
        current_ = -1;
    }

private:
    void part(std::ptrdiff_t column, double share, BarStyle style, bool separable) {
        if (column != current_) {
            flush();
            current_ = column;
        }
        mix_[static_cast<std::size_t>(style)] += share;
        separables_ += separable ? 1 : 0;
        ++touching_;
    }

    std::vector<PixelColumn>& columns_;
    std::ptrdiff_t current_ = -1;
    double reached_ = 0;
    std::array<double, barStyleCount> mix_{};
    int separables_ = 0; ///< bars wide enough to be told apart that reach into the column
    int touching_ = 0;   ///< all of them
};

void sweepBars(const BarColumns& bars, const Viewport& viewport, std::vector<PixelColumn>& columns) {
    const double scale = viewport.width / viewport.span();
    ColumnSweep sweep(columns);
    for (std::size_t bar = bars.firstEndingAfter(viewport.from); bar < bars.size() && bars.start[bar] < viewport.to; ++bar) {
        const double from = (bars.start[bar] - viewport.from) * scale;
        const double to = (bars.end[bar] - viewport.from) * scale;
        sweep.add(std::max(from, 0.0), to, bars.style[bar], to - from >= separableWidth);
    }
    sweep.flush();
}

void sumBuckets(const CoverageMips& mips, const CoverageLevel& level, const Viewport& viewport, std::vector<PixelColumn>& columns) {
    const std::size_t styles = mips.styles.size();
    const auto buckets = static_cast<std::ptrdiff_t>(level.seconds.size() / styles);
    const double perBucket = 1 / level.bucketWidth;
    const double pixelInBuckets = viewport.secondsPerPixel() * perBucket;
    const double origin = (viewport.from - mips.origin) * perBucket;
    const double shareOfPixel = 1 / viewport.secondsPerPixel();
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const double from = origin + static_cast<double>(x) * pixelInBuckets;
        const double to = origin + static_cast<double>(x + 1) * pixelInBuckets;
        const auto first = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::floor(from)), 0);
        const auto last = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::ceil(to)), buckets);
        if (first >= last) continue;
        std::array<double, barStyleCount> mix{};
        for (std::ptrdiff_t bucket = first; bucket < last; ++bucket) {
            // A bucket cut by the pixel's side gives its share, as if evenly filled; a bucket is at most half a pixel.
            const double inside = std::min(to, static_cast<double>(bucket + 1)) - std::max(from, static_cast<double>(bucket));
            const float* seconds = &level.seconds[static_cast<std::size_t>(bucket) * styles];
            for (std::size_t style = 0; style < styles; ++style) mix[style] += inside * static_cast<double>(seconds[style]);
        }
        double sum = 0;
        std::size_t best = 0;
        for (std::size_t style = 0; style < styles; ++style) {
            sum += mix[style];
            if (mix[style] > mix[best]) best = style;
        }
        columns[x] = {static_cast<float>(std::min(sum * shareOfPixel, 1.0)), mips.styles[best], false};
    }
}

QRgb* pixels(QImage& image, int y) { return reinterpret_cast<QRgb*>(image.scanLine(y)); }

} // namespace

void rasterBars(const BarColumns& bars, const Viewport& viewport, std::vector<PixelColumn>& columns) {
    columns.assign(static_cast<std::size_t>(viewport.width), PixelColumn{});
    if (const CoverageLevel* level = bars.mips.levelFor(viewport.secondsPerPixel())) sumBuckets(bars.mips, *level, viewport, columns);
    else sweepBars(bars, viewport, columns);
}

void rasterStretches(const Stream& stream, const std::vector<std::vector<SegmentStretch>>& stretches, const Viewport& viewport,
                     std::vector<float>& coverage) {
    coverage.assign(static_cast<std::size_t>(viewport.width), 0.0F);
    const double scale = viewport.width / viewport.span();
    auto span = std::upper_bound(stream.spans.begin(), stream.spans.end(), viewport.from,
                                 [](double time, const Span& other) { return time < other.end; });
    for (; span != stream.spans.end() && span->start < viewport.to; ++span) {
        for (const SegmentStretch& stretch : stretches[span->segment]) {
            const double from = std::max((span->start + stretch.start - viewport.from) * scale, 0.0);
            const double to = std::min((std::min(span->start + stretch.end, span->end) - viewport.from) * scale, viewport.width);
            if (from >= to) continue;
            auto column = static_cast<std::size_t>(from);
            for (; column < coverage.size() && static_cast<double>(column) < to; ++column) {
                const double begin = std::max(from, static_cast<double>(column));
                coverage[column] += static_cast<float>(std::min(to, static_cast<double>(column + 1)) - begin);
            }
        }
    }
}

void rasterMemory(const MemoryColumns& memory, const Viewport& viewport, std::vector<MemoryColumn>& columns) {
    columns.assign(static_cast<std::size_t>(viewport.width), MemoryColumn{});
    const std::vector<double>& time = memory.time;
    if (time.empty()) return;
    // `next`: the first sample at or after the pixel's left side; the one before it is in force there.
    auto next = static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), viewport.from) - time.begin());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const double to = timeAt(viewport, static_cast<double>(x + 1));
        std::size_t end = next;
        // Gallop: the next pixel's samples are close by.
        std::size_t stride = 1;
        while (end + stride < time.size() && time[end + stride] < to) {
            end += stride;
            stride *= 2;
        }
        end = static_cast<std::size_t>(std::lower_bound(time.begin() + static_cast<std::ptrdiff_t>(end),
                                                        time.begin() + static_cast<std::ptrdiff_t>(std::min(end + stride + 1, time.size())), to) -
                                       time.begin());
        const std::size_t first = next == 0 ? 0 : next - 1;
        if (end > first) {
            columns[x].activations = memory.activationPeaks.peak(memory.activations, first, end);
            columns[x].total = memory.totalPeaks.peak(memory.total, first, end);
        }
        next = end;
    }
}

QRgb blended(QRgb under, QRgb over, float share) {
    if (share >= 1) return over;
    const auto channel = [share](int from, int to) {
        return static_cast<int>(std::lround(static_cast<float>(from) + static_cast<float>(to - from) * share));
    };
    return qRgb(channel(qRed(under), qRed(over)), channel(qGreen(under), qGreen(over)), channel(qBlue(under), qBlue(over)));
}

float inkFor(float coverage) {
    if (coverage <= 0) return 0;
    return std::min(1.0F, 0.45F + 1.1F * coverage);
}

void colourColumns(std::span<const PixelColumn> columns, std::span<const float> marked, const RasterPalette& palette,
                   std::span<const QRgb> background, std::vector<QRgb>& line) {
    constexpr float receded = 0.28F;
    constexpr float hairline = 0.45F;
    line.resize(columns.size());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const PixelColumn& column = columns[x];
        if (column.coverage <= 0) {
            line[x] = background[x];
            continue;
        }
        const QRgb full = palette.bar(column.style);
        float ink = inkFor(column.coverage);
        if (column.edge) ink *= hairline;
        if (!marked.empty()) ink = std::max(ink * receded, inkFor(marked[x]) * (column.edge ? hairline : 1.0F));
        line[x] = blended(background[x], full, ink);
    }
}

void fillRows(QImage& image, const QRect& area, std::span<const QRgb> line) {
    const QRect inside = area.intersected(image.rect());
    if (inside.isEmpty()) return;
    const auto skip = static_cast<std::size_t>(inside.left() - area.left());
    const auto count = std::min(static_cast<std::size_t>(inside.width()), line.size() - skip);
    for (int y = inside.top(); y <= inside.bottom(); ++y)
        std::memcpy(pixels(image, y) + inside.left(), line.data() + skip, count * sizeof(QRgb));
}

void hatchRecomputation(QImage& image, const QRect& area, std::span<const PixelColumn> columns, int spacing) {
    const QRect inside = area.intersected(image.rect());
    if (inside.isEmpty()) return;
    const int top = std::max(inside.top(), area.top() + area.height() * 2 / 3);
    const auto isRecomputation = [&](std::size_t x) {
        return x < columns.size() && (columns[x].style == BarStyle::recompute || columns[x].style == BarStyle::waiting) && columns[x].coverage > 0.5F && !columns[x].edge;
    };
    std::vector<std::size_t> hatched;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        std::size_t end = x;
        while (isRecomputation(end)) ++end;
        if (end - x >= static_cast<std::size_t>(spacing)) // narrower, hatching would be noise
            for (std::size_t column = x; column < end; ++column) hatched.push_back(column);
        x = std::max(x, end);
    }
    for (int y = top; y <= inside.bottom(); ++y) {
        QRgb* row = pixels(image, y) + area.left();
        for (const std::size_t x : hatched)
            if ((static_cast<int>(x) + y - area.top()) % spacing < spacing / 3) row[x] = blended(row[x], qRgb(0, 0, 0), 0.35F);
    }
}

void fillMemory(QImage& image, const QRect& area, std::span<const MemoryColumn> columns, float fullScale, int edgeThickness,
                const RasterPalette& palette) {
    const QRect inside = area.intersected(image.rect());
    if (inside.isEmpty() || !(fullScale > 0)) return;
    const float scale = static_cast<float>(area.height()) / fullScale;
    struct Tops {
        int temporary, edge, activations;
    };
    std::vector<Tops> tops(columns.size());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const int total = area.bottom() + 1 - static_cast<int>(std::lround(columns[x].total * scale));
        const int activations = area.bottom() + 1 - static_cast<int>(std::lround(columns[x].activations * scale));
        tops[x] = {total, activations, std::min(activations + edgeThickness, area.bottom() + 1)};
    }
    const auto skip = static_cast<std::size_t>(inside.left() - area.left());
    const auto count = std::min(static_cast<std::size_t>(inside.width()), columns.size() - skip);
    for (int y = inside.top(); y <= inside.bottom(); ++y) {
        QRgb* row = pixels(image, y) + inside.left();
        for (std::size_t i = 0; i < count; ++i) {
            const Tops& top = tops[skip + i];
            if (y >= top.activations) row[i] = palette.activations;
            else if (y >= top.edge) row[i] = palette.activationsEdge;
            else if (y >= top.temporary) row[i] = palette.temporary;
        }
    }
}

} // namespace orrery
