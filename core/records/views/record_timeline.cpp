// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/record_timeline.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t mostThreads = 6;       ///< of a rank, the busiest
constexpr std::size_t mostDepth = 6;         ///< rows of a thread
constexpr std::size_t mostOverlapping = 8;   ///< rows of a stream
constexpr std::size_t mostKindsOfRows = 250; ///< a stream kind is a byte

constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

/// A row while it is filled.
struct Row {
    std::string name;
    RecordRow meaning = RecordRow::device;
    std::vector<Span> spans;
};

class RecordBuilder {
public:
    RecordBuilder(const RecordedJob& job, const RunControl& control) : job_(job), control_(control) {
        made_.timeline.kind = TimelineKind::recorded;
        made_.timeline.streamNames = {"device", "within"};
        made_.timeline.duration = secondsOf(job.end);
    }

    RecordTimeline build() {
        for (std::size_t place = 0; place < job_.ranks.size(); ++place) {
            if (control_.stop.stop_requested()) return {};
            addRank(place);
            if (control_.progress) control_.progress(static_cast<double>(place + 1) / static_cast<double>(job_.ranks.size()));
        }
        return std::move(made_);
    }

private:
    double secondsOf(std::int64_t onClock) const { return static_cast<double>(onClock - job_.begin) * 1e-9; }

    std::uint32_t operatorCalled(const std::string& name, RecordedWork work) {
        const auto [found, isNew] = operators_.emplace(std::pair(work, name), static_cast<std::uint32_t>(made_.timeline.operators.size()));
        if (!isNew) return found->second;
        TimedOperator timed;
        timed.op.name = name;
        timed.op.kind = work == RecordedWork::communication || work == RecordedWork::waiting ? OperatorKind::collective : OperatorKind::gemm;
        timed.op.phase = work == RecordedWork::communication || work == RecordedWork::waiting ? Phase::communication : Phase::forward;
        timed.source = Source::measured;
        made_.timeline.operators.push_back(std::move(timed));
        made_.timeline.works.push_back(work);
        Segment segment;
        segment.name = name;
        segment.entries.push_back({found->second, 0, 0, StreamKind::compute});
        made_.timeline.segments.push_back(std::move(segment)); // of the same number as its operator
        return found->second;
    }

    /// The same for a name of the trace at hand, which is looked up once.
    std::uint32_t operatorOf(const KinetoTrace& trace, std::uint32_t name, RecordedWork work) {
        std::uint32_t& known = known_[static_cast<std::size_t>(work)][name];
        if (known == unknown) known = operatorCalled(work == RecordedWork::waiting ? "waiting in " + trace.names[name] : trace.names[name], work);
        return known;
    }

    StreamKind kindCalled(const std::string& name) {
        StreamNames& names = made_.timeline.streamNames;
        const auto number = static_cast<std::size_t>(std::find(names.begin() + 2, names.end(), name) - names.begin());
        if (number == names.size()) names.push_back(name);
        return static_cast<StreamKind>(number);
    }

