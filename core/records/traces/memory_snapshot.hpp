// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What PyTorch's allocator holds of one device when a snapshot is taken, and what it did before. Bytes.
struct SnapshotDevice {
    std::int64_t segments = 0, blocks = 0;
    std::int64_t reserved = 0;  ///< sum of the segments
    std::int64_t allocated = 0; ///< of blocks in use, rounded as the allocator does
    std::int64_t requested = 0; ///< the same as it was asked for
    std::map<std::string, std::int64_t> actions;
    std::vector<MemoryEvent> events;                      ///< `allocated` is what was asked for: the history says no more
    std::int64_t requestedBefore = 0, reservedBefore = 0; ///< when the history begins
};

/// A snapshot as torch.cuda.memory._dump_snapshot writes it. The history ends with the snapshot and may begin anywhere.
struct MemorySnapshot {
    std::vector<SnapshotDevice> devices;
};

/// Reads a pickle of plain values, executing nothing. Nothing, with a problem that says the byte and the operation, for any other file; a warning
/// where the history holds more than the snapshot can account for.
std::optional<MemorySnapshot> readMemorySnapshot(std::string_view bytes, const std::string& fileName, Problems& problems);

/// The same of a snapshot that somebody wrote as JSON. Nothing, with a problem, where it has no "segments" or nests too deep.
std::optional<MemorySnapshot> readMemorySnapshot(const Json& document, const std::string& fileName, Problems& problems);

Json snapshotFigures(const MemorySnapshot& snapshot);

/// The memory of the device that did most, as a profiler would have recorded it; without kernels.
KinetoTrace snapshotTrace(const MemorySnapshot& snapshot);

} // namespace orrery
