// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_exchange.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

const std::map<int, std::int32_t>& LiveExchange::realMembers(std::uint32_t group) const {
    const auto [found, isNew] = realOf_.try_emplace(group);
    if (isNew)
        for (const int rank : real_)
            if (const auto place = groups_.placeOf(rank, group)) found->second.emplace(rank, *place);
    return found->second;
}

bool LiveExchange::awaitsOthers(const LiveCall& call) const {
    if (isPointToPoint(call.kind) && call.peer != LiveCall::nobody) return real_.contains(groups_.members(call.group)[static_cast<std::size_t>(call.peer)]);
    return realMembers(call.group).size() > 1;
}

std::string LiveExchange::shortText(int rank, const LiveCall& call) const {
    std::string text(wordOf(call.kind));
    const std::vector<int>& members = groups_.members(call.group);
    if (call.kind == CallKind::send) text += " to rank " + std::to_string(members[static_cast<std::size_t>(call.peer)]);
    if (call.kind == CallKind::receive) text += call.peer == LiveCall::nobody ? " from anybody" : " from rank " + std::to_string(members[static_cast<std::size_t>(call.peer)]);
    if (call.elements > 0) text += " of " + std::to_string(call.elements) + " " + std::string(elementWord(call.type));
    if (!isPointToPoint(call.kind) && call.peer != LiveCall::nobody) text += ", root rank " + std::to_string(members[static_cast<std::size_t>(call.peer)]);
    const std::string place = placeText_(owner_, rank, call.place);
    if (!place.empty()) text += ", at " + place;
    return text;
}

std::string LiveExchange::describe(int rank, const LiveCall& call, std::uint64_t index) const {
    return shortText(rank, call) + " (group of " + groups_.text(call.group) + (isPointToPoint(call.kind) ? ", tag " + std::to_string(call.tag) : ", its collective number " + std::to_string(index)) + ")";
}

LiveExchange::Outcome LiveExchange::arrive(int rank, const LiveCall& call, std::vector<LivePart> parts) {
    Arrival arrival{rank, call, std::move(parts), ++serial_};
    if (!isPointToPoint(call.kind)) return arriveTogether(std::move(arrival));
    if (!awaitsOthers(call)) return {};
    return call.kind == CallKind::send ? arriveSend(std::move(arrival)) : arriveReceive(std::move(arrival));
}

std::optional<LiveFault> LiveExchange::mismatch(const Arrival& first, const Arrival& other, std::uint64_t index) const {
    const LiveCall &a = first.call, &b = other.call;
    std::string what;
    if (a.kind != b.kind) what = "call different collectives";
    else if (a.peer != b.peer) what = "name different roots";
    else if (a.type != b.type) what = "give different types";
    else if (a.elements != b.elements) what = "give different sizes";
    else if (a.reduction != b.reduction) what = "reduce differently";
    else return std::nullopt;
    LiveFault fault;
    fault.code = "collective-mismatch";
    fault.message = "Ranks " + std::to_string(first.rank) + " and " + std::to_string(other.rank) + " " + what + " as number " + std::to_string(index) + " of their group of " + groups_.text(a.group) + ": rank " + std::to_string(first.rank) + " " + shortText(first.rank, a) + "; rank " +
                    std::to_string(other.rank) + " " + shortText(other.rank, b) + ".";
    fault.ranks = {first.rank, other.rank};
    return fault;
}

