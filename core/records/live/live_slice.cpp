// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_slice.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery {
namespace {

constexpr const char* sliceFormat = "orrery-live-rank/1";

std::string callText(const LiveSlice& slice, const LiveSlice::Event& event) {
    std::string text(wordOf(event.call.kind));
    if (event.axis < slice.axes.size()) text += " over its group " + std::to_string(event.axis) + " of " + std::to_string(slice.axes[event.axis].size);
    if (event.call.elements > 0) text += ", " + std::to_string(event.call.elements) + " " + std::string(elementWord(event.call.type));
    const auto place = slice.places.find(event.call.place);
    if (place != slice.places.end()) text += ", at " + placeText(place->second);
    return text;
}

} // namespace

std::string placeText(const LivePlace& place) {
    if (place.line == 0) return "";
    const auto slash = place.file.rfind('/');
    return (slash == std::string::npos ? place.file : place.file.substr(slash + 1)) + ":" + std::to_string(place.line) + (place.function.empty() ? "" : " in " + place.function);
}

std::size_t LiveSlice::steps() const {
    return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [](const Event& event) { return event.kind == LiveEvent::Kind::step; }));
}

LiveSlice::Event sliceEvent(const LiveGroups& groups, int rank, const LiveCall& call) {
    LiveSlice::Event event;
    event.compute = call.compute;
    event.call = call;
    const std::vector<LiveGroups::Membership>& own = groups.of(rank);
    for (std::size_t axis = 0; axis < own.size(); ++axis)
        if (own[axis].group == call.group) event.axis = static_cast<std::uint32_t>(axis);
    event.peer = call.peer;
    if (!isPointToPoint(call.kind) || call.peer == LiveCall::nobody) return event;
    // A message over the world's group belongs to the smallest group of both: only there does the peer's place mean the same for others.
    const int peer = groups.members(call.group)[static_cast<std::size_t>(call.peer)];
    std::size_t smallest = groups.members(call.group).size();
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
        const std::size_t size = groups.members(own[axis].group).size();
        const auto place = groups.placeOf(peer, own[axis].group);
        if (!place || size >= smallest) continue;
        smallest = size;
        event.axis = static_cast<std::uint32_t>(axis);
        event.peer = *place;
    }
    return event;
}

Json toDocument(const LiveSlice& slice) {
    Json axes = Json::array(), events = Json::array(), places = Json::object();
    for (const LiveSlice::Axis& axis : slice.axes) axes.push_back({{"size", axis.size}, {"place", axis.place}});
    for (const LiveSlice::Event& event : slice.events) {
        switch (event.kind) {
        case LiveEvent::Kind::call:
            events.push_back({{"call", wordOf(event.call.kind)}, {"compute_ns", event.compute}, {"operation", event.call.operation}, {"axis", event.axis}, {"type", event.call.type}, {"elements", event.call.elements}, {"bytes", event.call.bytes}, {"held_bytes", event.call.heldBytes}, {"at", event.call.place}});
            if (event.peer != LiveCall::nobody) events.back()["peer"] = event.peer;
            if (isPointToPoint(event.call.kind)) events.back()["tag"] = event.call.tag;
            break;
        case LiveEvent::Kind::wait: events.push_back({{"wait", event.call.operation}, {"compute_ns", event.compute}}); break;
        case LiveEvent::Kind::step: events.push_back({{"step", true}, {"compute_ns", event.compute}}); break;
        }
    }
    for (const auto& [number, place] : slice.places) places[std::to_string(number)] = {{"file", place.file}, {"line", place.line}, {"function", place.function}};
    return {{"format", sliceFormat}, {"rank", slice.rank}, {"world_size", slice.world}, {"groups", axes}, {"peak_bytes", slice.peakBytes}, {"held_bytes", slice.heldBytes}, {"peak_at", slice.peakPlace}, {"places", places}, {"events", events}};
}

