// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/trace_figures.hpp"
#include "core/base/gzip.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/records/traces/memory_snapshot.hpp"
#include "core/records/traces/nsight_reader.hpp"
#include "core/records/traces/pickle.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace orrery {
namespace {

bool looksLikeJson(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (const char c : text)
        if (!std::isspace(static_cast<unsigned char>(c))) return c == '{' || c == '[';
    return false;
}

/// Nodes of a graph name each other by their ids; what runs the graph refuses one that stands twice.
void warnOfDuplicateNodes(const Json& document, const std::string& fileName, Problems& problems) {
    if (!document.is_object()) return;
    for (const char* list : {"nodes", "workload_graph"}) {
        const auto nodes = document.find(list);
        if (nodes == document.end() || !nodes->is_array()) continue;
        std::set<std::int64_t> seen;
        std::size_t repeated = 0, first = 0;
        for (std::size_t i = 0; i < nodes->size(); ++i) {
            const Json& node = (*nodes)[i];
            if (!node.is_object()) continue;
            const auto id = node.contains("id") ? node.find("id") : node.find("Id");
            if (id != node.end() && id->is_number_integer() && !seen.insert(id->get<std::int64_t>()).second && repeated++ == 0) first = i;
        }
        if (repeated == 0) continue;
        problems.push_back(traceFault("duplicate-ids", fileName, std::to_string(repeated) + " of " + std::to_string(nodes->size()) + " nodes have the id of another, the first is " + list + "[" + std::to_string(first) + "]; all are counted, and the graph can't be run.", "Record the graph again: every node has an id of its own."));
        problems.back().severity = Severity::warning;
    }
}

/// Keys of the outermost object as far as the text goes, which may be cut off anywhere.
std::vector<std::string> outermostKeys(std::string_view text) {
    std::vector<std::string> keys;
    int depth = 0;
    bool inText = false, escaped = false, isKey = false;
    std::string last;
    for (const char c : text) {
        if (inText) {
            if (escaped) escaped = false;
            else if (c == '\\') escaped = true;
            else if (c == '"') inText = false;
            else if (depth == 1) last += c;
            continue;
        }
        switch (c) {
        case '"':
            inText = true;
            last.clear();
            isKey = depth == 1;
            break;
        case ':':
            if (isKey && depth == 1) keys.push_back(last);
            isKey = false;
            break;
        case '{':
        case '[':
            if (depth++ == 0 && c == '[') return keys; // a list has none
            break;
        case '}':
        case ']': --depth; break;
        case ',': isKey = false; break;
        default: break;
        }
    }
    return keys;
}

/// A list of Chrome's events with nothing around it.
bool isEventList(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '[' && text.substr(0, 4096).find("\"ph\"") != std::string_view::npos;
}

Problem noTrace(const std::string& fileName) {
    Problem problem;
    problem.code = "no-trace";
    problem.file = fileName;
    problem.message = "This file is no trace that is known here.";
    problem.mend = "Give JSON of PyTorch's profiler (Kineto), an execution trace of PyTorch or Chakra, a pipeline that Primus recorded, an SQLite export of Nsight Systems, or a memory snapshot or memory timeline of PyTorch; plain or packed with gzip.";
    return problem;
}

Problem brokenPackage(std::size_t bytes, const std::string& reason, const std::string& fileName) {
    return traceFault("broken-gzip", fileName, "The packed file (" + std::to_string(bytes) + " bytes) can't be read: " + reason + "; nothing of it is kept.", "Copy the file again, whole, or unpack it first.");
}

} // namespace

std::optional<std::string> unpackedTrace(std::string_view bytes, const std::string& fileName, Problems& problems) {
    if (!isGzip(bytes)) return std::string(bytes);
    std::string reason;
    auto text = inflateGzip(bytes, reason);
    if (text) return text;
    problems.push_back(brokenPackage(bytes.size(), reason, fileName));
    return std::nullopt;
}

bool looksLikeTrace(std::string_view head) {
    if (isGzip(head) || looksLikeNsight(head) || looksLikePickle(head)) return true;
    if (!looksLikeJson(head)) return chakraMessageFigures(head).has_value();
    static constexpr std::string_view known[] = {"traceEvents", "deviceProperties", "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds", "workload_graph", "device_traces"};
    bool hasSchema = false;
    for (const std::string& key : outermostKeys(head)) {
        if (key == "format") return false; // our own documents say what they are
        hasSchema |= key == "schema";
        if (hasSchema && key == "nodes") return true; // an execution trace of PyTorch
        if (std::find(std::begin(known), std::end(known), key) != std::end(known)) return true;
    }
    return isEventList(head) || looksLikeMemoryTimeline(head) || head.substr(0, 4096).find("\"fwd_start\"") != std::string_view::npos; // of pipelines that Primus recorded
}

