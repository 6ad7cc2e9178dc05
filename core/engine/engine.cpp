// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.hpp"
#include "core/engine/interference.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>

namespace orrery {

/// Who waits for whom. What is known from the start stands in compressed rows, which cost least to go through; what is added later in lists.
class Successors {
public:
    /// Takes up the edges that the program has got since the last call.
    void absorb(const Program& program);
    /// Edges taken up so far.
    std::size_t edges() const { return edges_; }

    /// Calls `visit` with each task that waits for `task`, in the order in which the edges were added.
    template <typename Visit> void each(TaskId task, Visit&& visit) const {
        if (task + std::size_t{1} < offsets_.size())
            for (std::uint32_t i = offsets_[task]; i < offsets_[task + 1]; ++i) visit(targets_[i]);
        if (task < lists_.size())
            for (std::uint32_t i = lists_[task].first; i != nothing; i = links_[i].next) visit(links_[i].target);
    }

private:
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};
    struct Link {
        TaskId target;
        std::uint32_t next;
    };
    struct List {
        std::uint32_t first = nothing, last = nothing;
    };

    void makeRows(const Program& program);
    void append(TaskId before, TaskId after);

    std::size_t edges_ = 0;
    std::vector<std::uint32_t> offsets_; ///< the first tasks' successors are targets_[offsets_[task] .. offsets_[task + 1])
    std::vector<TaskId> targets_;
    std::vector<List> lists_; ///< by task, as far as any were added later
    std::vector<Link> links_;
};

void Successors::makeRows(const Program& program) {
    offsets_.assign(program.taskCount() + 1, 0);
    targets_.resize(program.edges().size());
    for (const auto& [before, after] : program.edges()) ++offsets_[before + 1];
    for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const auto& [before, after] : program.edges()) targets_[next[before]++] = after;
}

void Successors::append(TaskId before, TaskId after) {
    if (before >= lists_.size()) lists_.resize(before + std::size_t{1});
    List& list = lists_[before];
    const auto added = static_cast<std::uint32_t>(links_.size());
    links_.push_back({after, nothing});
    if (list.first == nothing) list.first = added;
    else links_[list.last].next = added;
    list.last = added;
}

void Successors::absorb(const Program& program) {
    if (offsets_.empty()) makeRows(program);
    else
        for (std::size_t edge = edges_; edge < program.edges().size(); ++edge) append(program.edges()[edge].first, program.edges()[edge].second);
    edges_ = program.edges().size();
}

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;                   ///< ends this close, relatively, are one moment
constexpr std::size_t eventsBetweenChecks = 1 << 15; ///< how often a run looks whether it was stopped

/// One run of a program, which may grow while it goes on.
class EngineRun {
public:
    /// `source` is told of ends and adds to `growing`, the same program; both null where all is known from the start.
    EngineRun(const Program& program, Program* growing, WorkSource* source, const RunControl& control, TransferModel* transfers)
        : program_(program), growing_(growing), source_(source), control_(control), transfers_(transfers) {
        if (source || program.interferes()) beside_.emplace(program);
    }

    std::optional<TaskTimes> go() {
        begin(0);
        while (!stopped_ && step()) {}
        if (stopped_) return std::nullopt;
        checkEnd();
        return std::move(times_);
    }

    void begin(double now) {
        absorb(now);
        settle(now);
    }
    /// When something happens next; infinity: never.
    double nextMoment() {
        while (beside_ && !running_.empty() && isVoid(running_.top())) running_.pop();
        nextTask_ = running_.empty() ? never : running_.top().time;
        nextTransfer_ = transfers_ ? transfers_->nextEvent() : never;
        nextWake_ = source_ ? source_->nextWake() : never;
        return std::min({nextTask_, nextTransfer_, nextWake_});
    }
    /// The next moment at which something happens; false when there is none.
    bool step() {
        if (nextMoment() == never) return false;
        if (nextTask_ <= nextTransfer_ && nextTask_ <= nextWake_) finishTasks(nextTask_);
        else if (nextTransfer_ <= nextWake_) finishTransfers(nextTransfer_);
        else wake(nextWake_);
        return true;
    }
    void checkEnd() const {
        if (done_ != program_.taskCount()) throw DeadlockError(aStuckTask());
    }
    bool isDone() const { return done_ == program_.taskCount(); }
    const TaskTimes& times() const { return times_; }

private:
    static constexpr std::uint32_t ended = ~std::uint32_t{0}; ///< in waitingFor_