LiveExchange::Outcome LiveExchange::arriveTogether(Arrival arrival) {
    const std::uint32_t group = arrival.call.group;
    const std::uint64_t index = counts_[{group, arrival.rank}]++;
    const std::map<int, std::int32_t>& members = realMembers(group);
    if (members.size() < 2) return {};
    Meeting& meeting = meetings_[{group, index}];
    Outcome outcome;
    if (!meeting.arrivals.empty()) outcome.fault = mismatch(meeting.arrivals.front(), arrival, index);
    meeting.arrivals.push_back(std::move(arrival));
    if (outcome.fault || meeting.arrivals.size() < members.size()) return outcome;

    for (const Arrival& taker : meeting.arrivals) {
        Ended ended{taker.rank, taker.call.operation, -1, {}};
        const std::int32_t place = members.at(taker.rank);
        for (const Arrival& giver : meeting.arrivals) {
            if (giver.rank == taker.rank) continue;
            for (LivePart part : giver.parts) {
                if (part.member != -1 && part.member != place) continue;
                part.member = members.at(giver.rank);
                ended.parts.push_back(std::move(part));
            }
        }
        outcome.ended.push_back(std::move(ended));
    }
    meetings_.erase({group, index});
    return outcome;
}

std::optional<LiveFault> LiveExchange::sizeMismatch(const Arrival& send, const Arrival& receive) const {
    if (send.call.elements == receive.call.elements && send.call.type == receive.call.type) return std::nullopt;
    LiveFault fault;
    fault.code = "message-mismatch";
    fault.message = "A message does not fit: rank " + std::to_string(send.rank) + " " + shortText(send.rank, send.call) + "; rank " + std::to_string(receive.rank) + " " + shortText(receive.rank, receive.call) + ".";
    fault.ranks = {send.rank, receive.rank};
    return fault;
}

LiveExchange::Outcome LiveExchange::handedOver(const Arrival& send, const Arrival& receive, std::int32_t from) {
    Outcome outcome;
    outcome.ended.push_back({send.rank, send.call.operation, -1, {}});
    Ended received{receive.rank, receive.call.operation, from, send.parts};
    for (LivePart& part : received.parts) part.member = from;
    outcome.ended.push_back(std::move(received));
    return outcome;
}

LiveExchange::Outcome LiveExchange::arriveSend(Arrival arrival) {
    const LiveCall& call = arrival.call;
    const std::int32_t from = realMembers(call.group).at(arrival.rank);
    const Channel channel{call.group, from, call.peer, call.tag};
    std::deque<Arrival>& waiting = receives_[channel];
    std::optional<Arrival> receive;
    if (!waiting.empty()) {
        receive = std::move(waiting.front());
        waiting.pop_front();
    } else {
        const int to = groups_.members(call.group)[static_cast<std::size_t>(call.peer)];
        const auto any = std::find_if(fromAnybody_.begin(), fromAnybody_.end(), [&](const auto& one) { return one.first == to && one.second.call.group == call.group && one.second.call.tag == call.tag; });
        if (any != fromAnybody_.end()) {
            receive = std::move(any->second);
            fromAnybody_.erase(any);
        }
    }
    if (!receive) {
        sends_[channel].push_back(std::move(arrival));
        return {};
    }
    if (auto fault = sizeMismatch(arrival, *receive)) return {{}, fault};
    return handedOver(arrival, *receive, from);
}

LiveExchange::Outcome LiveExchange::arriveReceive(Arrival arrival) {
    const LiveCall& call = arrival.call;
    const std::int32_t to = realMembers(call.group).at(arrival.rank);
    std::deque<Arrival>* oldest = nullptr;
    std::int32_t from = call.peer;
    if (call.peer != LiveCall::nobody) {
        const auto found = sends_.find({call.group, call.peer, to, call.tag});
        if (found != sends_.end() && !found->second.empty()) oldest = &found->second;
    } else {
        for (auto& [channel, queue] : sends_) {
            if (queue.empty() || std::get<0>(channel) != call.group || std::get<2>(channel) != to || std::get<3>(channel) != call.tag) continue;
            if (oldest != nullptr && oldest->front().serial < queue.front().serial) continue;
            oldest = &queue;
            from = std::get<1>(channel);
        }
    }
    if (oldest == nullptr) {
        if (call.peer == LiveCall::nobody) fromAnybody_.emplace_back(arrival.rank, std::move(arrival));
        else receives_[{call.group, call.peer, to, call.tag}].push_back(std::move(arrival));
        return {};
    }
    const Arrival send = std::move(oldest->front());
    oldest->pop_front();
    if (auto fault = sizeMismatch(send, arrival)) return {{}, fault};
    return handedOver(send, arrival, from);
}

