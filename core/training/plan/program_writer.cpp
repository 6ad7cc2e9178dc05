// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/program_writer.hpp"

#include "core/engine/jitter_model.hpp"
#include "core/training/plan/lanes.hpp"
#include "core/training/rank_work/slow_kernels.hpp"
#include "core/training/segments/slowed_segment.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr StreamId streamsPerLane = static_cast<StreamId>(TrainingStream::count) + 1; // and the host's

/// The first of an operator's kernels in a row, whose last is `last`.
TaskId firstOf(TaskId last, const Operator& op) {
    const bool inARow = op.kind == OperatorKind::collective && (op.group == RankGroup::tensor || op.group == RankGroup::context);
    return inARow ? last - static_cast<TaskId>(op.kernels - 1) : last;
}

} // namespace

ProgramWriter::ProgramWriter(const Scenario& scenario, JobTraffic& traffic, Iteration& iteration, bool expandTensor, const StepStretch* stretch)
    : scenario_(scenario), traffic_(traffic), iteration_(iteration), expandTensor_(expandTensor),
      stretch_(stretch), slowdown_(overlapSlowdown(scenario)) {
    const std::size_t lanes = iteration.lanes.lanes().size();
    for (std::size_t i = 0; i < streamsPerLane * lanes; ++i) iteration_.program.addStream();
    const auto stages = static_cast<std::size_t>(scenario.parallelism.pipeline);
    for (std::size_t stage = 0; stage < stages; ++stage) jointStreams_.push_back(iteration_.program.addStream());
    if (slowdown_.any()) letLoadsMeet();
    joints_.resize(stages);
    joined_.assign(lanes, 0);
    tensorTransfers_.resize(lanes);
    drawn_.assign(lanes, 0);
    pieceSegments_ = iteration_.work.segments.size();
    pieceOperators_ = iteration_.work.operators.size();
    collectives_.resize(pieceSegments_);
}

/// Each lane is a device; a collective that lanes join runs on all of theirs.
void ProgramWriter::letLoadsMeet() {
    Program& program = iteration_.program;
    const auto computing = static_cast<LoadClass>(RankLoad::compute);
    program.setSlowdown(computing, static_cast<LoadClass>(RankLoad::collective), slowdown_.collective);
    program.setSlowdown(computing, static_cast<LoadClass>(RankLoad::send), slowdown_.send);
    for (int lane = 0; lane < static_cast<int>(iteration_.lanes.lanes().size()); ++lane) {
        const auto device = static_cast<DeviceId>(lane);
        for (const StreamKind kind : {StreamKind::compute, StreamKind::within, TrainingStream::pipeline, TrainingStream::data})
            program.placeStream(stream(lane, kind), device);
        const int stage = iteration_.lanes.lane(lane).stage;
        if (iteration_.lanes.count(stage) > 1) program.placeStream(jointStreams_[static_cast<std::size_t>(stage)], device);
    }
}

void ProgramWriter::setLoad(TaskId task, RankLoad load, double weight) {
    if (slowdown_.any()) iteration_.program.setLoad(task, static_cast<LoadClass>(load), weight);
}

StreamId ProgramWriter::stream(int lane, StreamKind kind) const {
    return static_cast<StreamId>(lane) * streamsPerLane + static_cast<StreamId>(kind);
}

StreamId ProgramWriter::hostStream(int lane) const { return static_cast<StreamId>(lane) * streamsPerLane + static_cast<StreamId>(TrainingStream::count); }

TaskId ProgramWriter::addInfo(int lane, int stage, StreamKind kind, TaskRole role, std::uint32_t segment, const TaskPlace& place) {
    TaskInfo info;
    info.segment = segment;
    info.microBatch = place.microBatch;
    info.layer = place.layer;
    info.chunk = static_cast<std::int16_t>(place.chunk);
    info.stage = static_cast<std::int16_t>(stage);
    info.lane = lane;
    info.stream = kind;
    info.role = role;
    iteration_.tasks.push_back(info);
    return static_cast<TaskId>(iteration_.tasks.size()) - 1;
}

void ProgramWriter::after(TaskId task, TaskId before) {
    if (before != noTask) iteration_.program.addDependency(task, before);
}

