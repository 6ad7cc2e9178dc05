// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

enum class Latency : std::uint8_t { ttft,
                                    tpot,
                                    e2e };

/// A limit of a percentile.
struct LatencyCap {
    Latency latency = Latency::ttft;
    double share = 1;      ///< of the percentile
    double seconds = 0;    ///< s
    bool includes = false; ///< whether just so many seconds keep it
};

/// Caps of one run, and whether it can still keep all of them: once so many requests are beyond one that the percentile must be, it can't.
class LatencyCaps {
public:
    LatencyCaps(const std::vector<LatencyCap>& caps, std::size_t requests) {
        // The percentile lies at or above the value at this place in order; fewer values, where some are rejected, need no more of them.
        for (const LatencyCap& cap : caps) left_.push_back({cap, static_cast<std::int64_t>(requests) - static_cast<std::int64_t>(std::floor(cap.share * (static_cast<double>(requests) - 1)))});
    }

    void note(Latency latency, double seconds) {
        for (Left& one : left_) {
            if (one.cap.latency != latency || (one.cap.includes ? seconds <= one.cap.seconds : seconds < one.cap.seconds)) continue;
            broken_ = broken_ || --one.requests <= 0;
        }
    }
    bool areBroken() const { return broken_; }

private:
    struct Left {
        LatencyCap cap;
        std::int64_t requests = 0; ///< that may not be beyond it
    };
    std::vector<Left> left_;
    bool broken_ = false;
};

} // namespace orrery
