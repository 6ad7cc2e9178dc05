// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace orrery {

/// Something that lasts; those of an earlier turn take a moment before those of a later one.
template <typename Time>
struct Stretch {
    Time start{}, end{};
    int turn = 0;
};

/// Time that belongs to somebody, as stretches apart and rising.
template <typename Time>
class TakenTime {
public:
    /// Later stretches begin no earlier.
    void add(Time start, Time end) {
        if (end <= start) return;
        if (!taken_.empty() && start <= taken_.back().end) taken_.back().end = std::max(taken_.back().end, end);
        else taken_.push_back({start, end, 0});
    }
    void sumUp() {
        before_.clear();
        before_.reserve(taken_.size());
        Time sum{};
        for (const Stretch<Time>& stretch : taken_) {
            before_.push_back(sum);
            sum += stretch.end - stretch.start;
        }
    }
    /// The part of a stretch that belongs to nobody. Ask after `sumUp`.
    Time freeIn(Time start, Time end) const { return end <= start ? Time{} : std::max(Time{}, end - start - (takenUntil(end) - takenUntil(start))); }
    const std::vector<Stretch<Time>>& stretches() const { return taken_; }

    static TakenTime unionOf(const TakenTime& a, const TakenTime& b) {
        std::vector<Stretch<Time>> all = a.taken_;
        all.insert(all.end(), b.taken_.begin(), b.taken_.end());
        std::sort(all.begin(), all.end(), [](const Stretch<Time>& x, const Stretch<Time>& y) { return x.start < y.start; });
        TakenTime both;
        for (const Stretch<Time>& stretch : all) both.add(stretch.start, stretch.end);
        both.sumUp();
        return both;
    }

private:
    Time takenUntil(Time moment) const {
        const auto after = std::upper_bound(taken_.begin(), taken_.end(), moment, [](Time when, const Stretch<Time>& stretch) { return when < stretch.start; });
        if (after == taken_.begin()) return Time{};
        const auto last = static_cast<std::size_t>(after - taken_.begin()) - 1;
        return before_[last] + std::min(moment, taken_[last].end) - taken_[last].start;
    }
    std::vector<Stretch<Time>> taken_;
    std::vector<Time> before_;
};

/// The turns of what a device does: computing, communicating, copying.
inline constexpr int turnsOfDevice = 3;

/// Shares a wall clock out: each moment belongs to the stretch of the earliest turn that covers it, of several to the one that began first, and of those to the first
/// of the list. Calls `visit(index, from, end, before)` for every stretch that is the first of its turn somewhere: from `from` to its end it is, and
/// `before` is what earlier turns have taken. Gives what all have taken.
template <typename Time, typename Visit>
TakenTime<Time> shareWall(const std::vector<Stretch<Time>>& stretches, const std::vector<std::uint32_t>& byStart, Visit&& visit) {
    TakenTime<Time> before;
    before.sumUp();
    for (int turn = 0; turn < turnsOfDevice; ++turn) {
        TakenTime<Time> own;
        bool any = false;
        Time until{};
        for (const std::uint32_t i : byStart) {
            const Stretch<Time>& stretch = stretches[i];
            if (stretch.turn != turn) continue;
            const Time from = any ? std::max(stretch.start, until) : stretch.start;
            if (stretch.end <= from) continue;
            visit(i, from, stretch.end, before);
            own.add(from, stretch.end);
            until = stretch.end;
            any = true;
        }
        before = TakenTime<Time>::unionOf(before, own);
    }
    return before;
}

/// Places of the list by start, equal ones as they stand.
template <typename Time>
std::vector<std::uint32_t> placesByStart(const std::vector<Stretch<Time>>& stretches) {
    std::vector<std::uint32_t> order(stretches.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return stretches[a].start < stretches[b].start; });
    return order;
}

/// Why a device did nothing for a while.
enum class GapKind : std::uint8_t {
    launch,  ///< the host had not launched what came next
    queued,  ///< it had been launched before the device fell idle: it waited for an event or for the device
    unknown, ///< no launch was recorded
};

/// A stretch in which a device did nothing, ns. A gap in which a kernel is launched after a while is one `launch` gap, up to the kernel's start.
struct DeviceGap {
    std::int64_t length = 0;
    GapKind kind = GapKind::unknown;
    std::uint32_t before = 0; ///< index into KinetoTrace::device: what ended it
};

/// How a device's wall clock, from the first start of an event to the last end, is shared out; whole ns. Each moment belongs to one event or to a gap, so that the
/// shares sum to the span exactly: to a computing kernel where one runs, else to a collective or send, else to a copy or fill. Where several of a kind run, it is
/// the one that began first: what runs beside it is hidden.
struct RecordWall {
    Interval device;
    std::vector<std::int64_t> charged; ///< by device event: its share of the wall clock
    std::vector<std::int64_t> waiting; ///< by device event: of that share, what passed before the last rank came to the collective
    std::vector<DeviceGap> gaps;
    std::int64_t span() const { return device.end - device.start; }
};

/// No other rank is waited for.
inline constexpr std::int64_t noArrival = std::numeric_limits<std::int64_t>::min();

/// `arrivals`: by device event, when the last rank came to the collective, on this record's clock; `noArrival` where nobody knows; may be empty.
RecordWall wallOf(const KinetoTrace& trace, const std::vector<std::int64_t>& arrivals = {});

} // namespace orrery
