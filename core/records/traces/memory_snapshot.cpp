// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/memory_snapshot.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/records/traces/pickle.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery {
namespace {

constexpr std::int64_t mostTimelineBytes = std::int64_t{1} << 50; ///< of one tensor or category; sums of many still fit
constexpr std::int64_t farthest = 3'000'000'000'000'000;          ///< µs, a century

/// A whole number no farther from 0 than `most`.
std::optional<std::int64_t> wholeWithin(const Json& value, std::int64_t most) {
    if (!value.is_number()) return std::nullopt;
    const double number = value.get<double>();
    if (!(number >= -static_cast<double>(most) && number <= static_cast<double>(most))) return std::nullopt;
    return value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(number);
}

std::optional<MemoryTimeline> coalesced(const Json& times, const Json& sizes) {
    if (!times.is_array() || !sizes.is_array() || times.size() != sizes.size()) return std::nullopt;
    MemoryTimeline timeline;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto when = wholeWithin(times[i], farthest);
        if (!when || !sizes[i].is_array()) return std::nullopt;
        MemoryTimeline::Moment moment;
        moment.when = *when * 1000;
        const std::size_t skipped = sizes[i].size() > memoryCategories.size() ? 1 : 0; // the column that plots begin at is always 0
        for (std::size_t category = 0; category < memoryCategories.size() && category + skipped < sizes[i].size(); ++category) {
            const auto bytes = wholeWithin(sizes[i][category + skipped], mostTimelineBytes);
            if (!bytes) return std::nullopt;
            moment.bytes[category] = *bytes;
        }
        timeline.moments.push_back(moment);
    }
    timeline.events = static_cast<std::int64_t>(times.size());
    return timeline;
}

std::optional<MemoryTimeline> raw(const Json& entries) {
    constexpr std::size_t members = 4;
    MemoryTimeline timeline;
    MemoryTimeline::Moment moment;
    bool any = false;
    for (const Json& entry : entries) {
        if (!entry.is_array() || entry.size() != members) return std::nullopt;
        const auto when = wholeWithin(entry[0], farthest * 1000), bytes = wholeWithin(entry[2], mostTimelineBytes), category = wholeWithin(entry[3], static_cast<std::int64_t>(memoryCategories.size()) - 1);
        if (!when || !bytes || !category || *category < 0) return std::nullopt;
        if (any && *when != moment.when) timeline.moments.push_back(moment);
        any = true;
        moment.when = *when;
        std::int64_t& held = moment.bytes[static_cast<std::size_t>(*category)];
        held = std::clamp(held + *bytes, -mostTimelineBytes, mostTimelineBytes);
        ++timeline.events;
    }
    if (any) timeline.moments.push_back(moment);
    // What was there before the record has the time −1.
    const auto known = std::find_if(timeline.moments.begin(), timeline.moments.end(), [](const auto& one) { return one.when >= 0; });
    for (auto& one : timeline.moments)
        if (one.when < 0) one.when = known == timeline.moments.end() ? 0 : known->when;
    return timeline;
}

} // namespace

std::int64_t MemoryTimeline::Moment::total() const { return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}); }

bool looksLikeMemoryTimeline(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto next = [&text] {
        const std::size_t at = text.find_first_not_of(" \t\r\n");
        const char found = at == std::string_view::npos ? '\0' : text[at];
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
        return found;
    };
    if (next() != '[' || next() != '[') return false;
    const char first = next();
    return first == ']' || first == '-' || (first >= '0' && first <= '9');
}

std::optional<MemoryTimeline> readMemoryTimeline(const Json& document) {
    if (!document.is_array() || document.empty()) return std::nullopt;
    auto timeline = document.size() == 2 && document[0].is_array() && document[1].is_array() ? coalesced(document[0], document[1]) : std::nullopt;
    if (!timeline) timeline = raw(document);
    if (timeline) std::stable_sort(timeline->moments.begin(), timeline->moments.end(), [](const auto& a, const auto& b) { return a.when < b.when; });
    return timeline;
}

Json timelineFigures(const MemoryTimeline& timeline) {
    const auto peak = std::max_element(timeline.moments.begin(), timeline.moments.end(), [](const auto& a, const auto& b) { return a.total() < b.total(); });
    const auto parts = [](const MemoryTimeline::Moment& moment) {
        Json list = Json::object();
        for (std::size_t i = 0; i < memoryCategories.size(); ++i) list[memoryCategories[i]] = moment.bytes[i];
        return list;
    };
    const bool any = peak != timeline.moments.end();
    return {{"kind", "pytorch-memory-timeline"},
            {"events", timeline.events},
            {"span_us", any ? microsecondsJson(timeline.moments.back().when - timeline.moments.front().when) : Json()},
            {"peak_bytes", any ? Json(peak->total()) : Json()},
            {"peak_at_us", any ? microsecondsJson(peak->when) : Json()},
            {"at_peak_bytes", any ? parts(*peak) : Json()},
            {"at_end_bytes", any ? parts(timeline.moments.back()) : Json()}};
}

