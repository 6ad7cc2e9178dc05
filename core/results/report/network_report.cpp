// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/network_report.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// How many executions of each operator fall into the stretch of time, as fractions where its ends cut one; for a moment: executions per second.
class Executions {
public:
    Executions(const Timeline& timeline, double from, double to)
        : timeline_(timeline), from_(from), to_(to), whole_(timeline.segments.size()), count_(timeline.operators.size()) {}

    /// By operator of the timeline.
    const std::vector<double>& of(const StageTimeline& stage) {
        std::fill(whole_.begin(), whole_.end(), 0.0);
        std::fill(count_.begin(), count_.end(), 0.0);
        for (const Stream& stream : stage.streams) addStream(stream);
        // What every instance of a segment does is multiplied out once, however many there were.
        for (std::size_t segment = 0; segment < whole_.size(); ++segment) {
            if (whole_[segment] == 0) continue;
            for (const SegmentEntry& entry : timeline_.segments[segment].entries) count_[entry.op] += whole_[segment];
        }
        return count_;
    }

private:
    void addStream(const Stream& stream) {
        auto span = std::upper_bound(stream.spans.begin(), stream.spans.end(), from_, [](double time, const Span& s) { return time < s.end; });
        for (; span != stream.spans.end() && (span->start < to_ || span->start <= from_); ++span) {
            if (from_ < to_ && span->start >= from_ && span->end <= to_) whole_[span->segment] += 1;
            else addCut(*span);
        }
    }

    void addCut(const Span& span) {
        const Segment& segment = timeline_.segments[span.segment];
        // A span that lasts longer than its segment is stretched, all in it alike; as forEachOperator() has it.
        const double stretch = segment.duration > 0 ? (span.end - span.start) / segment.duration : 1;
        for (const SegmentEntry& entry : segment.entries) {
            const double start = span.start + stretch * entry.start, end = span.start + stretch * entry.end;
            const double duration = end - start;
            if (!(duration > 0)) continue;
            if (from_ == to_) {
                if (start <= from_ && from_ < end) count_[entry.op] += 1 / duration;
            } else if (const double shared = std::min(end, to_) - std::max(start, from_); shared > 0) {
                count_[entry.op] += shared / duration;
            }
        }
    }

    const Timeline& timeline_;
    double from_;
    double to_;
    std::vector<double> whole_; ///< instances of each segment that lie inside
    std::vector<double> count_;
};

void addUser(std::vector<std::pair<std::uint32_t, double>>& users, std::uint32_t op, double bytes) {
    const auto same = std::find_if(users.begin(), users.end(), [op](const auto& user) { return user.first == op; });
    if (same != users.end()) same->second += bytes;
    else users.emplace_back(op, bytes);
}

} // namespace

std::vector<LinkLoad> linkLoads(const Timeline& timeline, const NetworkReport& network, double from, double to) {
    std::vector<LinkLoad> loads(network.links.size());
    Executions executions(timeline, from, std::max(from, to));
    for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
        const std::vector<double>& count = executions.of(timeline.stages[stage]);
        for (std::uint32_t op = 0; op < count.size(); ++op) {
            if (count[op] == 0) continue;
            const TrafficPattern* pattern = network.pattern(static_cast<int>(stage), op);
            if (pattern == nullptr) continue;
            for (const LinkUse& use : pattern->uses) {
                LinkLoad& load = loads[use.link];
                load.bytes += count[op] * use.bytes;
                load.peak += count[op] * use.busiest;
                addUser(load.users, op, count[op] * use.bytes);
            }
        }
    }
    const double time = to > from ? to - from : 1; // of a moment the bytes are a rate already
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const ReportLink& link = network.links[i];
        LinkLoad& load = loads[i];
        load.mean = link.capacity > 0 ? load.bytes / time / link.capacity : 0;
        load.peak = link.capacity > 0 ? std::min(1.0, load.peak / time * std::max(1, link.copies) / link.capacity) : 0;
        std::stable_sort(load.users.begin(), load.users.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    }
    return loads;
}

} // namespace orrery
