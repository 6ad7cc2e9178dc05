// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/explore/processes.hpp"
#include "core/answers/explore/sweep.hpp"
#include "core/answers/explore/task_pool.hpp"
#include "core/answers/search/search_question.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The leader's tasks, done by threads of its own and by the other processes: whoever has least to do gets the next, and the others two a thread, so
/// that none waits for a message between two tasks. What a process had that is not heard of any more, others do.
///
/// Messages: the leader sends "T ROUND TICKET TASK" (do this), "D ROUND" (drop all), "E" (it is over); the others "H THREADS FINGERPRINT" (here I am), "X WHY"
/// (I can't help), "A ROUND TICKET ANSWER", and "L" (alive) every two seconds.
class ProcessTasks final : public TaskPool {
public:
    /// All of these outlive this.
    ProcessTasks(Processes& processes, TaskThreads& own, std::string fingerprint);

    std::size_t places() const override;
    void begin(Task task) override;
    std::optional<Task> next() override;
    void drop() override;

private:
    struct Helper {
        std::size_t threads = 0; ///< 0: not there yet, or of no use
        std::map<std::size_t, std::string> open;
        std::chrono::steady_clock::time_point heard;
    };
    void handOut();
    void hear(int from, std::string_view text);
    void loseSilent();

    Processes& processes_;
    TaskThreads& own_;
    std::string fingerprint_;
    std::vector<Helper> helpers_; ///< by rank; the first is this process, and stays empty
    std::deque<Task> waiting_, answers_;
    std::size_t round_ = 0;
};

/// What is spread; all of it outlives the run.
struct SpreadQuestion {
    const Trials& trials;
    const SweepQuestion& space;
    const SearchQuestion* search = nullptr; ///< of that space; null: a sweep
    bool prune = false;                     ///< as SearchOptions'
    int threads = 1;                        ///< of each process
};

/// The leader's side of a run: its threads and its tasks.
class SpreadRun {
public:
    SpreadRun(Processes& processes, const SpreadQuestion& asked);
    TaskPool& pool() { return tasks_; }

private:
    TaskThreads own_;
    ProcessTasks tasks_;
};

/// What the other processes do until the leader says that it is over.
void helpLeader(const Processes& processes, const SpreadQuestion& asked);
/// The same where it can't help, say for want of the scenario's file.
void declineToHelp(const Processes& processes, const std::string& why);

} // namespace orrery
