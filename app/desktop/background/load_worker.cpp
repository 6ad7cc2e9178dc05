// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/load_worker.hpp"
#include "app/desktop/background/background_task.hpp"
#include "core/served/service/load_run.hpp"
#include "widgets/serving/load_panel.hpp"

#include <QElapsedTimer>
#include <exception>
#include <utility>

namespace orrery {
namespace {

constexpr qint64 wholeWithin = 300;  ///< ms: a curve that is there by then is shown whole
constexpr qint64 loadInterval = 100; ///< ms between two reports of a curve that grows

} // namespace

LoadSteps loadSteps(const ResultPtr& result) {
    const auto run = std::make_shared<const LoadRun>(result->scenario);
    LoadSteps steps;
    steps.present = run->present();
    steps.level = run->level();
    steps.loadsToTry = [result, run](const RunControl& control) { return run->loadsToTry(control); };
    steps.at = [result, run](double load, const RunControl& control) { return run->at(load, control); };
    return steps;
}

/// What the thread has of the present job.
class LoadWorker::Work {
public:
    Work(LoadWorker& worker, Job job) : worker_(worker), job_(std::move(job)) {
        clock_.start();
        sinceReport_.start();
    }

    bool wantsMore() const { return job_.result && !isOver_; }
    bool canTry() const { return job_.result && (!steps_ || steps_->present); }

    void tryLoad(double load, const RunControl& control) {
        if (!prepare()) return;
        if (auto point = steps_->at(load, control)) post([&worker = worker_, point = *point] { emit worker.tried(point); });
    }

    /// The next point of the curve; one that is stopped is left for another time.
    void advance(const RunControl& control) {
        if (!prepare()) return;
        if (!sweep_) {
            auto loads = steps_->loadsToTry(control);
            if (control.stop.stop_requested()) return;
            if (!loads) return end(nullptr);
            sweep_.emplace(*steps_->present, steps_->level, std::move(*loads));
        }
        if (const auto load = sweep_->next()) {
            auto point = steps_->at(*load, control);
            if (control.stop.stop_requested()) return;
            if (!point) return end(nullptr);
            sweep_->add(*point);
        }
        if (sweep_->curve().complete) return end(std::make_shared<const LoadCurve>(sweep_->curve()));
        if (clock_.elapsed() < wholeWithin || sinceReport_.elapsed() < loadInterval) return;
        sinceReport_.restart();
        post([&worker = worker_, share = sweep_->share(), curve = std::make_shared<const LoadCurve>(sweep_->curve())] {
            emit worker.progressed(share);
            emit worker.curveReady(curve);
        });
    }

    void fail() { end(nullptr); }

private:
    bool prepare() {
        if (!steps_) steps_ = worker_.steps_(job_.result);
        if (!steps_->present && !isOver_) end(nullptr);
        return steps_->present.has_value();
    }
    void end(LoadCurvePtr curve) {
        isOver_ = true;
        post([&worker = worker_, curve = std::move(curve)] { emit worker.curveReady(curve); });
    }
    void post(std::function<void()> deliver) { worker_.post(job_.generation, std::move(deliver)); }

    LoadWorker& worker_;
    Job job_;
    std::optional<LoadSteps> steps_;
    std::optional<LoadSweep> sweep_;
    bool isOver_ = false;
    QElapsedTimer clock_, sinceReport_;
};

LoadWorker::LoadWorker(std::function<LoadSteps(const ResultPtr&)> steps, QObject* parent)
    : QObject(parent), steps_(std::move(steps)), thread_(backgroundThread([this](const std::stop_token& quit) { work(quit); })) {}

LoadWorker::~LoadWorker() {
    {
        const std::lock_guard lock(mutex_);
        next_.reset();
        current_.request_stop();
    }
    thread_.request_stop();
    thread_.join();
}

void LoadWorker::submit(ResultPtr result) {
    ++generation_; // whatever still comes of the one before is stale now
    {
        const std::lock_guard lock(mutex_);
        current_.request_stop();
        wanted_.reset();
        next_ = Job{generation_, std::move(result)};
    }
    wake_.notify_one();
}

void LoadWorker::cancel() { submit(nullptr); }

void LoadWorker::tryLoad(double load) {
    {
        const std::lock_guard lock(mutex_);
        wanted_ = load;
        if (!isAnswering_) current_.request_stop(); // a point of the curve can wait, a hand can't
    }
    wake_.notify_one();
}

void LoadWorker::work(const std::stop_token& quit) {
    std::optional<Work> present;
    while (true) {
        std::optional<double> wanted;
        RunControl control;
        {
            std::unique_lock lock(mutex_);
            isAnswering_ = false;
            const auto hasWork = [&] { return next_ || (present && (present->wantsMore() || (wanted_ && present->canTry()))); };
            if (!wake_.wait(lock, quit, hasWork)) return;
            if (quit.stop_requested()) return;
            if (next_) present.emplace(*this, *std::exchange(next_, std::nullopt));
            wanted = std::exchange(wanted_, std::nullopt);
            isAnswering_ = wanted.has_value();
            current_ = {};
            control.stop = current_.get_token();
        }
        if (!present->wantsMore() && !(wanted && present->canTry())) continue;
        try {
            if (wanted) present->tryLoad(*wanted, control);
            else present->advance(control);
        } catch (const std::exception&) {
            present->fail(); // the result stands; it is only not told what other loads would give
        }
    }
}

void LoadWorker::post(quint64 generation, std::function<void()> deliver) { deliverIfNewest(*this, generation_, generation, std::move(deliver)); }

LoadCurves::LoadCurves(LoadPanel& panel, QObject* parent) : QObject(parent), panel_(panel) {
    connect(&panel_, &LoadPanel::shown, this, &LoadCurves::submitIfSeen);
    connect(&panel_, &LoadPanel::loadTried, this, [this](double load) {
        submitIfSeen();
        worker_.tryLoad(load);
    });
    connect(&worker_, &LoadWorker::curveReady, &panel_, &LoadPanel::setCurve);
    connect(&worker_, &LoadWorker::tried, &panel_, &LoadPanel::setTried);
    connect(&worker_, &LoadWorker::progressed, &panel_, &LoadPanel::setProgress);
}

void LoadCurves::setResult(ResultPtr result) {
    result_ = std::move(result);
    worker_.cancel(); // what is under way is of another result
    waits_ = result_ && panel_.hasLoad();
    submitIfSeen();
}

void LoadCurves::cancel() {
    worker_.cancel();
    panel_.setProgress(-1);
}

void LoadCurves::submitIfSeen() {
    if (!waits_ || !panel_.isVisible()) return;
    waits_ = false;
    panel_.setProgress(0);
    worker_.submit(result_);
}

} // namespace orrery
