// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/task_pool.hpp"

#include <exception>
#include <utility>

namespace orrery {

TaskThreads::TaskThreads(int threads, const std::function<TaskDoer()>& makeDoer) {
    for (int i = 0; i < threads; ++i) {
        try {
            threads_.emplace_back([this, doer = makeDoer()](const std::stop_token& stop) { work(stop, doer); });
        } catch (const std::exception&) { // the system has no more threads
            if (threads_.empty()) throw;
            return;
        }
    }
}

TaskThreads::~TaskThreads() { drop(); }

void TaskThreads::begin(Task task) {
    const std::lock_guard lock(guard_);
    asked_.push_back(std::move(task));
    ++open_;
    changed_.notify_all();
}

std::optional<Task> TaskThreads::next(std::chrono::microseconds atMost) {
    std::unique_lock lock(guard_);
    if (!changed_.wait_for(lock, atMost, [this] { return !done_.empty(); })) return std::nullopt;
    Task answer = std::move(done_.front());
    done_.pop_front();
    --open_;
    return answer;
}

void TaskThreads::drop() {
    const std::lock_guard lock(guard_);
    asked_.clear();
    done_.clear();
    open_ = 0;
    ++round_;
    drop_.request_stop();
    drop_ = std::stop_source();
}

void TaskThreads::work(const std::stop_token& stop, const TaskDoer& doer) {
    std::unique_lock lock(guard_);
    while (changed_.wait(lock, stop, [this] { return !asked_.empty(); })) {
        Task task = std::move(asked_.front());
        asked_.pop_front();
        const std::size_t round = round_;
        const std::stop_token dropped = drop_.get_token();
        lock.unlock();
        Task answer{task.ticket, doer(task.text, dropped)};
        lock.lock();
        if (round != round_) continue;
        done_.push_back(std::move(answer));
        changed_.notify_all();
    }
}

} // namespace orrery
