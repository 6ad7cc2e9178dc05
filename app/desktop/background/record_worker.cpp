// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/record_worker.hpp"

#include "app/common/file_io.hpp"
#include "app/desktop/background/background_task.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/records/views/hybrid_answer.hpp"
#include "core/records/views/hybrid_timeline.hpp"

#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <exception>
#include <new>

namespace orrery {
namespace {

constexpr std::size_t largestTrace = std::size_t{2} << 30; ///< bytes; read whole, a larger one would not fit beside what is made of it
constexpr double readingShare = 0.85;                      ///< of the time; the rest lays rows out

Problem traceProblem(const char* code, const std::string& file, const QString& message, const QString& mend) {
    Problem problem;
    problem.code = code;
    problem.file = file;
    problem.message = message.toStdString();
    problem.mend = mend.toStdString();
    return problem;
}

/// What was read of one file, whichever of them it is.
struct ReadTrace {
    std::optional<RecordedRank> rank;
    std::optional<RecordFacts> facts;
    Problems problems;
};

ReadTrace readTrace(const std::string& path, const CommunicationRules& rules, const RunControl& control) {
    ReadTrace read;
    const std::string name = QFileInfo(QString::fromStdString(path)).fileName().toStdString();
    std::string error;
    const auto bytes = readTextFile(path, error, {.regularOnly = true, .most = largestTrace});
    if (!bytes) {
        read.problems.push_back(traceProblem("cannot-read-file", path, QString::fromStdString(error), RecordWorker::tr("Check the name and its permissions, or record fewer steps.")));
        return read;
    }
    auto trace = readDeviceTrace(*bytes, name, read.problems, control);
    if (control.stop.stop_requested()) return read;
    if (trace && trace->device.empty() && trace->operators.empty() && trace->runtimeCalls.empty() && trace->memory.empty()) {
        read.problems.push_back(traceProblem("nothing-recorded", path, RecordWorker::tr("%1 has %2 events, and none of them is a kernel, a copy, a call or memory as PyTorch's profiler and Nsight Systems write them: another program's trace.").arg(QString::fromStdString(name)).arg(trace->events), RecordWorker::tr("Open it in Perfetto.")));
        return read;
    }
    if (trace) {
        sortKernels(*trace, rules);
        const auto rank = trace->rank;
        read.rank = RecordedRank{name, rank, std::make_shared<const KinetoTrace>(std::move(*trace))};
        return read;
    }
    if (read.problems.empty() || read.problems.back().code != "no-kineto-trace") return read;
    // Another kind of trace has figures, and no moments.
    read.problems.pop_back();
    if (auto figures = traceFigures(*bytes, name, read.problems)) read.facts = RecordFacts{name, BoxedJson(std::move(*figures))};
    return read;
}

} // namespace

RecordWorker::RecordWorker(QObject* parent) : QObject(parent) {}

RecordWorker::~RecordWorker() = default; // jthread asks to stop and joins

void RecordWorker::read(const QStringList& paths, CommunicationRules rules) {
    run([paths, rules = std::move(rules)](const std::stop_token& stop, const Report& report) -> ShownRecordsPtr {
        auto shown = std::make_shared<ShownRecords>();
        shown->rules = rules;
        std::vector<RecordedRank> ranks;
        double all = 0, done = 0;
        for (const QString& path : paths) all += static_cast<double>(QFileInfo(path).size());
        for (const QString& path : paths) {
            const auto size = static_cast<double>(QFileInfo(path).size());
            RunControl control;
            control.stop = stop;
            control.progress = [&](double fraction) { report(QFileInfo(path).fileName(), readingShare * (done + fraction * size) / std::max(1.0, all)); };
            control.progress(0);
            ReadTrace read = readTrace(path.toStdString(), rules, control);
            if (stop.stop_requested()) return nullptr;
            done += size;
            shown->problems.insert(shown->problems.end(), read.problems.begin(), read.problems.end());
            if (read.rank) ranks.push_back(std::move(*read.rank));
            if (read.facts) shown->facts.push_back(std::move(*read.facts));
        }
        report(QString(), readingShare);
        layOut(*shown, std::move(ranks), stop);
        return stop.stop_requested() ? nullptr : shown;
    });
}

void RecordWorker::sortAgain(const ShownRecordsPtr& records, CommunicationRules rules) {
    run([records, rules = std::move(rules)](const std::stop_token& stop, const Report& report) -> ShownRecordsPtr {
        auto shown = std::make_shared<ShownRecords>(*records);
        shown->rules = rules;
        shown->problems.clear(); // told when they were read
        shown->beside.reset();   // of the classes before
        std::vector<RecordedRank> ranks = records->job->ranks;
        double done = 0;
        for (RecordedRank& each : ranks) {
            report(QString(), readingShare * done++ / static_cast<double>(ranks.size()));
            if (auto sorted = sortedOtherwise(*each.trace, rules)) each.trace = std::make_shared<const KinetoTrace>(std::move(*sorted));
            if (stop.stop_requested()) return nullptr;
        }
        layOut(*shown, std::move(ranks), stop);
        return stop.stop_requested() ? nullptr : shown;
    });
}

void RecordWorker::tellRanks(const ShownRecordsPtr& records, const std::map<std::string, std::int64_t>& told) {
    run([records, told](const std::stop_token& stop, const Report&) -> ShownRecordsPtr {
        auto shown = std::make_shared<ShownRecords>(*records);
        shown->beside.reset(); // its lanes are not laid out again
        std::vector<RecordedRank> ranks = records->job->ranks;
        for (RecordedRank& each : ranks)
            if (const auto found = told.find(each.file); found != told.end()) each.rank = found->second;
        layOut(*shown, std::move(ranks), stop);
        return stop.stop_requested() ? nullptr : shown;
    });
}

void RecordWorker::answer(const Json& document, const Catalog& catalog, FileReader readFile) {
    run([document = BoxedJson(document), &catalog, readFile = std::move(readFile)](const std::stop_token& stop, const Report& report) -> ShownRecordsPtr {
        report(QString(), 0);
        auto shown = std::make_shared<ShownRecords>();
        auto answer = answerHybrid(*document, catalog, readFile, shown->problems);
        if (!answer) return shown;
        shown->hybrid = std::move(answer->document);
        Problems told; // by the answer itself
        if (const Json& hybrid = document->at("hybrid"); hybrid.contains("communication"))
            shown->rules = readCommunicationRules(hybrid.at("communication"), "", "/hybrid/communication", told).value_or(shown->rules);
        if (answer->run) {
            std::vector<std::size_t> drawn;
            shown->record = std::make_shared<const RecordTimeline>(hybridTimeline(*answer->run, drawn));
            shown->waiting = waitingMatrix(*answer->run, drawn);
        } else if (answer->planned) {
            shown->record = std::make_shared<const RecordTimeline>(std::move(answer->planned->record));
            shown->waiting = std::move(answer->planned->waiting);
        }
        if (shown->record) shown->rows = buildRows(shown->record->timeline, stop);
        return stop.stop_requested() ? nullptr : shown;
    });
}

void RecordWorker::putBeside(const ShownRecordsPtr& records, int place, const ResultPtr& result, const Json& document, const Catalog& catalog, FileReader readFile) {
    run([records, place, result, document = BoxedJson(document), &catalog, readFile = std::move(readFile)](const std::stop_token& stop, const Report& report) -> ShownRecordsPtr {
        report(QString(), 0);
        auto shown = std::make_shared<ShownRecords>(*records);
        shown->beside.reset();
        shown->problems.clear();
        RecordTimeline record = recordTimeline(*shown->job);
        if (place >= 0) {
            const auto rank = static_cast<std::size_t>(place);
            const KinetoTrace& trace = *shown->job->ranks[rank].trace;
            ShownBeside beside{rank, besideRecord(*result, trace), std::nullopt};
            report(QString(), 0.3);
            beside.foreign = whyForeign(*result, beside.errors, trace, catalog);
            if (beside.foreign.empty()) beside.calibration = besideCalibration(*document, catalog, readFile, *result, beside.errors, trace);
            std::int64_t first = shown->job->end; // the device's first work, where the iteration is laid
            for (const DeviceEvent& event : trace.device) first = std::min(first, shown->job->onClock(rank, event.when.start));
            int position = 0; // of the stage that the rank is of
            for (std::size_t i = 0; i < result->timeline.stages.size(); ++i)
                if (result->timeline.stages[i].stage == beside.errors.stage) position = static_cast<int>(i);
            addSimulated(record, result->timeline, position, static_cast<double>(first - shown->job->begin) * 1e-9);
            shown->beside = std::move(beside);
        }
        shown->record = std::make_shared<const RecordTimeline>(std::move(record));
        shown->rows = buildRows(shown->record->timeline, stop);
        return stop.stop_requested() ? nullptr : shown;
    });
}

void RecordWorker::cancel() {
    if (!running_) return;
    ++generation_; // whatever it still says is not heard
    running_ = false;
    thread_.request_stop();
    emit cancelled();
}

void RecordWorker::run(std::function<ShownRecordsPtr(const std::stop_token&, const Report&)> work) {
    const quint64 generation = ++generation_;
    running_ = true;
    thread_ = backgroundThread([this, generation, work = std::move(work)](const std::stop_token& stop) {
        QElapsedTimer clock;
        clock.start();
        const auto report = [&](const QString& file, double fraction) {
            post(generation, [this, file, fraction] { emit progressed(file, fraction); });
        };
        ShownRecordsPtr shown;
        const auto failed = [](const QString& message, const QString& mend) {
            auto none = std::make_shared<ShownRecords>();
            none->problems.push_back(traceProblem("cannot-show-trace", {}, message, mend));
            return none;
        };
        try {
            shown = work(stop, report);
            if (shown) {
                auto timed = std::make_shared<ShownRecords>(*shown);
                timed->seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
                shown = timed;
            }
        } catch (const std::bad_alloc&) {
            shown = failed(tr("There is not memory enough to show these records."), tr("Record fewer steps, or open fewer ranks."));
        } catch (const std::exception& fault) {
            shown = failed(tr("Orrery itself failed while reading: %1").arg(QString::fromUtf8(fault.what())), tr("Report it with the file."));
        }
        if (!shown) return;
        post(generation, [this, shown] {
            running_ = false;
            emit finished(shown);
        });
    });
}

void RecordWorker::post(quint64 generation, std::function<void()> deliver) { deliverIfNewest(*this, generation_, generation, std::move(deliver)); }

} // namespace orrery
