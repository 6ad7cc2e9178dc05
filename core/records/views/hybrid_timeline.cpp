// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/hybrid_timeline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace orrery {
namespace {

std::vector<std::size_t> drawnRanks(const HybridRun& run) {
    std::vector<std::size_t> drawn;
    std::set<std::string> classes;
    const auto take = [&](auto wanted) {
        for (std::size_t place = 0; place < run.ranks.size() && drawn.size() < mostHybridRanks; ++place)
            if (wanted(run.ranks[place]) && std::find(drawn.begin(), drawn.end(), place) == drawn.end()) drawn.push_back(place);
    };
    take([](const HybridRank& rank) { return rank.recorded; });
    take([&](const HybridRank& rank) { return classes.insert(rank.className).second; });
    take([](const HybridRank&) { return true; });
    std::map<std::string, std::size_t> firstOf; // of each class, by which classes follow each other
    for (std::size_t place = run.ranks.size(); place-- > 0;) firstOf[run.ranks[place].className] = place;
    std::sort(drawn.begin(), drawn.end(), [&](std::size_t a, std::size_t b) { return std::pair(firstOf.at(run.ranks[a].className), a) < std::pair(firstOf.at(run.ranks[b].className), b); });
    return drawn;
}

/// The rank that a file is of; -1: of none that was named as recorded.
std::int64_t rankOfFile(const HybridRun& run, const std::string& file) {
    const auto found = std::find_if(run.ranks.begin(), run.ranks.end(), [&](const HybridRank& rank) { return rank.recorded && rank.file == file; });
    return found == run.ranks.end() ? -1 : found->rank;
}

} // namespace

RecordTimeline hybridTimeline(const HybridRun& run, std::vector<std::size_t>& drawn) {
    RecordTimeline made;
    Timeline& timeline = made.timeline;
    timeline.kind = TimelineKind::recorded;
    timeline.streamNames = {"device", "within"};
    const auto add = [&timeline](const char* name, RecordedWork work) {
        TimedOperator timed;
        timed.op.name = name;
        timed.source = Source::measured;
        Segment segment;
        segment.name = name;
        segment.entries.push_back({static_cast<std::uint32_t>(timeline.operators.size()), 0, 0, StreamKind::compute});
        timeline.operators.push_back(std::move(timed));
        timeline.segments.push_back(std::move(segment));
        timeline.works.push_back(work);
    };
    enum : std::uint32_t { working,
                           waiting,
                           transit };
    add("between collectives", RecordedWork::kernel);
    add("waiting for other ranks", RecordedWork::waiting);
    add("collective under way", RecordedWork::communication);

    drawn = drawnRanks(run);
    const auto& collectives = run.replay.collectives;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    for (const JointCollective& collective : collectives)
        for (const std::int64_t arrival : collective.arrivals) begin = std::min(begin, arrival);
    const auto at = [begin](std::int64_t when) { return static_cast<double>(when - begin) * 1e-9; };
    std::map<std::string, std::int64_t> likeness;
    for (const std::size_t place : drawn) {
        const HybridRank& rank = run.ranks[place];
        StageTimeline stage;
        stage.stage = static_cast<int>(timeline.stages.size());
        stage.ranks = std::to_string(rank.rank);
        const auto known = likeness.emplace(rank.file, 0);
        if (known.second) known.first->second = rankOfFile(run, rank.file);
        stage.role = rank.recorded ? "recorded" : known.first->second < 0 ? "like " + rank.file
                                                                          : "like " + std::to_string(known.first->second);
        Stream stream;
        std::int64_t last = begin;
        const auto span = [&](std::int64_t from, std::int64_t to, std::uint32_t op) {
            if (to <= from) return;
            Span one;
            one.start = at(from);
            one.end = at(to);
            one.segment = op;
            stream.spans.push_back(one);
        };
        for (const JointCollective& collective : collectives) {
            if (!collective.has(place)) continue;
            const std::int64_t arrival = std::max(last, collective.arrivalOf(place)), complete = std::max(arrival, collective.end - collective.transit);
            span(last, arrival, working);
            span(arrival, complete, waiting);
            span(complete, collective.end, transit);
            last = std::max(last, collective.end);
        }
        timeline.duration = std::max(timeline.duration, stream.spans.empty() ? 0.0 : stream.spans.back().end);
        stage.streams.push_back(std::move(stream));
        timeline.stages.push_back(std::move(stage));
        made.rows.push_back({RecordRow::summary});
    }
    return made;
}

std::vector<std::vector<double>> waitingMatrix(const HybridRun& run, const std::vector<std::size_t>& drawn) {
    std::map<std::size_t, std::size_t> column;
    for (std::size_t i = 0; i < drawn.size(); ++i) column[drawn[i]] = i;
    std::vector<std::vector<double>> matrix(drawn.size(), std::vector<double>(drawn.size(), 0));
    for (const JointCollective& collective : run.replay.collectives) {
        const auto last = column.find(collective.last);
        if (last == column.end()) continue;
        for (std::size_t i = 0; i < drawn.size(); ++i) matrix[i][last->second] += static_cast<double>(collective.waitingOf(drawn[i])) * 1e-9;
    }
    return matrix;
}

} // namespace orrery
