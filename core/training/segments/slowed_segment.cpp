// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segments/slowed_segment.hpp"
#include "core/training/segments/segment_placement.hpp"

#include <algorithm>
#include <limits>

namespace orrery {
namespace {

/// A segment's operators in the order in which they were placed, and how many are placed again.
struct Half {
    const Segment& segment;
    SegmentPlacement placement;
    std::vector<double> toCollective; ///< s of kernels from each operator to the next collective; infinite where none follows
    std::size_t next = 0;

    Half(const Segment& placed, const SegmentOptions& options, SegmentClocks& clocks, const std::vector<TimedOperator>& pool)
        : segment(placed), placement(tensorsOf(placed, pool), options, clocks), toCollective(placed.entries.size()) {
        double seconds = std::numeric_limits<double>::infinity();
        for (std::size_t entry = placed.entries.size(); entry-- > 0;) {
            const TimedOperator& timed = pool[placed.entries[entry].op];
            seconds = timed.op.kind == OperatorKind::collective ? 0 : seconds + timed.time;
            toCollective[entry] = seconds;
        }
    }

    bool done() const { return next == segment.entries.size(); }
    std::uint32_t op() const { return segment.entries[next].op; }
    /// Whichever can start first; of two that can at once, the one that comes to its next collective sooner, so that the other's kernels run
    /// beside that.
    bool goesBefore(const Half& other, const std::vector<TimedOperator>& pool) const {
        const double start = placement.earliestStart(pool[op()]), theirs = other.placement.earliestStart(pool[other.op()]);
        if (start < theirs || theirs < start) return start < theirs;
        return toCollective[next] <= other.toCollective[other.next];
    }
};

struct PlacedPair {
    SegmentClocks clocks;
    std::vector<SegmentEntry> entries;
    std::vector<PlacedOperator> order;
};

/// Who of both goes on.
enum class PairOrder { soonest,        ///< whoever can start first
                       turnsFromFirst, ///< each in turn up to its next collective
                       turnsFromSecond };

bool takesFirst(PairOrder order, const Half& first, const Half& second, bool firstsTurn, const std::vector<TimedOperator>& pool) {
    if (first.done() || second.done()) return second.done();
    return order == PairOrder::soonest ? first.goesBefore(second, pool) : firstsTurn;
}

PlacedPair placedPair(PairOrder order, const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    PlacedPair pair;
    Half first(one, options, pair.clocks, pool), second(other, options, pair.clocks, pool);
    pair.entries.reserve(one.entries.size() + other.entries.size());
    bool firstsTurn = order != PairOrder::turnsFromSecond;
    while (!first.done() || !second.done()) {
        const bool takeFirst = takesFirst(order, first, second, firstsTurn, pool);
        Half& half = takeFirst ? first : second;
        const TimedOperator& timed = pool[half.op()];
        pair.order.push_back({half.op(), takeFirst ? 0u : 1u});
        pair.entries.push_back(half.placement.place(timed, half.op()));
        ++half.next;
        if (timed.op.kind == OperatorKind::collective) firstsTurn = !takeFirst;
    }
    return pair;
}

BuiltSegment builtPair(PairOrder order, const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    PlacedPair pair = placedPair(order, one, other, options, pool);
    BuiltSegment built = finishSegment(one.name + " + " + other.name, Phase::backward, std::move(pair.entries), pair.clocks);
    slowBesideCollectives(built, pair.order, options, pool);
    return built;
}

} // namespace

/// Whoever can start first is mostly the best order, but takes longer for a shorter kernel now and then (Graham, Bounds on multiprocessing
/// timing anomalies, 1969); turns don't. Whoever fits an order to a model takes what is best.
BuiltSegment buildPairSegment(const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    SegmentOptions together = options;
    together.asyncCollectives = true; // a collective that stopped the compute stream would hide nothing
    together.waitsForTensor = false;
    PairOrder best = PairOrder::soonest;
    BuiltSegment built = builtPair(best, one, other, together, pool);
    const auto orders = options.choosesPairOrder ? std::vector{PairOrder::turnsFromFirst, PairOrder::turnsFromSecond} : std::vector<PairOrder>{};
    for (const PairOrder order : orders) {
        BuiltSegment turns = builtPair(order, one, other, together, pool);
        if (turns.segment.duration >= built.segment.duration) continue;
        best = order;
        built = std::move(turns);
    }
    if (waitsBesideKernels(built.parts, together)) {
        SegmentOptions slow = together;
        slow.kernelStretch = options.overlapSlowdown;
        built.parts.withSlowKernels = placedPair(best, one, other, slow, pool).clocks.end();
    }
    return built;
}

namespace {

constexpr TaskId nothing = ~TaskId{0};
enum : StreamId { computeStream,
                  collectiveStream,
                  hostStream,
                  trafficStream };
constexpr auto computing = static_cast<LoadClass>(RankLoad::compute), communicating = static_cast<LoadClass>(RankLoad::collective);
constexpr auto trafficLoad = static_cast<LoadClass>(communicating + 1);

} // namespace

SlowedSegment::SlowedSegment(const SegmentOptions& options)
    : options_(options), lastCompute_(nothing), lastCollective_(nothing), lastStopping_(nothing), lastLaunch_(nothing), awaited_(nothing), traffic_(nothing) {
    for (const StreamId stream : {computeStream, collectiveStream, hostStream, trafficStream}) {
        program_.addStream();
        if (stream != hostStream) program_.placeStream(stream, 0);
    }
    for (const LoadClass by : {communicating, trafficLoad}) program_.setSlowdown(computing, by, options.overlapSlowdown);
    stretches_.push_back({{}, communicating});
}

LoadClass SlowedSegment::loadOf(const TrafficStretch& stretch) {
    for (const auto& [known, load] : stretches_)
        if (known.collective == stretch.collective && known.traffic == stretch.traffic) return load;
    const auto load = static_cast<LoadClass>(static_cast<std::size_t>(trafficLoad) + stretches_.size());
    stretches_.push_back({stretch, load});
    program_.setSlowdown(computing, load, options_.overlapSlowdown);
    program_.setSlowdown(load, trafficLoad, stretch.collective);
    program_.setSlowdown(trafficLoad, load, stretch.traffic);
    return load;
}

const SlowedSegment::Placed* SlowedSegment::writerOf(TensorId tensor, std::size_t side) const {
    const auto& writers = writers_[side];
    const auto found = std::find_if(writers.rbegin(), writers.rend(), [tensor](const auto& entry) { return entry.first == tensor; });
    return found == writers.rend() ? nullptr : &placed_[found->second];
}

void SlowedSegment::wait(TaskId task, TaskId before) {
    program_.addDependency(task, before);
    waits_.push_back({task, before});
}

void SlowedSegment::wait(const Placed& placed, const Placed& before, bool chunked) {
    if (!chunked || placed.last - placed.first != before.last - before.first) {
        wait(placed.first, before.last);
        return;
    }
    for (TaskId i = 0; i <= placed.last - placed.first; ++i) wait(placed.first + i, before.first + i);
}

void SlowedSegment::addChunks(StreamId stream, double time, int chunks, LoadClass load, Placed& placed) {
    for (int i = 0; i < chunks; ++i) {
        placed.last = program_.addTask(stream, time / chunks);
        if (i == 0) placed.first = placed.last;
        program_.setLoad(placed.last, load);
    }
}

void SlowedSegment::add(const TimedOperator& timed, std::uint32_t index, std::size_t side, const TrafficStretch& stretch) {
    Placed placed;
    placed.index = index;
    placed.isCollective = timed.op.kind == OperatorKind::collective;
    placed.isProduct = timed.op.kind == OperatorKind::gemm;
    placed.group = timed.op.group;
    placed.stops = placed.isCollective && stopsCompute(options_, timed.op);
    placed.phase = timed.op.phase;
    const int chunks = options_.chunkedOverlap && (placed.isProduct || placed.isCollective) ? options_.chunks : 1;
    addChunks(placed.isCollective ? collectiveStream : computeStream, timed.time, chunks, placed.isCollective ? loadOf(stretch) : computing, placed);
    if (placed.isCollective) addCollective(timed, placed, side);
    else addKernel(timed, placed, side);
    for (const TensorId output : timed.op.outputs) writers_[side].emplace_back(output, static_cast<std::uint32_t>(placed_.size()));
    placed_.push_back(placed);
}

void SlowedSegment::addKernel(const TimedOperator& timed, Placed& placed, std::size_t side) {
    for (const TensorId input : timed.op.inputs) {
        const Placed* writer = writerOf(input, side);
        if (writer && writer->isCollective) wait(placed, *writer, placed.isProduct);
    }
    if (lastStopping_ != nothing) wait(placed.first, lastStopping_);
    addLaunch(timed.op, placed);
    lastCompute_ = placed.last;
    if (timed.op.hostWaits) awaited_ = placed.last;
}

void SlowedSegment::addLaunch(const Operator& op, Placed& placed) {
    const double host = hostTime(options_, op);
    if (host <= 0) return;
    lastLaunch_ = program_.addTask(hostStream, host);
    for (const TaskId before : {awaited_, options_.synchronousLaunches ? lastCompute_ : nothing, options_.synchronousLaunches ? lastCollective_ : nothing})
        if (before != nothing) program_.addDependency(lastLaunch_, before);
    program_.addDependency(placed.first, lastLaunch_);
}

void SlowedSegment::addCollective(const TimedOperator& timed, Placed& placed, std::size_t side) {
    for (const TensorId input : timed.op.inputs) {
        const Placed* writer = writerOf(input, side);
        if (writer && !writer->isCollective) wait(placed, *writer, writer->isProduct);
    }
    if (placed.stops && lastCompute_ != nothing) program_.addDependency(placed.first, lastCompute_);
    addLaunch(timed.op, placed);
    if (placed.stops) lastStopping_ = placed.last;
    lastCollective_ = placed.last;
}

void SlowedSegment::addTraffic(double seconds) {
    traffic_ = program_.addTask(trafficStream, seconds);
    program_.setLoad(traffic_, trafficLoad);
}

SlowedSegment::Times SlowedSegment::run() {
    std::stable_sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) { return a.task < b.task; });
    times_ = *runProgram(program_);
    Times ends;
    for (const TaskId last : {lastCompute_, lastCollective_})
        if (last != nothing) ends.segment = std::max(ends.segment, times_.end[last]);
    if (traffic_ != nothing) ends.traffic = times_.end[traffic_];
    return ends;
}

