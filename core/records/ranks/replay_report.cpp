// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/replay_report.hpp"
#include "core/base/json.hpp"
#include "core/records/ranks/device_graph.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace orrery {
namespace {

/// The rank that does what the mean of `ranks` did; there is at least one.
ReplayedRank meanOf(const std::vector<ReplayedRank>& ranks) {
    ReplayedRank mean = ranks.front();
    const auto average = [&](auto value) {
        std::int64_t sum = 0;
        for (const ReplayedRank& rank : ranks) sum += value(rank) - value(ranks.front()); // differences: times since 1970 would overflow
        return value(ranks.front()) + sum / static_cast<std::int64_t>(ranks.size());
    };
    mean.begin = average([](const ReplayedRank& rank) { return rank.begin; });
    for (std::size_t k = 0; k < mean.gaps.size(); ++k) mean.gaps[k] = average([k](const ReplayedRank& rank) { return rank.gaps[k]; });
    return mean;
}

/// All ranks with the gaps of one, but for the first, which leads from each rank's own begin.
std::vector<ReplayedRank> folded(std::vector<ReplayedRank> ranks, const ReplayedRank& onto) {
    for (ReplayedRank& rank : ranks)
        for (std::size_t k = 1; k < rank.gaps.size(); ++k) rank.gaps[k] = onto.gaps[k];
    return ranks;
}

} // namespace

FoldingErrors foldingErrors(const std::vector<RankRecord>& records) {
    std::vector<ReplayedRank> ranks;
    for (std::size_t i = 0; i < records.size(); ++i) ranks.push_back(replayedRank(static_cast<std::int64_t>(i), records[i]));
    const std::vector<std::int64_t> transits = transitOf(records);
    const auto whole = static_cast<double>(replayTogether(ranks, transits).span());
    const auto errorOf = [&](const std::vector<ReplayedRank>& changed) { return static_cast<double>(replayTogether(changed, transits).span()) / whole - 1; };

    FoldingErrors errors;
    errors.ontoMean = errorOf(folded(ranks, meanOf(ranks)));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        errors.ontoRank.push_back(errorOf(folded(ranks, ranks[i])));
        std::vector<ReplayedRank> others = ranks;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        std::vector<ReplayedRank> predicted = ranks;
        predicted[i] = meanOf(others);
        predicted[i].firstArrival = ranks[i].firstArrival;
        errors.leftOut.push_back(errorOf(predicted));
    }
    return errors;
}