namespace {

/// What a file holds, unpacked where it is packed. `broken` says that the package is damaged and only its beginning could be had.
struct TraceBytes {
    std::optional<std::string> unpacked; // a large plain file isn't copied
    std::string_view text;
    std::optional<Problem> broken;
};

std::optional<TraceBytes> bytesOf(std::string_view bytes, const std::string& fileName, Problems& problems) {
    TraceBytes read;
    read.text = bytes;
    if (!isGzip(bytes)) return read;
    std::string reason, before;
    read.unpacked = inflateGzip(bytes, reason, std::size_t{1} << 30, &before);
    if (!read.unpacked) {
        Problem problem = brokenPackage(bytes.size(), reason, fileName);
        // Events stand one after another: those before the damage are whole.
        if (!looksLikeJson(before)) {
            problems.push_back(std::move(problem));
            return std::nullopt;
        }
        read.unpacked = std::move(before);
        read.broken = std::move(problem);
    }
    read.text = *read.unpacked;
    return read;
}

/// The events of a text. Of a damaged package they are all that can be kept.
std::optional<TraceText> textOf(const TraceBytes& read, const std::string& fileName, Problems& problems, const RunControl& control = {}) {
    if (!read.broken) return readTraceText(read.text, fileName, problems, control);
    Problems found;
    auto text = readTraceText(read.text, fileName, found, control);
    if (!text || !text->kineto) {
        if (!control.stop.stop_requested()) problems.push_back(*read.broken);
        return std::nullopt;
    }
    problems.push_back(*read.broken);
    problems.back().severity = Severity::warning;
    const std::string none = "; nothing of it is kept.";
    std::string& message = problems.back().message;
    if (message.ends_with(none)) message.replace(message.size() - none.size(), none.size(), "; what came before is kept.");
    problems.insert(problems.end(), found.begin(), found.end());
    return text;
}

std::optional<MemoryTimeline> timelineIn(std::string_view text) {
    if (!looksLikeMemoryTimeline(text)) return std::nullopt;
    return readMemoryTimeline(Json::parse(text, nullptr, false));
}

} // namespace

std::optional<KinetoTrace> readDeviceTrace(std::string_view bytes, const std::string& fileName, Problems& problems, const RunControl& control) {
    const auto content = bytesOf(bytes, fileName, problems);
    if (!content) return std::nullopt;
    const std::string_view text = content->text;
    if (looksLikeNsight(text)) return readNsight(text, fileName, problems);
    if (looksLikePickle(text)) {
        const auto snapshot = readMemorySnapshot(text, fileName, problems);
        return snapshot ? std::optional(snapshotTrace(*snapshot)) : std::nullopt;
    }
    if (const auto timeline = timelineIn(text)) return timelineTrace(*timeline);
    auto read = textOf(*content, fileName, problems, control);
    if (!read) return std::nullopt;
    if (read->kineto) return std::move(read->kineto);
    if (std::find(read->keys.begin(), read->keys.end(), "segments") != read->keys.end()) {
        const auto snapshot = readMemorySnapshot(Json::parse(text, nullptr, false), fileName, problems);
        return snapshot ? std::optional(snapshotTrace(*snapshot)) : std::nullopt;
    }
    Problem problem;
    problem.code = "no-kineto-trace";
    problem.file = fileName;
    problem.message = "\"" + fileName + "\" has no \"traceEvents\": it is no trace of PyTorch's profiler.";
    problem.mend = "Give what export_chrome_trace of torch.profiler wrote.";
    problems.push_back(std::move(problem));
    return std::nullopt;
}

std::optional<Json> traceFigures(std::string_view bytes, const std::string& fileName, Problems& problems, const CommunicationRules& rules) {
    const auto content = bytesOf(bytes, fileName, problems);
    if (!content) return std::nullopt;
    const std::string_view text = content->text;
    if (looksLikeNsight(text)) {
        auto trace = readNsight(text, fileName, problems);
        if (!trace) return std::nullopt;
        sortKernels(*trace, rules);
        Json figures = kinetoFigures(*trace);
        figures["kind"] = "nsight-sqlite";
        return figures;
    }
    if (looksLikePickle(text)) {
        // A message of Chakra may begin with these bytes too.
        if (auto messages = chakraMessageFigures(text)) return messages;
        const auto snapshot = readMemorySnapshot(text, fileName, problems);
        return snapshot ? std::optional(snapshotFigures(*snapshot)) : std::nullopt;
    }
    if (!looksLikeJson(text)) {
        auto figures = chakraMessageFigures(text);
        if (!figures) problems.push_back(noTrace(fileName));
        return figures;
    }
    if (const auto timeline = timelineIn(text)) return timelineFigures(*timeline);
    auto read = textOf(*content, fileName, problems);
    if (!read) return std::nullopt;
    if (read->kineto) {
        sortKernels(*read->kineto, rules);
        return kinetoFigures(*read->kineto);
    }
    const Json document = Json::parse(text, nullptr, false);
    if (std::find(read->keys.begin(), read->keys.end(), "segments") != read->keys.end()) {
        const auto snapshot = readMemorySnapshot(document, fileName, problems);
        return snapshot ? std::optional(snapshotFigures(*snapshot)) : std::nullopt;
    }
    warnOfDuplicateNodes(document, fileName, problems);
    auto figures = documentFigures(document);
    if (!figures) problems.push_back(noTrace(fileName));
    return figures;
}