    struct Completion {
        double time;
        TaskId task;
        bool operator>(const Completion& other) const { return time != other.time ? time > other.time : task > other.task; }
    };

    /// Makes what was added to the program since the last call part of the run.
    void absorb(double now) {
        const auto first = static_cast<TaskId>(waitingFor_.size()), count = static_cast<TaskId>(program_.taskCount());
        for (TaskId task = first; task < count; ++task)
            if (!(program_.durations()[task] >= 0 && program_.durations()[task] < never)) throw DurationError(task);
        waitingFor_.resize(count, 0);
        nextOnStream_.resize(count, noTask);
        times_.start.resize(count, -1);
        times_.end.resize(count, -1);
        lastOnStream_.resize(program_.streamCount(), noTask);
        for (TaskId task = first; task < count; ++task) {
            TaskId& last = lastOnStream_[program_.taskStreams()[task]];
            if (last != noTask && waitingFor_[last] != ended) {
                nextOnStream_[last] = task;
                ++waitingFor_[task];
            }
            last = task;
        }
        for (std::size_t edge = successors_.edges(); edge < program_.edges().size(); ++edge) {
            const auto [before, after] = program_.edges()[edge];
            if (after < first && times_.start[after] >= 0) throw LateDependencyError(after);
            if (waitingFor_[before] != ended) ++waitingFor_[after];
        }
        successors_.absorb(program_);
        if (beside_) beside_->absorb();
        for (TaskId task = first; task < count; ++task)
            if (waitingFor_[task] == 0) startTask(task, now);
    }

    void startTask(TaskId task, double now) {
        times_.start[task] = now;
        const TransferId transfer = program_.transfers()[task];
        if (beside_) beside_->start(task, now, transfer != noTransfer);
        if (transfer != noTransfer) {
            transfers_->start(task, transfer, now);
            return;
        }
        times_.end[task] = now + program_.durations()[task];
        running_.push({times_.end[task], task});
    }

    void release(TaskId task, double now) {
        if (--waitingFor_[task] == 0) startTask(task, now);
    }

    void finishTask(TaskId task, double now) {
        if (++done_ % eventsBetweenChecks == 0) {
            stopped_ = control_.stop.stop_requested();
            if (!stopped_ && control_.progress) control_.progress(double(done_) / double(program_.taskCount()));
        }
        times_.duration = now;
        waitingFor_[task] = ended;
        if (beside_) beside_->finish(task);
        if (nextOnStream_[task] != noTask) release(nextOnStream_[task], now);
        successors_.each(task, [&](TaskId after) { release(after, now); });
        if (!source_) return;
        source_->ended(task, now, *growing_);
        absorb(now);
    }

    /// Tells what shares a device with what has started or ended at `now`.
    void settle(double now) {
        if (!beside_) return;
        moved_.clear();
        beside_->settle(now, moved_);
        for (const auto& [task, end] : moved_) {
            times_.end[task] = end;
            running_.push({end, task});
        }
    }

    /// Only the last entry of a task whose end has moved counts.
    bool isVoid(const Completion& event) const { return beside_ && (event.time != times_.end[event.task] || !beside_->isRunning(event.task)); }

    /// All tasks of one moment before the transfer model is asked again: what they start shares the links from then on together.
    void finishTasks(double first) {
        const double moment = first + rounding * first;
        double now = first;
        while (!running_.empty() && running_.top().time <= moment && !stopped_) {
            const Completion event = running_.top();
            running_.pop();
            if (isVoid(event)) continue;
            now = event.time;
            finishTask(event.task, now);
        }
        settle(now);
    }

    void finishTransfers(double now) {
        endedTransfers_.clear();
        transfers_->advance(now, endedTransfers_);
        std::sort(endedTransfers_.begin(), endedTransfers_.end());
        for (const TaskId task : endedTransfers_) {
            times_.end[task] = now;
            finishTask(task, now);
        }
        settle(now);
    }