/// For the lane's next task that computes: log-normal with mean 1 and the lane's own draws, or of the slowest pipeline, the same for all.
double ProgramWriter::jitter(int lane, std::uint32_t segment) {
    const double sigma = scenario_.execution.jitter.sigma;
    if (!stretch_ && sigma <= 0) return 1;
    const std::uint64_t index = drawn_[static_cast<std::size_t>(lane)]++;
    const Lane& own = iteration_.lanes.lane(lane);
    if (stretch_) return stretch_->ofTask(own.stage, own.slowdown, segment, index);
    return std::exp(sigma * normalDraw(scenario_.execution.jitter.seed, static_cast<std::uint64_t>(lane), 2 * index) - sigma * sigma / 2);
}

ComputeTasks ProgramWriter::addCompute(int lane, std::uint32_t segment, const TaskPlace& place) {
    if (isExpanded(segment)) return repeatExpanded(lane, segment, place);
    const std::uint32_t own = onLane(lane, segment);
    addInfo(lane, iteration_.lanes.lane(lane).stage, StreamKind::compute, TaskRole::work, own, place);
    const TaskId task = iteration_.program.addTask(stream(lane, StreamKind::compute), iteration_.work.segments[own].duration * jitter(lane, segment));
    setLoad(task, RankLoad::compute, shareSlowedByOthers(iteration_.work.segments[own], iteration_.work.parts[own], scenario_.kernels.overlapSlowdown));
    return {task, task};
}

// --- segments of slow lanes ----------------------------------------------------------------------------------------------------

/// The segment as the lane's accelerators run it.
std::uint32_t ProgramWriter::onLane(int lane, std::uint32_t segment) {
    const double slowdown = iteration_.lanes.lane(lane).slowdown;
    if (slowdown == 1 || iteration_.work.segments[segment].entries.empty()) return segment; // the host's alone
    const auto [known, fresh] = slow_.try_emplace({segment, slowdown}, segment);
    if (fresh) {
        known->second = iteration_.work.add(slowSegment(segment, slowdown));
        iteration_.slow[known->second] = {segment, slowdown};
    }
    return known->second;
}

BuiltSegment ProgramWriter::slowSegment(std::uint32_t segment, double slowdown) {
    const RankWork& work = iteration_.work;
    const SegmentOptions options = segmentOptions(scenario_);
    if (segment < pieceSegments_) return placedAgain(work.segments[segment], options, slowOperators(slowdown));
    for (const auto& [halves, pair] : iteration_.pairs)
        if (pair == segment) return buildPairSegment(slowSegment(halves.first, slowdown).segment, slowSegment(halves.second, slowdown).segment, options, slowOperators(slowdown));
    // A kernel by itself.
    BuiltSegment built{work.segments[segment], work.parts[segment]};
    built.segment.duration *= slowdown;
    for (SegmentEntry& entry : built.segment.entries) entry.end *= slowdown;
    built.parts.optimizer *= slowdown;
    return built;
}

const std::vector<TimedOperator>& ProgramWriter::slowOperators(double slowdown) {
    const auto [known, fresh] = slowOperators_.try_emplace(slowdown);
    if (fresh) {
        const auto first = iteration_.work.operators.begin();
        known->second = withSlowKernels({first, first + static_cast<std::ptrdiff_t>(pieceOperators_)}, slowdown);
    }
    return known->second;
}

TaskId ProgramWriter::addOn(int lane, StreamKind kind, std::uint32_t segment, const TaskPlace& place) {
    addInfo(lane, iteration_.lanes.lane(lane).stage, kind, TaskRole::work, segment, place);
    return iteration_.program.addTask(stream(lane, kind), iteration_.work.segments[segment].duration);
}

// --- segments around collectives that share links -----------------------------------------------------------------------------

bool ProgramWriter::hasTensorCollectives(std::uint32_t segment) const {
    const std::vector<SegmentEntry>& entries = iteration_.work.segments[segment].entries;
    return std::any_of(entries.begin(), entries.end(), [](const SegmentEntry& entry) { return entry.stream == StreamKind::within; });
}

bool ProgramWriter::isExpanded(std::uint32_t segment) const { return expandTensor_ && hasTensorCollectives(segment) && !iteration_.isPair(segment); }

std::size_t ProgramWriter::tasksOf(std::uint32_t segment) const {
    // The moments it begins and ends, and for each operator itself and its launch.
    return isExpanded(segment) ? 2 + 2 * iteration_.work.segments[segment].entries.size() : 1;
}

