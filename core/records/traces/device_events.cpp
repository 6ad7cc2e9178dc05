// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/device_events.hpp"

#include "core/base/text.hpp"
#include "core/records/traces/communication_rules.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery {
namespace {

std::string inSmallLetters(std::string_view text) {
    std::string small(text);
    small = lowered(std::move(small));
    return small;
}

bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

/// Whether one of the words stands in the text with no letter beside it: "gpu" in "/device:gpu:0" and "gpu0", not in "gpus".
bool hasWord(std::string_view small, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        for (std::size_t at = small.find(word); at != std::string_view::npos; at = small.find(word, at + 1)) {
            const std::size_t behind = at + word.size();
            if ((at == 0 || !isLetter(small[at - 1])) && (behind == small.size() || !isLetter(small[behind]))) return true;
        }
        return false;
    });
}

bool hasPart(std::string_view small, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return small.find(part) != std::string_view::npos; });
}

enum class Role : std::uint8_t { unknown,
                                 host,
                                 operators,     ///< of PyTorch's autograd profiler
                                 communication, ///< what a device's streams show as well, in more detail
                                 device };

/// What a process is by its name.
Role roleOf(std::string_view name) {
    const std::string small = inSmallLetters(name);
    if (hasWord(small, {"cpu functions"})) return Role::operators;
    if (hasWord(small, {"host", "cpu", "python", "cann", "overlap analysis", "api", "runtime", "driver"})) return Role::host;
    if (hasWord(small, {"communication", "hccl"})) return Role::communication;
    if (hasWord(small, {"gpu", "npu", "tpu", "xpu", "hpu", "mlu", "musa", "mtia", "cuda", "hip", "rocm", "neuron", "gaudi", "ascend hardware", "device", "accelerator"})) return Role::device;
    return Role::unknown;
}

/// Rows that a profiler derives from others: their events would count twice.
bool isDerivedRow(std::string_view thread) {
    return hasPart(inSmallLetters(thread), {"steps", "xla modules", "xla traceme", "name scope", "tensorflow ops", "framework ops", "source code", "launch stats"});
}

/// Categories that kernels don't have, whatever their arguments say.
bool isNoWork(std::string_view category) {
    return hasPart(inSmallLetters(category), {"annotation", "sync", "overhead", "python", "runtime", "driver", "instant", "cpu_op", "operator", "cuda_event", "user"});
}

/// Marks on a stream at which it waits for another one.
bool isWait(std::string_view name) {
    const std::string small = inSmallLetters(name);
    for (const std::string_view mark : {"event_wait", "event_record", "notify_wait", "notify_record"})
        if (small.starts_with(mark)) return true;
    return false;
}

DeviceWork workNamed(std::string_view name) {
    const std::string small = inSmallLetters(name);
    if (small.starts_with("memcpy")) return DeviceWork::copy;
    if (small.starts_with("memset")) return DeviceWork::set;
    return DeviceWork::kernel;
}

using Texts = std::pair<std::string, std::string>;

class DeviceFinder {
public:
    explicit DeviceFinder(KinetoTrace& trace) : trace_(trace) {
        for (std::uint32_t i = 0; i < trace.streams.size(); ++i) streams_.emplace(trace.streams[i], i);
        for (const OtherEvent& event : trace.others) readNames(event);
    }

    void run() {
        std::vector<OtherEvent> kept;
        std::vector<const OtherEvent*> alsoSeen;
        kept.reserve(trace_.others.size());
        std::vector<bool> taken(trace_.others.size(), false);
        for (std::size_t i = 0; i < trace_.others.size(); ++i) {
            const OtherEvent& event = trace_.others[i];
            if (!mayBeWork(event)) continue;
            const Role role = roleIn(event);
            if (role == Role::device) taken[i] = addWork(event);
            else if (role == Role::operators) taken[i] = addOperator(event);
        }
        for (std::size_t i = 0; i < trace_.others.size(); ++i)
            if (!taken[i] && mayBeWork(trace_.others[i]) && roleIn(trace_.others[i]) == Role::communication) taken[i] = addCommunication(trace_.others[i]);
        for (std::size_t i = 0; i < trace_.others.size(); ++i)
            if (!taken[i]) kept.push_back(trace_.others[i]);
        trace_.others = std::move(kept);
    }

private:
    const std::string& text(std::uint32_t name) const { return trace_.names[name]; }
    const Texts& threadOf(const OtherEvent& event) const { return trace_.threads[event.thread]; }

