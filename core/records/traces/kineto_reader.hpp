// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/model/graph.hpp"
#include "core/records/traces/intervals.hpp"

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
    bool communication = false;    ///< by the rules that sorted it (communication_rules.hpp)
    std::uint32_t stream = 0;      ///< index into KinetoTrace::streams
    std::uint32_t name = 0;        ///< index into KinetoTrace::names
    std::int64_t correlation = -1; ///< the number that its launch has as well; -1: not said
};

/// What a thread of the host called: an operator of the framework, or of the device's driver and runtime.
struct HostCall {
    static constexpr std::uint32_t noShapes = ~std::uint32_t{0};
    Interval when;            ///< ns
    std::uint32_t thread = 0; ///< index into KinetoTrace::threads
    std::uint32_t name = 0;   ///< index into KinetoTrace::names
    std::int64_t correlation = -1;
    std::uint32_t shapes = noShapes; ///< index into KinetoTrace::shapes
};

/// An event that no figure but the counts needs: annotations, Python's functions, arrows, metadata, and those whose times can't be read.
struct OtherEvent {
    Interval when;
    std::uint32_t phase = 0, category = 0, name = 0; ///< indices into KinetoTrace::names
    std::uint32_t thread = 0;                        ///< index into KinetoTrace::threads
    std::uint32_t id = noId;                         ///< of an arrow, or what metadata says; index into KinetoTrace::names
    std::uint32_t stream = noId;                     ///< that its arguments name; index into KinetoTrace::otherStreams
    bool timed = false, lasting = false;             ///< whether it says when, and for how long
    static constexpr std::uint32_t noId = ~std::uint32_t{0};
};

/// A group of ranks that communicate, as the job named it.
struct ProcessGroup {
    std::string name, description;
    std::int64_t size = 0;           ///< 0: not said
    std::vector<std::int64_t> ranks; ///< those that the record names
};

/// Memory that the framework's allocator gave or took back, and what it holds afterwards. Bytes.
struct MemoryEvent {
    std::int64_t when = 0; ///< ns
    std::uint32_t thread = 0;
    std::int64_t bytes = 0; ///< below 0: taken back
    std::int64_t address = 0, allocated = 0, reserved = 0;
    bool onDevice = false;
};

/// What a collective or send was asked to do, as the call on the host or the kernel itself says.
struct CollectiveCall {
    static constexpr std::uint32_t noEvent = ~std::uint32_t{0}, noMembers = ~std::uint32_t{0};
    Interval when;                        ///< of the call on the host
    std::uint32_t thread = 0;             ///< index into KinetoTrace::threads
    std::uint32_t deviceEvent = noEvent;  ///< the kernel that says it, which may count as computation; otherwise the call launches it
    std::uint32_t hostOperator = noEvent; ///< the operator that says it, index into KinetoTrace::operators
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t inputBytes = -1;          ///< of this rank; -1: not said
    std::uint32_t members = noMembers;     ///< index into KinetoTrace::memberLists
    std::int64_t source = -1, target = -1; ///< ranks of a send or receive; -1: not said
};

/// Events of a file that make no sense.
struct DamagedEvents {
    std::int64_t count = 0;
    std::int64_t first = 0; ///< its number in the file, from 0
    void add(std::int64_t number) {
        if (count++ == 0) first = number;
    }
};

/// What a PyTorch profiler (Kineto) wrote, in any of its dialects, or another profiler of the same device.
struct KinetoTrace {
    std::int64_t events = 0, completeEvents = 0, hostOperators = 0, flowStarts = 0, memoryEvents = 0;
    std::vector<DeviceEvent> device;
    std::vector<HostCall> runtimeCalls, operators;
    std::vector<MemoryEvent> memory;
    std::vector<CollectiveCall> collectiveCalls;
    std::vector<OtherEvent> others;                                ///< in the file's order
    std::int64_t bareEvents = 0;                                   ///< entries of the list that are no objects
    std::vector<std::string> shapes;                               ///< of operators' arguments, each list once (operator_shapes.hpp)
    std::vector<ProcessGroup> groups;                              ///< where the file names them
    std::vector<std::vector<std::int64_t>> memberLists;            ///< ranks of the groups that collectives name, rising, each list once
    std::vector<std::pair<std::string, std::string>> streams;      ///< device and stream, as written
    std::vector<std::pair<std::string, std::string>> otherStreams; ///< the same of events that may be a device's, until it is known whose they are
    std::vector<std::pair<std::string, std::string>> threads;      ///< process and thread, as written
    std::vector<std::string> names;                                ///< of events, each once
    std::vector<std::string> profilerSteps;                        ///< in the file's order
    std::optional<std::int64_t> rank, worldSize, processGroups;
    std::string backend, deviceName;   ///< empty: not said
    std::int64_t devices = 0;          ///< of the recorded machine; 0: not said
    std::int64_t deviceMemory = 0;     ///< bytes of the first of them, 0: not said
    std::int64_t deviceProcessors = 0; ///< its SMs or CUs, 0: not said
    DamagedEvents unreadable;          ///< left out: their times are no numbers
    DamagedEvents negative;            ///< durations below 0, which count as 0
};

/// What a collective's name says it does: "nccl:all_reduce", "_allgather_base", "ncclKernel_AllReduce_RING_LL"; none where it says nothing.
CollectiveKind collectiveCalled(std::string_view name);

/// What a text turned out to hold at its top.
struct TraceText {
    std::optional<KinetoTrace> kineto; ///< nothing: it has no `traceEvents`
    std::vector<std::string> keys;     ///< of the outermost object
};

/// Reads a JSON text event by event. Where the text is no sound JSON it is repaired as far as that goes, and a warning says what was repaired, what was left out
/// and where it breaks off; the events before are kept. An error says at which byte a text breaks of which nothing can be kept. Warnings say which events make no
/// sense, and what was done with them. Stopped, it gives nothing and no problem.
std::optional<TraceText> readTraceText(std::string_view text, const std::string& fileName, Problems& problems, const RunControl& control = {});

} // namespace orrery
