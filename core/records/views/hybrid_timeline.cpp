// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/hybrid_timeline.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>
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

namespace {

/// What a rank does while a task of its lane runs, s.
struct LaneSpan {
    double start = 0, end = 0;
    std::string name;
    RecordedWork work = RecordedWork::kernel;
    StreamKind stream = StreamKind::compute;
};

/// When a collective of several lanes begins, and who comes last.
struct Meeting {
    double start = 0, end = 0;
    int last = -1; ///< lane
};

/// The rank that another takes after: the first of its class that was recorded; -1: none was.
int likenessOf(const RankClass& one, const std::map<int, std::string>& recorded) {
    const auto found = std::find_if(one.ranks.begin(), one.ranks.end(), [&](int rank) { return recorded.contains(rank); });
    return found == one.ranks.end() ? -1 : *found;
}

/// Lists the ranks that are drawn, class by class.
std::vector<std::vector<int>> drawnByClass(const std::vector<RankClass>& classes, const std::map<int, std::string>& recorded) {
    std::vector<std::vector<int>> drawn(classes.size());
    std::size_t count = 0;
    const auto take = [&](auto wanted) {
        for (std::size_t i = 0; i < classes.size(); ++i)
            for (const int rank : classes[i].ranks) {
                if (count >= mostHybridRanks) return;
                if (!wanted(classes[i], rank) || std::find(drawn[i].begin(), drawn[i].end(), rank) != drawn[i].end()) continue;
                drawn[i].push_back(rank);
                ++count;
            }
    };
    take([&](const RankClass&, int rank) { return recorded.contains(rank); });
    take([](const RankClass& one, int rank) { return rank == one.ranks.front(); });
    take([](const RankClass&, int) { return true; });
    for (std::vector<int>& ranks : drawn) std::sort(ranks.begin(), ranks.end());
    return drawn;
}

class Drawing {
public:
    Drawing(const PlannedRanks& ranks, const TaskTimes& times) : ranks_(ranks), times_(times) {
        made_.record.timeline.kind = TimelineKind::recorded;
        made_.record.timeline.streamNames = {"device", "within", "passes", "pipeline", "data"};
        made_.record.timeline.duration = times.duration;
        findMeetings();
    }

    PlannedTimeline draw(const std::vector<RankClass>& classes, const std::map<int, std::string>& recorded) {
        const std::vector<std::vector<int>> drawn = drawnByClass(classes, recorded);
        for (std::size_t i = 0; i < classes.size(); ++i)
            for (const int rank : drawn[i]) {
                const int like = likenessOf(classes[i], recorded);
                add(rank, recorded.contains(rank) ? "recorded" : like < 0 ? "like " + classes[i].name
                                                                          : "like " + std::to_string(like));
            }
        findWaits();
        return std::move(made_);
    }

private:
    /// Each collective's lanes: those whose departure waits for it.
    void findMeetings() {
        const Iteration& iteration = ranks_.iteration();
        for (const auto& [before, after] : iteration.program.edges()) {
            if (iteration.tasks[before].role != TaskRole::joint || iteration.tasks[after].role != TaskRole::depart) continue;
            meetingOf_[after] = before;
            Meeting& meeting = meetings_[before];
            meeting.start = times_.start[before];
            meeting.end = times_.end[before];
            const int lane = iteration.tasks[after].lane;
            const auto known = latest_.find(before);
            const double arrival = times_.end[after - 1];
            if (known != latest_.end() && known->second >= arrival) continue;
            latest_[before] = arrival;
            meeting.last = lane;
        }
        spans_.resize(ranks_.lanes());
        for (TaskId task = 0; task < iteration.tasks.size(); ++task) addTask(iteration, task);
    }

    void addTask(const Iteration& iteration, TaskId task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.lane < 0 || (info.role != TaskRole::work && info.role != TaskRole::depart)) return;
        const bool computes = info.stream == StreamKind::compute;
        if (!computes && info.stream != TrainingStream::pipeline && info.stream != TrainingStream::data) return;
        std::vector<LaneSpan>& spans = spans_[static_cast<std::size_t>(info.lane)];
        const std::string& name = iteration.work.segments[info.segment].name;
        const auto add = [&](double start, double end, const std::string& called, RecordedWork work) {
            if (end > start) spans.push_back({start, end, called, work, info.stream});
        };
        const auto meeting = meetingOf_.find(task);
        if (meeting == meetingOf_.end()) return add(times_.start[task], times_.end[task], name, computes ? RecordedWork::kernel : RecordedWork::communication);
        const Meeting& together = meetings_.at(meeting->second);
        add(times_.end[task - 1], together.start, "waiting in " + name, RecordedWork::waiting);
        add(together.start, together.end, name, RecordedWork::communication);
    }