    void wake(double now) {
        source_->wake(now, *growing_);
        absorb(now);
        settle(now);
    }

    TaskId aStuckTask() const {
        const auto stuck = std::find_if(waitingFor_.begin(), waitingFor_.end(), [](std::uint32_t n) { return n > 0 && n != ended; });
        return static_cast<TaskId>(stuck - waitingFor_.begin());
    }

    const Program& program_;
    Program* growing_;
    WorkSource* source_;
    const RunControl control_;
    TransferModel* transfers_;

    Successors successors_;
    std::vector<std::uint32_t> waitingFor_; ///< by task
    std::vector<TaskId> nextOnStream_;      ///< by task
    std::vector<TaskId> lastOnStream_;      ///< by stream
    TaskTimes times_;
    std::priority_queue<Completion, std::vector<Completion>, std::greater<>> running_;
    std::optional<Interference> beside_;
    double nextTask_ = never, nextTransfer_ = never, nextWake_ = never; // of the moment to come
    std::size_t done_ = 0;
    bool stopped_ = false;
    std::vector<std::pair<TaskId, double>> moved_; // working memory of one moment
    std::vector<TaskId> endedTransfers_;
};

ProgramRun::ProgramRun(const Program& program, double begin, TransferModel* transfers)
    : run_(std::make_unique<EngineRun>(program, nullptr, nullptr, RunControl{}, transfers)) {
    run_->begin(begin);
}
ProgramRun::~ProgramRun() = default;
ProgramRun::ProgramRun(ProgramRun&&) noexcept = default;
ProgramRun& ProgramRun::operator=(ProgramRun&&) noexcept = default;
double ProgramRun::nextEvent() { return run_->isDone() ? never : run_->nextMoment(); }
void ProgramRun::advance() { run_->step(); }
const TaskTimes& ProgramRun::times() const {
    run_->checkEnd();
    return run_->times();
}

std::optional<TaskTimes> runProgram(const Program& program, const RunControl& control, TransferModel* transfers) {
    return EngineRun(program, nullptr, nullptr, control, transfers).go();
}

std::optional<TaskTimes> runProgram(Program& program, WorkSource& source, const RunControl& control, TransferModel* transfers) {
    return EngineRun(program, &program, &source, control, transfers).go();
}

/// One more than the highest class in use.
std::size_t Program::classes() const {
    std::size_t most = 1;
    for (const Load& load : loads_) most = std::max(most, load.load + std::size_t{1});
    for (const Slowdown& pair : slowdowns_) most = std::max({most, pair.slowed + std::size_t{1}, pair.by + std::size_t{1}});
    return most;
}

TaskId Program::append(const Program& other, TransferId firstTransfer) {
    const auto firstTask = static_cast<TaskId>(taskCount());
    const StreamId firstStream = streams_;
    DeviceId firstDevice = 0;
    for (const auto& [stream, device] : places_) firstDevice = std::max(firstDevice, device + 1);
    const std::size_t furtherClass = classes() - 1; // class 0 means the same everywhere
    assert(furtherClass + other.classes() - 1 <= std::numeric_limits<LoadClass>::max());
    const auto classOf = [&](LoadClass load) { return static_cast<LoadClass>(load == 0 ? 0 : load + furtherClass); };

    reserve(taskCount() + other.taskCount());
    streams_ += other.streams_;
    for (TaskId task = 0; task < other.taskCount(); ++task) {
        const TaskId added = addTask(firstStream + other.taskStreams_[task], other.durations_[task]);
        if (other.transfers_[task] != noTransfer) transfers_[added] = firstTransfer + other.transfers_[task];
        if (const Load load = other.load(task); load.load != 0) setLoad(added, classOf(load.load), load.weight);
    }
    for (const auto& [before, after] : other.edges_) edges_.emplace_back(firstTask + before, firstTask + after);
    for (const auto& [stream, device] : other.places_) places_.emplace_back(firstStream + stream, firstDevice + device);
    for (const Slowdown& pair : other.slowdowns_) setSlowdown(classOf(pair.slowed), classOf(pair.by), pair.factor);
    return firstTask;
}

} // namespace orrery
