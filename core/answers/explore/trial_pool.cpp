// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/trial_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace orrery {
namespace {

class ThreadPool final : public TrialPool {
public:
    ThreadPool(const Trials& trials, const SweepQuestion& question, const RunControl& control)
        : trials_(trials), question_(question), control_(control), places_(static_cast<std::size_t>(std::max(1, control.threads))),
          onStop_(control.stop, [this] {
              drop_.request_stop();
              const std::lock_guard lock(guard_);
              changed_.notify_all();
          }) {}

    ~ThreadPool() override {
        drop_.request_stop();
        for (std::jthread& thread : threads_) thread.request_stop();
        const std::lock_guard lock(guard_);
        changed_.notify_all();
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::size_t places() const override { return places_; }

    void begin(std::size_t index) override {
        const std::lock_guard lock(guard_);
        asked_.push_back(index);
        ++onTheirWay_;
        changed_.notify_all();
    }

    std::optional<Done> next() override {
        if (places_ == 1) return runOne();
        startThreads();
        std::unique_lock lock(guard_);
        changed_.wait(lock, [this] { return !done_.empty() || onTheirWay_ == 0 || control_.stop.stop_requested(); });
        if (done_.empty() || control_.stop.stop_requested()) return std::nullopt;
        Done done = std::move(done_.front());
        done_.pop_front();
        --onTheirWay_;
        return done;
    }

    void drop() override {
        drop_.request_stop();
        const std::lock_guard lock(guard_);
        asked_.clear();
    }

private:
    std::optional<SweptPoint> pointOf(std::size_t index) const {
        RunControl single;
        single.stop = drop_.get_token();
        single.memoryCeiling = control_.memoryCeiling;
        SweptPoint point = triedPoint(trials_, question_, index, single);
        if (!point.fits && single.stop.stop_requested()) return std::nullopt;
        return point;
    }

    std::optional<Done> runOne() {
        if (asked_.empty() || control_.stop.stop_requested()) return std::nullopt;
        const std::size_t index = asked_.front();
        asked_.pop_front();
        --onTheirWay_;
        std::optional<SweptPoint> point = pointOf(index);
        if (!point) return std::nullopt;
        return Done{index, std::move(*point)};
    }

    /// Starts as many threads as the system gives. Where it gives none, the caller would wait for ever, so the failure is thrown on.
    void startThreads() {
        while (threads_.size() < places_) {
            try {
                threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
            } catch (const std::exception&) {
                if (threads_.empty()) throw;
                return;
            }
        }
    }

    void work(const std::stop_token& stop) {
        std::unique_lock lock(guard_);
        while (true) {
            changed_.wait(lock, [&] { return !asked_.empty() || stop.stop_requested(); });
            if (stop.stop_requested()) return;
            const std::size_t index = asked_.front();
            asked_.pop_front();
            lock.unlock();
            std::optional<SweptPoint> point = pointOf(index);
            lock.lock();
            if (point) done_.push_back({index, std::move(*point)});
            else --onTheirWay_; // nobody waits for it any more
            changed_.notify_all();
        }
    }

    const Trials& trials_;
    const SweepQuestion& question_;
    const RunControl& control_;
    std::size_t places_;
    std::mutex guard_; ///< of what follows but for the threads
    std::condition_variable changed_;
    std::deque<std::size_t> asked_;
    std::deque<Done> done_;
    std::size_t onTheirWay_ = 0; ///< asked for and not taken yet
    std::stop_source drop_;
    std::stop_callback<std::function<void()>> onStop_;
    std::vector<std::jthread> threads_; ///< the last member: they end first
};

} // namespace

SweptPoint triedPoint(const Trials& trials, const SweepQuestion& question, std::size_t index, const RunControl& control) {
    try {
        return sweptPoint(trials.run(question.changes(index), control), question.measures);
    } catch (const std::exception& failure) {
        SweptPoint point;
        point.metrics.resize(question.measures.size());
        point.problem = std::string("The simulation failed: ") + failure.what();
        return point;
    }
}

std::unique_ptr<TrialPool> threadPool(const Trials& trials, const SweepQuestion& question, const RunControl& control) {
    return std::make_unique<ThreadPool>(trials, question, control);
}

} // namespace orrery