    void add(int rank, std::string role) {
        StageTimeline stage;
        stage.stage = static_cast<int>(made_.record.timeline.stages.size());
        stage.ranks = std::to_string(rank);
        source_ = role == "recorded" ? Source::measured : Source::predicted;
        stage.role = std::move(role);
        const std::vector<LaneSpan>& spans = spans_[static_cast<std::size_t>(ranks_.laneOf(rank))];
        Stream summary;
        summary.spans = summed(spans);
        stage.streams.push_back(std::move(summary));
        std::vector<RecordRow> meanings{RecordRow::summary};
        const std::array<StreamKind, 3> kinds{StreamKind::compute, TrainingStream::pipeline, TrainingStream::data};
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            Stream row{static_cast<StreamKind>(i + 2), {}};
            for (const LaneSpan& span : spans)
                if (span.stream == kinds[i]) row.spans.push_back(spanOf(span.start, span.end, segmentOf(span.name, span.work)));
            if (row.spans.empty()) continue;
            std::stable_sort(row.spans.begin(), row.spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
            stage.streams.push_back(std::move(row));
            meanings.push_back(RecordRow::device);
        }
        made_.record.timeline.stages.push_back(std::move(stage));
        made_.record.rows.push_back(std::move(meanings));
        made_.ranks.push_back(rank);
    }

    static Span spanOf(double start, double end, std::uint32_t segment) {
        Span span;
        span.start = start;
        span.end = end;
        span.segment = segment;
        return span;
    }

    /// From one change to the next: passes, communication, both at once, or waiting alone.
    std::vector<Span> summed(const std::vector<LaneSpan>& spans) {
        struct Change {
            double when;
            RecordedWork work;
            int by;
        };
        std::vector<Change> changes;
        for (const LaneSpan& span : spans) {
            changes.push_back({span.start, span.work, 1});
            changes.push_back({span.end, span.work, -1});
        }
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.when < b.when; });
        std::array<int, recordedWorkCount> open{};
        std::vector<Span> row;
        const auto isOpen = [&open](RecordedWork work) { return open[static_cast<std::size_t>(work)] > 0; };
        for (std::size_t i = 0; i < changes.size(); ++i) {
            open[static_cast<std::size_t>(changes[i].work)] += changes[i].by;
            const double end = i + 1 < changes.size() ? changes[i + 1].when : changes[i].when;
            const bool computes = isOpen(RecordedWork::kernel), communicates = isOpen(RecordedWork::communication);
            if (end <= changes[i].when || (!computes && !communicates && !isOpen(RecordedWork::waiting))) continue;
            const std::uint32_t segment = computes && communicates ? segmentOf("passes and communication", RecordedWork::beside)
                                          : computes               ? segmentOf("passes", RecordedWork::kernel)
                                          : communicates           ? segmentOf("communication", RecordedWork::communication)
                                                                   : segmentOf("waiting for other ranks", RecordedWork::waiting);
            if (!row.empty() && row.back().segment == segment && row.back().end == changes[i].when) row.back().end = end;
            else row.push_back(spanOf(changes[i].when, end, segment));
        }
        return row;
    }

    std::uint32_t segmentOf(const std::string& name, RecordedWork work) {
        Timeline& timeline = made_.record.timeline;
        const auto [known, fresh] = segments_.try_emplace({name, work, source_}, static_cast<std::uint32_t>(timeline.segments.size()));
        if (!fresh) return known->second;
        TimedOperator timed;
        timed.op.name = name;
        timed.source = source_;
        Segment segment;
        segment.name = name;
        segment.entries.push_back({known->second, 0, 0, StreamKind::compute});
        timeline.operators.push_back(std::move(timed));
        timeline.segments.push_back(std::move(segment));
        timeline.works.push_back(work);
        return known->second;
    }

    /// Fills the matrix of waits. Ranks of one lane come at once: where their lane comes last, the first of them stands for all.
    void findWaits() {
        std::map<int, std::size_t> placeOf;
        for (std::size_t place = made_.ranks.size(); place-- > 0;) placeOf[ranks_.laneOf(made_.ranks[place])] = place;
        std::vector<std::map<int, double>> waited(ranks_.lanes()); // by lane, for which lane
        for (const auto& [task, joint] : meetingOf_) waited[static_cast<std::size_t>(ranks_.iteration().tasks[task].lane)][meetings_.at(joint).last] += meetings_.at(joint).start - times_.end[task - 1];
        made_.waiting.assign(made_.ranks.size(), std::vector<double>(made_.ranks.size(), 0));
        for (std::size_t place = 0; place < made_.ranks.size(); ++place)
            for (const auto& [lane, seconds] : waited[static_cast<std::size_t>(ranks_.laneOf(made_.ranks[place]))])
                if (const auto last = placeOf.find(lane); last != placeOf.end()) made_.waiting[place][last->second] += seconds;
    }

    const PlannedRanks& ranks_;
    const TaskTimes& times_;
    PlannedTimeline made_;
    std::map<TaskId, TaskId> meetingOf_; ///< by departure: the joint task
    std::map<TaskId, Meeting> meetings_; ///< by joint task
    std::map<TaskId, double> latest_;    ///< arrival, by joint task
    std::vector<std::vector<LaneSpan>> spans_;
    Source source_ = Source::measured; ///< of the rank that is drawn
    std::map<std::tuple<std::string, RecordedWork, Source>, std::uint32_t> segments_;
};

} // namespace

PlannedTimeline plannedTimeline(const PlannedRanks& ranks, const TaskTimes& times, const std::vector<RankClass>& classes, const std::map<int, std::string>& recorded) { return Drawing(ranks, times).draw(classes, recorded); }

} // namespace orrery