std::optional<LiveFault> LiveExchange::stuck(const std::set<int>& ended) const {
    struct Open {
        std::uint64_t serial = 0;
        std::string message;
        std::vector<int> waiting, missing;
    };
    std::vector<Open> open;
    for (const auto& [key, meeting] : meetings_) {
        Open one{meeting.arrivals.front().serial, "", {}, {}};
        for (const auto& [rank, place] : realMembers(key.first)) one.missing.push_back(rank);
        for (const Arrival& arrival : meeting.arrivals) {
            one.waiting.push_back(arrival.rank);
            one.missing.erase(std::remove(one.missing.begin(), one.missing.end(), arrival.rank), one.missing.end());
        }
        std::sort(one.waiting.begin(), one.waiting.end());
        one.message = describe(meeting.arrivals.front().rank, meeting.arrivals.front().call, key.second) + " never ends. Waiting in it: " + rankListText(one.waiting) + ". Missing: " + rankListText(one.missing);
        open.push_back(std::move(one));
    }
    const auto addPair = [&](const Arrival& arrival) {
        Open one{arrival.serial, "", {arrival.rank}, {}};
        if (arrival.call.peer != LiveCall::nobody) one.missing.push_back(groups_.members(arrival.call.group)[static_cast<std::size_t>(arrival.call.peer)]);
        one.message = "Rank " + std::to_string(arrival.rank) + " waits for ever in " + describe(arrival.rank, arrival.call, 0) + ": " + (one.missing.empty() ? "nobody sends" : "rank " + std::to_string(one.missing.front()) + " never " + (arrival.call.kind == CallKind::send ? "receives it" : "sends it"));
        open.push_back(std::move(one));
    };
    for (const auto* channels : {&sends_, &receives_})
        for (const auto& [channel, queue] : *channels)
            for (const Arrival& arrival : queue) addPair(arrival);
    for (const auto& [place, arrival] : fromAnybody_) addPair(arrival);
    if (open.empty()) return std::nullopt;
    std::sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.serial < b.serial; });

    // From the oldest on: whom it misses may wait elsewhere, and so on, to a call that misses somebody who waits in none, or round in a circle.
    std::vector<const Open*> way;
    for (const Open* at = &open.front(); at != nullptr && std::find(way.begin(), way.end(), at) == way.end();) {
        way.push_back(at);
        const Open* further = nullptr;
        for (const Open& other : open) {
            const auto waitsThere = [&](int rank) { return std::find(other.waiting.begin(), other.waiting.end(), rank) != other.waiting.end(); };
            if (&other != at && std::any_of(at->missing.begin(), at->missing.end(), waitsThere)) {
                further = &other;
                break;
            }
        }
        const bool missesEnded = std::any_of(at->missing.begin(), at->missing.end(), [&](int rank) { return ended.contains(rank); });
        if (missesEnded) break; // who has gone is the cause, whoever else is missing
        if (const auto again = std::find(way.begin(), way.end(), further); again != way.end()) {
            way.erase(way.begin(), again); // the circle alone
            std::rotate(way.begin(), std::min_element(way.begin(), way.end(), [](const Open* x, const Open* y) { return x->serial < y->serial; }), way.end());
            std::reverse(way.begin() + 1, way.end());
            std::reverse(way.begin(), way.end()); // so that the oldest is told first
            break;
        }
        at = further;
    }
    const Open& first = *way.back();
    LiveFault fault;
    fault.code = "hang";
    fault.message = first.message;
    for (const int rank : first.missing)
        if (ended.contains(rank)) fault.message += "; the program of rank " + std::to_string(rank) + " has ended";
    for (const Open* other : way)
        if (other != &first) fault.message += ". At the same time: " + other->message;
    fault.message += ".";
    fault.ranks = first.missing;
    fault.ranks.insert(fault.ranks.end(), first.waiting.begin(), first.waiting.end());
    return fault;
}

} // namespace orrery
