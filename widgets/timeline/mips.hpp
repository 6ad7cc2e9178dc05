// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace orrery {

/// The colour classes of bars: one meaning a hue.
enum class BarStyle : std::uint8_t { forward,
                                     backward,
                                     backward_weights,
                                     recompute,
                                     tensor,
                                     pipeline,
                                     data,
                                     optimizer,
                                     waiting, ///< of a recorded collective, for the last rank to come
                                     host,    ///< calls on the host's threads
                                     beside };
inline constexpr std::size_t barStyleCount = 11;

/// The iteration cut into equal buckets of time; each holds how many seconds every style covers in it.
struct CoverageLevel {
    double bucketWidth = 0;     ///< s
    std::vector<float> seconds; ///< bucket-major, one value for each of CoverageMips::styles
};

/// What a row shows when a pixel holds many bars: covered time by style at bucket widths that grow by `fanOut`.
///
/// Invariant: every level covers [origin, origin + buckets × width) and sums, style by style, to the time the bars cover.
/// Without it a row would change its share of colour with the zoom, and a busy stage could look idle.
struct CoverageMips {
    static constexpr std::size_t fanOut = 4;
    static constexpr std::size_t barsPerBucket = 8; ///< on average, at the finest level

    double origin = 0;
    std::vector<BarStyle> styles;      ///< those that occur, so that a row of one style pays for one
    std::vector<CoverageLevel> levels; ///< finest first; empty for an empty row

    std::size_t buckets(std::size_t level) const { return levels[level].seconds.size() / styles.size(); }

    /// The coarsest level whose buckets are at most half a pixel wide, or null where only the bars themselves are fine enough.
    const CoverageLevel* levelFor(double secondsPerPixel) const;

    std::size_t byteSize() const;
};

/// Linear in the number of bars. Bars are sorted by start and do not overlap.
CoverageMips buildCoverageMips(std::span<const double> starts, std::span<const double> ends, std::span<const BarStyle> styles,
                               const std::stop_token& stop);

/// Largest values over stretches of a step function's samples; answers any stretch in logarithmic time.
class PeakMips {
public:
    static constexpr std::size_t fanOut = 16;

    PeakMips() = default;
    explicit PeakMips(std::span<const float> values);

    /// The largest of values[first, last); first < last.
    float peak(std::span<const float> values, std::size_t first, std::size_t last) const;
    std::size_t byteSize() const;

private:
    std::vector<std::vector<float>> levels_; ///< each element the largest of `fanOut` of the level below
};

} // namespace orrery