/// What a segment is made of is the same every time it runs on a lane, unless chance has a part in how long it takes.
ComputeTasks ProgramWriter::repeatExpanded(int lane, std::uint32_t segment, const TaskPlace& place) {
    Program& program = iteration_.program;
    const auto known = expansions_.find({lane, segment});
    if (known == expansions_.end()) {
        const std::uint64_t drawn = drawn_[static_cast<std::size_t>(lane)];
        const std::size_t edgeBegin = program.edges().size();
        const ComputeTasks tasks = addExpanded(lane, segment, place);
        if (drawn_[static_cast<std::size_t>(lane)] == drawn) expansions_[{lane, segment}] = {tasks.first, tasks.last, edgeBegin, program.edges().size()};
        return tasks;
    }
    const Expansion& first = known->second;
    const TaskId begin = program.repeat(first.begin, first.end, first.edgeBegin, first.edgeEnd), end = begin + (first.end - first.begin);
    for (TaskId task = first.begin; task < first.end; ++task) iteration_.tasks.push_back(iteration_.tasks[task]);
    addInfo(lane, iteration_.lanes.lane(lane).stage, StreamKind::compute, TaskRole::work, segment, place);
    iteration_.expanded.push_back({begin, end});
    return {begin, end};
}

TaskId ProgramWriter::addPart(int lane, StreamKind kind, std::uint32_t op, double duration) {
    addInfo(lane, iteration_.lanes.lane(lane).stage, kind, TaskRole::part, op, {});
    return iteration_.program.addTask(stream(lane, kind), duration);
}

TransferId ProgramWriter::tensorTransfer(int lane, std::uint32_t op) {
    const RankGroup group = iteration_.work.operators[op].op.group;
    if (group != RankGroup::tensor && group != RankGroup::context) return noTransfer;
    std::vector<TransferId>& known = tensorTransfers_[static_cast<std::size_t>(lane)];
    if (op >= known.size()) known.resize(iteration_.work.operators.size(), noTransfer);
    if (known[op] != noTransfer) return known[op];
    const Lane& own = iteration_.lanes.lane(lane);
    const Operator& collective = iteration_.work.operators[op].op;
    const double bytes = collective.messageBytes / collective.kernels;
    const JobTraffic::Id patterns = traffic_.patterns({collective.group, collective.collective, own.stage, own.stage}, bytes);
    return known[op] = transfer(patterns, own.cell, bytes);
}

/// One after another the kernels of a collective of the lane's tensor group.
TaskId ProgramWriter::addTensorTransfer(int lane, std::uint32_t op, TaskId before, double stretched) {
    const Lane& own = iteration_.lanes.lane(lane);
    const TransferId what = tensorTransfer(lane, op);
    if (what == noTransfer) {
        // Groups that reach over cells run as long as they do alone.
        const TaskId task = addPart(lane, StreamKind::within, op, iteration_.work.operators[op].time * stretched);
        setLoad(task, RankLoad::collective);
        after(task, before);
        return task;
    }
    TaskId last = before;
    for (int kernel = 0; kernel < iteration_.work.operators[op].op.kernels; ++kernel) {
        addInfo(lane, own.stage, StreamKind::within, TaskRole::part, op, {});
        const TaskId task = iteration_.program.addTransfer(stream(lane, StreamKind::within), what);
        setLoad(task, RankLoad::collective);
        after(task, last);
        last = task;
    }
    return last;
}

/// The host launches an operator behind what it launched before; nothing where that takes no time.
TaskId ProgramWriter::addLaunch(int lane, double seconds, TaskId launched, TaskId lastCompute, TaskId lastTensor) {
    if (seconds <= 0) return noTask;
    addInfo(lane, iteration_.lanes.lane(lane).stage, StreamKind::compute, TaskRole::part, noOperator, {});
    const TaskId launch = iteration_.program.addTask(hostStream(lane), seconds);
    after(launch, launched);
    if (scenario_.execution.profile.synchronousLaunches) {
        after(launch, lastCompute);
        after(launch, lastTensor);
    }
    return launch;
}

