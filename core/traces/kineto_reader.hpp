// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/traces/intervals.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// What a device did.
enum class DeviceWork : std::uint8_t { kernel,
                                       copy,
                                       set };

/// A kernel, copy or fill of a device.
struct DeviceEvent {
    Interval when; ///< ns
    DeviceWork work = DeviceWork::kernel;
    bool communication = false;
    std::uint32_t stream = 0; ///< index into KinetoTrace::streams
};

/// What a PyTorch profiler (Kineto) wrote, in any of its dialects.
struct KinetoTrace {
    std::int64_t events = 0, completeEvents = 0, hostOperators = 0, flowStarts = 0, memoryEvents = 0;
    std::vector<DeviceEvent> device;
    std::vector<std::pair<std::string, std::string>> streams; ///< device and stream, as written
    std::vector<std::string> profilerSteps;                   ///< in the file's order
    std::optional<std::int64_t> rank, worldSize, processGroups;
    std::string backend, deviceName; ///< empty: not said
};

/// Whether a kernel's name is a collective's or a send's (NCCL, RCCL, DeepEP, NVSHMEM and others).
bool isCommunication(std::string_view kernel);

/// What a text turned out to hold at its top.
struct TraceText {
    std::optional<KinetoTrace> kineto; ///< nothing: it has no `traceEvents`
    std::vector<std::string> keys;     ///< of the outermost object
};

/// Reads a JSON text event by event. An error says at which byte the text breaks.
std::optional<TraceText> readTraceText(std::string_view text, const std::string& fileName, Problems& problems);

} // namespace orrery
