// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"

#include <QObject>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace orrery {

/// Runs one long exploration at a time in a thread of its own: a sweep, a search, an inverse question. A new one stops the one before, whose
/// answers are dropped; one that is cancelled still hands over what it found.
class ExploreWorker : public QObject {
    Q_OBJECT
public:
    /// Calls a function in the thread that owns the worker, unless another task was started since.
    using Deliver = std::function<void(std::function<void()>)>;
    /// Called in the worker's thread; `control` stops it, says how many threads it may use and takes its progress.
    using Task = std::function<void(const RunControl& control, const Deliver& deliver)>;

    explicit ExploreWorker(QObject* parent = nullptr);
    ~ExploreWorker() override; ///< asks the task to stop and waits for it

    void start(Task task, double memoryCeiling = usualMemoryCeiling);
    void cancel(); ///< the task ends as soon as it can
    bool isRunning() const { return running_; }

signals:
    // All come in the thread that owns the worker.
    void progressed(double share, double seconds);
    void finished(double seconds, bool cancelled); ///< after all that the task delivered
    void failed(const QString& why);               ///< Orrery's own fault; comes after `finished`

private:
    struct Job {
        quint64 generation = 0;
        Task task;
        double memoryCeiling = usualMemoryCeiling;
        std::stop_token stop{};
    };
    void work(const std::stop_token& quit);
    void run(const Job& job);
    void post(quint64 generation, std::function<void()> deliver);

    quint64 generation_ = 0; ///< owner's thread only
    bool running_ = false;   ///< owner's thread only

    std::mutex mutex_; ///< guards what follows
    std::condition_variable_any wake_;
    std::optional<Job> next_;
    std::stop_source current_; ///< of the job started last
    std::jthread thread_;
};

} // namespace orrery
