// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/held_memory.hpp"

#include <atomic>
#include <cstring>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

namespace orrery::live {
namespace {

std::atomic<std::uint64_t> bytesHeld{0}, peakBytesHeld{0}, placedPeakBytes{0};
std::atomic<std::uint32_t> placeOfPeak{0};
std::uint32_t (*findPlace)() = nullptr;
void (*tellOfLimit)(const std::string& text) = nullptr;
std::uint64_t mostBytesHeld = 0; ///< bytes; 0: no limit

/// Stands before each allocation and says its size; as long as the alignment that PyTorch promises.
constexpr std::size_t headBytes = 64;

void notePeak(std::uint64_t now) {
    std::uint64_t highest = peakBytesHeld.load(std::memory_order_relaxed);
    while (now > highest && !peakBytesHeld.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {}
    if (now <= highest || findPlace == nullptr) return;
    // Finding the line costs more than the count, and a slow climb would find it again and again.
    if (now < placedPeakBytes.load(std::memory_order_relaxed) + placedPeakBytes.load(std::memory_order_relaxed) / 1000 + 1) return;
    placedPeakBytes.store(now, std::memory_order_relaxed);
    placeOfPeak.store(findPlace(), std::memory_order_relaxed);
}

void refuse(std::uint64_t asked) {
    const std::uint64_t held = bytesHeld.load(std::memory_order_relaxed);
    const std::string text = "tensors hold " + std::to_string(held) + " bytes, and " + std::to_string(asked) + " more go beyond the " + std::to_string(mostBytesHeld) + " of the device";
    if (tellOfLimit != nullptr) tellOfLimit(text);
    TORCH_CHECK_WITH(OutOfMemoryError, false, "orrery-run: out of memory: ", text);
}

void freeCounted(void* data) {
    if (data == nullptr) return;
    char* head = static_cast<char*>(data) - headBytes;
    std::uint64_t size = 0;
    std::memcpy(&size, head, sizeof(size));
    bytesHeld.fetch_sub(size, std::memory_order_relaxed);
    c10::GetDefaultCPUAllocator()->raw_deallocate(head);
}

class CountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t size) const override {
        if (size == 0) return {nullptr, nullptr, &freeCounted, c10::Device(c10::DeviceType::CPU)};
        if (mostBytesHeld > 0 && bytesHeld.load(std::memory_order_relaxed) + size > mostBytesHeld) refuse(size);
        char* head = static_cast<char*>(c10::GetDefaultCPUAllocator()->raw_allocate(size + headBytes));
        const std::uint64_t counted = size;
        std::memcpy(head, &counted, sizeof(counted));
        notePeak(bytesHeld.fetch_add(counted, std::memory_order_relaxed) + counted);
        char* data = head + headBytes;
        return {data, data, &freeCounted, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &freeCounted; }
};

} // namespace

void watchMemory(std::uint64_t limit, std::uint32_t (*placeOf)(), void (*tellBeyond)(const std::string& text)) {
    static CountingAllocator counting;
    mostBytesHeld = limit;
    tellOfLimit = tellBeyond;
    findPlace = placeOf;
    c10::SetCPUAllocator(&counting, 255);
}

HeldMemory heldMemory() { return {bytesHeld.load(std::memory_order_relaxed), peakBytesHeld.load(std::memory_order_relaxed), placeOfPeak.load(std::memory_order_relaxed)}; }

void resetPeak() {
    peakBytesHeld.store(bytesHeld.load(std::memory_order_relaxed), std::memory_order_relaxed);
    placedPeakBytes.store(0, std::memory_order_relaxed);
}

} // namespace orrery::live
