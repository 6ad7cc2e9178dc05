// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/recorded_memory.hpp"

#include "core/training/memory/caching_allocator.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace orrery {
namespace {

std::vector<MemoryEvent> deviceMemory(const KinetoTrace& trace) {
    std::vector<MemoryEvent> events;
    std::copy_if(trace.memory.begin(), trace.memory.end(), std::back_inserter(events), [](const MemoryEvent& event) { return event.onDevice; });
    std::stable_sort(events.begin(), events.end(), [](const MemoryEvent& a, const MemoryEvent& b) { return a.when < b.when; });
    return events;
}

/// The operator that began last among those under way.
std::string operatorAt(const KinetoTrace& trace, const MemoryEvent& event) {
    const HostCall* innermost = nullptr;
    for (const HostCall& call : trace.operators) {
        const bool underWay = call.thread == event.thread && call.when.start <= event.when && event.when < call.when.end;
        if (underWay && (innermost == nullptr || call.when.start >= innermost->when.start)) innermost = &call;
    }
    return innermost != nullptr ? trace.names[innermost->name] : std::string();
}

} // namespace

std::optional<RecordedPeak> recordedPeak(const KinetoTrace& trace) {
    std::optional<RecordedPeak> peak;
    for (const MemoryEvent& event : trace.memory) {
        if (!event.onDevice) continue;
        if (!peak) peak.emplace();
        peak->allocated = std::max(peak->allocated, event.allocated);
        peak->reserved = std::max(peak->reserved, event.reserved);
    }
    return peak;
}

std::optional<BeyondMemory> firstBeyond(const KinetoTrace& trace, std::int64_t capacity) {
    const std::vector<MemoryEvent> events = deviceMemory(trace);
    // What is reserved is what the device has given; traces without it tell at least what is in use.
    const auto held = [](const MemoryEvent& event) { return std::max(event.reserved, event.allocated); };
    const auto found = std::find_if(events.begin(), events.end(), [&](const MemoryEvent& event) { return held(event) > capacity; });
    if (found == events.end()) return std::nullopt;
    return BeyondMemory{static_cast<std::size_t>(found - events.begin()), found->when - events.front().when, found->bytes, held(*found), operatorAt(trace, *found)};
}

std::optional<std::int64_t> modelledReservedPeak(const KinetoTrace& trace) {
    const std::vector<MemoryEvent> events = deviceMemory(trace);
    if (events.empty()) return std::nullopt;
    CachingAllocator allocator;
    const std::int64_t before = events.front().allocated - events.front().bytes;
    if (before > 0) (void)allocator.allocate(static_cast<std::uint64_t>(before));
    std::unordered_map<std::int64_t, CachingAllocator::Block> blocks;
    for (const MemoryEvent& event : events) {
        if (event.bytes > 0) {
            if (const auto block = allocator.allocate(static_cast<std::uint64_t>(event.bytes))) blocks[event.address] = *block;
        } else if (const auto block = blocks.find(event.address); event.bytes < 0 && block != blocks.end()) {
            allocator.free(block->second);
            blocks.erase(block);
        } // else it was given before the record began
    }
    return static_cast<std::int64_t>(allocator.reservedPeak());
}

} // namespace orrery
