// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_record.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery {
namespace {

/// Ranks of one machine leave a collective within some microseconds of each other: less is no difference of clocks.
constexpr std::int64_t oneClock = 50'000;

std::int64_t medianOf(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Which call each kernel of communication follows: the one that says it is its own, or the one in which it was launched.
class CollectiveCalls {
public:
    explicit CollectiveCalls(const KinetoTrace& trace) : trace_(trace) {
        for (const CollectiveCall& call : trace.collectiveCalls) {
            if (call.deviceEvent != CollectiveCall::noEvent) byEvent_[call.deviceEvent] = &call;
            else byStart_[{call.thread, call.when.start}] = &call;
        }
        if (!byStart_.empty())
            for (const HostCall& call : trace.runtimeCalls)
                if (call.correlation >= 0) launches_[call.correlation] = &call;
    }
    const CollectiveCall* of(std::uint32_t event) const {
        if (const auto own = byEvent_.find(event); own != byEvent_.end()) return own->second;
        const auto launch = launches_.find(trace_.device[event].correlation);
        if (launch == launches_.end()) return nullptr;
        auto after = byStart_.upper_bound({launch->second->thread, launch->second->when.start});
        if (after == byStart_.begin()) return nullptr;
        const CollectiveCall& call = *(--after)->second;
        return call.thread == launch->second->thread && launch->second->when.start < call.when.end ? &call : nullptr;
    }

private:
    const KinetoTrace& trace_;
    std::map<std::uint32_t, const CollectiveCall*> byEvent_;
    std::map<std::pair<std::uint32_t, std::int64_t>, const CollectiveCall*> byStart_; ///< by thread and start
    std::unordered_map<std::int64_t, const HostCall*> launches_;
};

CollectiveMessage messageOf(const CollectiveCall* call, const std::string& kernel, std::int64_t world) {
    if (call == nullptr || call->kind == CollectiveKind::none) return {collectiveCalled(kernel), -1};
    const bool parts = call->kind == CollectiveKind::all_gather; // a rank gives its part of the buffer
    return {call->kind, call->inputBytes < 0 || (parts && world < 1) ? -1 : parts ? call->inputBytes * world
                                                                                  : call->inputBytes};
}

} // namespace

std::vector<std::uint32_t> communicationOrder(const KinetoTrace& trace) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < trace.device.size(); ++i)
        if (trace.device[i].communication) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return trace.device[a].when.start < trace.device[b].when.start; });
    return order;
}

RankRecord recordOf(const KinetoTrace& trace, std::string file) {
    RankRecord record;
    record.file = std::move(file);
    record.rank = trace.rank;
    record.worldSize = trace.worldSize;
    constexpr std::int64_t mostRanks = 1 << 20;
    const CollectiveCalls calls(trace);
    for (const std::uint32_t index : communicationOrder(trace)) {
        record.collectives.push_back(trace.device[index].when);
        const std::uint32_t name = trace.device[index].name;
        record.messages.push_back(messageOf(calls.of(index), name < trace.names.size() ? trace.names[name] : std::string(), std::min(mostRanks, trace.worldSize.value_or(0))));
    }
    if (trace.device.empty()) return record;
    record.device = trace.device.front().when;
    for (const DeviceEvent& event : trace.device) {
        record.device.start = std::min(record.device.start, event.when.start);
        record.device.end = std::max(record.device.end, event.when.end);
    }
    return record;
}

std::vector<std::int64_t> clockOffsets(const std::vector<RankRecord>& records) {
    std::vector<std::int64_t> offsets(records.size(), 0);
    const std::size_t count = records.empty() ? 0 : records.front().collectives.size();
    if (count == 0) return offsets;
    std::vector<std::vector<std::int64_t>> differences(records.size());
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::int64_t> ends;
        ends.reserve(records.size());
        for (const RankRecord& record : records) ends.push_back(record.collectives[k].end);
        const std::int64_t middle = medianOf(ends);
        for (std::size_t r = 0; r < records.size(); ++r) differences[r].push_back(ends[r] - middle);
    }
    for (std::size_t r = 0; r < records.size(); ++r) {
        offsets[r] = medianOf(differences[r]);
        if (std::abs(offsets[r]) <= oneClock) offsets[r] = 0;
    }
    return offsets;
}

RankRecord shifted(RankRecord record, std::int64_t offset) {
    for (Interval& when : record.collectives) when = {when.start - offset, when.end - offset};
    record.device = {record.device.start - offset, record.device.end - offset};
    return record;
}

} // namespace orrery
