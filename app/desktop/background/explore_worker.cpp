// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/explore_worker.hpp"

#include "app/desktop/background/background_task.hpp"

#include <QElapsedTimer>
#include <QString>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace orrery {
namespace {

constexpr qint64 exploreInterval = 50; ///< ms between two reports of progress

} // namespace

ExploreWorker::ExploreWorker(QObject* parent) : QObject(parent), thread_(backgroundThread([this](const std::stop_token& quit) { work(quit); })) {}

ExploreWorker::~ExploreWorker() {
    {
        const std::lock_guard lock(mutex_);
        next_.reset();
        current_.request_stop();
    }
    thread_.request_stop();
}

void ExploreWorker::start(Task task, double memoryCeiling) {
    ++generation_;
    running_ = true;
    const std::lock_guard lock(mutex_);
    current_.request_stop();
    current_ = std::stop_source();
    next_ = Job{generation_, std::move(task), memoryCeiling, current_.get_token()};
    wake_.notify_all();
}

void ExploreWorker::cancel() {
    const std::lock_guard lock(mutex_);
    current_.request_stop();
}

void ExploreWorker::work(const std::stop_token& quit) {
    while (!quit.stop_requested()) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, quit, [this] { return next_.has_value(); })) return;
            job = std::move(*next_);
            next_.reset();
        }
        run(job);
    }
}

void ExploreWorker::run(const Job& job) {
    QElapsedTimer clock, sinceReport;
    clock.start();
    sinceReport.start();
    const auto seconds = [&clock] { return static_cast<double>(clock.nsecsElapsed()) / 1e9; };
    RunControl control;
    control.stop = job.stop;
    control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    control.memoryCeiling = job.memoryCeiling;
    // Those who compute in parallel report under a lock of their own: one call at a time.
    control.progress = [&](double share) {
        if (sinceReport.elapsed() < exploreInterval) return;
        sinceReport.restart();
        post(job.generation, [this, share, now = seconds()] { emit progressed(share, now); });
    };
    QString fault;
    try {
        job.task(control, [this, generation = job.generation](std::function<void()> deliver) { post(generation, std::move(deliver)); });
    } catch (const std::exception& caught) {
        fault = QString::fromUtf8(caught.what());
    }
    post(job.generation, [this, fault, now = seconds(), cancelled = job.stop.stop_requested()] {
        running_ = false;
        emit finished(now, cancelled);
        if (!fault.isEmpty()) emit failed(tr("Orrery itself failed: %1").arg(fault));
    });
}

void ExploreWorker::post(quint64 generation, std::function<void()> deliver) { deliverIfNewest(*this, generation_, generation, std::move(deliver)); }

} // namespace orrery
