// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace orrery {

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