    void addRank(std::size_t place) {
        const RecordedRank& rank = job_.ranks[place];
        for (auto& names : known_) names.assign(rank.trace->names.size(), unknown);
        lastArrivals_.clear();
        for (const JobCollective& collective : job_.collectives)
            if (collective.events[place] != JobCollective::noEvent) lastArrivals_.emplace(collective.events[place], collective.lastArrival + job_.clockOffsets[place]);

        StageTimeline stage;
        stage.stage = static_cast<int>(place);
        stage.ranks = rank.rank ? std::to_string(*rank.rank) : rank.file;
        stage.role = "recorded";
        std::vector<Row> rows{summaryOf(place)};
        addDevice(place, rows);
        addHost(place, rows);
        std::vector<RecordRow> meanings;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i > 0 && made_.timeline.streamNames.size() >= mostKindsOfRows) break;
            stage.streams.push_back({i == 0 ? StreamKind::compute : kindCalled(rows[i].name), std::move(rows[i].spans)});
            meanings.push_back(rows[i].meaning);
        }
        stage.memory = memoryOf(place);
        made_.timeline.stages.push_back(std::move(stage));
        made_.rows.push_back(std::move(meanings));
    }

    /// Until when an event waits for other ranks, of its own clock; its start where it doesn't.
    std::int64_t waitsUntil(std::uint32_t event, const Interval& when) const {
        const auto found = lastArrivals_.find(event);
        return found == lastArrivals_.end() ? when.start : std::clamp(found->second, when.start, when.end);
    }

    static RecordedWork workOf(const DeviceEvent& event) {
        if (event.work != DeviceWork::kernel) return RecordedWork::copy;
        return event.communication ? RecordedWork::communication : RecordedWork::kernel;
    }

    /// What a device does, over all its streams: from one change to the next.
    Row summaryOf(std::size_t place) {
        struct Change {
            std::int64_t when;
            RecordedWork work;
            int by;
        };
        const KinetoTrace& trace = *job_.ranks[place].trace;
        std::vector<Change> changes;
        changes.reserve(2 * trace.device.size());
        const auto add = [&changes](std::int64_t start, std::int64_t end, RecordedWork work) {
            if (end <= start) return;
            changes.push_back({start, work, 1});
            changes.push_back({end, work, -1});
        };
        for (std::uint32_t i = 0; i < trace.device.size(); ++i) {
            const DeviceEvent& event = trace.device[i];
            const std::int64_t waited = event.communication ? waitsUntil(i, event.when) : event.when.start;
            add(event.when.start, waited, RecordedWork::waiting);
            add(waited, event.when.end, workOf(event));
        }
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.when < b.when; });
        Row row{"device", RecordRow::summary, {}};
        std::array<int, recordedWorkCount> running{};
        const auto count = [&running](RecordedWork work) { return running[static_cast<std::size_t>(work)]; };
        for (std::size_t i = 0; i < changes.size();) {
            const std::int64_t now = changes[i].when;
            for (; i < changes.size() && changes[i].when == now; ++i) running[static_cast<std::size_t>(changes[i].work)] += changes[i].by;
            if (i == changes.size()) break;
            const bool communicates = count(RecordedWork::communication) + count(RecordedWork::waiting) > 0;
            std::uint32_t op = 0;
            if (count(RecordedWork::kernel) > 0) op = communicates ? operatorCalled("kernels beside communication", RecordedWork::beside) : operatorCalled("kernels", RecordedWork::kernel);
            else if (count(RecordedWork::communication) > 0) op = operatorCalled("communication alone", RecordedWork::communication);
            else if (communicates) op = operatorCalled("waiting for other ranks", RecordedWork::waiting);
            else if (count(RecordedWork::copy) > 0) op = operatorCalled("copies alone", RecordedWork::copy);
            else continue;
            const double start = secondsOf(job_.onClock(place, now)), end = secondsOf(job_.onClock(place, changes[i].when));
            if (!row.spans.empty() && row.spans.back().segment == op && row.spans.back().end == start) row.spans.back().end = end;
            else row.spans.push_back(spanOf(start, end, op, unknown));
        }
        return row;
    }

    static Span spanOf(double start, double end, std::uint32_t op, std::uint32_t event) {
        Span span;
        span.start = start;
        span.end = end;
        span.segment = op;
        span.layer = event == unknown ? -1 : static_cast<std::int32_t>(event);
        return span;
    }

    void addDevice(std::size_t place, std::vector<Row>& rows) {
        const KinetoTrace& trace = *job_.ranks[place].trace;
        std::set<std::string> devices;
        for (const auto& [device, stream] : trace.streams) devices.insert(device);
        std::vector<std::vector<std::uint32_t>> events(trace.streams.size());
        for (std::uint32_t i = 0; i < trace.device.size(); ++i) events[trace.device[i].stream].push_back(i);
        std::vector<std::size_t> order(trace.streams.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return events[a].size() > events[b].size(); });
        for (const std::size_t stream : order) {
            auto& list = events[stream];
            std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) { return trace.device[a].when.start < trace.device[b].when.start; });
            const std::string name = (devices.size() > 1 ? "GPU " + trace.streams[stream].first + " " : std::string()) + "stream " + trace.streams[stream].second;
            std::vector<std::int64_t> ends; // of the stream's rows
            const std::size_t first = rows.size();
            for (const std::uint32_t index : list) {
                const DeviceEvent& event = trace.device[index];
                std::size_t lane = 0;
                while (lane < ends.size() && ends[lane] > event.when.start) ++lane;
                std::int64_t start = event.when.start;
                if (lane == mostOverlapping) {
                    start = ends[--lane]; // as much of it as is free
                    if (start >= event.when.end) continue;
                }
                if (lane == ends.size()) {
                    ends.push_back(0);
                    rows.push_back({lane == 0 ? name : name + " · " + std::to_string(lane + 1), RecordRow::device, {}});
                }
                ends[lane] = event.when.end;
                addEvent(place, index, {start, event.when.end}, rows[first + lane].spans);
            }
        }
    }

    void addEvent(std::size_t place, std::uint32_t index, Interval when, std::vector<Span>& spans) {
        const KinetoTrace& trace = *job_.ranks[place].trace;
        const DeviceEvent& event = trace.device[index];
        const std::int64_t waited = event.communication ? waitsUntil(index, when) : when.start;
        const auto at = [&](std::int64_t time) { return secondsOf(job_.onClock(place, time)); };
        if (waited > when.start) spans.push_back(spanOf(at(when.start), at(waited), operatorOf(trace, event.name, RecordedWork::waiting), index));
        if (waited < when.end || waited == when.start) spans.push_back(spanOf(at(waited), at(when.end), operatorOf(trace, event.name, workOf(event)), index));
    }

    void addHost(std::size_t place, std::vector<Row>& rows) {
        const KinetoTrace& trace = *job_.ranks[place].trace;
        const auto operators = static_cast<std::uint32_t>(trace.operators.size());
        const auto callAt = [&](std::uint32_t i) -> const HostCall& { return i < operators ? trace.operators[i] : trace.runtimeCalls[i - operators]; };
        std::vector<std::vector<std::uint32_t>> calls(trace.threads.size());
        const std::size_t count = trace.operators.size() + trace.runtimeCalls.size();
        for (std::uint32_t i = 0; i < count; ++i) calls[callAt(i).thread].push_back(i);
        std::vector<std::size_t> order(trace.threads.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return calls[a].size() > calls[b].size(); });
        std::size_t number = 0;
        for (const std::size_t thread : order) {
            auto& list = calls[thread];
            if (list.empty()) break;
            if (++number > mostThreads) {
                made_.hiddenCalls += list.size();
                continue;
            }
            // Who begins together with another and ends later is its caller.
            std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
                const Interval &one = callAt(a).when, &other = callAt(b).when;
                return one.start != other.start ? one.start < other.start : one.end > other.end;
            });
            const std::size_t first = rows.size();
            std::vector<std::int64_t> open; // ends of the calls that the next may stand in
            for (const std::uint32_t index : list) {
                const HostCall& call = callAt(index);
                while (!open.empty() && open.back() <= call.when.start) open.pop_back();
                const std::size_t depth = open.size();
                open.push_back(call.when.end);
                if (depth >= mostDepth) {
                    ++made_.hiddenCalls;
                    continue;
                }
                while (rows.size() <= first + depth) rows.push_back({"host " + std::to_string(number) + (rows.size() > first ? " · " + std::to_string(rows.size() - first + 1) : std::string()), RecordRow::host, {}});
                const auto at = [&](std::int64_t time) { return secondsOf(job_.onClock(place, time)); };
                rows[first + depth].spans.push_back(spanOf(at(call.when.start), at(call.when.end), operatorOf(trace, call.name, index < operators ? RecordedWork::host : RecordedWork::runtime), index));
            }
        }
    }

    std::vector<MemorySample> memoryOf(std::size_t place) const {
        std::vector<MemorySample> samples;
        for (const MemoryEvent& event : job_.ranks[place].trace->memory) {
            if (!event.onDevice) continue;
            const auto allocated = static_cast<double>(event.allocated);
            samples.push_back({secondsOf(job_.onClock(place, event.when)), allocated, std::max(0.0, static_cast<double>(event.reserved) - allocated)});
        }
        std::stable_sort(samples.begin(), samples.end(), [](const MemorySample& a, const MemorySample& b) { return a.time < b.time; });
        return samples;
    }

    const RecordedJob& job_;
    const RunControl& control_;
    RecordTimeline made_;
    std::map<std::pair<RecordedWork, std::string>, std::uint32_t> operators_;
    std::array<std::vector<std::uint32_t>, recordedWorkCount> known_;
    std::map<std::uint32_t, std::int64_t> lastArrivals_; ///< by device event of the rank at hand, of its own clock
};

} // namespace

RecordTimeline recordTimeline(const RecordedJob& job, const RunControl& control) { return RecordBuilder(job, control).build(); }

} // namespace orrery
