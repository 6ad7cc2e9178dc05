// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/simulation_worker.hpp"
#include "app/desktop/background/background_task.hpp"
#include "app/desktop/background/delayed_action.hpp"
#include "app/desktop/background/freed_elsewhere.hpp"
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/mends/mends.hpp"
#include "core/answers/simulation/estimated_result.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/iteration/pass_effects.hpp"
#include "resources/shipped_evidence.hpp"

#include <QElapsedTimer>
#include <exception>

namespace orrery {
namespace {

/// A person can't read progress faster than this (ms), and each report costs an event.
constexpr qint64 progressInterval = 60;

double millisecondsOf(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e6; }

Problem internalFault(const char* what) {
    Problem problem;
    problem.code = "internal-fault";
    problem.message = std::string("Orrery itself failed while simulating: ") + what;
    problem.mend = "Undo the last change; please report this with the scenario.";
    return problem;
}

} // namespace

SimulationWorker::SimulationWorker(SimulationSteps steps, QObject* parent)
    : QObject(parent), steps_(std::move(steps)), thread_(backgroundThread([this](const std::stop_token& quit) { work(quit); })) {}

SimulationWorker::~SimulationWorker() {
    {
        const std::lock_guard lock(mutex_);
        next_.reset();
        current_.request_stop();
    }
    thread_.request_stop();
    thread_.join();
}

void SimulationWorker::submit(Json document, FileReader readFile, double memoryCeiling) {
    ++generation_;
    running_ = true;
    {
        const std::lock_guard lock(mutex_);
        current_.request_stop();
        next_ = Request{generation_, std::move(document), std::move(readFile), memoryCeiling, {}};
    }
    wake_.notify_one();
    emit started();
}

void SimulationWorker::cancel() {
    if (!running_) return;
    ++generation_; // whatever still comes from the run is stale now
    running_ = false;
    {
        const std::lock_guard lock(mutex_);
        next_.reset();
        current_.request_stop();
    }
    emit cancelled();
}

void SimulationWorker::cancelMends() {
    const std::lock_guard lock(mutex_);
    if (!running_ && !next_) current_.request_stop();
}

void SimulationWorker::work(const std::stop_token& quit) {
    while (true) {
        Request request;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, quit, [this] { return next_.has_value(); })) return;
            request = std::move(*next_);
            next_.reset();
            current_ = request.stop;
        }
        process(request);
        if (quit.stop_requested()) return;
    }
}

void SimulationWorker::process(const Request& request) {
    QElapsedTimer clock;
    clock.start();
    const quint64 generation = request.generation;
    const auto stopped = [&request] { return request.stop.stop_requested(); };
    try {
        const ScenarioReading reading = steps_.read(request.document, request.readFile);
        if (stopped()) return;
        post(generation, [this, problems = reading.problems] { emit problemsFound(problems); });
        if (!reading.scenario || hasErrors(reading.problems)) {
            post(generation, [this] {
                running_ = false;
                emit failed();
            });
            return;
        }

        RunControl control;
        control.stop = request.stop.get_token();
        control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
        control.memoryCeiling = request.memoryCeiling;
        QElapsedTimer sinceProgress;
        sinceProgress.start();
        control.progress = [this, generation, &sinceProgress](double fraction) {
            if (sinceProgress.elapsed() < progressInterval) return;
            sinceProgress.restart();
            post(generation, [this, fraction] { emit progressed(fraction); });
        };
        std::optional<DelayedAction> estimate;
        if (steps_.estimate) estimate.emplace(estimateAfter, [&] { sendEstimate(generation, *reading.scenario); });
        const Outcome outcome = steps_.simulate(*reading.scenario, control);
        estimate.reset(); // nothing of it comes after the result
        if (stopped() || outcome.cancelled) return;

        if (!outcome.problems.empty()) {
            Problems problems = reading.problems;
            problems.insert(problems.end(), outcome.problems.begin(), outcome.problems.end());
            post(generation, [this, problems] { emit problemsFound(problems); });
        }
        if (!outcome.result) {
            post(generation, [this] {
                running_ = false;
                emit failed();
            });
            return;
        }
        const double simulated = millisecondsOf(clock);
        post(generation, [this, result = outcome.result, simulated] { emit resultReady(result, simulated); });
        const TimelineRowsPtr rows = steps_.rows(outcome.result->timeline, control.stop);
        if (stopped() || !rows) return;
        post(generation, [this, rows] { emit rowsReady(rows); });
        post(generation, [this, simulated] {
            running_ = false;
            emit finished(simulated);
        });
        control.progress = [this, generation, &sinceProgress](double fraction) {
            if (sinceProgress.elapsed() < progressInterval) return;
            sinceProgress.restart();
            post(generation, [this, fraction] { emit mendsProgressed(fraction); });
        };
        followUp(request, outcome.result, control);
    } catch (const std::exception& fault) {
        post(generation, [this, problem = internalFault(fault.what())] {
            running_ = false;
            emit problemsFound({problem});
            emit failed();
        });
    }
}

