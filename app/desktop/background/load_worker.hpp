// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/results/report/load_curve.hpp"
#include "core/results/report/result.hpp"

#include <QObject>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace orrery {

/// One scenario under many loads. Called from the worker's thread; tests put slow or counting ones in its place.
struct LoadSteps {
    std::optional<OfferedLoad> present; ///< nothing: there is no load to vary
    ServiceLevel level;
    std::function<std::optional<std::vector<double>>(const RunControl& control)> loadsToTry; ///< nothing: stopped, or none
    std::function<std::optional<LoadPoint>(double load, const RunControl& control)> at;      ///< nothing: stopped
};
/// The real steps: LoadRun of core/answers/simulation. They keep the result.
LoadSteps loadSteps(const ResultPtr& result);

/// Simulates the scenario of a result under other loads in a thread of its own: the curve, point by point, and between its points the load
/// that is asked for. The newest of several asked for while one is simulated is
/// answered. Nothing of a scenario that was given up is told.
class LoadWorker : public QObject {
    Q_OBJECT
public:
    explicit LoadWorker(std::function<LoadSteps(const ResultPtr&)> steps = loadSteps, QObject* parent = nullptr);
    ~LoadWorker() override; ///< asks the run to stop and waits for it

    void submit(ResultPtr result); ///< of served requests; what is under way of another is given up
    void cancel();
    void tryLoad(double load); ///< of the result submitted last

signals:
    // All come in the thread that owns the worker.
    void progressed(double share);                      ///< of the curve, where it takes longer than a moment
    void curveReady(const orrery::LoadCurvePtr& curve); ///< what is there so far, the last one complete; null: there is no curve
    void tried(const orrery::LoadPoint& point);

private:
    struct Job {
        quint64 generation = 0;
        ResultPtr result; ///< null: nothing to do
    };
    class Work;

    void work(const std::stop_token& quit);
    void post(quint64 generation, std::function<void()> deliver);

    std::function<LoadSteps(const ResultPtr&)> steps_;
    quint64 generation_ = 0; ///< owner's thread only

    std::mutex mutex_; ///< guards what follows
    std::condition_variable_any wake_;
    std::optional<Job> next_;
    std::optional<double> wanted_;
    bool isAnswering_ = false; ///< a load that was asked for, not a point of the curve
    std::stop_source current_;
    std::jthread thread_;
};

class LoadPanel;

/// Simulates for a panel of throughput and latency what it shows: the curve of each result that it is seen with, and loads that are tried.
/// Nothing is simulated for a panel that nobody sees.
class LoadCurves : public QObject {
    Q_OBJECT
public:
    LoadCurves(LoadPanel& panel, QObject* parent);

    void setResult(ResultPtr result); ///< null: there is none. The panel was told before
    void cancel();
    LoadWorker& worker() { return worker_; }

private:
    void submitIfSeen();

    LoadPanel& panel_;
    ResultPtr result_;
    bool waits_ = false; ///< the result's curve was not asked for yet
    LoadWorker worker_;
};

} // namespace orrery