namespace {

Json orNull(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(); }
Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// Kernels of communication by start; equal starts in the file's order.
std::vector<Interval> communicationOf(const KinetoTrace& trace) {
    std::vector<Interval> all;
    for (const DeviceEvent& event : trace.device)
        if (event.communication) all.push_back(event.when);
    std::stable_sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    return all;
}

Json collectiveFigure(std::size_t index, const std::vector<std::pair<std::int64_t, Interval>>& members) {
    Interval first = members.front().second, last = first;
    std::int64_t shortest = first.end - first.start, longest = shortest, latest = members.front().first;
    for (const auto& [rank, when] : members) {
        first.start = std::min(first.start, when.start);
        first.end = std::min(first.end, when.end);
        if (when.start > last.start) latest = rank;
        last.start = std::max(last.start, when.start);
        last.end = std::max(last.end, when.end);
        shortest = std::min(shortest, when.end - when.start);
        longest = std::max(longest, when.end - when.start);
    }
    return {{"index", index}, {"arrival_skew_us", microsecondsJson(last.start - first.start)}, {"end_skew_us", microsecondsJson(last.end - first.end)}, {"shortest_us", microsecondsJson(shortest)}, {"longest_us", microsecondsJson(longest)}, {"last_to_arrive", latest}};
}

} // namespace

Json kinetoFigures(const KinetoTrace& trace) {
    std::vector<Interval> kernels, communication, computation, all;
    std::int64_t copies = 0, sets = 0, sum = 0;
    std::set<std::uint32_t> kernelStreams, deviceStreams;
    std::map<std::string, std::int64_t> perStream;
    for (const DeviceEvent& event : trace.device) {
        all.push_back(event.when);
        deviceStreams.insert(event.stream);
        if (event.work == DeviceWork::copy) ++copies;
        if (event.work == DeviceWork::set) ++sets;
        if (event.work != DeviceWork::kernel) continue;
        kernels.push_back(event.when);
        (event.communication ? communication : computation).push_back(event.when);
        kernelStreams.insert(event.stream);
        ++perStream[trace.streams[event.stream].second];
        sum += event.when.end - event.when.start;
    }
    const std::int64_t busy = coveredBy(kernels), compute = coveredBy(computation), communicating = coveredBy(communication);
    Json streams = Json::object();
    for (const auto& [stream, count] : perStream) streams[stream] = count;
    return {{"kind", "kineto"},
            {"device", orNull(trace.deviceName)},
            {"backend", orNull(trace.backend)},
            {"rank", orNull(trace.rank)},
            {"world_size", orNull(trace.worldSize)},
            {"process_groups", orNull(trace.processGroups)},
            {"events", trace.events},
            {"complete_events", trace.completeEvents},
            {"cpu_ops", trace.hostOperators},
            {"flow_starts", trace.flowStarts},
            {"kernels", kernels.size()},
            {"comm_kernels", communication.size()},
            {"memcpys", copies},
            {"memsets", sets},
            {"kernel_streams", kernelStreams.size()},
            {"device_streams", deviceStreams.size()},
            {"kernels_per_stream", std::move(streams)},
            {"gpu_span_us", microsecondsJson(spanOf(kernels))},
            {"device_span_us", microsecondsJson(spanOf(all))},
            {"busy_us", microsecondsJson(busy)},
            {"compute_union_us", microsecondsJson(compute)},
            {"comm_union_us", microsecondsJson(communicating)},
            {"overlapped_us", microsecondsJson(compute + communicating - busy)},
            {"exposed_comm_us", microsecondsJson(busy - compute)},
            {"kernel_time_sum_us", microsecondsJson(sum)},
            {"memory_events", trace.memoryEvents},
            {"profiler_steps", trace.profilerSteps}};
}

std::optional<Json> collectiveFigures(const std::vector<KinetoTrace>& ranks) {
    std::map<std::int64_t, std::vector<Interval>> byRank;
    for (const KinetoTrace& trace : ranks)
        if (!trace.rank || !byRank.emplace(*trace.rank, communicationOf(trace)).second) return std::nullopt;
    if (byRank.size() < 2) return std::nullopt;
    const std::size_t count = byRank.begin()->second.size();
    const bool alike = std::all_of(byRank.begin(), byRank.end(), [&](const auto& rank) { return rank.second.size() == count; });
    if (!alike || count == 0) return std::nullopt;
    Json collectives = Json::array();
    std::int64_t firstArrival = std::numeric_limits<std::int64_t>::max(), lastEnd = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::pair<std::int64_t, Interval>> members;
        members.reserve(byRank.size());
        for (const auto& [rank, kernels] : byRank) members.emplace_back(rank, kernels[i]);
        collectives.push_back(collectiveFigure(i, members));
        for (const auto& [rank, when] : members) {
            if (i == 0) firstArrival = std::min(firstArrival, when.start);
            lastEnd = std::max(lastEnd, when.end);
        }
    }
    return Json{{"ranks", byRank.size()}, {"collectives", std::move(collectives)}, {"first_arrival_to_last_end_us", microsecondsJson(lastEnd - firstArrival)}};
}

} // namespace orrery