    void readNames(const OtherEvent& event) {
        if (text(event.phase) != "M" || event.id == OtherEvent::noId) return;
        const std::string& said = text(event.id);
        const std::string& kind = text(event.name);
        const Texts& thread = threadOf(event);
        if (kind == "process_name") processNames_[thread.first] = roleOf(said);
        else if (kind == "process_labels") processLabels_[thread.first] = roleOf(said);
        else if (kind == "thread_name") {
            const std::string small = inSmallLetters(said);
            threadNames_[thread] = small;
            if (hasWord(small, {"stream"})) hasStreams_.insert(thread.first);
            if (hasPart(small, {"xla ops"})) hasOps_.insert(thread.first);
        }
    }

    bool mayBeWork(const OtherEvent& event) const { return text(event.phase) == "X" && event.timed && event.lasting && !isNoWork(text(event.category)) && !isWait(text(event.name)); }

    Role roleOfProcess(const std::string& process) const {
        if (const auto label = processLabels_.find(process); label != processLabels_.end() && label->second != Role::unknown) return label->second;
        const auto name = processNames_.find(process);
        return name != processNames_.end() ? name->second : roleOf(process);
    }

    Role roleIn(const OtherEvent& event) const {
        const auto& [process, thread] = threadOf(event);
        const Role role = roleOfProcess(process);
        if (role == Role::unknown) return event.stream != OtherEvent::noId || hasWord(inSmallLetters(text(event.category)), {"gpu", "npu", "tpu", "xpu", "hpu", "mtia", "cuda", "device", "computing"}) ? Role::device : Role::unknown;
        if (role != Role::device) return role;
        const auto named = threadNames_.find({process, thread});
        const std::string_view name = named == threadNames_.end() ? std::string_view() : std::string_view(named->second);
        if (hasStreams_.contains(process)) return hasWord(name, {"stream"}) ? Role::device : Role::unknown;
        if (hasOps_.contains(process)) return hasPart(name, {"xla ops"}) ? Role::device : Role::unknown;
        return isDerivedRow(name) ? Role::unknown : Role::device;
    }

    bool addWork(const OtherEvent& event) {
        const Texts where = event.stream == OtherEvent::noId ? threadOf(event) : trace_.otherStreams[event.stream];
        const auto [stream, isNew] = streams_.emplace(where, static_cast<std::uint32_t>(trace_.streams.size()));
        if (isNew) trace_.streams.push_back(where);
        const DeviceWork work = workNamed(text(event.name));
        trace_.device.push_back({event.when, work, work == DeviceWork::kernel && isCommunication(text(event.name)), stream->second, event.name, -1});
        shown_.emplace(event.when.start, event.when.end, event.name);
        return true;
    }
    bool addCommunication(const OtherEvent& event) {
        if (!isCommunication(text(event.name)) || shown_.contains({event.when.start, event.when.end, event.name})) return false;
        return addWork(event);
    }
    bool addOperator(const OtherEvent& event) {
        trace_.operators.push_back({event.when, event.thread, event.name, -1, HostCall::noShapes});
        ++trace_.hostOperators;
        return true;
    }

    KinetoTrace& trace_;
    std::map<Texts, std::uint32_t> streams_;
    std::map<std::string, Role> processNames_, processLabels_; ///< by the process's number
    std::map<Texts, std::string> threadNames_;                 ///< by process and thread, in small letters
    std::set<std::string> hasStreams_, hasOps_;                ///< processes with rows of that kind
    std::set<std::tuple<std::int64_t, std::int64_t, std::uint32_t>> shown_;
};

} // namespace

std::optional<DeviceWork> deviceWorkOf(std::string_view category) {
    const std::string small = inSmallLetters(category);
    if (small.ends_with("memcpy")) return DeviceWork::copy;
    if (small.ends_with("memset")) return DeviceWork::set;
    if (small == "kernel" || small.ends_with("_kernel") || small == "mtia_ccp_events" || small == "hpu_op") return DeviceWork::kernel;
    return std::nullopt;
}

bool isRuntimeCategory(std::string_view category) {
    const std::string small = inSmallLetters(category);
    return small.ends_with("runtime") || small.ends_with("driver");
}

void recogniseDevices(KinetoTrace& trace) {
    const bool hasKernels = std::any_of(trace.device.begin(), trace.device.end(), [](const DeviceEvent& event) { return event.work == DeviceWork::kernel; });
    if (!hasKernels) DeviceFinder(trace).run();
    trace.otherStreams.clear();
}

} // namespace orrery
