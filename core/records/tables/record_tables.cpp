// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/records/comparison/kernel_matching.hpp"
#include "core/records/comparison/record_wall.hpp"
#include "core/records/tables/timeline_tables.hpp"
#include "core/records/traces/trace_figures.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace orrery {
namespace {

constexpr double nanosecond = 1e-9;

TableValue said(std::string_view text) { return text.empty() ? TableValue() : TableValue(text); }

const char* wordOf(GapKind kind) {
    switch (kind) {
    case GapKind::launch: return "launch";
    case GapKind::queued: return "queued";
    case GapKind::unknown: return "unknown";
    }
    return "";
}

class RecordWriter {
public:
    RecordWriter(const RecordedJob& job, DatabaseMaker& to) : job_(job), to_(to) {}

    void write() {
        to_.row("about", {"format", "orrery-timeline/1"});
        to_.row("about", {"source", "recorded"});
        to_.row("about", {"duration_s", static_cast<double>(job_.end - job_.begin) * nanosecond});
        for (std::size_t place = 0; place < job_.ranks.size(); ++place) writeRank(place);
    }

private:
    double secondsOf(std::size_t place, std::int64_t when) const { return static_cast<double>(job_.onClock(place, when) - job_.begin) * nanosecond; }

    void writeRank(std::size_t place) {
        const RecordedRank& rank = job_.ranks[place];
        const KinetoTrace& trace = *rank.trace;
        const auto lane = static_cast<std::int64_t>(place);
        to_.figures(kinetoFigures(trace), "/traces/" + std::to_string(place));
        to_.row("lane", {lane, rank.rank ? std::string_view(names_.emplace_back(std::to_string(*rank.rank))) : std::string_view(rank.file), "recorded", TableValue()});
        writeCalls(place, lane, trace);
        writeDevice(place, lane, trace);
        for (const MemoryEvent& event : trace.memory)
            if (event.onDevice) to_.row("memory", {lane, secondsOf(place, event.when), static_cast<double>(event.allocated), static_cast<double>(event.reserved - event.allocated)});
    }

    void writeCalls(std::size_t place, std::int64_t lane, const KinetoTrace& trace) {
        launches_.clear();
        const auto add = [&](const HostCall& call, const char* kind) {
            const auto& [process, thread] = trace.threads[call.thread];
            const std::string where = process + "/" + thread;
            to_.row("call", {calls_++, lane, where, kind, trace.names[call.name], secondsOf(place, call.when.start), secondsOf(place, call.when.end), call.shapes == HostCall::noShapes ? TableValue() : TableValue(trace.shapes[call.shapes])});
        };
        for (const HostCall& call : trace.operators) add(call, "operator");
        for (const HostCall& call : trace.runtimeCalls) {
            if (call.correlation >= 0) launches_.emplace(call.correlation, calls_);
            add(call, "runtime");
        }
    }

    std::vector<std::int64_t> arrivalsAt(std::size_t place) const {
        std::vector<std::int64_t> arrivals;
        if (job_.collectives.empty()) return arrivals;
        arrivals.assign(job_.ranks[place].trace->device.size(), noArrival);
        for (const JobCollective& collective : job_.collectives)
            if (collective.events[place] != JobCollective::noEvent) arrivals[collective.events[place]] = collective.lastArrival + job_.clockOffsets[place];
        return arrivals;
    }

    void writeDevice(std::size_t place, std::int64_t lane, const KinetoTrace& trace) {
        const std::int64_t firstStream = streams_;
        for (const auto& [device, stream] : trace.streams) {
            std::string name = device;
            name.append("/").append(stream);
            to_.row("stream", {streams_++, lane, name});
        }
        const std::vector<std::int64_t> arrivals = arrivalsAt(place);
        const RecordWall wall = wallOf(trace, arrivals);
        NameBook book;
        const std::vector<KernelPlace> places = placesOf(trace, book);
        const std::int64_t first = events_;
        for (std::size_t i = 0; i < trace.device.size(); ++i) {
            const DeviceEvent& event = trace.device[i];
            const auto launch = event.correlation < 0 ? launches_.end() : launches_.find(event.correlation);
            TableValue waits;
            if (i < arrivals.size() && arrivals[i] != noArrival) waits = static_cast<double>(std::clamp(arrivals[i], event.when.start, event.when.end) - event.when.start) * nanosecond;
            to_.row("event", {events_++, lane, firstStream + std::int64_t{event.stream}, operationOf(trace, event), secondsOf(place, event.when.start), secondsOf(place, event.when.end), static_cast<double>(wall.charged[i]) * nanosecond, waits, TableValue(), TableValue(), TableValue(), said(book.text(places[i].module)), said(book.text(places[i].op)),
                              launch == launches_.end() ? TableValue() : TableValue(launch->second)});
        }
        for (const DeviceGap& gap : wall.gaps) {
            const std::int64_t end = trace.device[gap.before].when.start;
            to_.row("gap", {gaps_++, lane, secondsOf(place, end - gap.length), secondsOf(place, end), wordOf(gap.kind), first + std::int64_t{gap.before}});
        }
    }

    /// One for each name of all ranks, sorted into computation and communication.
    std::int64_t operationOf(const KinetoTrace& trace, const DeviceEvent& event) {
        const char* kind = event.work != DeviceWork::kernel ? "copy" : event.communication ? "communication"
                                                                                           : "computation";
        const std::string& name = trace.names[event.name];
        const auto [found, isNew] = operations_.try_emplace({kind, name}, static_cast<std::int64_t>(operations_.size()));
        if (!isNew) return found->second;
        const CollectiveKind collective = event.communication ? collectiveCalled(name) : CollectiveKind::none;
        to_.row("operation", {found->second, name, kind, TableValue(), collective == CollectiveKind::none ? TableValue() : TableValue(toString(collective)), TableValue(), TableValue(), TableValue(), TableValue(), TableValue(), "measured"});
        return found->second;
    }

    const RecordedJob& job_;
    DatabaseMaker& to_;
    std::vector<std::string> names_;
    std::map<std::pair<std::string_view, std::string>, std::int64_t> operations_;
    std::unordered_map<std::int64_t, std::int64_t> launches_; ///< row of a call by the number that its kernels have
    std::int64_t streams_ = 0, events_ = 0, gaps_ = 0, calls_ = 0;
};

} // namespace

std::optional<std::string> recordDatabase(const RecordedJob& job, const Json& madeBy, std::string& fault) {
    DatabaseMaker maker;
    maker.about(madeBy);
    RecordWriter(job, maker).write();
    auto file = maker.finish();
    fault = maker.fault();
    return file;
}

} // namespace orrery