std::optional<LiveSlice> readLiveSlice(const Json& document, const std::string& file, Problems& problems) {
    const auto refuse = [&](const std::string& message) {
        Problem problem;
        problem.code = "bad-live-record";
        problem.file = file;
        problem.message = message;
        problem.mend = "Record the rank again with orrery-run --record.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    };
    if (!document.is_object() || document.value("format", "") != sliceFormat) return refuse("This is no rank's record of a live run (orrery-live-rank/1).");
    LiveSlice slice;
    slice.recorded = true;
    try {
        slice.rank = document.at("rank").get<int>();
        slice.world = document.at("world_size").get<int>();
        slice.peakBytes = document.at("peak_bytes").get<std::uint64_t>();
        slice.heldBytes = document.at("held_bytes").get<std::uint64_t>();
        slice.peakPlace = document.at("peak_at").get<std::uint32_t>();
        for (const Json& axis : document.at("groups")) slice.axes.push_back({axis.at("size").get<std::int32_t>(), axis.at("place").get<std::int32_t>()});
        for (const auto& [number, place] : document.at("places").items()) slice.places[static_cast<std::uint32_t>(std::stoul(number))] = {place.at("file").get<std::string>(), place.at("function").get<std::string>(), place.at("line").get<std::uint32_t>()};
        for (const Json& one : document.at("events")) {
            LiveSlice::Event event;
            event.compute = one.at("compute_ns").get<std::int64_t>();
            if (one.contains("step")) {
                event.kind = LiveEvent::Kind::step;
            } else if (one.contains("wait")) {
                event.kind = LiveEvent::Kind::wait;
                event.call.operation = one.at("wait").get<std::uint64_t>();
            } else {
                const auto word = one.at("call").get<std::string>();
                const auto known = std::find(callWords.begin(), callWords.end(), word);
                if (known == callWords.end()) return refuse("\"" + word + "\" is no call of a process group.");
                event.call.kind = static_cast<CallKind>(known - callWords.begin());
                event.call.operation = one.at("operation").get<std::uint64_t>();
                event.axis = one.at("axis").get<std::uint32_t>();
                if (event.axis >= slice.axes.size()) return refuse("An event names group " + std::to_string(event.axis) + " of " + std::to_string(slice.axes.size()) + ".");
                event.call.type = one.at("type").get<std::uint8_t>();
                event.call.elements = one.at("elements").get<std::uint64_t>();
                event.call.bytes = one.at("bytes").get<std::uint64_t>();
                event.call.heldBytes = one.at("held_bytes").get<std::uint64_t>();
                event.call.place = one.at("at").get<std::uint32_t>();
                event.peer = one.value("peer", LiveCall::nobody);
                event.call.tag = one.value("tag", 0);
            }
            slice.events.push_back(event);
        }
    } catch (const std::exception& error) {
        return refuse(std::string("The record can't be read: ") + error.what());
    }
    return slice;
}

SliceDifference compareSlices(const LiveSlice& a, const LiveSlice& b) {
    SliceDifference difference;
    std::vector<const LiveSlice::Event*> ofA, ofB;
    const auto calls = [](const LiveSlice& slice, std::vector<const LiveSlice::Event*>& list) {
        for (const LiveSlice::Event& event : slice.events)
            if (event.kind == LiveEvent::Kind::call) list.push_back(&event);
    };
    calls(a, ofA);
    calls(b, ofB);
    std::set<std::string> told;
    for (std::size_t i = 0; i < std::max(ofA.size(), ofB.size()); ++i) {
        if (i >= ofA.size() || i >= ofB.size()) {
            const bool aHasMore = i < ofA.size();
            difference.first = "Rank " + std::to_string(aHasMore ? a.rank : b.rank) + " makes a call more, number " + std::to_string(i) + ": " + (aHasMore ? callText(a, *ofA[i]) : callText(b, *ofB[i]));
            return difference;
        }
        const LiveSlice::Event &one = *ofA[i], &other = *ofB[i];
        if (one.call.kind != other.call.kind || one.axis != other.axis || one.call.type != other.call.type) {
            difference.first = "Call number " + std::to_string(i) + " differs: rank " + std::to_string(a.rank) + " " + callText(a, one) + "; rank " + std::to_string(b.rank) + " " + callText(b, other);
            return difference;
        }
        ++difference.calls;
        if (one.call.elements != other.call.elements) {
            const std::string text = callText(a, one) + " → " + std::to_string(other.call.elements);
            if (told.insert(text).second) difference.sizes.push_back(text);
        }
    }
    return difference;
}

} // namespace orrery
