// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/recorded_job.hpp"

#include "core/records/ranks/joint_replay.hpp"
#include "core/records/ranks/rank_record.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace orrery {
namespace {

/// From the first event of a trace to the last, of its own clock; empty where it has none.
Interval extentOf(const KinetoTrace& trace) {
    Interval extent{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    const auto take = [&extent](std::int64_t start, std::int64_t end) {
        extent.start = std::min(extent.start, start);
        extent.end = std::max(extent.end, end);
    };
    for (const DeviceEvent& event : trace.device) take(event.when.start, event.when.end);
    for (const HostCall& call : trace.operators) take(call.when.start, call.when.end);
    for (const HostCall& call : trace.runtimeCalls) take(call.when.start, call.when.end);
    for (const MemoryEvent& event : trace.memory) take(event.when, event.when);
    return extent.start > extent.end ? Interval{} : extent;
}

/// Why the ranks' collectives can't be taken one for one; empty: they can.
std::string whyApart(const std::vector<RecordedRank>& ranks, const std::vector<RankRecord>& records, bool grouped) {
    std::set<std::int64_t> seen;
    for (const RecordedRank& each : ranks) {
        if (!each.rank) return "\"" + each.file + "\" does not say which rank it is of.";
        if (!seen.insert(*each.rank).second) return "Rank " + std::to_string(*each.rank) + " is there twice.";
    }
    const std::size_t count = records.front().collectives.size();
    for (const RankRecord& record : records)
        if (!grouped && record.collectives.size() != count)
            return "\"" + record.file + "\" has " + std::to_string(record.collectives.size()) + " collectives, \"" + records.front().file + "\" has " + std::to_string(count) + ".";
    return count == 0 && !grouped ? "No collective was recorded." : "";
}

std::vector<std::vector<std::uint32_t>> communicationOrders(const RecordedJob& job) {
    std::vector<std::vector<std::uint32_t>> orders;
    orders.reserve(job.ranks.size());
    for (const RecordedRank& each : job.ranks) orders.push_back(communicationOrder(*each.trace));
    return orders;
}

/// Collectives with the ranks of their groups.
void takeGroups(RecordedJob& job, const std::vector<RankRecord>& records) {
    Problems unlike;
    const auto operations = jointOperations(records, unlike);
    if (!operations) {
        job.whyApart = unlike.front().message;
        return;
    }
    job.clockOffsets = clockOffsets(records, *operations);
    const std::vector<std::vector<std::uint32_t>> orders = communicationOrders(job);
    for (const JointOperation& operation : *operations) {
        const auto onClock = [&](const JointOperation::Member& member, std::int64_t when) { return job.onClock(member.place, when); };
        const auto whenOf = [&](const JointOperation::Member& member) { return records[member.place].collectives[member.index]; };
        JobCollective collective;
        collective.lastArrival = std::numeric_limits<std::int64_t>::min();
        collective.events.assign(job.ranks.size(), JobCollective::noEvent);
        for (const JointOperation::Member& member : operation.members) {
            const std::int64_t arrival = onClock(member, whenOf(member).start);
            if (arrival <= collective.lastArrival) continue;
            collective.lastArrival = arrival;
            collective.last = member.place;
        }
        for (const JointOperation::Member& member : operation.members)
            if (onClock(member, whenOf(member).end) >= collective.lastArrival) collective.events[member.place] = orders[member.place][member.index];
        job.collectives.push_back(std::move(collective));
    }
}

void takeTogether(RecordedJob& job, const std::vector<RankRecord>& records) {
    job.clockOffsets = clockOffsets(records);
    const std::vector<std::vector<std::uint32_t>> orders = communicationOrders(job);
    for (std::size_t k = 0; k < orders.front().size(); ++k) {
        JobCollective collective;
        collective.lastArrival = std::numeric_limits<std::int64_t>::min();
        for (std::size_t place = 0; place < orders.size(); ++place) {
            const std::uint32_t event = orders[place][k];
            const std::int64_t arrival = job.onClock(place, job.ranks[place].trace->device[event].when.start);
            if (arrival > collective.lastArrival) {
                collective.lastArrival = arrival;
                collective.last = place;
            }
            collective.events.push_back(event);
        }
        job.collectives.push_back(std::move(collective));
    }
}

} // namespace

RecordedJob recordedJob(std::vector<RecordedRank> ranks) {
    RecordedJob job;
    job.ranks = std::move(ranks);
    if (job.ranks.empty()) return job;
    const auto numberOf = [](const RecordedRank& each) { return each.rank.value_or(std::numeric_limits<std::int64_t>::max()); };
    std::stable_sort(job.ranks.begin(), job.ranks.end(), [&](const RecordedRank& a, const RecordedRank& b) { return numberOf(a) < numberOf(b); });
    job.clockOffsets.assign(job.ranks.size(), 0);
    std::vector<Interval> extents;
    for (const RecordedRank& each : job.ranks) extents.push_back(extentOf(*each.trace));

    if (job.ranks.size() > 1) {
        std::vector<RankRecord> records;
        for (const RecordedRank& each : job.ranks) records.push_back(recordOf(*each.trace, each.file, each.rank));
        const bool grouped = haveGroups(records);
        job.whyApart = whyApart(job.ranks, records, grouped);
        if (job.whyApart.empty() && grouped) takeGroups(job, records);
        else if (job.whyApart.empty()) takeTogether(job, records);
        if (!job.whyApart.empty()) {
            // Clocks of one job agree to within its length; what has no moment in common was recorded at another time.
            const auto first = std::min_element(extents.begin(), extents.end(), [](const Interval& a, const Interval& b) { return a.end < b.end; });
            const bool overlap = std::all_of(extents.begin(), extents.end(), [&](const Interval& each) { return each.start <= first->end; });
            for (std::size_t place = 0; place < extents.size() && !overlap; ++place) job.clockOffsets[place] = extents[place].start - extents.front().start;
        }
    }
    job.begin = std::numeric_limits<std::int64_t>::max();
    job.end = std::numeric_limits<std::int64_t>::min();
    for (std::size_t place = 0; place < extents.size(); ++place) {
        job.begin = std::min(job.begin, job.onClock(place, extents[place].start));
        job.end = std::max(job.end, job.onClock(place, extents[place].end));
    }
    return job;
}

std::vector<std::vector<double>> waitingMatrix(const RecordedJob& job) {
    std::vector<std::vector<double>> waiting;
    if (job.collectives.empty()) return waiting;
    waiting.assign(job.ranks.size(), std::vector<double>(job.ranks.size(), 0));
    const bool ofAll = std::all_of(job.collectives.begin(), job.collectives.end(), [](const JobCollective& collective) {
        return std::none_of(collective.events.begin(), collective.events.end(), [](std::uint32_t event) { return event == JobCollective::noEvent; });
    });
    if (!ofAll) {
        for (const JobCollective& collective : job.collectives)
            for (std::size_t place = 0; place < job.ranks.size(); ++place)
                if (const std::uint32_t event = collective.events[place]; event != JobCollective::noEvent)
                    waiting[place][collective.last] += static_cast<double>(collective.lastArrival - job.onClock(place, job.ranks[place].trace->device[event].when.start)) * 1e-9;
        return waiting;
    }
    std::vector<RankRecord> records;
    std::vector<ReplayedRank> ranks;
    for (std::size_t place = 0; place < job.ranks.size(); ++place) {
        records.push_back(shifted(recordOf(*job.ranks[place].trace, job.ranks[place].file), job.clockOffsets[place]));
        ranks.push_back(replayedRank(job.ranks[place].rank.value_or(0), records.back()));
    }
    for (const JointCollective& collective : replayTogether(ranks, transitOf(records)).collectives)
        for (std::size_t place = 0; place < job.ranks.size(); ++place) waiting[place][collective.last] += static_cast<double>(collective.waitingOf(place)) * 1e-9;
    return waiting;
}

} // namespace orrery