/// The rules of segment_builder.cpp as tasks: streams in order, operators behind what they read, the host launching ahead.
ComputeTasks ProgramWriter::addExpanded(int lane, std::uint32_t segment, const TaskPlace& place) {
    const Lane& own = iteration_.lanes.lane(lane);
    const SegmentOptions options = segmentOptions(scenario_);
    const double varied = jitter(lane, segment), slowdown = own.slowdown * varied;
    const double waits = stretch_ ? varied : 1; // the slowest pipeline's factor is of all that its segments hold
    const TaskId begin = addPart(lane, StreamKind::compute, noOperator, 0);
    TaskId lastCompute = begin, lastTensor = noTask, lastStopping = noTask, launched = begin;
    std::map<TensorId, TaskId> writers; // of what another stream's operator may read
    // Entries lie by their starts; the host launches by the order of the program, which is that of the operators' list.
    std::vector<SegmentEntry> entries = iteration_.work.segments[segment].entries;
    std::sort(entries.begin(), entries.end(), [](const SegmentEntry& a, const SegmentEntry& b) { return a.op < b.op; });
    for (const SegmentEntry& entry : entries) {
        const Operator& op = iteration_.work.operators[entry.op].op;
        TaskId task = noTask;
        if (entry.stream == StreamKind::within) {
            const bool stops = stopsCompute(options, op);
            task = addTensorTransfer(lane, entry.op, stops ? lastCompute : begin, waits);
            const TaskId launch = addLaunch(lane, waits * hostTime(options, op), launched, lastCompute, lastTensor);
            if (launch != noTask) after(firstOf(task, op), launched = launch);
            lastTensor = task;
            if (stops) lastStopping = task;
        } else {
            task = addPart(lane, StreamKind::compute, entry.op, iteration_.work.operators[entry.op].time * slowdown);
            setLoad(task, RankLoad::compute);
            const TaskId launch = addLaunch(lane, waits * hostTime(options, op), launched, lastCompute, lastTensor);
            if (launch != noTask) after(task, launched = launch);
            if (op.hostWaits) launched = task;
            after(task, lastStopping);
            lastCompute = task;
        }
        for (const TensorId input : op.inputs) {
            const auto writer = writers.find(input);
            if (writer == writers.end()) continue;
            // The stream's own order says the rest.
            if (iteration_.tasks[writer->second].stream != iteration_.tasks[task].stream) after(firstOf(task, op), writer->second);
        }
        for (const TensorId output : op.outputs) writers[output] = task;
    }
    addInfo(lane, own.stage, StreamKind::compute, TaskRole::work, segment, place);
    const TaskId end = iteration_.program.addTask(stream(lane, StreamKind::compute), 0);
    after(end, lastTensor);
    iteration_.expanded.push_back({begin, end});
    return {begin, end};
}

TransferId ProgramWriter::transfer(JobTraffic::Id patterns, int cell, double bytes) {
    const auto [entry, added] = transfers_.emplace(std::make_tuple(patterns, cell, bytes), static_cast<TransferId>(iteration_.transfers.size()));
    if (added) iteration_.transfers.push_back({patterns, cell, bytes});
    return entry->second;
}

TaskId ProgramWriter::addTransfer(int lane, int toStage, double bytes, const TaskPlace& place) {
    const Lane& own = iteration_.lanes.lane(lane);
    const TrafficKind kind{RankGroup::pipeline, CollectiveKind::send_receive, own.stage, toStage};
    auto known = transferSegments_.find({own.stage, toStage, bytes});
    if (known == transferSegments_.end()) {
        const char* name = own.stage < toStage ? "pipeline.send_activations" : "pipeline.send_gradients";
        known = transferSegments_.emplace(std::make_tuple(own.stage, toStage, bytes), collectiveSegment(name, kind, bytes)).first;
    }
    const std::uint32_t segment = known->second;
    addInfo(lane, own.stage, TrainingStream::pipeline, TaskRole::work, segment, place);
    const TaskId task = iteration_.program.addTransfer(stream(lane, TrainingStream::pipeline), transfer(collectives_[segment].patterns, own.cell, bytes));
    setLoad(task, RankLoad::send);
    return task;
}

TaskId ProgramWriter::addShared(int lane, std::uint32_t segment, TaskId before, const TaskPlace& place) {
    const Lane& own = iteration_.lanes.lane(lane);
    const Collective& collective = collectives_[segment];
    if (iteration_.lanes.count(own.stage) == 1) {
        addInfo(lane, own.stage, TrainingStream::data, TaskRole::work, segment, place);
        const TaskId task = iteration_.program.addTransfer(stream(lane, TrainingStream::data), transfer(collective.patterns, 0, collective.bytes));
        setLoad(task, RankLoad::collective);
        after(task, before);
        return task;
    }
    const auto stage = static_cast<std::size_t>(own.stage);
    const std::size_t index = joined_[static_cast<std::size_t>(lane)]++;
    if (index == joints_[stage].size()) {
        addInfo(-1, own.stage, TrainingStream::data, TaskRole::joint, segment, place);
        joints_[stage].push_back(iteration_.program.addTransfer(jointStreams_[stage], transfer(collective.patterns, 0, collective.bytes)));
        setLoad(joints_[stage].back(), RankLoad::collective);
    }
    const TaskId joint = joints_[stage][index];
    addInfo(lane, own.stage, TrainingStream::data, TaskRole::arrive, segment, place);
    const TaskId arrive = iteration_.program.addTask(stream(lane, TrainingStream::data), 0);
    addInfo(lane, own.stage, TrainingStream::data, TaskRole::depart, segment, place);
    const TaskId depart = iteration_.program.addTask(stream(lane, TrainingStream::data), 0);
    after(arrive, before);
    after(joint, arrive);
    after(depart, joint);
    return depart;
}