namespace {

std::vector<RankRecord> recordsOf(const std::vector<ReplayedTrace>& traces) {
    std::vector<RankRecord> records;
    records.reserve(traces.size());
    for (const ReplayedTrace& trace : traces) records.push_back(trace.record);
    return records;
}

/// Ranks are told or asked for, never guessed; several ranks of a job have the same collectives.
bool belongTogether(const std::vector<ReplayedTrace>& traces, bool grouped, Problems& problems) {
    const std::size_t before = problems.size();
    std::set<std::int64_t> seen;
    for (const ReplayedTrace& trace : traces) {
        const RankRecord& record = trace.record;
        const std::string name = "\"" + record.file + "\"";
        if (!record.rank) problems.push_back(traceFault("rank-not-known", record.file, name + " does not say which rank it is of.", "Write RANK=FILE, for example 0=" + record.file + "."));
        else if (!seen.insert(*record.rank).second) problems.push_back(traceFault("rank-twice", record.file, "Rank " + std::to_string(*record.rank) + " is there twice, the second time in " + name + ".", "Name one trace for each rank."));
        const std::size_t count = traces.front().record.collectives.size();
        if (!grouped && record.collectives.size() != count)
            problems.push_back(traceFault("unlike-traces", record.file, name + " has " + std::to_string(record.collectives.size()) + " collectives, \"" + traces.front().record.file + "\" has " + std::to_string(count) + ".", "Give traces of the same step. Ranks with collectives of their own need records that name the groups: PyTorch 2.4 and later write \"Process Group Ranks\"."));
    }
    return problems.size() == before;
}

/// Who waits for a rank that isn't there waits for nobody: the report says which are missing.
void warnOfMissing(const std::vector<ReplayedTrace>& traces, Problems& problems) {
    constexpr std::size_t mostNamed = 16;
    std::int64_t world = 0;
    std::set<std::int64_t> given;
    for (const ReplayedTrace& trace : traces) {
        world = std::max(world, trace.record.worldSize.value_or(0));
        given.insert(trace.record.rank.value_or(0));
    }
    const std::int64_t missing = world - static_cast<std::int64_t>(given.size());
    if (missing <= 0) return;
    std::string names;
    std::size_t named = 0;
    for (std::int64_t rank = 0; rank < world && named < mostNamed; ++rank)
        if (!given.contains(rank)) names += (named++ == 0 ? "" : ", ") + std::to_string(rank);
    Problem problem = traceFault("missing-ranks", traces.front().record.file, "The job has " + std::to_string(world) + " ranks, and " + std::to_string(missing) + " of them are missing: " + names + (missing > static_cast<std::int64_t>(named) ? " …" : "") + ". The " + std::to_string(given.size()) + " that are there are replayed.", "Give the traces of the others, or let them be played by a \"hybrid\".");
    problem.severity = Severity::warning;
    problems.push_back(std::move(problem));
}

double percentOf(std::int64_t value, std::int64_t of) { return of == 0 ? 0 : 100 * (static_cast<double>(value) / static_cast<double>(of) - 1); }

Json rankRow(const ReplayedTrace& trace, std::int64_t replayedSpan) {
    const RankRecord& record = trace.record;
    const std::int64_t recorded = record.device.end - record.device.start;
    Json beyond;
    if (trace.beyond)
        beyond = {{"event", trace.beyond->event}, {"time_us", microsecondsJson(trace.beyond->when)}, {"bytes", trace.beyond->bytes}, {"reserved_bytes", trace.beyond->reserved}, {"operator", trace.beyond->inOperator}};
    Json modelled, modelError;
    if (trace.modelledReserved && trace.memory && trace.memory->reserved > 0) {
        modelled = *trace.modelledReserved;
        modelError = percentOf(*trace.modelledReserved, trace.memory->reserved);
    }
    return {{"rank", record.rank ? Json(*record.rank) : Json()}, {"file", record.file}, {"collectives", record.collectives.size()}, {"recorded_span_us", microsecondsJson(recorded)}, {"replayed_span_us", microsecondsJson(replayedSpan)}, {"error_percent", percentOf(replayedSpan, recorded)}, {"waiting_us", Json()}, {"transit_us", Json()}, {"clock_offset_us", 0}, {"allocated_peak_bytes", trace.memory ? Json(trace.memory->allocated) : Json()}, {"reserved_peak_bytes", trace.memory ? Json(trace.memory->reserved) : Json()}, {"modelled_reserved_peak_bytes", std::move(modelled)}, {"modelled_error_percent", std::move(modelError)}, {"beyond_memory", std::move(beyond)}};
}

Json collectiveRow(std::size_t index, const JointCollective& collective, const std::vector<ReplayedTrace>& traces) {
    Json waiting = Json::array(), ranks = Json::array();
    for (std::size_t i = 0; i < traces.size(); ++i) {
        if (!collective.has(i)) continue;
        waiting.push_back(microsecondsJson(collective.waitingOf(i)));
        ranks.push_back(*traces[i].record.rank);
    }
    return {{"index", index}, {"ranks", std::move(ranks)}, {"transit_us", microsecondsJson(collective.transit)}, {"last_to_arrive", *traces[collective.last].record.rank}, {"waiting_us", std::move(waiting)}};
}

/// From the first start of a device's work to the last end.
std::int64_t deviceSpanOf(const GraphedRank& rank, const std::vector<Interval>& runs) {
    std::vector<Interval> device;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (rank.graph.nodes[i].deviceEvent != DeviceGraph::noEvent) device.push_back(runs[i]);
    return spanOf(device);
}

/// The part that several ranks share, each collective with those of its group.
bool addGroupedReplay(Json& report, std::vector<ReplayedTrace>& traces, Problems& problems) {
    const std::vector<RankRecord> records = recordsOf(traces);
    std::vector<GraphedRank> ranks;
    ranks.reserve(traces.size());
    for (ReplayedTrace& trace : traces) ranks.push_back(std::move(*trace.graphed));
    const auto operations = jointOperations(records, problems);
    if (!operations) return false;
    const std::vector<std::int64_t> offsets = setClocksBack(ranks, *operations);
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min(), end = last;
    for (const GraphedRank& rank : ranks)
        for (const Interval& when : rank.record.collectives) {
            first = std::min(first, when.start);
            last = std::max(last, when.end);
        }
    const GroupedReplay replay = replayGroups(ranks, *operations);
    for (std::size_t i = 0; i < traces.size(); ++i) {
        std::int64_t waiting = 0, transit = 0;
        for (const JointCollective& collective : replay.collectives) {
            waiting += collective.waitingOf(i);
            if (collective.has(i)) transit += collective.transit;
        }
        for (const std::uint32_t node : ranks[i].collectives) end = std::max(end, replay.runs[i][node].end);
        report["ranks"][i] = rankRow(traces[i], deviceSpanOf(ranks[i], replay.runs[i]));
        report["ranks"][i]["waiting_us"] = microsecondsJson(waiting);
        report["ranks"][i]["transit_us"] = microsecondsJson(transit);
        report["ranks"][i]["clock_offset_us"] = microsecondsJson(offsets[i]);
    }
    report["span_us"] = microsecondsJson(end - first);
    report["recorded_us"] = microsecondsJson(last - first);
    report["collectives"] = Json::array();
    for (std::size_t k = 0; k < replay.collectives.size(); ++k) report["collectives"].push_back(collectiveRow(k, replay.collectives[k], traces));
    return true;
}

/// The part that several ranks share.
void addJointReplay(Json& report, std::vector<ReplayedTrace>& traces) {
    std::vector<RankRecord> records = recordsOf(traces);
    const std::vector<std::int64_t> offsets = clockOffsets(records);
    std::vector<ReplayedRank> ranks;
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i] = shifted(std::move(records[i]), offsets[i]);
        ranks.push_back(replayedRank(*records[i].rank, records[i]));
        first = std::min(first, records[i].collectives.front().start);
        last = std::max(last, records[i].collectives.back().end);
    }
    const JointReplay replay = replayTogether(ranks, transitOf(records));
    for (std::size_t i = 0; i < traces.size(); ++i) {
        std::int64_t waiting = 0, transit = 0;
        for (const JointCollective& collective : replay.collectives) {
            waiting += collective.waitingOf(i);
            transit += collective.transit;
        }
        const std::int64_t span = replay.collectives.back().end + ranks[i].tail - ranks[i].begin;
        report["ranks"][i] = rankRow(traces[i], span);
        report["ranks"][i]["waiting_us"] = microsecondsJson(waiting);
        report["ranks"][i]["transit_us"] = microsecondsJson(transit);
        report["ranks"][i]["clock_offset_us"] = microsecondsJson(offsets[i]);
    }
    report["span_us"] = microsecondsJson(replay.span());
    report["recorded_us"] = microsecondsJson(last - first);
    report["collectives"] = Json::array();
    for (std::size_t k = 0; k < replay.collectives.size(); ++k) report["collectives"].push_back(collectiveRow(k, replay.collectives[k], traces));
    const FoldingErrors errors = foldingErrors(records);
    report["folding"] = Json::array();
    for (std::size_t i = 0; i < traces.size(); ++i)
        report["folding"].push_back({{"rank", *records[i].rank}, {"onto_rank_error_percent", 100 * errors.ontoRank[i]}, {"left_out_error_percent", 100 * errors.leftOut[i]}});
    report["onto_mean_error_percent"] = 100 * errors.ontoMean;
}

} // namespace

