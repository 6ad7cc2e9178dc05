// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_record.hpp"

#include <algorithm>
#include <cstdlib>
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
    for (const std::uint32_t index : communicationOrder(trace)) record.collectives.push_back(trace.device[index].when);
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
