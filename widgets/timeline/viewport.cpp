// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/viewport.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

/// The smallest of 1, 2, 5 × 10^k that is at least `value`.
double roundStep(double value) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= value * (1 - 1e-12)) return factor * power;
    return 10 * power;
}

} // namespace

double pixelAt(const Viewport& viewport, double seconds) { return (seconds - viewport.from) / viewport.span() * viewport.width; }

double timeAt(const Viewport& viewport, double pixel) { return viewport.from + pixel / viewport.width * viewport.span(); }

Viewport fitted(double duration, double width) {
    return {0, std::max(duration, shortestSpan), std::max(width, 1.0)};
}

Viewport clamped(const Viewport& viewport, double duration) {
    const double whole = std::max(duration, shortestSpan);
    const double span = std::clamp(viewport.span(), shortestSpan, whole);
    if (span >= whole) return {0, whole, viewport.width};
    // A span that had to change keeps its middle.
    const double from = viewport.span() == span ? viewport.from : (viewport.from + viewport.to - span) / 2;
    const double begin = std::clamp(from, 0.0, whole - span);
    return {begin, begin + span, viewport.width};
}

Viewport zoomedAbout(const Viewport& viewport, double pixel, double factor, double duration) {
    const double span = std::clamp(viewport.span() / factor, shortestSpan, std::max(duration, shortestSpan));
    const double from = timeAt(viewport, pixel) - pixel / viewport.width * span;
    return clamped({from, from + span, viewport.width}, duration);
}

Viewport panned(const Viewport& viewport, double pixels, double duration) {
    const double shift = pixels * viewport.secondsPerPixel();
    return clamped({viewport.from + shift, viewport.to + shift, viewport.width}, duration);
}

Viewport framing(const Viewport& viewport, double from, double to, double margin, double duration) {
    const double extra = (to - from) * margin;
    return clamped({from - extra, std::max(to + extra, from - extra + shortestSpan), viewport.width}, duration);
}

TimeUnit unitForSpan(double span) {
    static constexpr std::array<TimeUnit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
    for (const TimeUnit& unit : units)
        if (span >= unit.seconds / 10) return unit;
    return units.back();
}

TickSet ticksFor(const Viewport& viewport, double minimumSpacing) {
    TickSet set;
    set.unit = unitForSpan(viewport.span());
    set.step = roundStep(minimumSpacing * viewport.secondsPerPixel());
    set.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(set.step / set.unit.seconds) + 1e-9)));
    const double coarser = set.unit.seconds * 1000;
    if (set.unit.seconds < 1 && viewport.from >= coarser) {
        set.anchor = std::floor(viewport.from / coarser + 1e-9) * coarser;
        set.anchorDecimals = static_cast<int>(std::lround(-std::log10(coarser)));
    }
    // Counted in whole steps from the anchor, so that no rounding adds up along the axis.
    const double first = std::ceil((viewport.from - set.anchor) / set.step - 1e-9);
    const double last = std::floor((viewport.to - set.anchor) / set.step + 1e-9);
    for (double index = first; index <= last; index += 1)
        set.ticks.push_back({set.anchor + index * set.step, index * set.step / set.unit.seconds});
    return set;
}

} // namespace orrery
