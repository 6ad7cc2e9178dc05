// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/records/comparison/record_wall.hpp"
#include "core/records/tables/timeline_tables.hpp"
#include "core/results/report/result.hpp"

#include <algorithm>

namespace orrery {
namespace {

TableValue known(std::int64_t number) { return number < 0 ? TableValue() : TableValue(number); }

const char* wordOf(LinkKind kind) {
    switch (kind) {
    case LinkKind::cable: return "cable";
    case LinkKind::scale_up: return "scale_up";
    case LinkKind::pcie: return "pcie";
    }
    return "";
}

bool communicates(const Operator& op) { return op.collective != CollectiveKind::none; }

/// An event of a lane, before it is known what of its wall clock it has.
struct LaneEvent {
    OperatorInstance instance;
    std::int64_t stream = 0;
};

class ResultWriter {
public:
    ResultWriter(const Result& result, DatabaseMaker& to) : result_(result), timeline_(result.timeline), to_(to) {}

    void write() {
        to_.row("about", {"format", "orrery-timeline/1"});
        to_.row("about", {"source", "simulated"});
        to_.row("about", {"kind", kindOf(result_.metrics)});
        to_.row("about", {"name", result_.name});
        to_.row("about", {"duration_s", timeline_.duration});
        to_.figures(toJson(result_));
        for (std::size_t i = 0; i < timeline_.operators.size(); ++i) writeOperation(static_cast<std::int64_t>(i), timeline_.operators[i]);
        for (std::size_t place = 0; place < timeline_.stages.size(); ++place) writeLane(place);
        writeLinks();
    }

private:
    void writeOperation(std::int64_t id, const TimedOperator& timed) {
        const Operator& op = timed.op;
        const bool isCommunication = communicates(op);
        to_.row("operation", {id, op.name, isCommunication ? "communication" : "computation", toString(op.phase), isCommunication ? TableValue(toString(op.collective)) : TableValue(), timed.time, op.flops, op.bytesRead + op.bytesWritten,
                              isCommunication ? TableValue(op.messageBytes) : TableValue(), toString(timed.bound), toString(timed.source)});
    }

    void writeLane(std::size_t place) {
        const StageTimeline& stage = timeline_.stages[place];
        const auto lane = static_cast<std::int64_t>(place);
        to_.row("lane", {lane, stage.ranks, stage.role.empty() ? TableValue() : TableValue(stage.role), stage.staticBytes});
        std::vector<LaneEvent> events;
        for (const StreamKind kind : streamKinds(timeline_)) {
            const std::size_t before = events.size();
            forEachOperator(timeline_, static_cast<int>(place), kind, -1, timeline_.duration + 1, [&](const OperatorInstance& instance) { events.push_back({instance, streams_}); });
            if (events.size() == before) continue;
            to_.row("stream", {streams_, lane, streamName(timeline_, kind)});
            ++streams_;
        }
        writeEvents(lane, events);
        for (const MemorySample& sample : stage.memory) to_.row("memory", {lane, sample.time, sample.activations, sample.temporary});
    }

    void writeEvents(std::int64_t lane, const std::vector<LaneEvent>& events) {
        std::vector<Stretch<double>> stretches;
        stretches.reserve(events.size());
        for (const LaneEvent& event : events) stretches.push_back({event.instance.start, event.instance.end, communicates(timeline_.operators[event.instance.op].op) ? 1 : 0});
        std::vector<double> exposed(events.size(), 0);
        const std::vector<std::uint32_t> byStart = placesByStart(stretches);
        const auto taken = shareWall(stretches, byStart, [&](std::uint32_t i, double from, double end, const TakenTime<double>& before) { exposed[i] = before.freeIn(from, end); });
        const std::int64_t first = events_;
        for (std::size_t i = 0; i < events.size(); ++i) {
            const OperatorInstance& one = events[i].instance;
            const Span& span = *one.span;
            const Segment& segment = timeline_.segments[span.segment];
            to_.row("event", {events_++, lane, events[i].stream, std::int64_t{one.op}, one.start, one.end, exposed[i], TableValue(), known(span.microBatch), known(span.layer), std::int64_t{span.chunk}, segment.name, TableValue(), TableValue()});
        }
        const auto& busy = taken.stretches();
        for (std::size_t i = 1; i < busy.size(); ++i) {
            const auto next = std::lower_bound(byStart.begin(), byStart.end(), busy[i].start, [&](std::uint32_t event, double start) { return stretches[event].start < start; });
            to_.row("gap", {gaps_++, lane, busy[i - 1].end, busy[i].start, "planned", next == byStart.end() ? TableValue() : TableValue(first + std::int64_t{*next})});
        }
    }

    void writeLinks() {
        const std::vector<LinkLoad> loads = linkLoads(timeline_, result_.network, 0, timeline_.duration);
        for (std::size_t i = 0; i < result_.network.links.size() && i < loads.size(); ++i) {
            const ReportLink& link = result_.network.links[i];
            const auto id = static_cast<std::int64_t>(i);
            to_.row("link", {id, link.from, link.to, wordOf(link.kind), link.capacity, std::int64_t{link.copies}, loads[i].bytes, loads[i].mean, loads[i].peak});
            for (const auto& [op, bytes] : loads[i].users) to_.row("link_use", {id, std::int64_t{op}, bytes});
        }
    }

    const Result& result_;
    const Timeline& timeline_;
    DatabaseMaker& to_;
    std::int64_t streams_ = 0, events_ = 0, gaps_ = 0;
};

} // namespace

std::optional<std::string> resultDatabase(const Result& result, const Json& madeBy, std::string& fault) {
    DatabaseMaker maker;
    maker.about(madeBy);
    ResultWriter(result, maker).write();
    auto file = maker.finish();
    fault = maker.fault();
    return file;
}

} // namespace orrery
