// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace orrery {

/// The stretch of time that a width of pixels shows. Times in s, widths in whatever pixel the caller means (logical for
/// the mouse, device for the raster). Always from < to and width > 0.
struct Viewport {
    double from = 0;
    double to = 1;
    double width = 1;

    double span() const { return to - from; }
    double secondsPerPixel() const { return (to - from) / width; }
};

/// Nothing shorter fills the view: below it the sum of a start time and a pixel's width is no longer a different double.
inline constexpr double shortestSpan = 1e-9;

double pixelAt(const Viewport& viewport, double seconds);
double timeAt(const Viewport& viewport, double pixel);

/// All of [0, duration].
Viewport fitted(double duration, double width);

/// The same stretch brought inside [0, duration], no shorter than `shortestSpan`, no longer than the duration.
Viewport clamped(const Viewport& viewport, double duration);

/// `factor` > 1 shows less time; the time under `pixel` stays under it as long as the clamp allows.
Viewport zoomedAbout(const Viewport& viewport, double pixel, double factor, double duration);

/// Positive `pixels` show later times.
Viewport panned(const Viewport& viewport, double pixels, double duration);

/// [from, to] with `margin` (a fraction of it) on both sides.
Viewport framing(const Viewport& viewport, double from, double to, double margin, double duration);

/// The unit an axis of this span is read in: the largest of which it is at least a tenth.
struct TimeUnit {
    double seconds = 1;
    std::string_view symbol = "s"; ///< s, ms, µs, ns (UTF-8)
};
TimeUnit unitForSpan(double span);

struct Tick {
    double time = 0;  ///< s into the iteration
    double value = 0; ///< what is written: (time - anchor)/unit
};

/// Ticks at 1, 2 or 5 times a power of ten. Deep inside an iteration whole times have too many digits: the ticks then
/// count from `anchor`, a round time written once.
struct TickSet {
    TimeUnit unit;
    double step = 0;        ///< s
    int decimals = 0;       ///< of `value`, enough to tell neighbours apart
    double anchor = 0;      ///< s; 0 when the ticks are plain times
    int anchorDecimals = 0; ///< of the anchor, in s
    std::vector<Tick> ticks;
};
TickSet ticksFor(const Viewport& viewport, double minimumSpacing);

} // namespace orrery