BuiltSegment SlowedSegment::built(std::string name, Phase phase) const {
    BuiltSegment built;
    built.segment.name = std::move(name);
    built.segment.phase = phase;
    SegmentParts& parts = built.parts;
    double clock = 0, tensor = 0;
    std::vector<CollectiveSpan> spans;
    auto waited = waits_.begin();
    for (const Placed& placed : placed_) {
        built.segment.entries.push_back({placed.index, times_.start[placed.first], times_.end[placed.last],
                                         placed.isCollective ? StreamKind::within : StreamKind::compute});
        if (placed.isCollective) {
            tensor = times_.end[placed.last];
            spans.push_back({times_.start[placed.first], tensor, placed.group});
        }
        if (placed.stops) {
            bookWait(parts, spans, clock, tensor);
            clock = std::max(clock, tensor);
        }
        for (TaskId task = placed.first; task <= placed.last; ++task) {
            double ready = 0;
            for (; waited != waits_.end() && waited->task <= task; ++waited)
                if (waited->task == task) ready = std::max(ready, times_.end[waited->before]);
            if (placed.isCollective) continue;
            const double gap = times_.start[task] - clock, exposed = std::clamp(ready - clock, 0.0, gap);
            const double spent = times_.end[task] - times_.start[task];
            if (exposed > 0) bookWait(parts, spans, clock, clock + exposed);
            parts.overhead += gap - exposed;
            workPart(parts, placed.phase) += spent;
            parts.interference += spent - program_.durations()[task];
            clock = times_.end[task];
        }
    }
    parts.overlapped = parts.interference / (options_.overlapSlowdown - 1);
    if (tensor > clock) bookWait(parts, spans, clock, tensor);
    built.segment.duration = std::max(clock, tensor);
    std::stable_sort(built.segment.entries.begin(), built.segment.entries.end(),
                     [](const SegmentEntry& a, const SegmentEntry& b) { return a.start < b.start; });
    return built;
}

namespace {

bool overlaps(const Segment& segment) {
    double compute = 0, collective = 0; // ends so far; entries are sorted by start
    for (const SegmentEntry& entry : segment.entries) {
        const bool isCollective = entry.stream != StreamKind::compute;
        if (entry.end > entry.start && (isCollective ? compute : collective) > entry.start) return true;
        (isCollective ? collective : compute) = entry.end;
    }
    return false;
}

} // namespace

void slowBesideCollectives(BuiltSegment& built, const std::vector<PlacedOperator>& order, const SegmentOptions& options,
                           const std::vector<TimedOperator>& pool) {
    if (options.overlapSlowdown <= 1 || !overlaps(built.segment)) return;
    SlowedSegment slowed(options);
    for (const PlacedOperator& placed : order) slowed.add(pool[placed.op], placed.op, placed.side);
    slowed.run();
    built = slowed.built(std::move(built.segment.name), built.segment.phase);
}

} // namespace orrery
