// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace orrery::live {

/// Bytes that tensors of this process hold on the CPU, as they were asked for: no rounding, no header, no other memory.
struct HeldMemory {
    std::uint64_t current = 0;
    std::uint64_t peak = 0;
    std::uint32_t peakPlace = 0; ///< of the program, where the peak was reached
};

/// From now on every allocation of a tensor's storage on the CPU is counted, in all threads. Storages made before are not.
/// `placeOf` says where the program is; it is asked when a new peak is at least a thousandth above the last that it was asked for.
/// With a limit above 0 an allocation beyond it throws c10::OutOfMemoryError, as a device's allocator would; `tellBeyond` hears of it first.
void watchMemory(std::uint64_t limit, std::uint32_t (*placeOf)(), void (*tellBeyond)(const std::string& text));

HeldMemory heldMemory();

/// The peak begins anew at what is held now.
void resetPeak();

} // namespace orrery::live
