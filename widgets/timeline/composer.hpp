// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"
#include "widgets/timeline/labels.hpp"
#include "widgets/timeline/lanes.hpp"
#include "widgets/timeline/raster.hpp"

#include <QImage>

namespace orrery {

/// Ticks of the axis and lines of the grid stand no closer than this, in logical pixels.
inline constexpr double tickSpacing = 92;

/// All that determines the picture of the lanes. Pointers are not owned and outlive the call.
struct TimelineScene {
    const Timeline* timeline = nullptr;
    const TimelineRows* rows = nullptr;
    const LaneLayout* layout = nullptr;
    const MarkedOperators* marked = nullptr; ///< may be null
    Viewport viewport;                       ///< width in logical pixels: that of the picture
    int height = 0;                          ///< of the picture, logical
    int scroll = 0;                          ///< logical pixels of the layout above the picture
};

/// True where bars of operators are wide enough on average to be named: the compute lane then has passes above operators.
bool showsOperators(const TimelineRows& rows, const Viewport& viewport);

RasterPalette rasterPalette(const Theme& theme, TimelineKind kind);

/// The darker or lighter ink, whichever is easier to read on `fill`.
QRgb readableInk(QRgb fill);

/// Composes the lanes into one image: what changes with zoom, pan, scroll, size and theme, and with nothing else. Keeps its
/// buffers and texts from one frame to the next.
class TimelineComposer {
public:
    void setLook(const Theme& theme, double devicePixelRatio, TimelineKind kind);

    /// Valid until the next call.
    const QImage& compose(const TimelineScene& scene);

private:
    struct Placement {
        QString text;
        double x, y; ///< logical, of the text's left top
        QRgb ink;
        bool small;
    };
    struct Strip { ///< where a row's bars are drawn, logical
        int top, height;
    };

    void composeCompute(const TimelineScene& scene, const TimelineLane& lane, bool operators);
    void composeStream(const TimelineScene& scene, const TimelineLane& lane);
    void composeMemory(const TimelineScene& scene, const TimelineLane& lane);
    void drawBars(const TimelineScene& scene, const StreamRow& row, int stage, Strip strip, const std::vector<PixelColumn>* passes);
    void placePassLabels(const TimelineScene& scene, const TimelineLane& lane, Strip strip, bool strips);
    void placeOperatorLabels(const TimelineScene& scene, const StreamRow& row, Strip strip, bool isVirtual);
    void place(BarLabels& labels, bool small, const QString& text, double from, double to, Strip strip, QRgb ink, bool elide);
    void drawPlacements();

    void fillBetweenLanes(const TimelineScene& scene);

    int device(int logical) const;
    QRect deviceArea(Strip strip) const;

    double ratio_ = 1;
    RasterPalette palette_;
    RasterPalette stripPalette_; ///< passes above operators: the same hues, paler
    QRgb ink_ = 0;
    std::array<QRgb, barStyleCount> barInks_{}; ///< of texts on bars
    std::array<QRgb, barStyleCount> stripInks_{};
    BarLabels labels_;
    BarLabels smallLabels_;

    QImage image_;
    Viewport deviceViewport_;
    std::vector<QRgb> background_;
    std::vector<QRgb> line_;
    std::vector<PixelColumn> columns_;
    std::vector<PixelColumn> passColumns_;
    std::vector<float> markedShare_;
    std::vector<MemoryColumn> memoryColumns_;
    std::vector<Placement> placements_;
};

} // namespace orrery