/// A fault in here is none of the simulation's: its numbers only come later.
void SimulationWorker::sendEstimate(quint64 generation, const Scenario& scenario) {
    try {
        if (const ResultPtr estimate = steps_.estimate(scenario)) post(generation, [this, estimate] { emit estimateReady(estimate); });
    } catch (const std::exception&) {
        return;
    }
}

/// A fault in here is none of the result's: it is only not told what would have been.
void SimulationWorker::followUp(const Request& request, const ResultPtr& result, const RunControl& control) {
    const auto stopped = [&request] { return request.stop.stop_requested(); };
    try {
        if (steps_.effects && !stopped())
            post(request.generation, [this, effects = steps_.effects(result->scenario)] { emit effectsReady(effects); });
        if (!steps_.mends || result->fits || stopped()) return;
        std::vector<TriedMend> mends = steps_.mends(request.document, *result, request.readFile, control);
        // Stopped by a newer request, nobody hears it; given up, it is over as well.
        post(request.generation, [this, mends = std::move(mends)] { emit mendsReady(mends); });
    } catch (const std::exception&) {
        post(request.generation, [this] { emit mendsReady({}); });
    }
}

void SimulationWorker::post(quint64 generation, std::function<void()> deliver) { deliverIfNewest(*this, generation_, generation, std::move(deliver)); }

SimulationSteps simulationSteps(const Catalog& catalog) {
    SimulationSteps steps;
    steps.read = [&catalog](const Json& document, const FileReader& readFile) { return readScenario(document, catalog, readFile); };
    // Read in a worker's thread, at the first run: the window is there before. Several workers may come to it at once.
    struct Bars {
        std::once_flag once;
        std::shared_ptr<const ErrorBars> read;
        std::shared_ptr<const DifferenceJudge> differences;
    };
    const auto bars = std::make_shared<Bars>();
    steps.simulate = [&catalog, bars](const Scenario& scenario, const RunControl& control) {
        std::call_once(bars->once, [&] {
            bars->read = shippedErrorBars(catalog);
            bars->differences = std::make_shared<EvidenceJudge>(bars->read, catalog);
        });
        Outcome outcome = orrery::simulate(scenario, control, Folding::exact, [&bars](Result& result) {
            addErrorBars(result, *bars->read);
            result.differences = bars->differences;
        });
        outcome.result = freedElsewhere(std::move(outcome.result));
        return outcome;
    };
    steps.rows = [](const Timeline& timeline, const std::stop_token& stop) { return freedElsewhere(buildRows(timeline, stop)); };
    steps.estimate = [](const Scenario& scenario) { return freedElsewhere(estimatedResult(scenario)); };
    steps.effects = [](const Scenario& scenario) { return passEffects(scenario); };
    steps.mends = [&catalog](const Json& document, const Result& failed, const FileReader& readFile, const RunControl& control) {
        return tryMends(document, failed, catalog, readFile, control);
    };
    return steps;
}

} // namespace orrery
