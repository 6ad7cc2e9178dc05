// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.hpp"

#include "core/engine/interference.hpp"
#include "core/engine/program_run.hpp"
#include "core/engine/successors.hpp"
#include "core/engine/work_source.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace orrery {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;                   ///< ends this close, relatively, are one moment
constexpr std::size_t eventsBetweenChecks = 1 << 15; ///< how often a run looks whether it was stopped

} // namespace

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

} // namespace orrery