std::pair<TaskId, TaskId> ProgramWriter::addPaired(int lane, int otherLane, std::uint32_t segment, const std::vector<TaskId>& before) {
    const Lane& own = iteration_.lanes.lane(lane);
    const Collective& collective = collectives_[segment];
    addInfo(-1, own.stage, TrainingStream::data, TaskRole::joint, segment, {});
    const TaskId joint = iteration_.program.addTransfer(iteration_.program.addStream(), transfer(collective.patterns, own.cell, collective.bytes));
    std::pair<TaskId, TaskId> departed;
    for (const int side : {lane, otherLane}) {
        const int stage = iteration_.lanes.lane(side).stage;
        addInfo(side, stage, TrainingStream::data, TaskRole::arrive, segment, {});
        const TaskId arrive = iteration_.program.addTask(stream(side, TrainingStream::data), 0);
        addInfo(side, stage, TrainingStream::data, TaskRole::depart, segment, {});
        const TaskId depart = iteration_.program.addTask(stream(side, TrainingStream::data), 0);
        for (const TaskId task : before) after(arrive, task);
        after(joint, arrive);
        after(depart, joint);
        (side == lane ? departed.first : departed.second) = depart;
    }
    return departed;
}

std::uint32_t ProgramWriter::collectiveSegment(const char* name, const TrafficKind& kind, double bytes) {
    const auto key = std::make_tuple(std::string(name), kind.stage, kind.toStage, bytes);
    const auto known = segments_.find(key);
    if (known != segments_.end()) return known->second;
    Operator op;
    op.name = name;
    op.kind = kind.collective == CollectiveKind::send_receive ? OperatorKind::send_receive : OperatorKind::collective;
    op.phase = Phase::communication;
    op.collective = kind.collective;
    op.group = kind.group;
    op.messageBytes = bytes;
    const JobTraffic::Id patterns = traffic_.patterns(kind, bytes);
    const StreamKind lane = kind.group == RankGroup::pipeline ? TrainingStream::pipeline : TrainingStream::data;
    const std::uint32_t segment = iteration_.work.addSingle(name, timedCollective(traffic_, kind, std::move(op)), lane);
    iteration_.traffic.push_back({kind.stage, static_cast<std::uint32_t>(iteration_.work.operators.size()) - 1, patterns, bytes});
    collectives_.resize(segment + 1);
    collectives_[segment] = {patterns, bytes};
    return segments_[key] = segment;
}

std::uint32_t ProgramWriter::singleSegment(TimedOperator timed, StreamKind kind) {
    const auto key = std::make_tuple(timed.op.name, -1, -1, timed.time);
    const auto known = segments_.find(key);
    if (known != segments_.end()) return known->second;
    const std::string name = timed.op.name;
    return segments_[key] = iteration_.work.addSingle(name, std::move(timed), kind);
}

std::uint32_t ProgramWriter::shareCopySegment(double seconds) {
    Operator op;
    op.name = "data.copy_gathered_shares";
    op.kind = OperatorKind::permute;
    op.phase = Phase::communication;
    TimedOperator timed;
    timed.op = std::move(op);
    timed.time = seconds;
    timed.bound = Bound::latency;
    return singleSegment(std::move(timed), TrainingStream::data);
}

std::uint32_t ProgramWriter::overheadSegment(double seconds) {
    if (overhead_ == ~std::uint32_t{0}) {
        Segment segment;
        segment.name = "overhead";
        segment.phase = Phase::optimizer;
        segment.duration = seconds;
        SegmentParts parts;
        parts.overhead = seconds;
        iteration_.work.segments.push_back(std::move(segment));
        iteration_.work.parts.push_back(parts);
        overhead_ = static_cast<std::uint32_t>(iteration_.work.segments.size()) - 1;
    }
    return overhead_;
}

} // namespace orrery
