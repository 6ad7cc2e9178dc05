// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/columns.hpp"
#include "widgets/timeline/viewport.hpp"

#include <QImage>
#include <QRect>

#include <array>
#include <span>
#include <vector>

namespace orrery {

/// What one pixel column of a row of bars shows.
struct PixelColumn {
    float coverage = 0;                 ///< share of the pixel's time that bars cover, 0 to 1
    BarStyle style = BarStyle::forward; ///< the one that covers most
    bool edge = false;                  ///< bars that can be told apart meet inside this pixel
};

/// Bars narrower than this run together; wider ones get a hairline between them.
inline constexpr double separableWidth = 4;

/// One pixel column for each of the viewport's (whole) pixels. A column that a single bar covers has coverage 1, that
/// bar's style and no edge, whatever the zoom.
void rasterBars(const BarColumns& bars, const Viewport& viewport, std::vector<PixelColumn>& columns);

/// A stretch of time that recurs in every instance of a segment, in s after its start.
struct SegmentStretch {
    double start = 0;
    double end = 0;
};

/// Share of each pixel that some stretches of the stream's segments cover: `stretches[segment]`, sorted. For marking one
/// operator among millions without a column for it.
void rasterStretches(const Stream& stream, const std::vector<std::vector<SegmentStretch>>& stretches, const Viewport& viewport,
                     std::vector<float>& coverage);

struct MemoryColumn {
    float activations = 0; ///< bytes, the largest value within the pixel
    float total = 0;
};
void rasterMemory(const MemoryColumns& memory, const Viewport& viewport, std::vector<MemoryColumn>& columns);

struct RasterPalette {
    QRgb panel = 0;
    QRgb grid = 0;
    QRgb activations = 0;
    QRgb activationsEdge = 0;
    QRgb temporary = 0;
    std::array<QRgb, barStyleCount> bars{};
    QRgb bar(BarStyle style) const { return bars[static_cast<std::size_t>(style)]; }
};

QRgb blended(QRgb under, QRgb over, float share); ///< share 1 gives `over` exactly

/// How strongly a column of this coverage is inked. Half covered is full colour, so that a busy stage looks calm; a lone
/// short bar is still seen.
float inkFor(float coverage);

/// Colours of a row's pixel columns over `background`. With `marked` (may be empty) everything recedes but the marked share.
void colourColumns(std::span<const PixelColumn> columns, std::span<const float> marked, const RasterPalette& palette,
                   std::span<const QRgb> background, std::vector<QRgb>& line);

/// Copies `line` into every row of `area` (device pixels; clipped to the image).
void fillRows(QImage& image, const QRect& area, std::span<const QRgb> line);

/// Recomputation and waiting repeat their colour as hatching, in the lowest third only: a bar's middle keeps its exact colour.
void hatchRecomputation(QImage& image, const QRect& area, std::span<const PixelColumn> columns, int spacing);

void fillMemory(QImage& image, const QRect& area, std::span<const MemoryColumn> columns, float fullScale, int edgeThickness,
                const RasterPalette& palette);

} // namespace orrery
