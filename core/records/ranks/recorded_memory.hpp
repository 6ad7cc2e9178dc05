// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

/// The most that the framework's allocator held on the device while it was recorded, bytes.
struct RecordedPeak {
    std::int64_t allocated = 0, reserved = 0;
};

/// Nothing where no memory of a device was recorded.
std::optional<RecordedPeak> recordedPeak(const KinetoTrace& trace);

/// The event at which the allocator held more than the device would have.
struct BeyondMemory {
    std::size_t event = 0;  ///< among the memory events of the device, by time, from 0
    std::int64_t when = 0;  ///< ns after the first of them
    std::int64_t bytes = 0; ///< that were asked for
    std::int64_t reserved = 0;
    std::string inOperator; ///< innermost operator of the thread at that moment; empty: not recorded
};

/// The first event that holds more than `capacity` bytes; nothing where all fit.
std::optional<BeyondMemory> firstBeyond(const KinetoTrace& trace, std::int64_t capacity);

/// What our model of PyTorch's allocator reserves at most when it is given the recorded sequence. What was held before the record began is one
/// block: its segments are unknown.
std::optional<std::int64_t> modelledReservedPeak(const KinetoTrace& trace);

} // namespace orrery
