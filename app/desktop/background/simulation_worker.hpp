// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/results/report/pass_effects.hpp"
#include "core/scenario/reader/reader.hpp"
#include "widgets/timeline/columns.hpp"

#include <QObject>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace orrery {

class Catalog; // core/catalog

/// The steps of one run. Called from the worker's thread; tests put slow or counting ones in their place.
struct SimulationSteps {
    std::function<ScenarioReading(const Json& document, const FileReader& readFile)> read;
    std::function<Outcome(const Scenario& scenario, const RunControl& control)> simulate;
    std::function<TimelineRowsPtr(const Timeline& timeline, const std::stop_token& stop)> rows; ///< null when stopped
    std::function<ResultPtr(const Scenario& scenario)> estimate;                                ///< beside a long simulation, where it is set; null: there is none
    // What comes after the result, each where it is set.
    std::function<std::vector<PassEffect>(const Scenario& scenario)> effects;
    std::function<std::vector<TriedMend>(const Json& document, const Result& failed, const FileReader& readFile, const RunControl& control)> mends;
};

/// The real steps. The catalogue must outlive the worker.
SimulationSteps simulationSteps(const Catalog& catalog);

/// How long a simulation runs until an estimate is made beside it: with its some ms, the new numbers are there within 100.
inline constexpr std::chrono::milliseconds estimateAfter{40};

/// Reads and simulates scenarios in a thread of its own. The newest request wins: it stops the one that runs, and whatever an
/// older one still delivers is dropped, so that nobody ever sees a number of a scenario that is no longer there.
class SimulationWorker : public QObject {
    Q_OBJECT
public:
    explicit SimulationWorker(SimulationSteps steps, QObject* parent = nullptr);
    ~SimulationWorker() override; ///< asks the run to stop and waits for it

    bool isRunning() const { return running_; }
    quint64 generation() const { return generation_; } ///< of the newest request; 0: none yet

    /// `memoryCeiling`: see RunControl.
    void submit(Json document, FileReader readFile, double memoryCeiling = usualMemoryCeiling);
    void cancel();      ///< stops the run; it ends with `cancelled`
    void cancelMends(); ///< gives up looking for changes that fit, after a run; `mendsReady` then has none

signals:
    // One product a signal, in this order. All come in the thread that owns the worker.
    void started();
    void problemsFound(const orrery::Problems& problems); ///< empty when all is well
    void progressed(double fraction);
    void estimateReady(const orrery::ResultPtr& estimate); ///< only where the simulation takes longer than `estimateAfter`
    void resultReady(const orrery::ResultPtr& result, double milliseconds);
    void rowsReady(const orrery::TimelineRowsPtr& rows);
    // One of these ends the run.
    void finished(double milliseconds);
    void failed(); ///< no result: the problems say why
    void cancelled();
    // After `finished`: what nobody has to wait for.
    void mendsProgressed(double fraction);
    void effectsReady(const std::vector<orrery::PassEffect>& effects);
    void mendsReady(const std::vector<orrery::TriedMend>& mends); ///< only where the result does not fit

private:
    struct Request {
        quint64 generation = 0;
        Json document;
        FileReader readFile;
        double memoryCeiling = usualMemoryCeiling;
        std::stop_source stop;
    };

    void work(const std::stop_token& quit);
    void process(const Request& request);
    void sendEstimate(quint64 generation, const Scenario& scenario);
    void followUp(const Request& request, const ResultPtr& result, const RunControl& control);
    /// Runs `deliver` in the owner's thread, unless a newer request or a cancel came in between.
    void post(quint64 generation, std::function<void()> deliver);

    SimulationSteps steps_;
    quint64 generation_ = 0; ///< owner's thread only
    bool running_ = false;   ///< owner's thread only

    std::mutex mutex_; ///< guards `next_` and `current_`
    std::condition_variable_any wake_;
    std::optional<Request> next_;
    std::stop_source current_;
    std::jthread thread_;
};

} // namespace orrery
