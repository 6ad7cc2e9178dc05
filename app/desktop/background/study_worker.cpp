// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/study_worker.hpp"

#include "app/desktop/background/background_task.hpp"
#include "core/answers/study/run_study.hpp"
#include "core/catalog/catalog.hpp"

#include <QElapsedTimer>

#include <exception>

namespace orrery {
namespace {

/// Each report copies what is there; more often than this (ms) nobody sees.
constexpr qint64 reportInterval = 100;

/// A fault of one scenario is its own: the others still run.
StudyOutcome outcomeOf(const Study& study, const StudyPoint& point, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    try {
        return runStudyPoint(study, point, catalog, readFile, control);
    } catch (const std::exception& fault) {
        Problem problem;
        problem.code = "internal-fault";
        problem.message = std::string("Orrery itself failed while simulating: ") + fault.what();
        StudyOutcome outcome;
        outcome.numbers.resize(study.plots.size());
        outcome.problems.push_back(std::move(problem));
        return outcome;
    }
}

} // namespace

StudyWorker::StudyWorker(const Catalog& catalog, QObject* parent) : QObject(parent), catalog_(catalog) {}

StudyWorker::~StudyWorker() = default; // jthread asks to stop and joins

void StudyWorker::run(Study study, FileReader readFile) {
    const quint64 generation = ++generation_;
    running_ = true;
    thread_ = backgroundThread([this, generation, study = std::move(study), readFile = std::move(readFile)](const std::stop_token& stop) {
        QElapsedTimer clock, sinceReport;
        clock.start();
        sinceReport.start();
        StudyResult result{study, studyPoints(study), {}};
        const auto report = [&](bool last) {
            auto copy = std::make_shared<const StudyResult>(result);
            const double seconds = static_cast<double>(clock.nsecsElapsed()) / 1e9;
            post(generation, [this, copy, last, seconds] {
                if (last) running_ = false;
                emit advanced(copy);
                if (last) emit finished(copy, seconds);
            });
            sinceReport.restart();
        };
        report(false);
        RunControl control;
        control.stop = stop;
        control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
        for (const StudyPoint& point : result.points) {
            StudyOutcome outcome = outcomeOf(study, point, catalog_, readFile, control);
            if (stop.stop_requested()) return;
            result.outcomes.push_back(std::move(outcome));
            if (!result.complete() && sinceReport.elapsed() > reportInterval) report(false);
        }
        report(true);
    });
}

void StudyWorker::post(quint64 generation, std::function<void()> deliver) { deliverIfNewest(*this, generation_, generation, std::move(deliver)); }

} // namespace orrery
