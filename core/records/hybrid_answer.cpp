// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/hybrid_answer.hpp"

#include "core/base/json.hpp"
#include "core/ranks/planned_report.hpp"
#include "core/traces/trace_figures.hpp"

namespace orrery {
namespace {

/// The scenario of a plan; nothing where it names no model or no work, or, with errors, can't be read.
std::optional<Scenario> planOf(Json document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    if (!document.contains("model") || !document.contains("workload")) return std::nullopt;
    document.erase("hybrid"); // the plan itself has no recorded ranks
    const ScenarioReading reading = readScenario(document, catalog, readFile);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (hasErrors(problems)) return std::nullopt;
    return reading.scenario;
}

/// The run over the plan; null where the records are of something else, or what is asked needs a replay.
Json plannedRun(const HybridQuestion& question, const Scenario& scenario, const std::vector<RankClass>& classes, const TraceOpener& open, Problems& problems) {
    constexpr int draws = 4;
    if (!question.scaled.empty() || !question.classes.empty() || !question.whatIfs.delays.empty() || !question.whatIfs.stops.empty() || question.vram) return nullptr;
    Problems unlike;
    PlannedRanks ranks(scenario, unlike);
    if (!unlike.empty()) return nullptr;
    std::map<int, RecordedPasses> records;
    std::map<int, RankFile> files;
    for (const auto& [rank, name] : question.recorded) {
        const auto trace = rank < scenario.parallelism.ranks() ? open(name, unlike) : std::nullopt;
        auto record = trace ? passesIn(*trace, ranks, static_cast<int>(rank), name, unlike) : std::nullopt;
        if (!record) return nullptr;
        records[static_cast<int>(rank)] = std::move(*record);
        files[static_cast<int>(rank)] = {name, recordedPeak(*trace)};
    }
    const auto hybrid = playPlannedHybrid(ranks, records, classes, 0, draws, problems);
    return hybrid ? plannedHybridDocument(ranks, *hybrid, classes, files) : Json();
}

} // namespace

std::optional<HybridAnswer> answerHybrid(const Json& document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    const auto question = readHybrid(document, problems);
    if (!question) return std::nullopt;
    const auto plan = planOf(document, catalog, readFile, problems);
    if (hasErrors(problems)) return std::nullopt;
    const std::vector<RankClass> classes = plan ? rankClasses(*plan) : std::vector<RankClass>();
    const TraceOpener open = [&readFile, &rules = question->communication](const std::string& name, Problems& found) -> std::optional<KinetoTrace> {
        std::string error;
        const auto bytes = readFile(name, error);
        if (bytes) {
            auto trace = readDeviceTrace(*bytes, name, found);
            if (trace) sortKernels(*trace, rules);
            return trace;
        }
        Problem problem;
        problem.code = "cannot-read-file";
        problem.file = name;
        problem.message = error;
        problem.mend = "Name a trace relative to the scenario.";
        found.push_back(std::move(problem));
        return std::nullopt;
    };
    if (plan) {
        Json planned = plannedRun(*question, *plan, classes, open, problems);
        if (hasErrors(problems)) return std::nullopt;
        if (!planned.is_null()) return HybridAnswer{BoxedJson(std::move(planned)), std::nullopt};
    }
    auto run = runHybrid(*question, classes, open, problems);
    if (!run) return std::nullopt;
    problems.insert(problems.end(), run->warnings.begin(), run->warnings.end());
    Json answer = hybridDocument(*run, document.value("name", ""));
    return HybridAnswer{BoxedJson(std::move(answer)), std::move(run)};
}

} // namespace orrery
