// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <array>
#include <cstdint>
#include <optional>
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

} // namespace orrery
