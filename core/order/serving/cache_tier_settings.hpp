// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery {

/// Where blocks of keys and values lie beside the accelerators' memory, the nearest first.
enum class CacheTierKind : std::uint8_t { host,     ///< DRAM of an instance's hosts
                                          disk,     ///< their drives
                                          shared }; ///< a store that all instances use
inline constexpr std::size_t cacheTierKindCount = 3;

/// When a tier gets a block.
enum class TierWrites : std::uint8_t { write_through, ///< when it is computed
                                       on_eviction }; ///< when the level above lets go of it

struct CacheTierSettings {
    CacheTierKind kind = CacheTierKind::host;
    double capacity = 0;  ///< bytes: of one instance, of a shared tier of all
    double bandwidth = 0; ///< bytes/s to accelerators: likewise; loads take turns. Writes go the other way and slow nothing
    TierWrites writes = TierWrites::write_through;
    bool prefetch = false; ///< loads begin when a request arrives, not when it is admitted

    bool operator==(const CacheTierSettings&) const = default;
};

} // namespace orrery