KinetoTrace timelineTrace(const MemoryTimeline& timeline) {
    KinetoTrace trace;
    trace.threads.emplace_back();
    std::int64_t before = 0;
    for (const MemoryTimeline::Moment& moment : timeline.moments) {
        const std::int64_t total = moment.total();
        MemoryEvent event;
        event.when = moment.when;
        event.bytes = total - before;
        event.allocated = event.reserved = total;
        event.onDevice = true;
        trace.memory.push_back(event);
        before = total;
    }
    trace.memoryEvents = trace.events = static_cast<std::int64_t>(trace.memory.size());
    return trace;
}

namespace {

constexpr std::size_t mostDevices = 1024;
constexpr std::int64_t mostBytes = std::int64_t{1} << 50; ///< of one block; sums of many still fit

Problem snapshotProblem(Severity severity, std::string code, const std::string& fileName, std::string message, std::string mend) {
    Problem problem;
    problem.severity = severity;
    problem.code = std::move(code);
    problem.file = fileName;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

class SnapshotReader {
public:
    explicit SnapshotReader(const Pickle& pickle) : pickle_(pickle) {}

    /// Nothing: it is no snapshot.
    std::optional<MemorySnapshot> read() {
        const auto segments = pickle_.member(pickle_.root, "segments");
        if (!segments) return std::nullopt;
        for (const Pickle::Id segment : pickle_.items(*segments)) addSegment(segment);
        if (const auto histories = pickle_.member(pickle_.root, "device_traces")) {
            const std::vector<Pickle::Id>& devices = pickle_.items(*histories);
            for (std::size_t i = 0; i < std::min(devices.size(), mostDevices); ++i)
                if (!pickle_.items(devices[i]).empty()) addHistory(device(static_cast<std::int64_t>(i)), devices[i]);
        }
        return std::move(snapshot_);
    }
    std::int64_t inconsistent() const { return inconsistent_; }

private:
    SnapshotDevice& device(std::int64_t number) {
        const auto place = static_cast<std::size_t>(std::clamp<std::int64_t>(number, 0, mostDevices - 1));
        if (place >= snapshot_.devices.size()) snapshot_.devices.resize(place + 1);
        return snapshot_.devices[place];
    }
    std::int64_t bytesOf(Pickle::Id dict, std::string_view key) const { return std::clamp<std::int64_t>(pickle_.wholeMember(dict, key), 0, mostBytes); }

    void addSegment(Pickle::Id segment) {
        if (pickle_.at(segment).kind != Pickle::Kind::dict) return;
        SnapshotDevice& to = device(pickle_.wholeMember(segment, "device"));
        ++to.segments;
        to.reserved += bytesOf(segment, "total_size");
        const auto blocks = pickle_.member(segment, "blocks");
        if (!blocks) {
            to.allocated += bytesOf(segment, "allocated_size");
            return;
        }
        for (const Pickle::Id block : pickle_.items(*blocks)) {
            ++to.blocks;
            if (pickle_.textMember(block, "state") != "active_allocated") continue;
            to.allocated += bytesOf(block, "size");
            to.requested += pickle_.member(block, "requested_size") ? bytesOf(block, "requested_size") : bytesOf(block, "size");
        }
    }

    /// What an event adds to what was asked for, and to what is reserved.
    static std::pair<std::int64_t, std::int64_t> changeOf(std::string_view action, std::int64_t size) {
        if (action == "alloc") return {size, 0};
        if (action == "free_requested") return {-size, 0};
        if (action == "segment_alloc" || action == "segment_map") return {0, size};
        if (action == "segment_free" || action == "segment_unmap") return {0, -size};
        return {0, 0}; // free_completed follows free_requested; oom and snapshot change nothing
    }

    /// The history ends with what the segments hold, so it is gone through from its end.
    void addHistory(SnapshotDevice& to, Pickle::Id history) {
        std::int64_t requested = to.requested, reserved = to.reserved;
        const std::vector<Pickle::Id>& entries = pickle_.items(history);
        for (std::size_t i = entries.size(); i-- > 0;) {
            const Pickle::Id entry = entries[i];
            const std::string_view action = pickle_.textMember(entry, "action");
            ++to.actions[std::string(action)];
            const auto [asked, given] = changeOf(action, bytesOf(entry, "size"));
            if (asked == 0 && given == 0) continue;
            MemoryEvent event;
            constexpr std::int64_t century = 3'000'000'000'000'000;
            event.when = std::clamp(pickle_.wholeMember(entry, "time_us"), -century, century) * 1000;
            event.bytes = asked;
            event.address = pickle_.wholeMember(entry, "addr");
            event.allocated = requested;
            event.reserved = reserved;
            event.onDevice = true;
            to.events.push_back(event);
            requested -= asked;
            reserved -= given;
            if (requested < 0 || reserved < 0) ++inconsistent_;
        }
        std::reverse(to.events.begin(), to.events.end());
        to.requestedBefore = requested;
        to.reservedBefore = reserved;
    }

    const Pickle& pickle_;
    MemorySnapshot snapshot_;
    std::int64_t inconsistent_ = 0; ///< moments of the history with less than nothing
};

/// Values of JSON as a pickle's; texts are those of the document. False where it nests too deep.
bool addValue(const Json& value, Pickle& to, Pickle::Id& id, int depth = 0) {
    constexpr int deepestSnapshot = 64;
    if (depth > deepestSnapshot) return false;
    Pickle::Value made;
    if (value.is_boolean()) made = {Pickle::Kind::boolean, value.get<bool>() ? 1 : 0, 0, {}};
    else if (value.is_number_integer()) made = {Pickle::Kind::whole, value.get<std::int64_t>(), 0, {}};
    else if (value.is_number()) made = {Pickle::Kind::real, 0, value.get<double>(), {}};
    else if (value.is_string()) made = {Pickle::Kind::text, 0, 0, value.get_ref<const std::string&>()};
    else if (value.is_structured()) {
        std::vector<Pickle::Id> list;
        for (const auto& [key, item] : value.items()) {
            if (value.is_object()) {
                list.push_back(static_cast<Pickle::Id>(to.values.size()));
                to.values.push_back({Pickle::Kind::text, 0, 0, key});
            }
            Pickle::Id held = 0;
            if (!addValue(item, to, held, depth + 1)) return false;
            list.push_back(held);
        }
        made = {value.is_object() ? Pickle::Kind::dict : Pickle::Kind::list, static_cast<std::int64_t>(to.lists.size()), 0, {}};
        to.lists.push_back(std::move(list));
    }
    id = static_cast<Pickle::Id>(to.values.size());
    to.values.push_back(made);
    return true;
}

std::optional<MemorySnapshot> snapshotOf(const Pickle& pickle, const char* what, const std::string& fileName, Problems& problems) {
    SnapshotReader reader(pickle);
    auto snapshot = reader.read();
    if (!snapshot) problems.push_back(snapshotProblem(Severity::error, "no-snapshot", fileName, "This " + std::string(what) + " is no memory snapshot: it has no \"segments\".", "Give what torch.cuda.memory._dump_snapshot wrote."));
    else if (reader.inconsistent() > 0)
        problems.push_back(snapshotProblem(Severity::warning, "inconsistent-history", fileName, "At " + std::to_string(reader.inconsistent()) + " events of the history less than nothing is held: the snapshot and its history don't fit together. All events are kept.", "Take the snapshot again, with a longer history."));
    return snapshot;
}

} // namespace

std::optional<MemorySnapshot> readMemorySnapshot(const Json& document, const std::string& fileName, Problems& problems) {
    Pickle values;
    if (addValue(document, values, values.root)) return snapshotOf(values, "document", fileName, problems);
    problems.push_back(snapshotProblem(Severity::error, "too-deep", fileName, "In the snapshot lists and objects stand too deep in each other.", "Give what torch.cuda.memory._snapshot() returned."));
    return std::nullopt;
}

std::optional<MemorySnapshot> readMemorySnapshot(std::string_view bytes, const std::string& fileName, Problems& problems) {
    PickleFault fault;
    const auto pickle = readPickle(bytes, fault);
    if (!pickle) {
        problems.push_back(snapshotProblem(Severity::error, "broken-pickle", fileName, "The pickle can't be read at byte " + std::to_string(fault.offset) + ": " + fault.message + " Nothing of it was executed, and nothing is kept.", "Give what torch.cuda.memory._dump_snapshot wrote, whole."));
        return std::nullopt;
    }
    return snapshotOf(*pickle, "pickle", fileName, problems);
}

Json snapshotFigures(const MemorySnapshot& snapshot) {
    Json devices = Json::array();
    for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
        const SnapshotDevice& device = snapshot.devices[i];
        if (device.segments == 0 && device.actions.empty()) continue;
        std::int64_t requestedPeak = std::max(device.requested, device.requestedBefore), reservedPeak = std::max(device.reserved, device.reservedBefore);
        for (const MemoryEvent& event : device.events) {
            requestedPeak = std::max(requestedPeak, event.allocated);
            reservedPeak = std::max(reservedPeak, event.reserved);
        }
        Json actions = Json::object();
        for (const auto& [action, count] : device.actions) actions[action] = count;
        devices.push_back({{"device", i}, {"segments", device.segments}, {"blocks", device.blocks}, {"reserved_bytes", device.reserved}, {"allocated_bytes", device.allocated}, {"requested_bytes", device.requested}, {"reserved_peak_bytes", reservedPeak}, {"requested_peak_bytes", requestedPeak}, {"actions", std::move(actions)}});
    }
    return {{"kind", "pytorch-memory-snapshot"}, {"devices", std::move(devices)}};
}

KinetoTrace snapshotTrace(const MemorySnapshot& snapshot) {
    KinetoTrace trace;
    const auto busiest = std::max_element(snapshot.devices.begin(), snapshot.devices.end(), [](const SnapshotDevice& a, const SnapshotDevice& b) { return a.events.size() < b.events.size(); });
    if (busiest == snapshot.devices.end()) return trace;
    trace.memory = busiest->events;
    trace.memoryEvents = trace.events = static_cast<std::int64_t>(trace.memory.size());
    trace.threads.emplace_back();
    return trace;
}

} // namespace orrery
