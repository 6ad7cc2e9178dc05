// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What PyTorch's memory profiler sorts tensors into, in the order of its files; the last is what it knows nothing of.
inline constexpr std::array<const char*, 8> memoryCategories{"parameters", "optimizer_states", "inputs", "temporary", "activations", "gradients", "autograd_detail", "unknown"};

/// What a device held over time, as export_memory_timeline of torch.profiler wrote it.
struct MemoryTimeline {
    struct Moment {
        std::int64_t when = 0; ///< ns
        std::array<std::int64_t, memoryCategories.size()> bytes{};
        std::int64_t total() const;
    };
    std::vector<Moment> moments; ///< in order of time
    std::int64_t events = 0;     ///< of which they are made
};

/// Whether a text begins as such a file does: a list whose first entry is a list of numbers, or is empty.
bool looksLikeMemoryTimeline(std::string_view text);

/// Reads `[times, sizes]` (a `.json` file: µs, and for each of them the bytes by category behind a column that plots begin at), or a list of
/// `[time, action, bytes, category]` (`.raw.json.gz`: ns, bytes that come or go). Nothing for any other document.
std::optional<MemoryTimeline> readMemoryTimeline(const Json& document);

Json timelineFigures(const MemoryTimeline& timeline);

/// The same as a profiler would have recorded it; without kernels. As much is reserved as is held: the file says no more.
KinetoTrace timelineTrace(const MemoryTimeline& timeline);

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