ReplayedTrace replayedTrace(const KinetoTrace& trace, const std::string& file, std::optional<std::int64_t> vram, std::optional<std::int64_t> rank) {
    ReplayedTrace kept;
    kept.record = recordOf(trace, file, rank);
    GraphedRank graphed = graphedRank(trace, kept.record);
    kept.aloneSpan = deviceSpanOf(graphed, replayed(graphed.graph, [&](std::uint32_t index, std::int64_t) { return trace.device[index].when.end - trace.device[index].when.start; }));
    if (kept.record.namesMembers()) kept.graphed = std::move(graphed);
    kept.memory = recordedPeak(trace);
    if (vram) kept.beyond = firstBeyond(trace, *vram);
    kept.modelledReserved = modelledReservedPeak(trace);
    return kept;
}

std::optional<Json> replayReport(std::vector<ReplayedTrace> traces, Problems& problems) {
    const bool several = traces.size() > 1;
    const bool grouped = several && std::all_of(traces.begin(), traces.end(), [](const ReplayedTrace& trace) { return trace.graphed.has_value(); }) && haveGroups(recordsOf(traces));
    if (several && !belongTogether(traces, grouped, problems)) return std::nullopt;
    if (several) warnOfMissing(traces, problems);
    std::sort(traces.begin(), traces.end(), [](const ReplayedTrace& a, const ReplayedTrace& b) { return a.record.rank < b.record.rank; });
    Json report = {{"format", "orrery-replay/1"}, {"method", "replay from recorded traces"}, {"ranks", Json::array()}};
    for (const ReplayedTrace& trace : traces) report["ranks"].push_back(rankRow(trace, trace.aloneSpan));
    if (grouped) {
        if (!addGroupedReplay(report, traces, problems)) return std::nullopt;
    } else if (several && !traces.front().record.collectives.empty()) {
        addJointReplay(report, traces);
    }
    return report;
}

} // namespace orrery
