// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace orrery {

/// A piece of work as text, so that it can go to another process, and what came of it. `ticket` tells those on their way apart.
struct Task {
    std::size_t ticket = 0;
    std::string text;
};

/// Processes that do tasks of a search or a sweep. For one thread.
class TaskPool {
public:
    virtual ~TaskPool() = default;
    /// How many tasks keep all of them busy.
    virtual std::size_t places() const = 0;
    /// Sends a task on its way; any number may wait.
    virtual void begin(Task task) = 0;
    /// Waits for the next answer, under its task's ticket; nothing where no task is on its way.
    virtual std::optional<Task> next() = 0;
    /// Nobody waits for what is on its way any more; `next` does not give it.
    virtual void drop() = 0;
};

/// Answers a task; ends early, with whatever text, once it is stopped. Called from one thread.
using TaskDoer = std::function<std::string(const std::string& task, const std::stop_token& stop)>;

/// Threads of this process that do tasks, each with a doer of its own.
class TaskThreads {
public:
    /// Starts as many threads as the system gives; throws where it gives none.
    TaskThreads(int threads, const std::function<TaskDoer()>& makeDoer);
    ~TaskThreads();
    TaskThreads(const TaskThreads&) = delete;
    TaskThreads& operator=(const TaskThreads&) = delete;

    std::size_t count() const { return threads_.size(); }
    void begin(Task task);
    /// The next answer; nothing when none came for so long.
    std::optional<Task> next(std::chrono::microseconds atMost);
    /// Tasks asked for and not answered.
    std::size_t open() const { return open_; }
    void drop();

private:
    void work(const std::stop_token& stop, const TaskDoer& doer);

    std::mutex guard_;
    std::condition_variable_any changed_;
    std::deque<Task> asked_, done_;
    std::size_t open_ = 0;  ///< of the asking thread
    std::size_t round_ = 0; ///< counts drops: answers of earlier rounds are nobody's
    std::stop_source drop_;
    std::vector<std::jthread> threads_; ///< the last member: they end first
};

} // namespace orrery
