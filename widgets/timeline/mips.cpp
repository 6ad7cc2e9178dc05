// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/mips.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

constexpr std::size_t barsBetweenStopChecks = 1 << 16;

CoverageLevel coarser(const CoverageLevel& fine, std::size_t styleCount) {
    const std::size_t fineBuckets = fine.seconds.size() / styleCount;
    const std::size_t buckets = (fineBuckets + CoverageMips::fanOut - 1) / CoverageMips::fanOut;
    CoverageLevel level{fine.bucketWidth * static_cast<double>(CoverageMips::fanOut), std::vector<float>(buckets * styleCount)};
    for (std::size_t bucket = 0; bucket < fineBuckets; ++bucket)
        for (std::size_t style = 0; style < styleCount; ++style)
            level.seconds[bucket / CoverageMips::fanOut * styleCount + style] += fine.seconds[bucket * styleCount + style];
    return level;
}

} // namespace

const CoverageLevel* CoverageMips::levelFor(double secondsPerPixel) const {
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
        if (level->bucketWidth <= secondsPerPixel / 2) return &*level;
    return nullptr;
}

std::size_t CoverageMips::byteSize() const {
    std::size_t bytes = styles.capacity() * sizeof(BarStyle);
    for (const CoverageLevel& level : levels) bytes += level.seconds.capacity() * sizeof(float);
    return bytes;
}

CoverageMips buildCoverageMips(std::span<const double> starts, std::span<const double> ends, std::span<const BarStyle> styles,
                               const std::stop_token& stop) {
    CoverageMips mips;
    if (starts.empty()) return mips;

    std::array<bool, barStyleCount> seen{};
    for (const BarStyle style : styles) seen[static_cast<std::size_t>(style)] = true;
    std::array<std::size_t, barStyleCount> place{};
    for (std::size_t style = 0; style < barStyleCount; ++style) {
        if (!seen[style]) continue;
        place[style] = mips.styles.size();
        mips.styles.push_back(static_cast<BarStyle>(style));
    }

    mips.origin = starts.front();
    const double extent = ends.back() - mips.origin;
    if (!(extent > 0)) return mips;
    const std::size_t styleCount = mips.styles.size();
    const std::size_t buckets = std::max<std::size_t>(1, starts.size() / CoverageMips::barsPerBucket);
    CoverageLevel base{extent / static_cast<double>(buckets), std::vector<float>(buckets * styleCount)};
    const double perSecond = 1 / base.bucketWidth;
    for (std::size_t bar = 0; bar < starts.size(); ++bar) {
        if (bar % barsBetweenStopChecks == 0 && stop.stop_requested()) return mips;
        const std::size_t style = place[static_cast<std::size_t>(styles[bar])];
        const double from = starts[bar] - mips.origin;
        const double to = ends[bar] - mips.origin;
        const auto bucketOf = [&](double time) { return std::min(static_cast<std::size_t>(time * perSecond), buckets - 1); };
        const std::size_t last = bucketOf(to);
        double done = from;
        for (std::size_t bucket = bucketOf(from); bucket < last; ++bucket) {
            const double edge = static_cast<double>(bucket + 1) * base.bucketWidth;
            base.seconds[bucket * styleCount + style] += static_cast<float>(edge - done);
            done = edge;
        }
        base.seconds[last * styleCount + style] += static_cast<float>(to - done);
    }
    mips.levels.push_back(std::move(base));
    while (mips.buckets(mips.levels.size() - 1) > 1) mips.levels.push_back(coarser(mips.levels.back(), styleCount));
    return mips;
}

PeakMips::PeakMips(std::span<const float> values) {
    std::span<const float> below = values;
    while (below.size() > fanOut) {
        std::vector<float> level((below.size() + fanOut - 1) / fanOut);
        for (std::size_t i = 0; i < level.size(); ++i) {
            const std::size_t first = i * fanOut;
            level[i] = *std::max_element(below.begin() + static_cast<std::ptrdiff_t>(first),
                                         below.begin() + static_cast<std::ptrdiff_t>(std::min(first + fanOut, below.size())));
        }
        levels_.push_back(std::move(level));
        below = levels_.back();
    }
}

float PeakMips::peak(std::span<const float> values, std::size_t first, std::size_t last) const {
    float best = values[first];
    std::span<const float> below = values;
    std::size_t level = 0;
    // Ragged ends on this level, whole blocks one level up.
    while (first < last) {
        if (level == levels_.size() || last - first < 2 * fanOut) {
            for (; first < last; ++first) best = std::max(best, below[first]);
            break;
        }
        for (; first % fanOut != 0; ++first) best = std::max(best, below[first]);
        for (; last % fanOut != 0; --last) best = std::max(best, below[last - 1]);
        first /= fanOut;
        last /= fanOut;
        below = levels_[level++];
    }
    return best;
}

std::size_t PeakMips::byteSize() const {
    std::size_t bytes = 0;
    for (const std::vector<float>& level : levels_) bytes += level.capacity() * sizeof(float);
    return bytes;
}

} // namespace orrery
